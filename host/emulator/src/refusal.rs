//! What the control API answers when it will not do a thing.

use serde_json::{Value, json};

use crate::api::error::ApiError;

/// A refusal: a status, a stable code, and a sentence.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// What Discord would have answered, where it would have refused.
    pub(crate) discord: Option<Value>,
}

impl Refusal {
    pub(crate) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            discord: None,
        }
    }

    /// The request itself makes no sense.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(400, "bad-request", message)
    }

    pub(crate) fn body(&self) -> Value {
        let mut body = json!({"code": self.code, "message": self.message});
        if let Some(discord) = &self.discord {
            body["discord"] = discord.clone();
        }
        body
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        let message = format!("Discord would refuse: {} ({})", error.message, error.code);
        let discord = Some(error.body());
        Self {
            status: error.status,
            code: "refused-by-discord",
            message,
            discord,
        }
    }
}
