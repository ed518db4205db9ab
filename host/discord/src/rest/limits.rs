//! Discord's rate limits (Discord, *Rate Limits*), kept before they are hit.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;
use serenity::http::RatelimitingBucket;
use tokio::time::Instant;

/// Requests in a second over all routes; Discord allows 50.
const GLOBAL: u32 = 45;
/// Above this many windows, those that have passed are dropped.
const WINDOWS: usize = 4096;

/// Names the requests that share a limit until the first answer tells the bucket: one method on one
/// route with one major parameter.
pub(crate) type RouteKey = (Method, RatelimitingBucket);

#[derive(Debug, Default)]
pub(crate) struct Limits(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The bucket that Discord named for a method and route.
    buckets: HashMap<RouteKey, String>,
    /// By bucket and major parameter.
    windows: HashMap<(String, u64), Window>,
    global_until: Option<Instant>,
    second: Option<(Instant, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    remaining: u32,
    resets_at: Instant,
}

/// Whether a request may go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Now,
    At(Instant),
}

impl Limits {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a turn; with [`Turn::Now`] it is taken.
    pub(crate) fn take(&self, key: &RouteKey, major: u64, is_global: bool) -> Turn {
        let now = Instant::now();
        let mut state = self.state();
        let mut at = now;
        if is_global {
            if let Some(until) = state.global_until {
                at = at.max(until);
            }
            match state.second {
                Some((start, count)) if now < start + Duration::from_secs(1) => {
                    if count >= GLOBAL {
                        at = at.max(start + Duration::from_secs(1));
                    }
                }
                _ => state.second = Some((now, 0)),
            }
        }
        let bucket = state.buckets.get(key).cloned();
        let window = bucket.and_then(|bucket| state.windows.get_mut(&(bucket, major)));
        let window = window.filter(|window| window.resets_at > now);
        if let Some(window) = &window
            && window.remaining == 0
        {
            at = at.max(window.resets_at);
        }
        if at > now {
            return Turn::At(at);
        }
        if let Some(window) = window {
            window.remaining -= 1;
        }
        if is_global && let Some((_, count)) = &mut state.second {
            *count += 1;
        }
        Turn::Now
    }

    /// Learns from an answer's headers.
    pub(crate) fn learn(&self, key: &RouteKey, major: u64, headers: &HeaderMap) {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(bucket) = header("x-ratelimit-bucket") else {
            return;
        };
        let remaining = header("x-ratelimit-remaining").and_then(|text| text.parse().ok());
        let after = header("x-ratelimit-reset-after").and_then(seconds);
        let (Some(remaining), Some(after)) = (remaining, after) else {
            return;
        };
        let now = Instant::now();
        let resets_at = now + after;
        let mut state = self.state();
        state.buckets.insert(key.clone(), bucket.to_owned());
        if state.windows.len() > WINDOWS {
            state.windows.retain(|_, window| window.resets_at > now);
        }
        state
            .windows
            .entry((bucket.to_owned(), major))
            .and_modify(|window| {
                // Requests that are under way were counted here and not there yet.
                let is_same = window.resets_at > now;
                window.remaining = if is_same {
                    window.remaining.min(remaining)
                } else {
                    remaining
                };
                window.resets_at = resets_at;
            })
            .or_insert(Window {
                remaining,
                resets_at,
            });
    }

    /// Learns from a 429: how long to wait.
    pub(crate) fn refused(
        &self,
        key: &RouteKey,
        major: u64,
        headers: &HeaderMap,
        body: &Value,
    ) -> Duration {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        // The body's number is the more precise one.
        let wait = body
            .get("retry_after")
            .and_then(Value::as_f64)
            .and_then(|after| Duration::try_from_secs_f64(after).ok())
            .or_else(|| header("retry-after").and_then(seconds))
            .unwrap_or(Duration::from_secs(1));
        let until = Instant::now() + wait;
        let is_global = header("x-ratelimit-global").is_some()
            || body.get("global").and_then(Value::as_bool) == Some(true);
        let mut state = self.state();
        if is_global {
            state.global_until = Some(until);
        } else {
            let bucket = header("x-ratelimit-bucket")
                .map(str::to_owned)
                .or_else(|| state.buckets.get(key).cloned())
                // Discord names the bucket with the next answer.
                .unwrap_or_else(|| format!("{key:?}"));
            state.buckets.insert(key.clone(), bucket.clone());
            let window = Window {
                remaining: 0,
                resets_at: until,
            };
            state.windows.insert((bucket, major), window);
        }
        wait
    }
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serenity::http::Route;
    use serenity::model::id::ChannelId;

    use super::*;

    fn key(channel: u64) -> RouteKey {
        let route = Route::ChannelMessages {
            channel_id: ChannelId::new(channel),
        };
        (Method::POST, route.ratelimiting_bucket())
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_bucket_that_is_empty_is_waited_for() {
        let limits = Limits::default();
        assert_eq!(limits.take(&key(1), 1, true), Turn::Now);
        let told = headers(&[
            ("x-ratelimit-bucket", "b"),
            ("x-ratelimit-remaining", "1"),
            ("x-ratelimit-reset-after", "2.5"),
        ]);
        limits.learn(&key(1), 1, &told);
        assert_eq!(limits.take(&key(1), 1, true), Turn::Now);
        let Turn::At(at) = limits.take(&key(1), 1, true) else {
            panic!("nothing is left");
        };
        assert_eq!(at - Instant::now(), Duration::from_millis(2500));
        assert_eq!(limits.take(&key(2), 2, true), Turn::Now, "another channel");
        tokio::time::sleep_until(at).await;
        assert_eq!(limits.take(&key(1), 1, true), Turn::Now);
    }

    #[tokio::test(start_paused = true)]
    async fn a_global_limit_holds_everything_but_callbacks() {
        let limits = Limits::default();
        let wait = limits.refused(
            &key(1),
            1,
            &HeaderMap::new(),
            &json!({"retry_after": 1.5, "global": true}),
        );
        assert_eq!(wait, Duration::from_millis(1500));
        assert!(matches!(limits.take(&key(2), 2, true), Turn::At(_)));
        assert_eq!(limits.take(&key(2), 2, false), Turn::Now);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_45_requests_leave_in_a_second() {
        let limits = Limits::default();
        for _ in 0..GLOBAL {
            assert_eq!(limits.take(&key(1), 1, true), Turn::Now);
        }
        let Turn::At(at) = limits.take(&key(1), 1, true) else {
            panic!("the second is spent");
        };
        tokio::time::sleep_until(at).await;
        assert_eq!(limits.take(&key(1), 1, true), Turn::Now);
    }
}
