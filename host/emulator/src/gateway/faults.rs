//! Faults of the gateway that a test asked for.

use std::collections::VecDeque;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The connection ends without a close frame.
    Drop,
    /// A close frame, with or without a code.
    Close(Option<u16>),
    /// Op 7.
    Reconnect,
    /// Op 9; the flag says whether the session may be resumed.
    InvalidSession(bool),
    /// Nothing more is done for the connection, not even the next step of its set-up.
    Hang,
    /// Nothing more is sent, not even acknowledgements of heartbeats; it is still listened to.
    Silence,
}

/// When it goes wrong, on a new connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Instead of answering the upgrade. Only `hang` can happen there; others wait for `Hello`.
    Upgrade,
    /// A hang instead of HELLO; others after it.
    Hello,
    /// A hang instead of READY or RESUMED; others after it.
    Ready,
}

/// Faults that wait for a connection.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    waiting: VecDeque<(Stage, Action)>,
}

impl Faults {
    pub(crate) fn add(&mut self, stage: Stage, action: Action, times: u64) {
        for _ in 0..times.min(10_000) {
            self.waiting.push_back((stage, action));
        }
    }

    /// The next fault of a stage.
    pub(crate) fn take(&mut self, stage: Stage) -> Option<Action> {
        let index = self.waiting.iter().position(|(known, _)| *known == stage)?;
        self.waiting.remove(index).map(|(_, action)| action)
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}
