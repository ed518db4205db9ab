//! How fast connections and sessions may follow each other.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::jitter::jittered;
use crate::options::Timings;

/// Slows down connections that end soon after they began.
#[derive(Debug)]
pub(crate) struct Brake {
    free: u32,
    first: Duration,
    longest: Duration,
    stable: Duration,
    short_lived: u32,
}

impl Brake {
    pub(crate) fn new(timings: &Timings) -> Self {
        Self {
            free: timings.free_reconnects,
            first: timings.first_wait,
            longest: timings.longest_wait,
            stable: timings.stable,
            short_lived: 0,
        }
    }

    /// The wait before the next connection, after one that lived for `lived`.
    pub(crate) fn after(&mut self, lived: Duration) -> Duration {
        if lived >= self.stable {
            self.short_lived = 0;
        }
        self.short_lived = self.short_lived.saturating_add(1);
        let Some(doublings) = self.short_lived.checked_sub(self.free + 1) else {
            return Duration::ZERO;
        };
        let wait = self.first.saturating_mul(1 << doublings.min(16));
        jittered(wait.min(self.longest))
    }
}

/// When the next IDENTIFY may be sent. Discord allows one in 5 s and 1,000 a day, and resets the
/// token of a bot that spends more: after the burst they are doled out.
#[derive(Debug)]
pub(crate) struct IdentifyBudget {
    spacing: Duration,
    burst: u32,
    refill: Duration,
    state: Mutex<Spent>,
}

#[derive(Debug)]
struct Spent {
    /// When the budget is whole again. Each IDENTIFY moves it one refill further.
    whole_at: Instant,
    /// Before this none may be sent.
    next_at: Instant,
}

impl IdentifyBudget {
    /// A budget that is whole, for this many shards.
    pub(crate) fn new(timings: &Timings, shards: u32) -> Self {
        let now = Instant::now();
        Self {
            spacing: timings.identify_spacing,
            burst: timings.identify_burst.max(1).saturating_mul(shards.max(1)),
            refill: timings.identify_refill,
            state: Mutex::new(Spent {
                whole_at: now,
                next_at: now,
            }),
        }
    }

    /// Discord said that none is left before then.
    pub(crate) fn exhausted_until(&self, until: Instant) {
        let mut spent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        spent.next_at = spent.next_at.max(until);
    }

    /// Reserves the next IDENTIFY and says when it may be sent.
    pub(crate) fn reserve(&self) -> Instant {
        let now = Instant::now();
        let mut spent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let reserve = self.refill.saturating_mul(self.burst - 1);
        // With all of the burst spent, `whole_at` lies a whole reserve ahead.
        let doled_out = spent.whole_at.checked_sub(reserve).unwrap_or(now);
        let at = now.max(spent.next_at).max(doled_out);
        spent.next_at = at + self.spacing;
        spent.whole_at = spent.whole_at.max(at) + self.refill;
        at
    }

    /// Gives one back that was reserved and not sent.
    pub(crate) fn give_back(&self) {
        let mut spent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(whole_at) = spent.whole_at.checked_sub(self.refill) {
            spent.whole_at = whole_at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_lived_long_is_followed_at_once() {
        let mut brake = Brake::new(&Timings::default());
        for _ in 0..20 {
            assert_eq!(brake.after(Duration::from_secs(120)), Duration::ZERO);
        }
    }

    #[test]
    fn flapping_is_slowed_down_up_to_the_longest_wait() {
        let mut brake = Brake::new(&Timings::default());
        let waits: Vec<_> = (0..12).map(|_| brake.after(Duration::ZERO)).collect();
        assert_eq!(waits[..3], [Duration::ZERO; 3]);
        for (step, wait) in waits[3..].iter().enumerate() {
            let whole = Duration::from_secs(1 << step.min(10)).min(Duration::from_secs(30));
            assert!(
                *wait >= whole.mul_f64(0.75) && *wait <= whole,
                "{step}: {wait:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn after_ten_identifies_they_are_doled_out() {
        let timings = Timings::default();
        let budget = IdentifyBudget::new(&timings, 1);
        let start = Instant::now();
        let mut times = Vec::new();
        for _ in 0..13 {
            let at = budget.reserve();
            tokio::time::sleep_until(at).await;
            times.push((at - start).as_secs());
        }
        assert_eq!(times[..10], [0, 5, 10, 15, 20, 25, 30, 35, 40, 45]);
        assert_eq!(times[10..], [90, 180, 270]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_identify_that_was_not_sent_costs_nothing() {
        let budget = IdentifyBudget::new(&Timings::default(), 1);
        let start = Instant::now();
        for _ in 0..30 {
            tokio::time::sleep_until(budget.reserve()).await;
            budget.give_back();
        }
        assert_eq!((Instant::now() - start).as_secs(), 29 * 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_day_has_fewer_identifies_than_discord_allows() {
        let budget = IdentifyBudget::new(&Timings::default(), 1);
        let end = Instant::now() + Duration::from_secs(86_400);
        let mut count = 0;
        loop {
            let at = budget.reserve();
            if at > end {
                break;
            }
            tokio::time::sleep_until(at).await;
            count += 1;
        }
        assert!(count <= 1000, "{count}");
    }
}
