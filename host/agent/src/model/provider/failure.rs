//! What a failure of a provider means, and what is said of it.

use std::error::Error as _;
use std::string::FromUtf8Error;
use std::time::Duration;

use genai::Error as GenaiError;
use reqwest::header::HeaderMap;
use reqwest::{StatusCode, Url};
use serde_json::Value;

use super::Key;
use crate::model::ModelError;

/// The longest text of a provider that is passed on, in characters.
const MAX_TEXT: usize = 500;
/// The longest wait that a provider may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(20);

/// A request that failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: ModelError,
    /// Whether it may be made again; inside, how long the provider asks to wait.
    pub(super) retry: Option<Option<Duration>>,
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let retry = error.is_transient().then_some(None);
        Self { error, retry }
    }
}

/// Makes texts of failures that hold no key, no query of an address and no control characters.
#[derive(Debug)]
pub(super) struct Texts {
    /// Scheme, host and port.
    origin: String,
    key: Option<Key>,
}

impl Texts {
    pub(super) fn new(url: &Url, key: Option<Key>) -> Self {
        Self {
            origin: url.origin().ascii_serialization(),
            key,
        }
    }

    /// A failure of `genai`.
    pub(super) fn failure(&self, error: GenaiError) -> Failure {
        match error {
            GenaiError::ChatResponse { body, .. } => self.in_stream(&body),
            GenaiError::WebStream { error, .. } => self.transport(error.as_ref()),
            GenaiError::StreamParse { serde_error, .. } => {
                self.malformed(&format!("a piece of it is no JSON ({serde_error})"))
            }
            GenaiError::JsonValueExt(error) => self.malformed(&error.to_string()),
            other => self.malformed(&other.to_string()),
        }
    }

    /// An answer that ended before its end.
    pub(super) fn cut_off(&self, had_data: bool) -> Failure {
        if had_data {
            ModelError::Unavailable(format!(
                "{} broke off in the middle of its answer",
                self.origin
            ))
            .into()
        } else {
            self.malformed("it holds no event of the protocol; is `base_url` right?")
        }
    }

    /// A bound on time that was reached.
    pub(super) fn too_slow(&self, what: &str, limit: Duration, retry: bool) -> Failure {
        let text = format!(
            "{}: {what} more than {} s",
            self.origin,
            limit.as_secs_f32()
        );
        // A silent provider is asked again within the whole's time; a slow one is not.
        Failure {
            error: ModelError::Unavailable(text),
            retry: retry.then_some(None),
        }
    }

    fn malformed(&self, why: &str) -> Failure {
        ModelError::Malformed(self.clean(why)).into()
    }

    /// An answer with a status other than success.
    fn refused(&self, status: StatusCode, body: &str, headers: &HeaderMap) -> Failure {
        let said = serde_json::from_str::<Value>(body)
            .ok()
            .and_then(|body| said(&body))
            .unwrap_or_else(|| body.trim().to_owned());
        let text = match (status.is_redirection(), said.is_empty()) {
            (true, _) => format!("{status}: redirects are not followed, correct `base_url`"),
            (false, true) => status.to_string(),
            (false, false) => format!("{status}: {said}"),
        };
        let mut failure = Failure::from(by_status(status.as_u16(), self.clean(&text)));
        if failure.retry.is_some() {
            failure.retry = retry_after(headers);
        }
        failure
    }

