//! The packages and installs of the profile.

pub use crate::bindings::imports::ostler::host::plugins_read::*;
pub use crate::bindings::imports::ostler::host::plugins_release::*;
pub use crate::bindings::imports::ostler::host::plugins_write::*;
// The names that several of the interfaces use.
pub use crate::bindings::imports::ostler::host::types::{HostError, PluginChange};
