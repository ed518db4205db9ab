//! What ends a command: a message with a code, what to do, and an exit code.

use std::process::ExitCode;

use ostler_build::BuildError;
use ostler_config::ConfigError;
use ostler_registry::RegistryError;
use ostler_scanner::Diagnostic;
use ostler_scanner::access::Part;
use serde::Serialize;

use crate::args::Format;
use crate::show;
use crate::terminal::{self, styles};

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The thing was looked at and is not fine.
    NotFine,
    /// Usage or I/O.
    Usage,
    /// Needs a person's consent.
    ConsentNeeded,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::NotFine => 1,
            Exit::Usage => 2,
            Exit::ConsentNeeded => 3,
        })
    }
}

/// What went wrong.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// What nobody has accepted yet.
    pub(crate) asks: Vec<Part>,
    /// Findings of a scan.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code: code.to_owned(),
            message: message.into(),
            help: None,
            asks: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    pub(crate) fn io(what: &str, error: &std::io::Error) -> Self {
        Self::new(Exit::Usage, "io", format!("{what}: {error}"))
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// Prints the failure: as JSON to stdout, as text to stderr.
    pub(crate) fn print(&self, format: Format) {
        match format {
            Format::Json => terminal::print_json(&self.json()),
            Format::Text => {
                let mut text = String::new();
                for finding in &self.diagnostics {
                    text += &show::diagnostic(finding);
                }
                text += &format!(
                    "{red}error[{}]{red:#}: {}\n",
                    terminal::visible_line(&self.code),
                    // Indented, so that no line of a plugin's message passes for one of ours.
                    terminal::visible(&self.message).replace('\n', "\n    "),
                    red = styles::ERROR,
                );
                text += &show::parts(&self.asks);
                if let Some(help) = &self.help {
                    text += &format!("  {dim}help:{dim:#} {help}\n", dim = styles::HELP);
                }
                anstream::eprint!("{text}");
            }
        }
    }

    fn json(&self) -> impl Serialize {
        #[derive(Serialize)]
        struct Document<'a> {
            error: Body<'a>,
            #[serde(skip_serializing_if = "<[Part]>::is_empty")]
            asks: &'a [Part],
            #[serde(skip_serializing_if = "<[Diagnostic]>::is_empty")]
            diagnostics: &'a [Diagnostic],
        }
        #[derive(Serialize)]
        struct Body<'a> {
            code: &'a str,
            message: &'a str,
            help: Option<&'a str>,
        }
        Document {
            error: Body {
                code: &self.code,
                message: &self.message,
                help: self.help.as_deref(),
            },
            asks: &self.asks,
            diagnostics: &self.diagnostics,
        }
    }
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        let exit = match &error {
            RegistryError::ConsentNeeded { .. } => Exit::ConsentNeeded,
            RegistryError::Manifest { .. }
            | RegistryError::Refused { .. }
            | RegistryError::Catalogue { .. }
            | RegistryError::VersionExists { .. }
            | RegistryError::Statement { .. }
            | RegistryError::BlobMissing { .. }
            | RegistryError::BlobCorrupt { .. }
            | RegistryError::GrantUnreadable { .. }
            | RegistryError::Runtime(_) => Exit::NotFine,
            _ => Exit::Usage,
        };
        let failure = Self {
            help: error.help(),
            ..Self::new(exit, error.code(), error.to_string())
        };
        match error {
            RegistryError::ConsentNeeded { asks, .. } => Self { asks, ..failure },
            RegistryError::Refused { diagnostics, .. } => Self {
                diagnostics,
                ..failure
            },
            _ => failure,
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(Exit::Usage, error.code(), error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        let exit = match error.code() {
            "build-failed" | "encode-failed" | "no-artifact" => Exit::NotFine,
            _ => Exit::Usage,
        };
        Self {
            help: Some(error.help().to_owned()),
            ..Self::new(exit, error.code(), error.to_string())
        }
    }
}
