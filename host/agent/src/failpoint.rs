//! Points at which a test ends the process, as a crash would.
//!
//! `OSTLER_FAILPOINT=name:n` ends it when the point is passed for the n-th time. The points are
//! compiled in under the feature `failpoints` alone; without it [`pass`] is nothing.

/// Passes a point of a turn: `admitted`, `claimed`, `answered`, `committed` or `posted`.
#[cfg(not(feature = "failpoints"))]
pub(crate) fn pass(_name: &str) {}

/// Passes a point of a turn: `admitted`, `claimed`, `answered`, `committed` or `posted`.
#[cfg(feature = "failpoints")]
pub(crate) fn pass(name: &str) {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static POINT: LazyLock<Option<(String, AtomicU32)>> = LazyLock::new(|| {
        let text = std::env::var("OSTLER_FAILPOINT").ok()?;
        let (name, count) = text.split_once(':')?;
        Some((name.to_owned(), AtomicU32::new(count.parse().ok()?)))
    });
    if let Some((point, left)) = &*POINT
        && point == name
        && left.fetch_sub(1, Ordering::SeqCst) == 1
    {
        std::process::abort();
    }
}
