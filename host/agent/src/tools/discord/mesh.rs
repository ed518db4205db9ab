//! Mesh scope: what a narrow turn, a plugin's or a peer's, may reach on Discord. It is asked before
//! any other request.
//!
//! | action | holds when |
//! |---|---|
//! | any | `discord.post_channels` is not empty |
//! | `create_thread`, `create_forum_post`, `post_message` | the list has the target, or the channel of the thread that it is |
//! | `fetch_messages`, `list_forum_posts` | the channel is no direct or group chat, and its server is an operator's |
//! | `search_members` | the server is an operator's |
//!
//! The operator's servers are those of the listed channels, each asked by a GET and kept for five
//! minutes, or until the list changes. One channel that cannot be read, or has no server, and no
//! reading or search passes.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ostler_config::Snowflake;
use ostler_store::{ChannelId, GuildId};

use super::arguments::Action;
use super::scope::{holds, parent_is_allowed};
use super::{ToolContext, ToolFailure};
use crate::channel::Channel;
use crate::facts::ChannelKind;

/// How long the operator's servers are believed.
const BELIEVED: Duration = Duration::from_secs(5 * 60);

/// The operator's servers, as they were read.
#[derive(Default)]
pub(crate) struct OperatorGuilds(Mutex<Option<Read>>);

struct Read {
    channels: Vec<Snowflake>,
    guilds: BTreeSet<GuildId>,
    at: Instant,
}

impl OperatorGuilds {
    /// Forgets them: a channel or server was changed.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The servers of the listed channels.
    async fn of(
        &self,
        channel: &dyn Channel,
        channels: &[Snowflake],
    ) -> Result<BTreeSet<GuildId>, ToolFailure> {
        {
            let read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(read) = read.as_ref()
                && read.channels == channels
                && read.at.elapsed() < BELIEVED
            {
                return Ok(read.guilds.clone());
            }
        }
        let mut guilds = BTreeSet::new();
        for id in channels {
            let unreadable = |why: String| {
                refused(&format!(
                    "of the profile's `post_channels`, {} cannot be vouched for ({why}), so \
                     nothing may be read",
                    id.as_str()
                ))
            };
            let id: ChannelId = id
                .as_str()
                .parse()
                .map_err(|_| unreadable("it is no id".to_owned()))?;
            match channel.channel(&id).await {
                Ok(Some(facts)) => match facts.guild {
                    Some(guild) => _ = guilds.insert(guild),
                    None => return Err(unreadable("it has no server".to_owned())),
                },
                Ok(None) => return Err(unreadable("it is not there".to_owned())),
                Err(error) => return Err(unreadable(error.to_string())),
            }
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Read {
            channels: channels.to_vec(),
            guilds: guilds.clone(),
            at: Instant::now(),
        });
        Ok(guilds)
    }
}

/// Checks an action of a narrow turn.
pub(super) async fn check(
    context: &ToolContext<'_>,
    action: &Action,
    channels: &[Snowflake],
) -> Result<(), ToolFailure> {
    if channels.is_empty() {
        return Err(refused(
            "the profile lists no `post_channels`, and without them nothing on Discord may be \
             reached from here",
        ));
    }
    match action {
        Action::CreateThread { channel_id, .. }
        | Action::CreateForumPost { channel_id, .. }
        | Action::PostMessage { channel_id, .. } => {
            if holds(channels, channel_id)
                || parent_is_allowed(context, channel_id, channels).await?
            {
                return Ok(());
            }
            Err(refused(&format!(
                "channel {channel_id} is not among the profile's `post_channels`"
            )))
        }
        Action::FetchMessages { channel_id, .. } | Action::ListForumPosts { channel_id, .. } => {
            let guilds = operator_guilds(context, channels).await?;
            let facts = context.channel.channel(channel_id).await?;
            let is_readable = facts.is_some_and(|facts| {
                !matches!(facts.kind, ChannelKind::Direct | ChannelKind::GroupDirect)
                    && facts.guild.is_some_and(|guild| guilds.contains(&guild))
            });
            if is_readable {
                return Ok(());
            }
            Err(refused(&format!(
                "channel {channel_id} is not in a server of the operator's"
            )))
        }
        Action::SearchMembers { guild_id, .. } => {
            if operator_guilds(context, channels).await?.contains(guild_id) {
                return Ok(());
            }
            Err(refused(&format!(
                "server {guild_id} is none of the operator's"
            )))
        }
    }
}

async fn operator_guilds(
    context: &ToolContext<'_>,
    channels: &[Snowflake],
) -> Result<BTreeSet<GuildId>, ToolFailure> {
    context
        .services
        .operator_guilds
        .of(context.channel.as_ref(), channels)
        .await
}

fn refused(why: &str) -> ToolFailure {
    ToolFailure::new("out-of-scope", format!("{why}. Nothing was done."))
}
