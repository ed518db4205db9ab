//! Who may do what where: permissions computed from roles and overwrites
//! (documentation: Topics, Permissions, Permission Hierarchy).

use super::World;
use super::channel::{Channel, Kind};
use super::guild::Guild;
use crate::api::error::{ApiError, MISSING_ACCESS, MISSING_PERMISSIONS};
use crate::permissions::{
    ADMINISTRATOR, ALL, DIRECT_MESSAGE, MANAGE_THREADS, SEND_MESSAGES, SEND_MESSAGES_IN_THREADS,
    VIEW_CHANNEL,
};
use crate::snowflake::Id;

/// Permissions in a guild, before any channel's overwrites. None for who is no member.
pub(crate) fn in_guild(guild: &Guild, user: Id) -> u64 {
    if user == guild.owner {
        return ALL;
    }
    let Some(member) = guild.members.get(&user) else {
        return 0;
    };
    let everyone = guild
        .roles
        .get(&guild.id)
        .map_or(0, |role| role.permissions);
    let roles = member.roles.iter().filter_map(|id| guild.roles.get(id));
    let base = roles.fold(everyone, |bits, role| bits | role.permissions);
    if base & ADMINISTRATOR != 0 { ALL } else { base }
}

/// Permissions in a channel of a guild: its overwrites for everyone, for roles, for the member.
fn with_overwrites(guild: &Guild, channel: &Channel, user: Id) -> u64 {
    let base = in_guild(guild, user);
    let Some(member) = guild.members.get(&user) else {
        return 0;
    };
    if base == ALL {
        return ALL;
    }
    let mut bits = base;
    if let Some(everyone) = channel
        .overwrites
        .iter()
        .find(|o| !o.member && o.id == guild.id)
    {
        bits = bits & !everyone.deny | everyone.allow;
    }
    let (mut allow, mut deny) = (0, 0);
    for overwrite in &channel.overwrites {
        if !overwrite.member && overwrite.id != guild.id && member.roles.contains(&overwrite.id) {
            allow |= overwrite.allow;
            deny |= overwrite.deny;
        }
    }
    bits = bits & !deny | allow;
    if let Some(own) = channel.overwrites.iter().find(|o| o.member && o.id == user) {
        bits = bits & !own.deny | own.allow;
    }
    bits
}

impl World {
    /// Permissions of a user in a channel, thread or direct message.
    pub(crate) fn permissions(&self, user: Id, channel: &Channel) -> u64 {
        let Some(guild) = channel.guild else {
            return if channel.recipients.contains(&user) {
                DIRECT_MESSAGE
            } else {
                0
            };
        };
        let Some(guild) = self.guilds.get(&guild) else {
            return 0;
        };
        let Some(thread) = &channel.thread else {
            let bits = with_overwrites(guild, channel, user);
            // Who does not see a channel can do nothing in it.
            return if bits & VIEW_CHANNEL == 0 { 0 } else { bits };
        };
        // A thread has no overwrites of its own.
        let Some(parent) = channel.parent.and_then(|id| self.channels.get(&id)) else {
            return 0;
        };
        let bits = with_overwrites(guild, parent, user);
        let hidden = channel.kind == Kind::PrivateThread
            && !thread.members.contains_key(&user)
            && bits & MANAGE_THREADS == 0;
        if bits & VIEW_CHANNEL == 0 || hidden {
            0
        } else {
            bits
        }
    }

    pub(crate) fn can_view(&self, user: Id, channel: &Channel) -> bool {
        self.permissions(user, channel) & VIEW_CHANNEL != 0
    }

    /// Requires permissions in a channel: without the view it is 50001, else 50013.
    pub(crate) fn require(&self, user: Id, channel: &Channel, wanted: u64) -> Result<(), ApiError> {
        let bits = self.permissions(user, channel);
        if bits & VIEW_CHANNEL == 0 {
            return Err(MISSING_ACCESS);
        }
        if bits & wanted == wanted {
            Ok(())
        } else {
            Err(MISSING_PERMISSIONS)
        }
    }

    /// Requires permissions in a guild: who is no member gets 50001.
    pub(crate) fn require_in_guild(
        &self,
        user: Id,
        guild: Id,
        wanted: u64,
    ) -> Result<&Guild, ApiError> {
        let guild = self.guild(guild)?;
        if !guild.members.contains_key(&user) {
            return Err(MISSING_ACCESS);
        }
        if in_guild(guild, user) & wanted == wanted {
            Ok(guild)
        } else {
            Err(MISSING_PERMISSIONS)
        }
    }
}

/// The permission to write in a channel: threads have one of their own.
pub(crate) fn to_write(channel: &Channel) -> u64 {
    if channel.thread.is_some() {
        SEND_MESSAGES_IN_THREADS
    } else {
        SEND_MESSAGES
    }
}
