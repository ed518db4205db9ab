//! Write an Ostler plugin in Rust.
//!
//! A plugin is a `cdylib` that implements what it offers and invokes an export macro. This one
//! offers one tool, which opens a thread and wakes the assistant in it:
//!
//! ```
//! use ostler_plugin::{Tool, ToolError, host};
//!
//! struct HandOff;
//!
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Args {
//!     channel: String,
//!     title: String,
//!     text: String,
//! }
//!
//! impl Tool for HandOff {
//!     const NAME: &'static str = "hand_off";
//!     const DESCRIPTION: &'static str = "Opens a thread and hands the work over in it.";
//!     const INPUT_SCHEMA: &'static str = r#"{
//!         "type": "object",
//!         "properties": {
//!             "channel": { "type": "string" },
//!             "title": { "type": "string", "minLength": 1, "maxLength": 100 },
//!             "text": { "type": "string", "minLength": 1, "maxLength": 8000 }
//!         },
//!         "required": ["channel", "title", "text"],
//!         "additionalProperties": false
//!     }"#;
//!     type Args = Args;
//!
//!     fn call(args: Args) -> Result<String, ToolError> {
//!         let thread = host::threads::create(&args.channel, &args.title, None)?;
//!         let admitted = host::origin::start(&thread.id, &args.text, None)?;
//!         Ok(format!("session {}", admitted.session_key))
//!     }
//! }
//!
//! ostler_plugin::export_tools!(HandOff);
//! # fn main() {}
//! ```
//!
//! # What a plugin may call is read from what it calls
//!
//! Each function under [`host`] is one host member, and the path is the member's name:
//! `host::threads::create` is the member `threads.create`. There is no list of permissions to
//! write. A plugin's component imports the functions that its reachable code calls and no other, in
//! debug builds too, and its permissions are derived from those imports; what each function derives
//! stands in its documentation. The plugin above asks for `threads.create` and `origin.start`, and
//! a plugin that calls nothing imports nothing.
//!
//! # Errors
//!
//! A host function gives [`host::types::HostError`]. In a tool, `?` turns it into a [`ToolError`]
//! that keeps the code's name, such as `key-missing`, for the model to read.
//!
//! # Building and testing
//!
//! `ostler build` makes the component. The crate also compiles for the machine that you work on, so
//! that `cargo test` and `cargo clippy` work on a plugin's own logic. There is no host there: a
//! call of a function under [`host`] panics.

mod bindings;
pub mod host;
mod tools;
mod types;

pub use tools::{Tool, ToolError};

/// What the expansion of this crate's macros names. Not for plugins to use.
#[doc(hidden)]
pub mod __private {
    pub use crate::bindings::tools as tools_bindings;
    pub use crate::tools::{assert_tools, describe, run, unknown};
}
