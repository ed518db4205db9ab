//! What a scan has to say: a stable code, where, why, and what to do.

use serde::Serialize;

/// How much a finding weighs. A scan is refused exactly when it holds an [`Severity::Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing to change.
    Note,
    /// The author probably meant something else.
    Warning,
    /// Publishing is refused.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The stable name of a kind of finding. The names never change meaning once published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// An import that is no known member of the host.
    UnknownImport,
    /// An import of a form that a plugin may not use.
    UnsupportedImport,
    /// The code fetches, but the manifest names no egress host.
    EgressMissing,
    /// An egress entry of the manifest is not of the accepted form.
    EgressInvalid,
    /// The declared capabilities and the exports of the component differ.
    CapabilityMismatch,
    /// The scan and the runtime, or the scan of source and component, do not agree.
    DerivationMismatch,
    /// Text that does not parse.
    SyntaxError,
    /// The bytes are no WebAssembly component: something else, or a core module.
    NotAComponent,
    /// The bytes begin as a component but are broken at the given offset.
    MalformedComponent,
    /// The file is larger than a scan accepts.
    TooLarge,
}

impl Code {
    /// The name as it stands in JSON and on the terminal.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownImport => "unknown-import",
            Self::UnsupportedImport => "unsupported-import",
            Self::EgressMissing => "egress-missing",
            Self::EgressInvalid => "egress-invalid",
            Self::CapabilityMismatch => "capability-mismatch",
            Self::DerivationMismatch => "derivation-mismatch",
            Self::SyntaxError => "syntax-error",
            Self::NotAComponent => "not-a-component",
            Self::MalformedComponent => "malformed-component",
            Self::TooLarge => "too-large",
        }
    }
}

/// One finding. In a text file it has a file, line and column, in a binary one an offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// How much it weighs.
    pub severity: Severity,
    /// What was found, in one sentence without a full stop.
    pub message: String,
    /// What to do about it, when there is something to do.
    pub help: Option<String>,
    /// The file as the caller named it; filled in by whoever read the file.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column, counted in Unicode scalar values.
    pub column: Option<u32>,
    /// Offset in bytes from the start of a binary file.
    pub offset: Option<u64>,
}

impl Diagnostic {
    /// An error without a place.
    #[must_use]
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            help: None,
            file: None,
            line: None,
            column: None,
            offset: None,
        }
    }

    /// A note without a place.
    #[must_use]
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, message)
        }
    }

    /// The same finding with what to do about it.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// The same finding at an offset in bytes.
    #[must_use]
    pub fn at_offset(self, offset: usize) -> Self {
        Self {
            offset: Some(offset as u64),
            ..self
        }
    }
}
