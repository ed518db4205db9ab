//! Attempts to sign in: one after the other, and the next waits after a wrong one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;

use super::LoginError;

/// The delay after the first wrong attempt; each further one in a row doubles it.
const FIRST: Duration = Duration::from_millis(250);
/// The longest delay.
const LONGEST: Duration = Duration::from_secs(4);
/// Attempts that wait at most: more are turned away, unlooked at.
const WAITING: usize = 8;

/// The attempts of a host.
#[derive(Clone, Default)]
pub(super) struct Attempts(Arc<State>);

#[derive(Default)]
struct State {
    waiting: AtomicUsize,
    /// Wrong attempts in a row. Held while one is made and, after a wrong one, while it delays.
    wrong: Mutex<u32>,
}

impl Attempts {
    /// Makes an attempt when it is its turn. It takes no less time when whoever made it goes away.
    ///
    /// # Errors
    /// `Wrong`, after a delay, where `is_right` says no; `Busy` where too many wait.
    pub(super) async fn attempt(
        &self,
        is_right: impl FnOnce() -> bool + Send + 'static,
    ) -> Result<(), LoginError> {
        let state = Arc::clone(&self.0);
        if state.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            state.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(LoginError::Busy);
        }
        let attempt = tokio::spawn(async move {
            let mut wrong = state.wrong.lock().await;
            let is_right = is_right();
            if is_right {
                *wrong = 0;
            } else {
                tokio::time::sleep(delay(*wrong)).await;
                *wrong = wrong.saturating_add(1);
            }
            state.waiting.fetch_sub(1, Ordering::Relaxed);
            is_right
        });
        match attempt.await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(LoginError::Wrong),
        }
    }
}

/// The delay after a wrong attempt that had `before` wrong ones in front of it.
fn delay(before: u32) -> Duration {
    FIRST.saturating_mul(1 << before.min(8)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn wrong_attempts_take_longer_and_longer_until_a_right_one() {
        let attempts = Attempts::default();
        for milliseconds in [250, 500, 1_000, 2_000, 4_000, 4_000] {
            let began = Instant::now();
            assert_eq!(attempts.attempt(|| false).await, Err(LoginError::Wrong));
            assert_eq!(began.elapsed(), Duration::from_millis(milliseconds));
        }
        let began = Instant::now();
        assert_eq!(attempts.attempt(|| true).await, Ok(()));
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert_eq!(attempts.attempt(|| false).await, Err(LoginError::Wrong));
        assert_eq!(began.elapsed(), FIRST);
    }

    #[tokio::test(start_paused = true)]
    async fn who_goes_away_shortens_nothing_and_a_crowd_is_turned_away() {
        let attempts = Attempts::default();
        let hasty = tokio::time::timeout(Duration::from_millis(1), attempts.attempt(|| false));
        assert!(hasty.await.is_err());
        let began = Instant::now();
        assert_eq!(attempts.attempt(|| true).await, Ok(()));
        assert!(
            began.elapsed() >= Duration::from_millis(249),
            "the delay stays"
        );

        let crowd: Vec<_> = (0..WAITING + 3)
            .map(|_| {
                let attempts = attempts.clone();
                tokio::spawn(async move { attempts.attempt(|| false).await })
            })
            .collect();
        let mut turned_away = 0;
        for one in crowd {
            turned_away += usize::from(one.await.unwrap() == Err(LoginError::Busy));
        }
        assert_eq!(turned_away, 3);
        assert_eq!(
            attempts.attempt(|| true).await,
            Ok(()),
            "and then all is well"
        );
    }
}
