//! A turn while it waits for a person: it shows no typing, holds no place among the turns that
//! run, and its own time stands still.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// A turn's place among those that run at once, given up while it waits.
pub(crate) struct Slot {
    places: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Slot {
    /// Waits for a place; none when there will be none any more.
    pub(crate) async fn take(places: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(places).acquire_owned().await.ok()?;
        Some(Self {
            places: Arc::clone(places),
            held: Mutex::new(Some(permit)),
        })
    }

    fn give_up(&self) {
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    async fn take_again(&self) {
        if let Ok(permit) = Arc::clone(&self.places).acquire_owned().await {
            *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(permit);
        }
    }
}

/// What waiting stops.
pub(crate) struct Waiting {
    slot: Slot,
    is_waiting: Arc<AtomicBool>,
    clock: Mutex<WaitClock>,
}

#[derive(Default)]
struct WaitClock {
    waited: Duration,
    since: Option<Instant>,
}

impl Waiting {
    /// `is_waiting` is read by whatever shows typing.
    pub(crate) fn new(slot: Slot, is_waiting: Arc<AtomicBool>) -> Self {
        Self {
            slot,
            is_waiting,
            clock: Mutex::default(),
        }
    }

    /// Waits for something that a person does.
    pub(crate) async fn during<T>(&self, waited_for: impl Future<Output = T>) -> T {
        self.is_waiting.store(true, Ordering::Relaxed);
        self.slot.give_up();
        self.clock().since = Some(Instant::now());
        let done = waited_for.await;
        self.slot.take_again().await;
        {
            let mut clock = self.clock();
            if let Some(since) = clock.since.take() {
                clock.waited += since.elapsed();
            }
        }
        self.is_waiting.store(false, Ordering::Relaxed);
        done
    }

    /// Ends when the turn has run for `limit`, waiting aside.
    pub(crate) async fn deadline(&self, limit: Duration) {
        let began = Instant::now();
        loop {
            let run = began.elapsed().saturating_sub(self.waited());
            let Some(left) = limit.checked_sub(run).filter(|left| !left.is_zero()) else {
                return;
            };
            tokio::time::sleep(left).await;
        }
    }

    fn waited(&self) -> Duration {
        let clock = self.clock();
        clock.waited + clock.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    fn clock(&self) -> std::sync::MutexGuard<'_, WaitClock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_takes_neither_time_nor_a_place() {
        let places = Arc::new(Semaphore::new(1));
        let slot = Slot::take(&places).await.unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        let waiting = Waiting::new(slot, Arc::clone(&flag));
        assert_eq!(places.available_permits(), 0);
        let began = Instant::now();
        tokio::join!(
            waiting.during(async {
                assert!(flag.load(Ordering::Relaxed));
                assert_eq!(places.available_permits(), 1);
                tokio::time::sleep(Duration::from_secs(100)).await;
            }),
            waiting.deadline(Duration::from_secs(10)),
        );
        assert!(began.elapsed() >= Duration::from_secs(110));
        assert_eq!(places.available_permits(), 0);
        assert!(!flag.load(Ordering::Relaxed));
    }
}
