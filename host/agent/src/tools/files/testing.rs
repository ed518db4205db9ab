//! What the tests of several files share.

use std::sync::atomic::{AtomicBool, Ordering};

/// Tells the other threads of a test to end, also when the test fails: a scope waits for them.
#[derive(Default)]
pub(super) struct Stop(AtomicBool);

/// Sets a [`Stop`] when it is dropped.
#[must_use]
pub(super) struct Stopper<'a>(&'a Stop);

impl Stop {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn when_dropped(&self) -> Stopper<'_> {
        Stopper(self)
    }
}

impl Drop for Stopper<'_> {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}
