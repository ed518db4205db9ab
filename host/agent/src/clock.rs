//! The time, from outside.

use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time. Decisions take it as an argument; only the edges ask.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970 (UTC).
    fn now(&self) -> i64;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| {
                i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
            })
    }
}
