//! The host's home folder, and the keys by which an operator allows a plugin to wake the
//! assistant.
//!
//! Start at [`Home::locate`]; for the keys at [`read_allow_keys`], [`write_allow_keys`] and
//! [`remove_allow_keys`].
//!
//! What this crate promises:
//! - **Keys are read afresh.** Each [`read_allow_keys`] opens the file again. What is not there is
//!   not allowed; a file that cannot be read or understood is an error, never an answer.
//! - **The operator's file stays the operator's.** An edit adds or takes away the bytes of its own
//!   keys and leaves every other byte: comments, order, spacing, line endings. A file that does
//!   not parse is refused and left alone.
//! - **A file is old or new, never half.** Files are written by [`write_atomically`], and editors
//!   of one file wait for each other.
//! - **Nothing ambient.** Besides the platform's data folder, everything is given by the caller.

mod allow;
mod durable;
mod edit;
mod error;
mod home;
mod name;
mod splice;

pub use allow::{AllowKeys, read_allow_keys, remove_allow_keys, write_allow_keys};
pub use durable::write_atomically;
pub use error::{ConfigError, Place};
pub use home::Home;
