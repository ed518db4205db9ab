//! Waking the assistant with a note.

pub use crate::bindings::imports::ostler::host::gateway::inject;
pub use crate::bindings::imports::ostler::host::origin::*;
