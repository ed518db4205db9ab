//! Which channels there are, as the gateway tells.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use ostler_agent::{ChannelFacts, ChannelKind, Place};
use ostler_store::{ChannelId, GuildId};
use serde_json::Value;

use crate::payload::{self, id};

/// The channels and threads of all servers that the bot is in, without those that it cannot see.
/// It only spares requests: authority always asks Discord.
#[derive(Debug, Default)]
pub(crate) struct Places(RwLock<HashMap<ChannelId, Place>>);

impl Places {
    pub(crate) fn get(&self, channel: &ChannelId) -> Option<Place> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(channel)
            .cloned()
    }

    /// A server with its channels and threads (GUILD_CREATE), or the threads of one
    /// (THREAD_LIST_SYNC).
    pub(crate) fn learn_all(&self, data: &Value, guild: &GuildId) {
        for list in ["channels", "threads"] {
            for channel in data
                .get(list)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.learn(channel, Some(guild));
            }
        }
    }

    /// A channel or thread; its id if it could be read.
    pub(crate) fn learn(&self, data: &Value, guild: Option<&GuildId>) -> Option<ChannelId> {
        let mut facts = payload::channel_facts(data)?;
        if let Some(guild) = guild {
            facts.guild = Some(guild.clone());
        }
        let channel = facts.id.clone();
        self.remember(place(facts));
        Some(channel)
    }

    pub(crate) fn remember(&self, place: Place) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(place.channel.clone(), place);
    }

    pub(crate) fn forget(&self, data: &Value) -> Option<ChannelId> {
        let channel: ChannelId = id(data, "id")?;
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&channel);
        Some(channel)
    }

    pub(crate) fn forget_guild(&self, guild: &GuildId) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|_, place| place.guild.as_ref() != Some(guild));
    }
}

/// Where a channel is. A category is no channel that a message belongs to, so only threads have a
/// parent here.
pub(crate) fn place(facts: ChannelFacts) -> Place {
    Place {
        channel: facts.id,
        kind: facts.kind,
        guild: facts.guild,
        parent: facts.parent.filter(|_| facts.kind == ChannelKind::Thread),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_teaches_its_channels_and_threads_and_takes_them_along() {
        let places = Places::default();
        let guild: GuildId = "1".parse().unwrap();
        places.learn_all(
            &json!({
                "channels": [{"id": "2", "type": 0, "parent_id": "9"}, {"nonsense": true}],
                "threads": [{"id": "3", "type": 11, "parent_id": "2"}],
            }),
            &guild,
        );
        let text = places.get(&"2".parse().unwrap()).unwrap();
        assert_eq!((text.kind, text.parent), (ChannelKind::Text, None));
        let thread = places.get(&"3".parse().unwrap()).unwrap();
        assert_eq!(thread.kind, ChannelKind::Thread);
        assert_eq!(thread.parent, Some("2".parse().unwrap()));
        assert_eq!(thread.guild, Some(guild.clone()));
        places.forget_guild(&guild);
        assert_eq!(places.get(&"3".parse().unwrap()), None);
    }
}
