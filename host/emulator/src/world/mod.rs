//! Everything that exists: users, guilds, channels, messages, interactions.
//!
//! The types here hold state and say how Discord shows it. What happens to it is in `actions`.

pub(crate) mod access;
pub(crate) mod channel;
pub(crate) mod event;
pub(crate) mod guild;
pub(crate) mod interaction;
pub(crate) mod message;
pub(crate) mod user;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::error::{
    ApiError, UNKNOWN_CHANNEL, UNKNOWN_GUILD, UNKNOWN_MEMBER, UNKNOWN_MESSAGE, UNKNOWN_ROLE,
    UNKNOWN_USER,
};
use crate::snowflake::{Id, Sequence};
use channel::Channel;
use event::Event;
use guild::{Guild, Member, Role};
use interaction::Interaction;
use message::Message;
use user::User;

/// A nonce that is remembered: whose, in which channel, as text.
pub(crate) type NonceKey = (Id, Id, String);

/// The whole state. Its maps are public to the crate: `actions` keeps them consistent.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct World {
    pub(crate) ids: Sequence,
    pub(crate) users: BTreeMap<Id, User>,
    pub(crate) guilds: BTreeMap<Id, Guild>,
    /// Channels of guilds, threads, direct messages.
    pub(crate) channels: BTreeMap<Id, Channel>,
    /// Messages by channel and id.
    pub(crate) messages: BTreeMap<Id, BTreeMap<Id, Message>>,
    pub(crate) interactions: BTreeMap<Id, Interaction>,
    /// Where this server is reached: attachments have addresses below it.
    #[serde(skip)]
    pub(crate) origin: String,
    /// The bytes of attachments.
    #[serde(skip)]
    pub(crate) files: HashMap<Id, Arc<Vec<u8>>>,
    /// Attachments that the state file's folder does not have yet.
    #[serde(skip)]
    pub(crate) new_files: Vec<Id>,
    /// Nonces of the last minutes, with the message and the time.
    #[serde(skip)]
    pub(crate) nonces: HashMap<NonceKey, (Id, u64)>,
    /// When somebody last wrote in a channel with slow mode.
    #[serde(skip)]
    pub(crate) last_written: HashMap<(Id, Id), u64>,
    /// What happened since the last hand-over to the gateway.
    #[serde(skip)]
    pub(crate) outbox: Vec<Event>,
}

impl World {
    pub(crate) fn new_id(&mut self) -> Id {
        self.ids.next()
    }

    pub(crate) fn user(&self, id: Id) -> Result<&User, ApiError> {
        self.users.get(&id).ok_or(UNKNOWN_USER)
    }

    pub(crate) fn bot_by_token(&self, token: &str) -> Option<&User> {
        self.users
            .values()
            .find(|user| user.token.as_deref() == Some(token))
    }

    pub(crate) fn guild(&self, id: Id) -> Result<&Guild, ApiError> {
        self.guilds.get(&id).ok_or(UNKNOWN_GUILD)
    }

    pub(crate) fn guild_mut(&mut self, id: Id) -> Result<&mut Guild, ApiError> {
        self.guilds.get_mut(&id).ok_or(UNKNOWN_GUILD)
    }

    pub(crate) fn channel(&self, id: Id) -> Result<&Channel, ApiError> {
        self.channels.get(&id).ok_or(UNKNOWN_CHANNEL)
    }

    pub(crate) fn channel_mut(&mut self, id: Id) -> Result<&mut Channel, ApiError> {
        self.channels.get_mut(&id).ok_or(UNKNOWN_CHANNEL)
    }

    pub(crate) fn message(&self, channel: Id, id: Id) -> Result<&Message, ApiError> {
        self.messages
            .get(&channel)
            .and_then(|list| list.get(&id))
            .ok_or(UNKNOWN_MESSAGE)
    }

    pub(crate) fn message_mut(&mut self, channel: Id, id: Id) -> Result<&mut Message, ApiError> {
        self.messages
            .get_mut(&channel)
            .and_then(|list| list.get_mut(&id))
            .ok_or(UNKNOWN_MESSAGE)
    }

    /// The channel that has a message, by the message's id alone.
    pub(crate) fn channel_of_message(&self, id: Id) -> Option<Id> {
        self.messages
            .iter()
            .find(|(_, list)| list.contains_key(&id))
            .map(|(channel, _)| *channel)
    }

    pub(crate) fn member(&self, guild: Id, user: Id) -> Result<&Member, ApiError> {
        self.guild(guild)?.members.get(&user).ok_or(UNKNOWN_MEMBER)
    }

    pub(crate) fn member_mut(&mut self, guild: Id, user: Id) -> Result<&mut Member, ApiError> {
        self.guild_mut(guild)?
            .members
            .get_mut(&user)
            .ok_or(UNKNOWN_MEMBER)
    }

    pub(crate) fn role(&self, guild: Id, role: Id) -> Result<&Role, ApiError> {
        self.guild(guild)?.roles.get(&role).ok_or(UNKNOWN_ROLE)
    }

    /// The threads of a channel, oldest first.
    pub(crate) fn threads_in(&self, parent: Id) -> impl Iterator<Item = &Channel> {
        self.channels
            .values()
            .filter(move |channel| channel.thread.is_some() && channel.parent == Some(parent))
    }

    /// The channels of a guild that are no threads, oldest first.
    pub(crate) fn channels_of(&self, guild: Id) -> impl Iterator<Item = &Channel> {
        self.channels
            .values()
            .filter(move |channel| channel.guild == Some(guild) && channel.thread.is_none())
    }
}
