//! What your install keeps between invocations, and the secrets that people set for it.

pub use crate::bindings::imports::ostler::host::settings::*;
pub use crate::bindings::imports::ostler::host::settings_secret::get as get_secret;
