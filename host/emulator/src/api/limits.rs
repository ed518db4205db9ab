//! Rate limits: a bucket per route and major parameter, and one over all
//! (documentation: Topics, Rate Limits).

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::options::{RateLimits, Window};
use crate::snowflake::now_ms;

struct Bucket {
    since: Instant,
    used: u32,
    window: Window,
}

/// What a request was allowed, for its headers.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    limit: u32,
    remaining: u32,
    reset_after: Duration,
    bucket: String,
    /// Why it is not answered.
    pub(crate) refused: Option<Scope>,
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The bot's own, on one route.
    User,
    /// The bot's own, over all routes.
    Global,
}

/// Counts requests.
pub(crate) struct Limiter {
    limits: RateLimits,
    buckets: HashMap<(String, String), Bucket>,
}

/// A route with its parameters taken out, and the major parameter.
pub(crate) fn template(segments: &[&str]) -> (String, String) {
    let mut parts = Vec::new();
    let mut major = String::new();
    for (index, segment) in segments.iter().enumerate() {
        let root = segments.first().copied().unwrap_or_default();
        let before = index.checked_sub(1).and_then(|i| segments.get(i)).copied();
        let token = matches!(root, "webhooks" | "interactions") && index == 2;
        let emoji = before == Some("reactions");
        let original = *segment == "@original";
        let number = segment.bytes().all(|b| b.is_ascii_digit());
        if index > 0 && (number || token || emoji || original) {
            let is_major = index == 1 && matches!(root, "channels" | "guilds") || token;
            if is_major {
                major.push_str(segment);
            }
            parts.push("{}");
        } else {
            parts.push(segment);
        }
    }
    (parts.join("/"), major)
}

/// A route of the options in the form that `template` gives.
fn same_route(written: &str, template: &str) -> bool {
    let mut written = written.split('/');
    let mut template = template.split('/');
    loop {
        match (written.next(), template.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || (a.starts_with('{') && b == "{}") => {}
            _ => return false,
        }
    }
}

fn name_of_bucket(method: &str, route: &str) -> String {
    // Any stable name will do: FNV-1a over the route.
    let bytes = method.bytes().chain(route.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

impl Limiter {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            buckets: HashMap::new(),
        }
    }

    /// Counts a request of `who`.
    pub(crate) fn count(&mut self, who: &str, method: &str, segments: &[&str]) -> Allowance {
        let (route, major) = template(segments);
        let exempt = matches!(segments.first(), Some(&"interactions" | &"webhooks"));
        let name = name_of_bucket(method, &route);
        if self.buckets.len() > 10_000 {
            self.buckets
                .retain(|_, bucket| bucket.since.elapsed() < bucket.window.length);
        }
        if !exempt {
            let window = Window {
                limit: self.limits.global_per_second,
                length: Duration::from_secs(1),
            };
            let key = (who.to_owned(), "global".to_owned());
            let mut allowance = self.take(key, window, name.clone());
            if allowance.refused.is_some() {
                allowance.refused = Some(Scope::Global);
                return allowance;
            }
        }
        let window = self
            .limits
            .routes
            .iter()
            .find(|limit| limit.method == method && same_route(limit.route, &route))
            .map_or(self.limits.other, |limit| limit.window);
        // What belongs to a webhook's token is counted for it, whoever asks.
        let who = if exempt { "" } else { who };
        self.take((format!("{who} {major}"), name.clone()), window, name)
    }

    fn take(&mut self, key: (String, String), window: Window, name: String) -> Allowance {
        let now = Instant::now();
        let bucket = self.buckets.entry(key).or_insert(Bucket {
            since: now,
            used: 0,
            window,
        });
        if now.duration_since(bucket.since) >= window.length {
            *bucket = Bucket {
                since: now,
                used: 0,
                window,
            };
        }
        let refused = bucket.used >= window.limit;
        if !refused {
            bucket.used += 1;
        }
        Allowance {
            limit: window.limit,
            remaining: window.limit.saturating_sub(bucket.used),
            reset_after: window
                .length
                .saturating_sub(now.duration_since(bucket.since)),
            bucket: name,
            refused: refused.then_some(Scope::User),
        }
    }
}

impl Allowance {
    /// The headers that say how much is left; a refusal says when to come back.
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        let after = self.reset_after.as_secs_f64();
        // A time in seconds; the few digits that a float loses do not matter.
        let reset = Duration::from_millis(now_ms()).as_secs_f64() + after;
        let mut headers = Vec::new();
        if self.refused != Some(Scope::Global) {
            headers.push(("x-ratelimit-limit", self.limit.to_string()));
            headers.push(("x-ratelimit-remaining", self.remaining.to_string()));
            headers.push(("x-ratelimit-reset", format!("{reset:.3}")));
            headers.push(("x-ratelimit-reset-after", format!("{after:.3}")));
            headers.push(("x-ratelimit-bucket", self.bucket.clone()));
        }
        if let Some(scope) = self.refused {
            headers.push(("retry-after", after.ceil().max(1.0).to_string()));
            let scope = if scope == Scope::Global {
                "global"
            } else {
                "user"
            };
            headers.push(("x-ratelimit-scope", scope.to_owned()));
            if scope == "global" {
                headers.push(("x-ratelimit-global", "true".to_owned()));
            }
        }
        headers
    }

    /// The body of a refusal.
    pub(crate) fn body(&self) -> Value {
        let retry_after = (self.reset_after.as_secs_f64() * 1_000.0).ceil() / 1_000.0;
        json!({
            "message": "You are being rate limited.",
            "retry_after": retry_after,
            "global": self.refused == Some(Scope::Global),
            "code": 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_lose_their_parameters_but_not_the_major_one() {
        let (route, major) = template(&["channels", "12", "messages", "34"]);
        assert_eq!(
            (route.as_str(), major.as_str()),
            ("channels/{}/messages/{}", "12")
        );
        let (route, major) = template(&["webhooks", "1", "token", "messages", "@original"]);
        assert_eq!(
            (route.as_str(), major.as_str()),
            ("webhooks/{}/{}/messages/{}", "token")
        );
        assert!(same_route(
            "channels/{channel.id}/messages",
            "channels/{}/messages"
        ));
        assert!(!same_route(
            "channels/{channel.id}/messages",
            "channels/{}/messages/{}"
        ));
    }
}
