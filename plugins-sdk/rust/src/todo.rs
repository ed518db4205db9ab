//! The to-dos of your session.

pub use crate::bindings::imports::ostler::host::todo_read::*;
pub use crate::bindings::imports::ostler::host::todo_write::*;
// The names that both interfaces use.
pub use crate::bindings::imports::ostler::host::types::{HostError, TodoItem, TodoStatus};
