//! What can go wrong between a package and a grant.

use std::path::{Path, PathBuf};

use ostler_config::ConfigError;
use ostler_runtime::RuntimeError;
use ostler_scanner::Diagnostic;
use ostler_scanner::access::Part;
use ostler_store::StoreError;

/// Every error of the registry. [`RegistryError::code`] is stable, [`RegistryError::help`] says
/// what to do.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// A folder without a manifest.
    #[error("{} is no package: it has no ostler.toml", folder.display())]
    NotAPackage {
        /// The folder.
        folder: PathBuf,
    },
    /// A broken manifest.
    #[error("{file}:{line}:{column}: {message}")]
    Manifest {
        /// The file as the caller named it.
        file: String,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// What is wrong.
        message: String,
        /// What was probably meant.
        help: Option<String>,
    },
    /// The component has not been built.
    #[error("the component {} does not exist", path.display())]
    ComponentMissing {
        /// Where the manifest says it is.
        path: PathBuf,
    },
    /// The scan or the rules speak against the package.
    #[error("{package} may not be published: {} {}", diagnostics.len(), if diagnostics.len() == 1 { "error" } else { "errors" })]
    Refused {
        /// The package's name and version, or the file's name.
        package: String,
        /// The findings, each with its own code.
        diagnostics: Vec<Diagnostic>,
    },
    /// The component's list of tools is not usable.
    #[error("the list of tools of {package} cannot be used: {reason}")]
    Catalogue {
        /// The package's name and version.
        package: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The version was published before.
    #[error("{package} {version} is published already, with {} contents", if *same { "the same" } else { "other" })]
    VersionExists {
        /// The package.
        package: String,
        /// The version.
        version: String,
        /// Whether component, manifest and readme are the same.
        same: bool,
    },
    /// No such package.
    #[error("there is no package `{name}` in the registry")]
    PackageUnknown {
        /// The name.
        name: String,
        /// The nearest known name.
        nearest: Option<String>,
    },
    /// No such version.
    #[error("the package `{name}` has no version {version}")]
    VersionUnknown {
        /// The package.
        name: String,
        /// The version.
        version: String,
    },
    /// A text that names no package.
    #[error("`{text}` names no package: {reason}")]
    PackageRef {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A statement that does not hold.
    #[error("the signed statement does not hold: {reason}")]
    Statement {
        /// What is wrong with it.
        reason: String,
    },
    /// The signing key cannot be used.
    #[error("the publisher's key {} cannot be used: {reason}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// A component that the registry should have.
    #[error("the component {} is missing", path.display())]
    BlobMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// A component whose bytes are not those that were stored.
    #[error("the component {} is damaged: its bytes do not have the digest in its name", path.display())]
    BlobCorrupt {
        /// The file.
        path: PathBuf,
    },
    /// The version asks for something that nobody accepted.
    #[error("{package} asks for {} that nobody has accepted", count(asks.len(), "thing"))]
    ConsentNeeded {
        /// The package's name and version.
        package: String,
        /// What it asks for beyond what was accepted.
        asks: Vec<Part>,
    },
    /// An accepted part or digest that fits nothing.
    #[error("{0}")]
    Acceptance(String),
    /// The plugin is not installed in the profile.
    #[error("`{package}` is not installed in the profile `{profile}`")]
    NotInstalled {
        /// The package.
        package: String,
        /// The profile.
        profile: String,
    },
    /// An install or uninstall was begun and could not be finished.
    #[error("`{package}` cannot be used in the profile `{profile}`: it is `{state}`")]
    Unfinished {
        /// The package.
        package: String,
        /// The profile.
        profile: String,
        /// How far it has come.
        state: &'static str,
    },
    /// The accepted access cannot be read: nothing is granted.
    #[error("the accepted access of `{package}` cannot be read, so nothing is granted: {reason}")]
    GrantUnreadable {
        /// The package.
        package: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A value without a JSON form, which would be a fault of ours.
    #[error("internal error: {0}")]
    Internal(String),
    /// From the database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// From the home folder or a profile's configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// From the runtime.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
}

impl RegistryError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAPackage { .. } => "not-a-package",
            Self::Manifest { .. } => "manifest-invalid",
            Self::ComponentMissing { .. } => "component-missing",
            Self::Refused { .. } => "publish-refused",
            Self::Catalogue { .. } => "catalogue-invalid",
            Self::VersionExists { .. } => "version-exists",
            Self::PackageUnknown { .. } => "package-unknown",
            Self::VersionUnknown { .. } => "version-unknown",
            Self::PackageRef { .. } => "package-invalid",
            Self::Statement { .. } => "statement-invalid",
            Self::Key { .. } => "key-unusable",
            Self::BlobMissing { .. } => "blob-missing",
            Self::BlobCorrupt { .. } => "blob-corrupt",
            Self::ConsentNeeded { .. } => "consent-needed",
            Self::Acceptance(_) => "accept-invalid",
            Self::NotInstalled { .. } => "not-installed",
            Self::Unfinished { .. } => "install-unfinished",
            Self::GrantUnreadable { .. } => "grant-unreadable",
            Self::Io { .. } => "io",
            Self::Internal(_) => "internal",
            Self::Store(error) => error.code(),
            Self::Config(error) => error.code(),
            Self::Runtime(error) => error.code(),
        }
    }

    /// What to do, when the message does not say it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let text = match self {
            Self::Manifest { help, .. } => return help.clone(),
            Self::NotAPackage { .. } => "name a folder that holds an ostler.toml",
            Self::ComponentMissing { .. } => {
                "build it with `ostler build`, or correct `component` under [build]"
            }
            Self::VersionExists { .. } => {
                "a version never changes: raise `version` in ostler.toml, and publish again"
            }
            Self::PackageUnknown {
                nearest: Some(name),
                ..
            } => {
                return Some(format!("did you mean `{name}`?"));
            }
            Self::PackageUnknown { nearest: None, .. } => {
                "`ostler browse` lists the packages; `ostler publish` adds one"
            }
            Self::VersionUnknown { name, .. } => {
                return Some(format!("`ostler show {name}` lists its versions"));
            }
            Self::BlobMissing { .. } | Self::BlobCorrupt { .. } => {
                "restore the file from a copy, or publish a new version; `ostler doctor` checks \
                 all of them"
            }
            Self::ConsentNeeded { .. } => {
                "name each part with `--accept`, or the whole access with `--access-digest`; on a \
                 terminal, `ostler install` asks"
            }
            Self::NotInstalled { package, .. } => {
                return Some(format!("install it with `ostler install {package}`"));
            }
            Self::Unfinished { .. } => {
                "`ostler doctor` says what stands in the way; the next command finishes it"
            }
            Self::GrantUnreadable { package, .. } => {
                return Some(format!("install it again with `ostler install {package}`"));
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    pub(crate) fn read(path: &Path, error: &std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            reason: error.to_string(),
        }
    }

    pub(crate) fn id(error: &ostler_store::ParseIdError) -> Self {
        Self::Internal(error.to_string())
    }

    pub(crate) fn json(error: &serde_json::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
