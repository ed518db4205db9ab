//! Reads a plugin and says what it can reach.
//!
//! Bytes go in, findings come out: this crate does no I/O, runs no guest code and knows nothing
//! of wasmtime. Everything that Ostler decides about a plugin before it runs starts here.
//!
//! # What it promises
//! - **Sound.** A component can call only what it imports, and its outermost import section is
//!   read whole. An import that is no known [member](members) is an error, never ignored.
//! - **Explained.** Each derived member carries its [`Evidence`], each finding a stable
//!   [`Code`] and the place where it was found.
//! - **One table.** [`members::TABLE`] is the single source of WIT function, member path,
//!   permission, plain-language sentence and presence.
//!
//! # Where to start
//! - [`scan_component`] reads a component and gives a [`Scan`].
//! - [`rules::check`] holds a scan against what the author's manifest says.
//! - [`Access`] is the record of all that a version asks for; [`Access::covers`] compares two.

pub mod access;
mod component;
mod diagnostic;
pub mod members;
mod permission;
pub mod rules;
mod scan;

pub use access::Access;
pub use component::{MAX_COMPONENT_BYTES, scan_component, wasm_features};
pub use diagnostic::{Code, Diagnostic, Severity};
pub use permission::{Permission, UnknownPermission};
pub use scan::{Evidence, ImportedFunction, MemberUse, Scan, ScanKind};

/// The version of the derivation rules, recorded with each published version. It changes when
/// the same bytes could derive another access.
pub const SCANNER_VERSION: &str = env!("CARGO_PKG_VERSION");
