//! Other sessions of the same profile.

pub use crate::bindings::imports::ostler::host::peer::*;
pub use crate::bindings::imports::ostler::host::peer_read::*;
// The name that both interfaces use.
pub use crate::bindings::imports::ostler::host::types::HostError;
