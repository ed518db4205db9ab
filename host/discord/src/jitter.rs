//! Waits that differ a little, so that many clients do not come back at once.

use std::time::Duration;

/// Between three quarters of `wait` and all of it.
pub(crate) fn jittered(wait: Duration) -> Duration {
    // Without a source of randomness the wait is whole, which is safe.
    let random = getrandom::u32().unwrap_or(u32::MAX);
    wait.mul_f64(0.75 + 0.25 * f64::from(random) / f64::from(u32::MAX))
}
