//! Packages, versions and installs: publish, review, accept, load.
//!
//! The embedded registry is a folder of components by digest and the tables of `ostler-store`.
//! This crate holds them together with the scanner's rules and the runtime's reading, so that
//! there is one path from bytes to a grant:
//!
//! 1. [`Registry::publish`] reads a package, scans it, holds it against the rules and against the
//!    runtime's own list of imports, takes its catalogue, signs a statement and stores all of it.
//! 2. [`Registry::review`] verifies the statement, derives again, and says what an installer
//!    needs to know.
//! 3. [`Review::accept`] turns a person's answer into an [`Accepted`] access; nothing else does.
//! 4. [`Registry::install`] records it: *that* is the grant. [`Registry::load`] links exactly it,
//!    and a [`LoadedInstall`] answers for the hooks in it.
//!
//! # What it promises
//! - A version never changes, and a component is only ever used if its bytes have the digest that
//!   the signed statement names.
//! - Nothing is granted that a person did not accept, and an access that cannot be read grants
//!   nothing.
//! - Killed at any point, the registry and the installs are whole: a component is stored before
//!   the row that names it, and what spans the database and a profile's file is finished at the
//!   next start.

mod blobs;
mod error;
mod hooks;
mod install;
mod keys;
mod load;
mod manifest;
mod package;
mod publish;
mod registry;
mod review;
mod secrets;
mod settings;
mod statement;

pub use error::RegistryError;
pub use hooks::{HookOutcome, PRE_TOOL_CALL};
pub use install::{Installed, Uninstalled};
pub use load::LoadedInstall;
pub use manifest::{Build, Language, Manifest, NamedEntry, SecretEntry, SenderPolicy};
pub use package::Package;
pub use publish::{CatalogueTool, Published};
pub use registry::{Listed, PackageRef, Problem, Registry};
pub use review::{Acceptance, Accepted, Review};
pub use secrets::ListedSecret;
pub use statement::Statement;
