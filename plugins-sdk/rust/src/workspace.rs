//! The files of your agent's workspace folder.

pub use crate::bindings::imports::ostler::host::types::HostError;
pub use crate::bindings::imports::ostler::host::workspace_read::*;
pub use crate::bindings::imports::ostler::host::workspace_write::*;
