//! Your session: what it is, where it lives, and what can be done in it.

pub use crate::bindings::imports::ostler::host::session::*;
pub use crate::bindings::imports::ostler::host::session_error::send as send_error;

pub use crate::bindings::imports::ostler::host::{
    conversation, message, notify, session_llm as llm, subagent,
};

#[path = "peer.rs"]
pub mod peer;
#[path = "todo.rs"]
pub mod todo;
