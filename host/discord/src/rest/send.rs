//! Sending a request: its turn, its tries, its deadline.

use std::sync::atomic::Ordering;
use std::time::Duration;

use ostler_agent::ChannelError;
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::form;
use super::limits::Turn;
use super::refusal::{refusal, token_refused};
use super::{Call, Repeat, Rest};
use crate::jitter::jittered;

/// How often a request is sent at most.
const TRIES: u32 = 5;
/// The wait before a failed request is sent again; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// More than any answer that is asked for here.
const LARGEST_ANSWER: usize = 16 << 20;

/// What one try gave.
enum Tried {
    Answer(Value),
    Failed(ChannelError),
    /// It may be sent again, after a wait that the limiter knows.
    Limited(Duration),
    /// It may be sent again.
    Lost(ChannelError),
}

pub(super) async fn send(rest: &Rest, call: &Call<'_>) -> Result<Value, ChannelError> {
    let usual = rest.deadline + form::time(call.files);
    let deadline = call.until.unwrap_or_else(|| Instant::now() + usual);
    let url = Url::parse_with_params(&rest.url(call.route), &call.query)
        .map_err(|_| ChannelError::Invalid("the request has no valid address".to_owned()))?;
    let url = if call.query.is_empty() {
        without_query(url)
    } else {
        url
    };
    let key = (call.method.clone(), call.route.ratelimiting_bucket());
    let mut tries = 0;
    // Whether an earlier try may have taken effect.
    let mut was_lost = false;
    loop {
        if rest.is_token_refused() && !call.is_by_interaction {
            return Err(token_refused());
        }
        loop {
            match rest.limits.take(&key, call.major, !call.is_by_interaction) {
                Turn::Now => break,
                Turn::At(at) if at >= deadline => return Err(ChannelError::Limited),
                Turn::At(at) => sleep_until(at).await,
            }
        }
        tries += 1;
        // A try that hangs must leave time for another one.
        let now = Instant::now();
        let left = deadline.saturating_duration_since(now);
        let is_repeatable = call.repeat == Repeat::Safe && tries < TRIES;
        let until = if is_repeatable {
            now + left / 2
        } else {
            deadline
        };
        let tried = match timeout_at(until, attempt(rest, call, &url, &key)).await {
            Ok(tried) => tried,
            Err(_) => match call.repeat {
                Repeat::Safe => Tried::Lost(unanswered()),
                Repeat::Unsent | Repeat::Never => Tried::Failed(unanswered()),
            },
        };
        let (wait, error) = match tried {
            Tried::Answer(answer) => return Ok(answer),
            Tried::Failed(ChannelError::NotFound(what))
                if was_lost && call.is_deletion && what == call.what =>
            {
                return Ok(Value::Null);
            }
            Tried::Failed(error) => return Err(error),
            Tried::Limited(wait) => (wait, ChannelError::Limited),
            Tried::Lost(error) => {
                was_lost = true;
                (jittered(FIRST_WAIT.saturating_mul(1 << (tries - 1))), error)
            }
        };
        let again = Instant::now() + wait;
        if tries >= TRIES || call.repeat == Repeat::Never || again >= deadline {
            return Err(error);
        }
        sleep_until(again).await;
    }
}

fn without_query(mut url: Url) -> Url {
    url.set_query(None);
    url
}

fn unanswered() -> ChannelError {
    ChannelError::Unavailable("no answer in time".to_owned())
}

async fn attempt(rest: &Rest, call: &Call<'_>, url: &Url, key: &super::limits::RouteKey) -> Tried {
    let mut request = rest.client.request(call.method.clone(), url.clone());
    if let Some(body) = &call.body {
        request = if call.files.is_empty() {
            request.json(body)
        } else {
            request.multipart(form::form(body, call.files))
        };
    } else if call.method != Method::GET {
        request = request.body("");
    }
    if let Some(reason) = &call.reason {
        request = request.header("X-Audit-Log-Reason", percent_encoded(reason));
    }
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) => {
            // The URL may hold an interaction's token.
            let error = error.without_url();
            let is_unsent = error.is_connect();
            let failed = ChannelError::Unavailable(root_cause(&error));
            return if call.repeat == Repeat::Safe || (is_unsent && call.repeat == Repeat::Unsent) {
                Tried::Lost(failed)
            } else {
                Tried::Failed(failed)
            };
        }
    };
    let (status, headers) = (response.status(), response.headers().clone());
    rest.limits.learn(key, call.major, &headers);
    let body = match body(response).await {
        Ok(body) => body,
        Err(error) if status.is_success() && call.repeat == Repeat::Safe => {
            return Tried::Lost(error);
        }
        Err(error) if status.is_success() => return Tried::Failed(error),
        Err(_) => Value::Null,
    };
    if status == StatusCode::TOO_MANY_REQUESTS {
        let wait = rest.limits.refused(key, call.major, &headers, &body);
        tracing::warn!(
            method = %call.method,
            what = call.what,
            wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            "Discord's rate limit was hit"
        );
        return Tried::Limited(wait);
    }
    if status.is_server_error() {
        let error = ChannelError::Unavailable(format!("it answered {status}"));
        return if call.repeat == Repeat::Safe {
            Tried::Lost(error)
        } else {
            Tried::Failed(error)
        };
    }
    if status.is_success() {
        return Tried::Answer(body);
    }
    if status == StatusCode::UNAUTHORIZED && !call.is_by_interaction {
        rest.is_refused.store(true, Ordering::Relaxed);
    }
    Tried::Failed(refusal(status, &body, call.what))
}

/// An answer's JSON; null for none.
async fn body(mut response: Response) -> Result<Value, ChannelError> {
    let cut = |error: reqwest::Error| ChannelError::Unavailable(root_cause(&error.without_url()));
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(cut)? {
        if bytes.len() + chunk.len() > LARGEST_ANSWER {
            return Err(ChannelError::Unavailable(
                "its answer is larger than 16 MiB".to_owned(),
            ));
        }
        bytes.extend_from_slice(&chunk);
    }
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&bytes)
        .map_err(|_| ChannelError::Unavailable("its answer is no JSON".to_owned()))
}

/// Why a request failed, in the words of whoever noticed it.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Discord wants the reason percent-encoded (*Audit Log*, *Audit Reason*), at most 512 characters.
fn percent_encoded(reason: &str) -> String {
    let mut encoded = String::new();
    for byte in reason.chars().take(512).collect::<String>().bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~ ".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_encoded_and_cut_to_what_discord_keeps() {
        assert_eq!(
            percent_encoded("Ada: 100 % ok\r\nX-Evil: 1"),
            "Ada%3A 100 %25 ok%0D%0AX-Evil%3A 1"
        );
        assert_eq!(percent_encoded("é"), "%C3%A9");
        assert_eq!(percent_encoded(&"ß".repeat(600)), "%C3%9F".repeat(512));
    }
}
