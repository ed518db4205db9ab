//! Discord's error answers: a status, a code, and for wrong forms a tree of what is wrong.

use std::borrow::Cow;

use serde_json::{Value, json};

/// An answer that refuses.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) code: u32,
    pub(crate) message: Cow<'static, str>,
    pub(crate) errors: Option<Value>,
}

const fn known(status: u16, code: u32, message: &'static str) -> ApiError {
    ApiError {
        status,
        code,
        message: Cow::Borrowed(message),
        errors: None,
    }
}

impl ApiError {
    /// The form is wrong; `errors` is Discord's tree.
    pub(crate) fn form(errors: Value) -> Self {
        Self {
            errors: Some(errors),
            ..INVALID_FORM
        }
    }

    /// One field of the form is wrong. `path` is dotted.
    pub(crate) fn field(path: &str, code: &str, message: &str) -> Self {
        let leaf = json!({"_errors": [{"code": code, "message": message}]});
        Self::form(
            path.rsplit('.')
                .fold(leaf, |inner, name| json!({ name: inner })),
        )
    }

    pub(crate) fn body(&self) -> Value {
        let mut body = json!({"message": self.message, "code": self.code});
        if let (Some(errors), Some(object)) = (&self.errors, body.as_object_mut()) {
            object.insert("errors".to_owned(), errors.clone());
        }
        body
    }
}

pub(crate) const NOT_FOUND: ApiError = known(404, 0, "404: Not Found");
pub(crate) const UNAUTHORIZED: ApiError = known(401, 0, "401: Unauthorized");
pub(crate) const TOO_LARGE: ApiError = known(413, 40005, "Request entity too large");
pub(crate) const UNKNOWN_CHANNEL: ApiError = known(404, 10003, "Unknown Channel");
pub(crate) const UNKNOWN_GUILD: ApiError = known(404, 10004, "Unknown Guild");
pub(crate) const UNKNOWN_MEMBER: ApiError = known(404, 10007, "Unknown Member");
pub(crate) const UNKNOWN_MESSAGE: ApiError = known(404, 10008, "Unknown Message");
pub(crate) const UNKNOWN_OVERWRITE: ApiError = known(404, 10009, "Unknown Permission Overwrite");
pub(crate) const UNKNOWN_ROLE: ApiError = known(404, 10011, "Unknown Role");
pub(crate) const UNKNOWN_USER: ApiError = known(404, 10013, "Unknown User");
pub(crate) const UNKNOWN_EMOJI: ApiError = known(400, 10014, "Unknown Emoji");
pub(crate) const UNKNOWN_WEBHOOK: ApiError = known(404, 10015, "Unknown Webhook");
pub(crate) const UNKNOWN_STICKER: ApiError = known(404, 10060, "Unknown sticker");
pub(crate) const UNKNOWN_INTERACTION: ApiError = known(404, 10062, "Unknown interaction");
pub(crate) const SLOWMODE: ApiError = known(
    429,
    20016,
    "This action cannot be performed due to slowmode rate limit",
);
pub(crate) const TOO_MANY_PINS: ApiError = known(
    400,
    30003,
    "Maximum number of pins reached for the channel (250)",
);
pub(crate) const TOO_MANY_ROLES: ApiError =
    known(400, 30005, "Maximum number of server roles reached (250)");
pub(crate) const TOO_MANY_REACTIONS: ApiError =
    known(400, 30010, "Maximum number of reactions reached (20)");
pub(crate) const TOO_MANY_CHANNELS: ApiError = known(
    400,
    30013,
    "Maximum number of server channels reached (500)",
);
pub(crate) const ALREADY_ACKNOWLEDGED: ApiError =
    known(400, 40060, "Interaction has already been acknowledged.");
pub(crate) const MISSING_ACCESS: ApiError = known(403, 50001, "Missing Access");
pub(crate) const DIRECT_MESSAGE_CHANNEL: ApiError =
    known(403, 50003, "Cannot execute action on a DM channel");
pub(crate) const NOT_THE_AUTHOR: ApiError =
    known(403, 50005, "Cannot edit a message authored by another user");
pub(crate) const EMPTY_MESSAGE: ApiError = known(400, 50006, "Cannot send an empty message");
pub(crate) const CANNOT_MESSAGE_USER: ApiError =
    known(403, 50007, "Cannot send messages to this user");
pub(crate) const NON_TEXT_CHANNEL: ApiError =
    known(400, 50008, "Cannot send messages in a non-text channel");
pub(crate) const MISSING_PERMISSIONS: ApiError = known(403, 50013, "Missing Permissions");
pub(crate) const SYSTEM_MESSAGE: ApiError =
    known(403, 50021, "Cannot execute action on a system message");
pub(crate) const WRONG_CHANNEL_TYPE: ApiError =
    known(400, 50024, "Cannot execute action on this channel type");
pub(crate) const INVALID_WEBHOOK_TOKEN: ApiError = known(401, 50027, "Invalid Webhook Token");
pub(crate) const INVALID_ROLE: ApiError = known(400, 50028, "Invalid Role");
pub(crate) const INVALID_RECIPIENT: ApiError = known(400, 50033, "Invalid Recipient(s)");
pub(crate) const INVALID_FORM: ApiError = known(400, 50035, "Invalid Form Body");
pub(crate) const THREAD_ARCHIVED: ApiError = known(400, 50083, "Thread is archived");
pub(crate) const INVALID_JSON: ApiError =
    known(400, 50109, "The request body contains invalid JSON.");
pub(crate) const REPLY_NEEDS_HISTORY: ApiError = known(
    400,
    160_002,
    "Cannot reply without permission to read message history",
);
pub(crate) const THREAD_EXISTS: ApiError = known(
    400,
    160_004,
    "A thread has already been created for this message",
);
pub(crate) const THREAD_LOCKED: ApiError = known(400, 160_005, "Thread is locked");
