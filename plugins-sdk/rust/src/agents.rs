//! The agents of the profile: named personas, with their instructions and models.

pub use crate::bindings::imports::ostler::host::agents_read::*;
pub use crate::bindings::imports::ostler::host::agents_write::*;
// The names that both interfaces use.
pub use crate::bindings::imports::ostler::host::types::{Agent, HostError};
