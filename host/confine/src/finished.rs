//! What came of a command.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// The shell ended by itself, with this exit code: 0 to 255.
    Exited(i32),
    /// A signal ended the shell: its number.
    Signalled(i32),
    /// [`Job::timeout`](crate::Job::timeout) ran out; everything was killed.
    TimedOut,
    /// The caller cancelled; everything was killed.
    Cancelled,
}

/// What one of the command's streams said: its beginning and its end, when it said too much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The text. Bytes that are no UTF-8 became U+FFFD. Where bytes were dropped, a line stands
    /// that says how many.
    pub text: String,
    /// Bytes in the middle that were dropped.
    pub dropped: u64,
}

/// A command that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub ended: Ended,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// From the start of the box to the end of its last process.
    pub duration: Duration,
}
