//! `native_text_v1`: a message that a person, or a listed bot, wrote on the platform.

use ostler_store::{Descriptor, MessageId, PersonId};
use serde::{Deserialize, Serialize};

use crate::admission::Address;
use crate::inbound::{Attachment, InboundMessage};

/// The most files of a message that are remembered.
const FILES: usize = 32;
/// The longest address of a file that is kept, in characters; a longer one is none.
const ADDRESS: usize = 2_048;

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
    /// Where it can be fetched. Rows of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
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
                .take(FILES)
                .map(|file| File {
                    name: file.name.chars().take(256).collect(),
                    content_type: file.content_type.clone(),
                    bytes: file.bytes,
                    url: Some(&file.url)
                        .filter(|url| url.chars().count() <= ADDRESS)
                        .cloned(),
                })
                .collect(),
            sent_at: message.sent_at,
        }
    }

    /// Its files, to be fetched. One whose address is not known has an empty one.
    pub(crate) fn attachments(&self) -> Vec<Attachment> {
        self.files
            .iter()
            .map(|file| Attachment {
                name: file.name.clone(),
                content_type: file.content_type.clone(),
                bytes: file.bytes,
                url: file.url.clone().unwrap_or_default(),
            })
            .collect()
    }

    /// The descriptor of the row.
    pub(crate) fn descriptor(&self) -> Result<Descriptor, serde_json::Error> {
        Ok(Descriptor {
            kind: Self::KIND.to_owned(),
            payload: serde_json::to_string(self)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_version_that_kept_no_addresses_reads() {
        let old = r#"{"message":"100","author":"7","username":"eve","display_name":"Eve",
            "is_bot":false,"text":"look","address":"mention","files":[
            {"name":"a.png","content_type":"image/png","bytes":3}],"sent_at":0}"#;
        let read: NativeText = serde_json::from_str(old).unwrap();
        assert_eq!(read.files[0].url, None);
        assert_eq!(read.attachments()[0].url, "");
    }
}
