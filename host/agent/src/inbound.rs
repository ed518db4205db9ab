//! What comes in: messages and clicks, as an adapter hands them over.
//!
//! [`Inbox`] is implemented here and called by adapters. An adapter owns no policy: it tells what
//! happened, in the order in which it happened in each channel, and whatever happened twice it
//! may tell twice.

use async_trait::async_trait;
use ostler_store::{ChannelId, GuildId, MessageId, PersonId, RoleId};
use serde::{Deserialize, Serialize};

use crate::facts::{ChannelKind, Fact, MemberFacts};

/// Where something happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The channel, thread or direct chat.
    pub channel: ChannelId,
    /// What it is.
    pub kind: ChannelKind,
    /// Its server; none for direct chats.
    pub guild: Option<GuildId>,
    /// A thread's channel.
    pub parent: Option<ChannelId>,
}

/// Who wrote something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The account.
    pub id: PersonId,
    /// Its user name, which is unique.
    pub username: String,
    /// The name that people see.
    pub display_name: String,
    /// Whether it is a bot or a webhook.
    pub is_bot: bool,
}

/// A file that came with a message. Its bytes are not fetched here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, as the sender gave it.
    pub name: String,
    /// Its media type, as the platform says.
    pub content_type: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Where it can be fetched.
    pub url: String,
}

/// A message that somebody wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundMessage {
    /// Its id, which is the event's id too: telling it twice is harmless.
    pub id: MessageId,
    /// Where.
    pub place: Place,
    /// Who.
    pub author: Author,
    /// Its text, with mentions as the platform writes them (`<@123>`).
    pub text: String,
    /// Whether it mentions the bot itself; a mention of everybody does not.
    pub mentions_bot: bool,
    /// The message that it replies to, and who wrote that one.
    pub reply_to: Option<(MessageId, Option<PersonId>)>,
    /// Its files.
    pub attachments: Vec<Attachment>,
    /// When it was sent, in milliseconds since 1970 (UTC).
    pub sent_at: i64,
}

/// A pressed button, a chosen entry or a submitted form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundClick {
    /// The interaction's id: telling it twice is harmless.
    pub id: String,
    /// What was pressed.
    pub custom_id: String,
    /// Where. From the payload; absent in a payload that could be read only in part.
    pub place: Option<Place>,
    /// The message that it stands on.
    pub message: Option<MessageId>,
    /// Who pressed, from the payload itself.
    pub person: Author,
    /// In a server: roles and permissions as Discord computed them for this payload, for this
    /// channel. Absent in a direct chat.
    pub member: Fact<MemberFacts>,
    /// What was chosen in a select.
    pub values: Vec<String>,
    /// What was written in a form: its fields by their ids.
    pub fields: Vec<(String, String)>,
}

/// The first answer to a click. It is chosen without any I/O, so that it goes out at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acknowledgement {
    /// The message will be edited, or a private answer follows (Discord, interaction response 6).
    Deferred,
    /// A form opens (response 9). Its submission is another click.
    Form(Form),
}

/// A form (Discord's modal).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Comes back as the submission's `custom_id`; at most 100 characters.
    pub custom_id: String,
    /// At most 45 characters.
    pub title: String,
    /// One to five.
    pub fields: Vec<FormField>,
}

/// A line or paragraph of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormField {
    /// Its id.
    pub custom_id: String,
    /// At most 45 characters.
    pub label: String,
    /// Whether it must be filled in.
    pub is_required: bool,
    /// Whether it has several lines.
    pub is_paragraph: bool,
    /// At most this many characters, 1 to 4,000.
    pub max_length: u16,
}

/// What the presser is told in private, if anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClickOutcome {
    /// Text that only they see.
    pub private: Option<String>,
}

/// A change of the live world, after which what was read before may be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new connection: events may have been lost. Open cards are reconciled, and what was
    /// written meanwhile is read again.
    Ready {
        /// The bot's account.
        own_id: PersonId,
        /// Whether the connection continues the one before, so that nothing was lost.
        is_resumed: bool,
    },
    /// A channel or thread was changed or deleted.
    Channel(ChannelId),
    /// A member was changed or left.
    Member(GuildId, PersonId),
    /// A role was changed or deleted.
    Role(GuildId, RoleId),
    /// A server was changed, came or went: its owner may be another one.
    Guild(GuildId),
    /// A message was deleted.
    MessageDeleted(ChannelId, MessageId),
    /// The connection was lost, or is silent.
    Lost,
}

/// Why something that came in was not taken. The adapter tells it again, a bounded number of
/// times.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InboxError(pub String);

/// Where adapters hand over what happened.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Takes a message. When it answers, whatever of it must last is committed.
    async fn message(&self, message: InboundMessage) -> Result<(), InboxError>;

    /// Chooses the first answer to a click: a pure function of it.
    fn acknowledge(&self, click: &InboundClick) -> Acknowledgement;

    /// Judges a click that was acknowledged.
    async fn click(&self, click: InboundClick) -> Result<ClickOutcome, InboxError>;

    /// Learns of a change. Until it has answered to a [`Change::Ready`] that is not resumed, no
    /// message is handed over: what was missed goes first, by
    /// [`Channel::catch_up`](crate::Channel::catch_up).
    async fn changed(&self, change: Change);
}
