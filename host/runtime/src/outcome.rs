//! How an invocation ended, and what it used.

use std::time::Duration;

use crate::invoke::ExportResult;
use crate::limits::LimitHit;

/// The end of one invocation.
#[derive(Debug)]
pub struct Invoked {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    pub usage: Usage,
    /// What the guest logged, oldest first.
    pub log: Vec<LogLine>,
}

/// The five ways in which an invocation ends. They are kept apart, since different people act on
/// each: the author on a trap or bad output, the operator on a limit, we on a host error.
#[derive(Debug)]
pub enum Outcome {
    /// The export returned a value of its type.
    Returned(ExportResult),
    /// Guest code stopped itself, or was stopped for breaking WebAssembly's rules.
    Trap(Trap),
    /// A bound was crossed.
    Limit(LimitHit),
    /// A value that crossed the boundary was not of its type.
    BadOutput(String),
    /// The host could not do its part.
    HostError(HostFault),
}

impl Outcome {
    /// `returned`, `trap`, `limit`, `bad-output` or `host-error`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Returned(_) => "returned",
            Self::Trap(_) => "trap",
            Self::Limit(_) => "limit",
            Self::BadOutput(_) => "bad-output",
            Self::HostError(_) => "host-error",
        }
    }
}

/// A guest's own failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Trap {
    /// The root cause (`wasm \`unreachable\` instruction executed`).
    pub message: String,
    /// The guest's frames, innermost first; names where the component has them.
    pub backtrace: Vec<String>,
}

/// A failure on the host's side. The guest is not to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostFault(pub String);

/// What an invocation used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// From the start of instantiation to the end of the call.
    pub wall_clock: Duration,
    /// Calls from guest to host.
    pub host_calls: u32,
    /// Bytes of linear memory at the end, which is the most there ever were.
    pub memory_bytes: usize,
}

/// One line that a guest logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// How much it weighs.
    pub level: LogLevel,
    /// Text as the guest gave it: not to be trusted, nor shown without making control
    /// characters visible.
    pub message: String,
}

/// The levels of the WIT interface `log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For the author.
    Debug,
    /// Worth knowing.
    Info,
    /// Something is off.
    Warn,
    /// Something failed.
    Error,
}

impl LogLevel {
    /// `debug`, `info`, `warn` or `error`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}
