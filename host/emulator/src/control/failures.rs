//! Requests that a test wants to fail or to be late.

use std::time::Duration;

use regex::Regex;
use serde_json::{Value, json};

use crate::api::milliseconds;
use crate::refusal::Refusal;

/// What the next matching requests get.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    method: Option<String>,
    path: Regex,
    times: u64,
    status: Option<u16>,
    body: Option<Value>,
    retry_after: Option<f64>,
    global: bool,
    pub(crate) delay: Option<Duration>,
    /// The request takes effect all the same; only its answer is lost.
    pub(crate) takes_effect: bool,
}

/// A status, headers and a body.
type Answer = (u16, Vec<(&'static str, String)>, Option<Value>);

impl Failure {
    pub(crate) fn read(body: &Value) -> Result<Self, Refusal> {
        let pattern = body.get("path_regex").and_then(Value::as_str).unwrap_or("");
        let path = Regex::new(pattern)
            .map_err(|error| Refusal::bad(format!("path_regex cannot be read: {error}")))?;
        let status = match body.get("status").filter(|status| !status.is_null()) {
            None => None,
            Some(status) => {
                let number = status
                    .as_u64()
                    .and_then(|status| u16::try_from(status).ok());
                let number = number.filter(|status| (200..=599).contains(status));
                Some(number.ok_or_else(|| Refusal::bad("status must be 200 to 599"))?)
            }
        };
        let delay = body
            .get("delay_ms")
            .and_then(Value::as_u64)
            .map(milliseconds);
        if status.is_none() && delay.is_none() {
            return Err(Refusal::bad("give a status, a delay_ms, or both"));
        }
        Ok(Self {
            method: body
                .get("method")
                .and_then(Value::as_str)
                .map(str::to_uppercase),
            path,
            times: body.get("times").and_then(Value::as_u64).unwrap_or(1),
            status,
            body: body.get("body").filter(|body| !body.is_null()).cloned(),
            retry_after: body.get("retry_after").and_then(Value::as_f64),
            global: body["global"].as_bool().unwrap_or(false),
            delay,
            takes_effect: body["takes_effect"].as_bool().unwrap_or(false),
        })
    }

    /// The answer instead of the real one; none if the request is only late.
    pub(crate) fn into_answer(self) -> Option<Answer> {
        let status = self.status?;
        let mut headers = Vec::new();
        let retry_after = self.retry_after.or((status == 429).then_some(1.0));
        if let Some(seconds) = retry_after {
            headers.push(("retry-after", seconds.to_string()));
        }
        if status == 429 {
            let scope = if self.global { "global" } else { "user" };
            headers.push(("x-ratelimit-scope", scope.to_owned()));
            if self.global {
                headers.push(("x-ratelimit-global", "true".to_owned()));
            }
        }
        let body = self.body.unwrap_or_else(|| match (status, retry_after) {
            (429, Some(seconds)) => json!({
                "message": "You are being rate limited.",
                "retry_after": seconds,
                "global": self.global,
                "code": 0,
            }),
            _ => {
                let name = http::StatusCode::from_u16(status).ok();
                let name = name
                    .and_then(|status| status.canonical_reason())
                    .unwrap_or("Error");
                json!({"message": format!("{status}: {name}"), "code": 0})
            }
        });
        Some((status, headers, (status != 204).then_some(body)))
    }
}

/// The failures that wait for requests, oldest first.
#[derive(Default)]
pub(crate) struct Failures {
    list: Vec<Failure>,
}

impl Failures {
    pub(crate) fn add(&mut self, failure: Failure) {
        if failure.times > 0 {
            self.list.push(failure);
        }
    }

    /// The failure of a request, counted.
    pub(crate) fn take(&mut self, method: &str, path: &str) -> Option<Failure> {
        let index = self.list.iter().position(|failure| {
            failure.method.as_ref().is_none_or(|known| known == method)
                && failure.path.is_match(path)
        })?;
        let failure = self.list.get_mut(index)?;
        failure.times -= 1;
        let taken = failure.clone();
        if failure.times == 0 {
            self.list.remove(index);
        }
        Some(taken)
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }
}
