//! What the gateway tells bots, and who hears it.

use serde_json::Value;

use super::World;
use super::channel::Channel;
use crate::snowflake::Id;

/// Gateway intents (documentation: Gateway, List of Intents).
pub(crate) mod intent {
    pub(crate) const GUILDS: u64 = 1;
    pub(crate) const GUILD_MEMBERS: u64 = 1 << 1;
    pub(crate) const PRESENCES: u64 = 1 << 8;
    pub(crate) const GUILD_MESSAGES: u64 = 1 << 9;
    pub(crate) const GUILD_REACTIONS: u64 = 1 << 10;
    pub(crate) const GUILD_TYPING: u64 = 1 << 11;
    pub(crate) const DIRECT_MESSAGES: u64 = 1 << 12;
    pub(crate) const DIRECT_REACTIONS: u64 = 1 << 13;
    pub(crate) const DIRECT_TYPING: u64 = 1 << 14;
    pub(crate) const MESSAGE_CONTENT: u64 = 1 << 15;
    /// Those that an application must be allowed to use.
    pub(crate) const PRIVILEGED: u64 = GUILD_MEMBERS | PRESENCES | MESSAGE_CONTENT;
    /// Every bit that has a meaning.
    pub(crate) const ALL: u64 = 0x1FFFF | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25;
}

/// Who gets a message's content without the intent for it.
#[derive(Clone, Debug)]
pub(crate) struct ContentRule {
    pub(crate) author: Id,
    pub(crate) mentions: Vec<Id>,
    pub(crate) direct: bool,
}

impl ContentRule {
    pub(crate) fn shows(&self, bot: Id) -> bool {
        self.direct || self.author == bot || self.mentions.contains(&bot)
    }
}

/// One dispatch.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) name: &'static str,
    /// The bots that hear it.
    pub(crate) bots: Vec<Id>,
    /// Whose shard hears it; without a guild it is shard 0.
    pub(crate) guild: Option<Id>,
    /// Any of these intents is needed; 0 needs none.
    pub(crate) intents: u64,
    pub(crate) data: Value,
    pub(crate) content: Option<ContentRule>,
}

/// A name with one intent in guilds and another in direct messages.
#[derive(Clone, Copy)]
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    pub(crate) guild: u64,
    pub(crate) direct: u64,
}

pub(crate) const fn messages(name: &'static str) -> Topic {
    Topic {
        name,
        guild: intent::GUILD_MESSAGES,
        direct: intent::DIRECT_MESSAGES,
    }
}

pub(crate) const fn reactions(name: &'static str) -> Topic {
    Topic {
        name,
        guild: intent::GUILD_REACTIONS,
        direct: intent::DIRECT_REACTIONS,
    }
}

/// About the channel itself: of direct messages bots hear only that they were opened.
pub(crate) const fn channels(name: &'static str) -> Topic {
    Topic {
        name,
        guild: intent::GUILDS,
        direct: intent::DIRECT_MESSAGES,
    }
}

impl World {
    fn bots(&self) -> impl Iterator<Item = Id> {
        self.users
            .values()
            .filter(|user| user.token.is_some())
            .map(|user| user.id)
    }

    /// The bots that see a channel now.
    pub(crate) fn viewers(&self, channel: &Channel) -> Vec<Id> {
        self.bots()
            .filter(|bot| self.can_view(*bot, channel))
            .collect()
    }

    /// Tells everybody who sees the channel.
    pub(crate) fn tell_channel(
        &mut self,
        channel: &Channel,
        topic: Topic,
        data: Value,
        content: Option<ContentRule>,
    ) {
        let bots = self.viewers(channel);
        let intents = if channel.guild.is_some() {
            topic.guild
        } else {
            topic.direct
        };
        let guild = channel.guild;
        self.outbox.push(Event {
            name: topic.name,
            bots,
            guild,
            intents,
            data,
            content,
        });
    }

    /// Tells every bot in the guild.
    pub(crate) fn tell_guild(&mut self, guild: Id, name: &'static str, intents: u64, data: Value) {
        let members = self.guilds.get(&guild).map(|guild| &guild.members);
        let bots = self
            .bots()
            .filter(|bot| members.is_some_and(|members| members.contains_key(bot)))
            .collect();
        self.outbox.push(Event {
            name,
            bots,
            guild: Some(guild),
            intents,
            data,
            content: None,
        });
    }

    /// Tells one bot.
    pub(crate) fn tell_bot(
        &mut self,
        bot: Id,
        guild: Option<Id>,
        name: &'static str,
        intents: u64,
        data: Value,
    ) {
        self.outbox.push(Event {
            name,
            bots: vec![bot],
            guild,
            intents,
            data,
            content: None,
        });
    }
}
