//! The family `guild`: what Administrators may do to the server that a turn is in.
//!
//! Each tool asks at the top whether the asker is an Administrator there now, from a fresh read;
//! the gate asks again when a card was answered.

mod act;
mod read;

use ostler_store::{GuildId, Origin};

pub(super) use act::Act;
pub(super) use read::Read;

use super::{ToolContext, ToolFailure};
use crate::facts::PermissionBits;
use crate::turn::prepare;

/// The turn's server, if its asker is an Administrator of it now.
async fn administered(context: &ToolContext<'_>) -> Result<GuildId, ToolFailure> {
    let who = prepare::author_name(context.row);
    let refused = |what: &str| {
        ToolFailure::new(
            "forbidden",
            format!("I can't change this server for {who}: that needs {what}. Nothing was done."),
        )
    };
    let (Some(guild), Origin::Person { id }) = (&context.row.route.guild, &context.row.origin)
    else {
        return Err(refused("a server to be in, and a person who asks"));
    };
    let member = context.channel.member(guild, id).await?;
    let is_administrator =
        member.is_some_and(|member| member.permissions.contains(PermissionBits::ADMINISTRATOR));
    if is_administrator {
        Ok(guild.clone())
    } else {
        Err(refused("Administrator on this server"))
    }
}
