//! Where answers go: what a turn asks of the platform that a session lives on.
//!
//! An adapter implements [`Channel`]; the room that calls it is this one. Every method ends within
//! its own deadline, retries what may be retried a bounded number of times, and never delivers one
//! [`Post`] twice: its nonce tells the platform that a repeated one is the same.

use async_trait::async_trait;
use ostler_store::{ChannelId, GuildId, MessageId, PersonId, RoleId};
use serde_json::Value;

use crate::facts::{ChannelFacts, MemberFacts};
use crate::inbound::{Attachment, Place};

/// A file that goes with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostFile {
    /// Its name, 1 to 100 of the characters `A-Z a-z 0-9 . _ -`.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// A message to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Post {
    /// Where to.
    pub channel: ChannelId,
    /// Its text; within [`Channel::content_limit`].
    pub content: String,
    /// Names this message, so that the platform takes a repetition for the same one: 1 to 25
    /// characters (Discord, *Create Message*, `nonce` with `enforce_nonce`).
    pub nonce: String,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// Whether it notifies nobody (Discord's flag `SUPPRESS_NOTIFICATIONS`).
    pub is_silent: bool,
    /// The people that it may mention. Every other mention in its text is inert.
    pub mentions: Vec<PersonId>,
    /// Discord's message components, as its API has them.
    pub components: Option<Value>,
    /// Files, at most ten.
    pub files: Vec<PostFile>,
}

impl Post {
    /// A plain message that mentions nobody and notifies as usual.
    #[must_use]
    pub fn text(channel: ChannelId, content: String, nonce: String) -> Self {
        Self {
            channel,
            content,
            nonce,
            reply_to: None,
            is_silent: false,
            mentions: Vec::new(),
            components: None,
            files: Vec::new(),
        }
    }
}

/// A change to a message that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Where it stands.
    pub channel: ChannelId,
    /// Which one.
    pub message: MessageId,
    /// Its new text.
    pub content: Option<String>,
    /// Its new components; an empty list takes them away.
    pub components: Option<Value>,
}

/// A message as it is read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// Who wrote it.
    pub author: PersonId,
    /// That account's name (Discord's `global_name`, else `username`).
    pub author_name: String,
    /// Whether that account is a bot.
    pub is_bot: bool,
    /// Its text.
    pub content: String,
    /// When it was sent, in milliseconds since 1970 (UTC).
    pub sent_at: i64,
    /// The names of its attachments.
    pub attachments: Vec<String>,
    /// The message that it replies to.
    pub reply_to: Option<MessageId>,
}

/// A member of a server, as a search finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberView {
    /// The account.
    pub id: PersonId,
    /// Its user name.
    pub username: String,
    /// The name that the server shows.
    pub display_name: String,
    /// Whether it is a bot.
    pub is_bot: bool,
}

/// A thread or forum post in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadView {
    /// Its id.
    pub id: ChannelId,
    /// Its title.
    pub name: String,
    /// Who opened it.
    pub owner: Option<PersonId>,
    /// Whether it is archived.
    pub is_archived: bool,
}

/// What `create_thread` needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewThread {
    /// The channel to open it in.
    pub channel: ChannelId,
    /// Its title, 1 to 100 characters.
    pub name: String,
    /// The message to open it at, if any.
    pub at: Option<MessageId>,
    /// Minutes without a message until Discord archives it: 60, 1440, 4320 or 10080.
    pub auto_archive_minutes: u16,
}

/// What `create_forum_post` needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewForumPost {
    /// The forum.
    pub channel: ChannelId,
    /// The post's title, 1 to 100 characters.
    pub name: String,
    /// Its first message.
    pub message: String,
    /// Names of the forum's tags, at most five.
    pub tags: Vec<String>,
}

/// Which messages to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window<'a> {
    /// The newest.
    Newest,
    /// Those before this one.
    Before(&'a MessageId),
    /// Those after this one.
    After(&'a MessageId),
}

/// A change of a server, as an Administrator may ask for it. The bot must hold the permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerChange {
    /// Makes a channel (Discord, *Create Guild Channel*).
    CreateChannel {
        /// The server.
        guild: GuildId,
        /// Its name, 1 to 100 characters.
        name: String,
        /// What it is.
        kind: NewChannelKind,
        /// Its topic, at most 1,024 characters.
        topic: Option<String>,
        /// The category to put it in.
        parent: Option<ChannelId>,
    },
    /// Changes a channel's name or topic (Discord, *Modify Channel*).
    EditChannel {
        /// The channel.
        channel: ChannelId,
        /// Its new name, 1 to 100 characters.
        name: Option<String>,
        /// Its new topic, at most 1,024 characters.
        topic: Option<String>,
    },
    /// Deletes a channel or thread with all that was written in it (Discord, *Delete/Close
    /// Channel*).
    DeleteChannel {
        /// The channel.
        channel: ChannelId,
    },
    /// Gives a member a role (Discord, *Add Guild Member Role*).
    AddRole {
        /// The server.
        guild: GuildId,
        /// The member.
        person: PersonId,
        /// The role.
        role: RoleId,
    },
    /// Takes a role from a member (Discord, *Remove Guild Member Role*).
    RemoveRole {
        /// The server.
        guild: GuildId,
        /// The member.
        person: PersonId,
        /// The role.
        role: RoleId,
    },
    /// Pins a message (Discord, *Pin Message*).
    PinMessage {
        /// Where it stands.
        channel: ChannelId,
        /// Which one.
        message: MessageId,
    },
    /// Takes a pin away (Discord, *Unpin Message*).
    UnpinMessage {
        /// Where it stands.
        channel: ChannelId,
        /// Which one.
        message: MessageId,
    },
    /// Deletes a message of anybody's (Discord, *Delete Message*).
    DeleteMessage {
        /// Where it stands.
        channel: ChannelId,
        /// Which one.
        message: MessageId,
    },
}

