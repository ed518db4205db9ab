//! Why a build gave no component.

use std::io;
use std::path::{Path, PathBuf};

/// Why a build gave no component.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// cargo, or the compiler that it would use, cannot be run.
    #[error("cannot run `{program}`: {source}")]
    CargoMissing {
        /// The program, as it was looked up.
        program: String,
        /// Why it does not run.
        source: io::Error,
    },
    /// The compiler has no standard library for the target.
    #[error("{rustc} cannot build for {target}: there is no `{}`", libdir.display())]
    TargetMissing {
        /// The compiler's version line.
        rustc: String,
        /// The target.
        target: &'static str,
        /// Where the compiler looks for the target's standard library.
        libdir: PathBuf,
    },
    /// cargo refused the package, or the compiler its source.
    #[error("`{}` does not build: {reason}", package.display())]
    BuildFailed {
        /// The package's folder.
        package: PathBuf,
        /// What cargo says, or that it has said it on stderr.
        reason: String,
    },
    /// What was built is no component: it imports or lacks something that no world describes.
    #[error("`{}` cannot be made a component: {reason}", module.display())]
    EncodeFailed {
        /// The core module.
        module: PathBuf,
        /// What the encoder says.
        reason: String,
    },
    /// The package builds nothing that could become a component.
    #[error("`{}` builds no component: {reason}", package.display())]
    NoArtifact {
        /// The package's folder.
        package: PathBuf,
        /// What is missing.
        reason: &'static str,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried, such as `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

impl BuildError {
    /// The stable name of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::CargoMissing { .. } => "cargo-missing",
            Self::TargetMissing { .. } => "target-missing",
            Self::BuildFailed { .. } => "build-failed",
            Self::EncodeFailed { .. } => "encode-failed",
            Self::NoArtifact { .. } => "no-artifact",
            Self::Io { .. } => "io",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::CargoMissing { .. } => "install Rust with rustup, and open a new shell",
            Self::TargetMissing { .. } => {
                "run `rustup target add wasm32-unknown-unknown`; where the target cannot be \
                 downloaded, `scripts/rust-wasm-toolchain.sh` of Ostler's sources prepares a \
                 compiler and prints the environment to build with"
            }
            Self::BuildFailed { .. } => "mend what cargo names, and build again",
            Self::EncodeFailed { .. } => {
                "call the host through the `ostler-plugin` crate only; crates that expect a browser \
                 or WASI do not work in a plugin"
            }
            Self::NoArtifact { .. } => {
                "build in the folder of one package whose Cargo.toml has `crate-type = [\"cdylib\"]` \
                 under `[lib]`"
            }
            Self::Io { .. } => "check that the path exists and that you may write there",
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
