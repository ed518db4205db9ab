//! `native_text_v1`: a message that a person, or a listed bot, wrote on the platform.

use ostler_store::{Descriptor, MessageId, PersonId};
use serde::{Deserialize, Serialize};

use crate::admission::Address;
use crate::inbound::InboundMessage;

/// A message, as it was admitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NativeText {
    /// The message.
    pub(crate) message: MessageId,
    /// Who wrote it.
    pub(crate) author: PersonId,
    /// Their user name.
    pub(crate) username: String,
    /// The name that people see.
    pub(crate) display_name: String,
    /// Whether they are a bot.
    pub(crate) is_bot: bool,
    /// What it says.
    pub(crate) text: String,
    /// How it spoke to the assistant.
    pub(crate) address: Address,
    /// What it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reply_to: Option<QuotedMessage>,
    /// Its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<File>,
    /// When it was sent, in milliseconds since 1970 (UTC).
    pub(crate) sent_at: i64,
}

/// A message that another one replies to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuotedMessage {
    /// The message.
    pub(crate) message: MessageId,
    /// Who wrote it, if that is known.
    pub(crate) author: Option<PersonId>,
}

/// A file of a message; its bytes stay where they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Its name.
    pub(crate) name: String,
    /// Its media type, as the platform says.
    pub(crate) content_type: Option<String>,
    /// Its size.
    pub(crate) bytes: u64,
}

impl NativeText {
    /// The kind's name.
    pub(crate) const KIND: &'static str = "native_text_v1";

    /// What is admitted of a message.
    pub(crate) fn of(message: &InboundMessage, address: Address) -> Self {
        Self {
            message: message.id.clone(),
            author: message.author.id.clone(),
            username: message.author.username.clone(),
            display_name: message.author.display_name.clone(),
            is_bot: message.author.is_bot,
            text: message.text.clone(),
            address,
            reply_to: message
                .reply_to
                .as_ref()
                .map(|(message, author)| QuotedMessage {
                    message: message.clone(),
                    author: author.clone(),
                }),
            files: message
                .attachments
                .iter()
                .take(10)
                .map(|file| File {
                    name: file.name.chars().take(256).collect(),
                    content_type: file.content_type.clone(),
                    bytes: file.bytes,
                })
                .collect(),
            sent_at: message.sent_at,
        }
    }

    /// The descriptor of the row.
    pub(crate) fn descriptor(&self) -> Result<Descriptor, serde_json::Error> {
        Ok(Descriptor {
            kind: Self::KIND.to_owned(),
            payload: serde_json::to_string(self)?,
        })
    }
}
