//! The third door: whether this turn may do this on Discord, asked again at the effect.

use ostler_config::{Snowflake, WidePostChannels};
use ostler_store::ChannelId;

use super::arguments::Action;
use super::{ToolContext, ToolFailure, asker, mesh};
use crate::authority::{Scope, Tier};

/// Checks an action against the authority and the configuration as it is now.
pub(super) async fn check(context: &ToolContext<'_>, action: &Action) -> Result<(), ToolFailure> {
    let config = context.services.config.borrow().clone();
    if context.authority.scope == Scope::Mesh {
        return mesh::check(context, action, config.discord.narrow_post_channels()).await;
    }
    let is_still_the_owner = context.authority.tier == Tier::Owner
        && asker(context).is_some_and(|asker| {
            config
                .owner_id
                .as_ref()
                .is_some_and(|owner| owner.as_str() == asker.as_str())
        });
    if !is_still_the_owner {
        return Err(ToolFailure::new(
            "forbidden",
            "I can't do this: it needs this assistant's owner. Nothing was done.",
        ));
    }
    match &context.authority.scope {
        Scope::Unscoped => {}
        Scope::Server(_) | Scope::AskerSees(_) | Scope::Mesh => {
            return Err(ToolFailure::new("out-of-scope", "this turn may not use it"));
        }
    }
    let target = match action {
        Action::CreateThread { channel_id, .. }
        | Action::CreateForumPost { channel_id, .. }
        | Action::PostMessage { channel_id, .. } => channel_id,
        Action::FetchMessages { .. }
        | Action::SearchMembers { .. }
        | Action::ListForumPosts { .. } => return Ok(()),
    };
    let allowed = match config.discord.wide_post_channels() {
        WidePostChannels::Unrestricted => return Ok(()),
        WidePostChannels::Only(allowed) => allowed,
    };
    if holds(allowed, target) || parent_is_allowed(context, target, allowed).await? {
        return Ok(());
    }
    Err(ToolFailure::new(
        "out-of-scope",
        format!("channel {target} is not among the profile's `post_channels`. Nothing was done."),
    ))
}

/// Whether the target is a thread of a listed channel, read afresh.
pub(super) async fn parent_is_allowed(
    context: &ToolContext<'_>,
    target: &ChannelId,
    allowed: &[Snowflake],
) -> Result<bool, ToolFailure> {
    let found = context.channel.channel(target).await?;
    Ok(found.is_some_and(|channel| {
        channel.kind == crate::facts::ChannelKind::Thread
            && channel.parent.is_some_and(|parent| holds(allowed, &parent))
    }))
}

pub(super) fn holds(allowed: &[Snowflake], channel: &ChannelId) -> bool {
    allowed.iter().any(|id| id.as_str() == channel.as_str())
}
