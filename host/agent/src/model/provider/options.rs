//! What a provider is made of, and why one cannot be set up.

use std::fmt;
use std::time::Duration;

use crate::model::ModelError;

/// Which protocol an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// OpenAI's chat completions, which many servers and gateways speak.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama, through its OpenAI-compatible endpoint.
    Ollama,
}

impl ProviderKind {
    /// Its name in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }
}

/// A provider's key. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key from its text; white space around it is taken off.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection.
    pub connect: Duration,
    /// From the request to the first piece of the answer. A local model is loaded meanwhile.
    pub first: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
    /// The whole completion, retries included.
    pub total: Duration,
}

impl Default for Timeouts {
    /// 10 seconds, 3 minutes, 1 minute, 10 minutes.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first: Duration::from_secs(180),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(600),
        }
    }
}

/// What a provider is made of. Nothing else is read, no environment variable either.
#[derive(Clone, Debug)]
pub struct ProviderOptions {
    /// The protocol.
    pub kind: ProviderKind,
    /// Where it is; the provider's own address where there is none.
    ///
    /// OpenAI-compatible: the address that `/chat/completions` is appended to, usually ending in
    /// `/v1`. Anthropic and Ollama: with or without `/v1`. A query is kept.
    pub base_url: Option<String>,
    /// The model's name, as the provider spells it. It is sent as it stands.
    pub model: String,
    /// The key, where the provider wants one.
    pub key: Option<Key>,
    /// How long things may take.
    pub timeouts: Timeouts,
}

impl ProviderOptions {
    /// Options with the usual [`Timeouts`].
    #[must_use]
    pub fn new(
        kind: ProviderKind,
        base_url: Option<String>,
        model: String,
        key: Option<impl Into<Key>>,
    ) -> Self {
        Self {
            kind,
            base_url,
            model,
            key: key.map(Into::into),
            timeouts: Timeouts::default(),
        }
    }
}

/// Why a provider cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The address is not one.
    #[error("`base_url` is not usable: {0}")]
    BaseUrl(&'static str),
    /// The key has characters that no key has.
    #[error("the model's key has characters that cannot be sent: enter it again")]
    Key,
    /// There is no model's name.
    #[error("a model needs a `name`")]
    Name,
    /// The HTTP client cannot be made, for example because the system has no root certificates.
    #[error("no connection to a model's provider can be set up: {0}")]
    Client(String),
}

impl ProviderError {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BaseUrl(_) => "model-base-url-invalid",
            Self::Key => "model-key-invalid",
            Self::Name => "model-name-missing",
            Self::Client(_) => "model-client-failed",
        }
    }
}

impl From<ProviderError> for ModelError {
    /// For a model that is made when it is first asked.
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::BaseUrl(_) | ProviderError::Name => Self::Rejected(error.to_string()),
            ProviderError::Key => Self::Unauthorized(error.to_string()),
            ProviderError::Client(_) => Self::Unavailable(error.to_string()),
        }
    }
}