/// The kinds of channel that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NewChannelKind {
    /// A text channel (0).
    Text,
    /// A category (4).
    Category,
    /// A forum (15).
    Forum,
}

/// A channel or role in a server's list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NamedThing {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// A server's shape.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ServerView {
    /// Its name.
    pub name: String,
    /// Its channels, threads not among them.
    pub channels: Vec<NamedThing>,
    /// Its roles.
    pub roles: Vec<NamedThing>,
}

/// Why the platform did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// The platform understood and said no.
    #[error("Discord refused ({status}, code {code}): {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Discord's error code (Discord, *JSON Error Codes*).
        code: u32,
        /// What it said.
        message: String,
    },
    /// What was named is not there, or the bot may not know that it is.
    #[error("there is no such {0} on Discord, or the bot may not see it")]
    NotFound(&'static str),
    /// Its rate limits do not leave room within the deadline.
    #[error("Discord's rate limit leaves no room for this now")]
    Limited,
    /// It did not answer, or answered that it cannot now. A repetition with the same nonce is safe.
    #[error("Discord is not reachable: {0}")]
    Unavailable(String),
    /// The request cannot be made from what was given; nothing was sent.
    #[error("{0}")]
    Invalid(String),
}

impl ChannelError {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "discord-refused",
            Self::NotFound(_) => "not-found",
            Self::Limited => "discord-limited",
            Self::Unavailable(_) => "discord-unavailable",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Limited | Self::Unavailable(_))
    }
}

/// One live adapter: one bot on one platform.
#[async_trait]
pub trait Channel: Send + Sync {
    /// The bot's own account, once it is known.
    fn own_id(&self) -> Option<PersonId>;

    /// The most that one message holds, in UTF-16 code units.
    fn content_limit(&self) -> usize;

    /// Sends a message and gives its id. With a nonce that was used some minutes ago or less,
    /// gives the id of the message that stands already.
    async fn post(&self, post: &Post) -> Result<MessageId, ChannelError>;

    /// Changes a message.
    async fn edit(&self, edit: &Edit) -> Result<(), ChannelError>;

    /// Deletes a message of the bot's. One that is gone already is no error.
    async fn delete(&self, channel: &ChannelId, message: &MessageId) -> Result<(), ChannelError>;

    /// Shows that the bot is typing, for about ten seconds. Never retried.
    async fn typing(&self, channel: &ChannelId) -> Result<(), ChannelError>;

    /// Reads a channel or thread afresh; `None` if there is none that the bot may see.
    async fn channel(&self, id: &ChannelId) -> Result<Option<ChannelFacts>, ChannelError>;

    /// Reads a member of a server afresh, with the permissions that their roles give them there;
    /// `None` if the person is no member.
    async fn member(
        &self,
        guild: &GuildId,
        person: &PersonId,
    ) -> Result<Option<MemberFacts>, ChannelError>;

    /// Reads at most `limit` messages (1 to 100), oldest first.
    async fn messages(
        &self,
        channel: &ChannelId,
        window: Window<'_>,
        limit: u8,
    ) -> Result<Vec<MessageView>, ChannelError>;

    /// Finds at most `limit` members (1 to 100) whose name or nickname starts with `query`.
    async fn search_members(
        &self,
        guild: &GuildId,
        query: &str,
        limit: u8,
    ) -> Result<Vec<MemberView>, ChannelError>;

    /// Opens a thread and gives its id.
    async fn create_thread(&self, thread: &NewThread) -> Result<ChannelId, ChannelError>;

    /// Opens a forum post and gives its id, which is its first message's id too.
    async fn create_forum_post(&self, post: &NewForumPost) -> Result<ChannelId, ChannelError>;

    /// Lists at most `limit` posts (1 to 100) of a forum, the newest first, archived ones last.
    async fn forum_posts(
        &self,
        channel: &ChannelId,
        limit: u8,
    ) -> Result<Vec<ThreadView>, ChannelError>;

    /// Fetches an attachment's bytes, from the platform's own addresses only.
    ///
    /// # Errors
    /// [`ChannelError::Invalid`]: it is larger than `limit` bytes, or its address is none of the
    /// platform's.
    async fn fetch(&self, attachment: &Attachment, limit: u64) -> Result<Vec<u8>, ChannelError>;

    /// Reads a server's channels and roles.
    async fn server(&self, guild: &GuildId) -> Result<ServerView, ChannelError>;

    /// Makes a change to a server, with `reason` in its audit log. What was made has an id. Not
    /// repeated where a repetition could do it twice.
    async fn change(
        &self,
        change: &ServerChange,
        reason: &str,
    ) -> Result<Option<String>, ChannelError>;

    /// Places of the bot's servers, threads among them, in which something was written after
    /// `since` (milliseconds since 1970, UTC), each with a message id to read on from: none of
    /// what was written after `since` has a smaller one. Direct chats are not among them: Discord
    /// does not list them.
    async fn written_since(&self, since: i64) -> Result<Vec<(Place, MessageId)>, ChannelError>;

    /// Has what was written in these places after these messages read, a bounded number of each,
    /// and handed to the inbox ahead of whatever waits there to be handed over. What cannot be
    /// read is left out and told.
    fn catch_up(&self, places: Vec<(Place, MessageId)>);
}
