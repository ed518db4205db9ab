//! A clock that stands still while somebody is waited for.
//!
//! Waiting for a person is no running time (design, *The sandbox*): neither an invocation nor the
//! turn that calls it may run out of time because an operator reads a card.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long somebody was waited for, in one invocation or one turn.
#[derive(Debug, Default)]
pub struct PausableClock(Mutex<Waited>);

#[derive(Debug, Default)]
struct Waited {
    /// Waits that are over.
    past: Duration,
    /// Waits that go on now, and since when the first of them does.
    open: u32,
    since: Option<Instant>,
}

impl PausableClock {
    /// Waits for something that a person does. Waits that overlap count once; one that is dropped
    /// has ended.
    pub async fn during<T>(&self, waited_for: impl Future<Output = T>) -> T {
        let _wait = Wait::begin(self);
        waited_for.await
    }

    /// All the time that was waited so far.
    #[must_use]
    pub fn waited(&self) -> Duration {
        let waited = self.lock();
        waited.past
            + waited
                .since
                .map(|since| since.elapsed())
                .unwrap_or_default()
    }

    /// Ends when `limit` has passed since this was called, waiting aside.
    pub async fn deadline(&self, limit: Duration) {
        let (began, waited) = (Instant::now(), self.waited());
        loop {
            let run = began.elapsed().saturating_sub(self.waited() - waited);
            let Some(left) = limit.checked_sub(run).filter(|left| !left.is_zero()) else {
                return;
            };
            tokio::time::sleep(left).await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One wait.
struct Wait<'a>(&'a PausableClock);

impl<'a> Wait<'a> {
    fn begin(clock: &'a PausableClock) -> Self {
        let mut waited = clock.lock();
        waited.open += 1;
        waited.since.get_or_insert_with(Instant::now);
        drop(waited);
        Self(clock)
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut waited = self.0.lock();
        waited.open -= 1;
        if waited.open == 0
            && let Some(since) = waited.since.take()
        {
            waited.past += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_deadline_moves_by_what_was_waited() {
        let clock = PausableClock::default();
        let began = Instant::now();
        tokio::join!(
            clock.deadline(10 * SECOND),
            clock.during(tokio::time::sleep(100 * SECOND)),
            // Within the other wait: it counts once.
            clock.during(tokio::time::sleep(50 * SECOND)),
        );
        assert_eq!(began.elapsed(), 110 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_dropped_has_ended() {
        let clock = PausableClock::default();
        let wait = clock.during(std::future::pending::<()>());
        assert!(tokio::time::timeout(3 * SECOND, wait).await.is_err());
        tokio::time::sleep(9 * SECOND).await;
        assert_eq!(clock.waited(), 3 * SECOND);
    }
}
