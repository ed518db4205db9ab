//! What Discord's refusals mean (Discord, *HTTP Response Codes* and *JSON Error Codes*).

use ostler_agent::ChannelError;
use reqwest::StatusCode;
use serde_json::Value;

/// The most that is kept of what Discord says.
const LONGEST: usize = 500;

pub(super) fn token_refused() -> ChannelError {
    ChannelError::Refused {
        status: 401,
        code: 0,
        message: "the bot's token is not valid any more".to_owned(),
    }
}

/// An answer of 3xx or 4xx, except 429.
pub(super) fn refusal(status: StatusCode, body: &Value, what: &'static str) -> ChannelError {
    let code = body
        .get("code")
        .and_then(Value::as_u64)
        .and_then(|code| u32::try_from(code).ok())
        .unwrap_or_default();
    if status == StatusCode::NOT_FOUND {
        return ChannelError::NotFound(match code {
            10003 => "channel",
            10004 => "server",
            10007 => "member",
            10008 => "message",
            10011 => "role",
            10013 => "person",
            10062 => "interaction",
            _ => what,
        });
    }
    let said = body.get("message").and_then(Value::as_str);
    let mut message = said
        .or_else(|| status.canonical_reason())
        .unwrap_or("no reason given")
        .to_owned();
    if let Some(errors) = body.get("errors") {
        describe(errors, &mut String::new(), &mut message);
    }
    if message.len() > LONGEST {
        let end = (0..=LONGEST)
            .rev()
            .find(|end| message.is_char_boundary(*end));
        message.truncate(end.unwrap_or_default());
        message.push('…');
    }
    ChannelError::Refused {
        status: status.as_u16(),
        code,
        message,
    }
}

/// The `errors` tree as `path: message` (Discord, *API Reference*, *Error Messages*).
fn describe(node: &Value, path: &mut String, into: &mut String) {
    let Some(children) = node.as_object() else {
        return;
    };
    for (name, child) in children {
        if name == "_errors" {
            for error in child.as_array().into_iter().flatten() {
                if let Some(message) = error.get("message").and_then(Value::as_str) {
                    into.push_str("; ");
                    into.push_str(path);
                    into.push_str(": ");
                    into.push_str(message);
                }
            }
            continue;
        }
        let length = path.len();
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        describe(child, path, into);
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_says_which_field_was_wrong() {
        let body = json!({
            "code": 50035, "message": "Invalid Form Body",
            "errors": {"embeds": {"0": {"title": {"_errors": [
                {"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 256 or fewer in length."}
            ]}}}},
        });
        assert_eq!(
            refusal(StatusCode::BAD_REQUEST, &body, "channel"),
            ChannelError::Refused {
                status: 400,
                code: 50035,
                message: "Invalid Form Body; embeds.0.title: Must be 256 or fewer in length."
                    .to_owned(),
            }
        );
    }

    #[test]
    fn what_is_not_there_is_named_by_discords_code() {
        for (code, what) in [(10008, "message"), (0, "thread")] {
            let body = json!({"code": code, "message": "Unknown"});
            assert_eq!(
                refusal(StatusCode::NOT_FOUND, &body, "thread"),
                ChannelError::NotFound(what)
            );
        }
    }
}
