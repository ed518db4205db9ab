//! Models: what a turn asks for, and what streams back.
//!
//! A turn knows [`Model`] alone. The implementations:
//! - [`Scripted`] runs a script of turns, so that the product can be seen and tested without a
//!   model;
//! - [`Provider`] speaks to OpenAI-compatible, Anthropic and Ollama endpoints.

mod provider;
mod script;
mod script_value;
mod scripted;
mod source;
mod template;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::Stream;
use serde_json::Value;

pub use provider::{Key, Provider, ProviderError, ProviderKind, ProviderOptions, Timeouts};
pub use script::ScriptError;
pub use scripted::{DEMO_SCRIPT, Scripted};
pub use source::ModelSource;

/// What a model is asked to go on from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// Who it is and what holds for this turn.
    pub system: String,
    /// The conversation, oldest first. The last one is what wants an answer.
    pub messages: Vec<ModelMessage>,
    /// The tools that this turn offers; exactly these.
    pub tools: Vec<ToolSpec>,
    /// The most tokens that it may write; the provider's own bound where there is none.
    pub max_tokens: Option<u32>,
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelMessage {
    /// From outside: a person, a peer, a note.
    User(String),
    /// The same with what is shown beside it. The text says of each what it is.
    UserWithMedia {
        /// What it says.
        text: String,
        /// Pictures and PDFs, in the order in which the text names them.
        media: Vec<MediaPart>,
    },
    /// From the model.
    Assistant {
        /// What it said; may be empty beside calls.
        text: String,
        /// The tools that it called.
        calls: Vec<ToolCall>,
    },
    /// A tool's answer.
    ToolResult {
        /// The call's id.
        call: String,
        /// The tool's name.
        name: String,
        /// The answer, as the model reads it.
        content: String,
    },
}

/// A picture or a PDF that a model is shown. Providers may refuse it: see
/// [`ModelError::Rejected`].
#[derive(Clone, PartialEq, Eq)]
pub struct MediaPart {
    /// Its name, 1 to 100 of the characters `A-Z a-z 0-9 . _ -`.
    pub name: String,
    /// Its media type: `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `application/pdf`.
    pub media_type: &'static str,
    /// What is in it, in base64 (RFC 4648, section 4). Shared: every completion of a turn sends it.
    pub base64: Arc<str>,
}

impl fmt::Debug for MediaPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MediaPart")
            .field("name", &self.name)
            .field("media_type", &self.media_type)
            .field("base64", &format_args!("{} letters", self.base64.len()))
            .finish()
    }
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name: `[a-zA-Z0-9_-]{1,64}`, what every provider accepts.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its arguments, as JSON Schema.
    pub input_schema: Value,
}

/// A call that a model made.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Names the call within the turn.
    pub id: String,
    /// The tool's name, as the model wrote it: perhaps of no tool that there is.
    pub name: String,
    /// The arguments: as the model wrote them, a JSON object or, where it wrote none, a string.
    pub arguments: Value,
}

/// What streams back.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// More of its answer.
    Text(String),
    /// A whole call. Its id is of no other call of the conversation.
    Call(ToolCall),
    /// It stopped. Nothing follows.
    End {
        /// Why.
        stop: StopReason,
        /// What it used, where the provider says so.
        usage: Option<TokenUsage>,
    },
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It was done, or waits for the answers of its calls.
    Done,
    /// It came to the bound on its tokens: what it wrote is cut off.
    Length,
    /// Its provider withheld the answer.
    Refused,
}

/// Tokens of one completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Read.
    pub input: u64,
    /// Written.
    pub output: u64,
}

/// Why a model gave no answer. Text of a provider in it is foreign: bounded, and not to be trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The key is missing, wrong or not allowed to use this model.
    #[error("the model's provider does not accept the key: {0}")]
    Unauthorized(String),
    /// The provider has no such model, or the request is not one that it takes.
    #[error("the model's provider does not take the request: {0}")]
    Rejected(String),
    /// Too much was asked for.
    #[error("the model's provider is limiting requests: {0}")]
    Limited(String),
    /// It did not answer, answered that it cannot, or broke off.
    #[error("the model's provider is not reachable: {0}")]
    Unavailable(String),
    /// It answered something that is no answer.
    #[error("the model's provider gave an answer that cannot be read: {0}")]
    Malformed(String),
    /// No turn of the script matches.
    #[error("{0}")]
    NoScript(String),
}

impl ModelError {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unauthorized(_) => "model-unauthorized",
            Self::Rejected(_) => "model-rejected",
            Self::Limited(_) => "model-limited",
            Self::Unavailable(_) => "model-unavailable",
            Self::Malformed(_) => "model-malformed",
            Self::NoScript(_) => "model-no-script",
        }
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Limited(_) | Self::Unavailable(_))
    }
}

/// A completion as it arrives. It ends with [`ModelEvent::End`] or an error; dropping it ends the
/// request.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// A model that a profile names.
#[async_trait]
pub trait Model: Send + Sync {
    /// How it is named wherever a model is named: provider and model; the scripted one says what
    /// it is.
    fn name(&self) -> String;

    /// Asks it to go on.
    ///
    /// A model's reasoning is in no event: it is dropped where it is read.
    ///
    /// # Errors
    /// Those of the request; errors after the first event come in the stream. What may pass by
    /// itself was tried again already.
    async fn complete(&self, request: &Completion) -> Result<ModelStream, ModelError>;
}
