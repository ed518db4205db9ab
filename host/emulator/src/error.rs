//! What can go wrong when an emulator is started.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why an emulator could not be started or seeded. [`EmulatorError::code`] is stable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmulatorError {
    /// The address to listen on is reachable from other machines.
    #[error("the emulator listens on loopback only, not on {address}; use 127.0.0.1 or ::1")]
    NotLoopback {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// The address is taken, or may not be used.
    #[error("cannot listen on {address}: {source}; choose another port, or 0 for a free one")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The state file exists and cannot be read.
    #[error("cannot read the emulator's state {}: {source}", .path.display())]
    StateUnreadable {
        /// The state file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The state file is damaged, or not the emulator's. It was left as it is.
    #[error(
        "{} is not an emulator's state, or a damaged one: {reason}; it was left as it is; move it \
         away to start afresh", .path.display()
    )]
    StateCorrupt {
        /// The state file.
        path: PathBuf,
        /// Where reading it failed.
        reason: String,
    },
    /// The state could not be written.
    #[error("cannot write the emulator's state {}: {source}", .path.display())]
    StateUnwritable {
        /// The state file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// What a seed asks for is refused, as Discord would refuse it.
    #[error("the seed is refused: {reason}")]
    Seed {
        /// What was refused, and why.
        reason: String,
    },
}

impl EmulatorError {
    /// A name for the error that stays the same across versions.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotLoopback { .. } => "emulator-not-loopback",
            Self::Listen { .. } => "emulator-listen",
            Self::StateUnreadable { .. } => "emulator-state-unreadable",
            Self::StateCorrupt { .. } => "emulator-state-corrupt",
            Self::StateUnwritable { .. } => "emulator-state-unwritable",
            Self::Seed { .. } => "emulator-seed-refused",
        }
    }
}
