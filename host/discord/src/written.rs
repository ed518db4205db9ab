//! Where something was written since a time.

use std::collections::HashMap;

use futures_util::future::join_all;
use ostler_agent::{ChannelError, ChannelKind, Place};
use ostler_store::{GuildId, MessageId};
use reqwest::Method;
use serde_json::Value;
use serenity::http::Route;
use serenity::model::id as discord;
use tokio::time::timeout;

use crate::core::Core;
use crate::overwrites::sees;
use crate::payload::{channel_facts, id, list, text};
use crate::places::place;
use crate::rest::Call;
use crate::snowflake::{first_at, snowflake};

/// Servers that are looked at, at most.
const GUILDS: usize = 100;
/// Servers that are looked at together.
const TOGETHER: usize = 8;
/// The whole may take as long as this many calls.
const DEADLINES: u32 = 4;

impl Core {
    /// Places in the bot's servers with messages from `since` on (milliseconds since 1970), and the
    /// id to read on from. Threads that were archived meanwhile are not among them: Discord lists
    /// those only channel by channel. A server that cannot be read is left out and told.
    pub(crate) async fn written_since(
        &self,
        since: i64,
    ) -> Result<Vec<(Place, MessageId)>, ChannelError> {
        let first = first_at(since);
        // Discord gives what comes after an id; it has none below 1.
        let after: MessageId = first
            .saturating_sub(1)
            .max(1)
            .to_string()
            .parse()
            .map_err(|_| ChannelError::Invalid("the time is none of an id".to_owned()))?;
        let places = timeout(
            self.options.timings.rest.saturating_mul(DEADLINES),
            self.places_since(first),
        );
        let places = places.await.map_err(|_| {
            ChannelError::Unavailable("the bot's servers could not be read in time".to_owned())
        })??;
        Ok(places
            .into_iter()
            .map(|place| (place, after.clone()))
            .collect())
    }

    async fn places_since(&self, first: u64) -> Result<Vec<Place>, ChannelError> {
        let mut guilds = match self.guilds.all() {
            Some(guilds) => guilds,
            None => self.list_guilds().await?,
        };
        if guilds.len() > GUILDS {
            tracing::warn!(
                servers = guilds.len(),
                "the bot is in more servers than are looked at for what was missed: {GUILDS}"
            );
            guilds.truncate(GUILDS);
        }
        let (mut places, mut failure) = (Vec::new(), None);
        for some in guilds.chunks(TOGETHER) {
            let read = some.iter().map(|guild| self.places_in(guild, first));
            for (guild, read) in some.iter().zip(join_all(read).await) {
                match read {
                    Ok(found) => places.extend(found),
                    Err(error) => {
                        tracing::warn!(%error, %guild, "a server cannot be read for what was missed");
                        failure = Some(error);
                    }
                }
            }
        }
        match failure {
            Some(error) if places.is_empty() => Err(error),
            _ => Ok(places),
        }
    }

    /// The bot's servers by REST, where no READY named them.
    async fn list_guilds(&self) -> Result<Vec<GuildId>, ChannelError> {
        let call = Call::new(Method::GET, Route::UserMeGuilds, None, "server");
        let listed = self.call(&call).await?;
        let listed = listed.as_array().ok_or_else(|| odd("servers"))?;
        Ok(listed.iter().filter_map(|guild| id(guild, "id")).collect())
    }

    async fn places_in(&self, guild: &GuildId, first: u64) -> Result<Vec<Place>, ChannelError> {
        let major = snowflake(guild.as_str(), "server")?;
        let guild_id = discord::GuildId::from(major);
        let get = |route| Call::new(Method::GET, route, Some(major), "server");
        let channels = self.call(&get(Route::GuildChannels { guild_id })).await?;
        let channels = channels.as_array().ok_or_else(|| odd("channels"))?;
        let active = self
            .call(&get(Route::GuildThreadsActive { guild_id }))
            .await?;
        let by_id: HashMap<&str, &Value> = channels
            .iter()
            .filter_map(|channel| Some((text(channel, "id")?, channel)))
            .collect();
        // What decides who sees it: itself, or a thread's channel.
        let own = channels.iter().map(|channel| (channel, channel));
        let threads = list(&active, "threads").iter().filter_map(|thread| {
            let parent = by_id.get(text(thread, "parent_id")?)?;
            Some((thread, *parent))
        });
        let newer: Vec<_> = own
            .chain(threads)
            .filter(|(place, _)| last_message(place).is_some_and(|last| last >= first))
            .collect();
        if newer.is_empty() {
            return Ok(Vec::new());
        }
        let bot = self.identity().bot.ok_or_else(|| {
            ChannelError::Unavailable("the bot's account is not known yet".to_owned())
        })?;
        let Some(member) = self.read_member(guild, &bot).await? else {
            return Ok(Vec::new());
        };
        Ok(newer
            .into_iter()
            .filter(|(_, channel)| sees(&member, &bot, guild, channel))
            .filter_map(|(object, _)| {
                let mut facts = channel_facts(object)?;
                facts.guild = Some(guild.clone());
                Some(place(facts))
            })
            .collect())
    }
}

/// The last message of a channel or thread. A forum has none: there the field names a post.
fn last_message(channel: &Value) -> Option<u64> {
    let kind = channel.get("type").and_then(Value::as_u64)?;
    if ChannelKind::of(u8::try_from(kind).ok()?) == ChannelKind::Forum {
        return None;
    }
    text(channel, "last_message_id")?.parse().ok()
}

fn odd(what: &str) -> ChannelError {
    ChannelError::Unavailable(format!("its answer holds no {what}"))
}