    /// An error in the middle of a stream whose status was a success.
    fn in_stream(&self, body: &Value) -> Failure {
        let error = body.get("error").unwrap_or(body);
        let text = self.clean(&said(body).unwrap_or_else(|| error.to_string()));
        let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
        let number = ["code", "status"].iter().find_map(|key| {
            let value = error.get(*key)?;
            value.as_u64().or_else(|| value.as_str()?.parse().ok())
        });
        let kind = format!("{} {}", word("type"), word("code")).to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        if error.is_null() {
            // genai 0.7.2: a chunk with `"error": null` counts as an error.
            return self.malformed("a piece of it has an error that is null");
        }
        if let Some(status) = number.and_then(|number| u16::try_from(number).ok())
            && (400..600).contains(&status)
        {
            return by_status(status, text).into();
        }
        if has(&["rate_limit", "quota"]) {
            ModelError::Limited(text).into()
        } else if has(&["authentication", "permission", "invalid_api_key", "billing"]) {
            ModelError::Unauthorized(text).into()
        } else if has(&[
            "invalid_request",
            "not_found",
            "context_length",
            "too_large",
        ]) {
            ModelError::Rejected(text).into()
        } else {
            ModelError::Unavailable(text).into()
        }
    }

    /// No answer, or one whose connection failed.
    fn transport(&self, error: &(dyn std::error::Error + Send + Sync + 'static)) -> Failure {
        if error.is::<FromUtf8Error>() {
            return self.malformed("it is no UTF-8 text");
        }
        // A status other than success is found when the stream is first read.
        if let Some(GenaiError::HttpError {
            status,
            body,
            headers,
            ..
        }) = error.downcast_ref::<GenaiError>()
        {
            return self.refused(*status, body, headers);
        }
        let Some(error) = error.downcast_ref::<reqwest::Error>() else {
            return ModelError::Unavailable(self.clean(&error.to_string())).into();
        };
        // The text of the outermost error holds the whole address; the innermost says what
        // happened.
        let mut cause = error.source();
        while let Some(inner) = cause.and_then(std::error::Error::source) {
            cause = Some(inner);
        }
        let cause = cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
        let what = match (error.is_connect(), error.is_timeout()) {
            (true, true) => "cannot be connected to in time",
            (true, false) => "cannot be connected to",
            (false, true) => "did not answer in time",
            (false, false) => "broke off",
        };
        ModelError::Unavailable(self.clean(&format!("{} {what}{cause}", self.origin))).into()
    }

    /// Foreign text, fit to be shown.
    fn clean(&self, text: &str) -> String {
        let shown = |c: &char| !c.is_control() && !is_invisible(*c);
        let spaced = |c: char| {
            if matches!(c, '\n' | '\r' | '\t') {
                ' '
            } else {
                c
            }
        };
        // Generous, so that a key that stands at the bound is found whole.
        let mut text: String = text
            .chars()
            .map(spaced)
            .filter(shown)
            .take(16 * MAX_TEXT)
            .collect();
        if let Some(key) = &self.key {
            text = text.replace(key.expose(), "[key]");
        }
        match text.char_indices().nth(MAX_TEXT) {
            Some(_) => text.chars().take(MAX_TEXT - 1).chain(['…']).collect(),
            None => text,
        }
    }
}

/// Characters that show nothing, or that turn the text beside them round.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn by_status(status: u16, text: String) -> ModelError {
    match status {
        401 | 403 => ModelError::Unauthorized(text),
        429 => ModelError::Limited(text),
        408 | 500.. => ModelError::Unavailable(text),
        _ => ModelError::Rejected(text),
    }
}

/// What the body of an error says: every provider has its own place for it.
fn said(body: &Value) -> Option<String> {
    ["/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|place| body.pointer(place)?.as_str().map(str::to_owned))
}

/// Whether to try again, and after how long: not if the provider says so, or asks for a wait that
/// a turn cannot take.
fn retry_after(headers: &HeaderMap) -> Option<Option<Duration>> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    if headers
        .get("x-should-retry")
        .is_some_and(|value| value == "false")
    {
        return None;
    }
    let seconds = number("retry-after-ms")
        .map(|ms| ms / 1000.0)
        .or_else(|| number("retry-after"));
    match seconds.map(Duration::try_from_secs_f64) {
        Some(Ok(wait)) => (wait <= MAX_RETRY_AFTER).then_some(Some(wait)),
        // A date, or nonsense: our own wait will do.
        Some(Err(_)) | None => Some(None),
    }
}
