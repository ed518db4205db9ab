//! Why a component does not compile or load.

use std::path::PathBuf;

/// Everything that can go wrong before guest code runs.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The engine could not be made.
    #[error("the WebAssembly engine cannot be made on this machine: {0}")]
    Engine(String),
    /// The runtime refuses the bytes.
    #[error("the component does not compile: {0}")]
    Compile(String),
    /// The compiled-code folder cannot be used.
    #[error("the compiled-code folder {} cannot be used: {reason}", path.display())]
    Cache {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The component imports a member that the install was not granted.
    #[error("component wants {member}, which this install was not granted")]
    NotGranted {
        /// The member's dotted path.
        member: String,
    },
    /// The component imports something that is no member.
    #[error("the component imports {import}, which this host does not have")]
    UnknownImport {
        /// The import as the component spells it.
        import: String,
    },
    /// The component's imports or exports have other types than the host's.
    #[error("the component does not fit the host's interfaces: {0}")]
    Signature(String),
}

impl RuntimeError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Engine(_) => "engine-unavailable",
            Self::Compile(_) => "malformed-component",
            Self::Cache { .. } => "cache-unusable",
            Self::NotGranted { .. } => "not-granted",
            Self::UnknownImport { .. } => "unknown-import",
            Self::Signature(_) => "signature-mismatch",
        }
    }
}
