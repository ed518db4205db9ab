//! A package's source to its component.
//!
//! [`build_rust`] builds a Rust package with the author's own cargo and writes the component. The
//! bytes depend on the source, the lock file and the compiler, and not on the folder that the
//! package lies in or on the machine: whoever has the source can check a component by building it
//! again. (On Windows this holds only for packages whose path dependencies lie within their
//! workspace's folder.)

mod error;
mod rust;

pub use error::BuildError;
pub use rust::{Built, RustBuild, build_rust};
