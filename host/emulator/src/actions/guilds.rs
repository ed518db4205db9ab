//! Guilds are made; users are made, join and leave; direct messages are opened.

use std::collections::BTreeMap;

use serde_json::json;

use crate::api::error::{ApiError, CANNOT_MESSAGE_USER, INVALID_RECIPIENT, UNKNOWN_ROLE};
use crate::permissions::EVERYONE;
use crate::snowflake::{Id, now_ms};
use crate::world::World;
use crate::world::channel::{Channel, Kind};
use crate::world::event::{self, intent};
use crate::world::guild::{Guild, Member, Role};
use crate::world::user::User;

/// Makes a user. A bot needs a token.
pub(crate) fn create_user(
    world: &mut World,
    username: &str,
    token: Option<String>,
    privileged_intents: bool,
) -> Id {
    let id = world.new_id();
    let bot = token.is_some();
    let global_name = (!bot).then(|| username.to_owned());
    let username = username.to_owned();
    world.users.insert(
        id,
        User {
            id,
            username,
            global_name,
            bot,
            token,
            privileged_intents,
        },
    );
    id
}

/// Makes a guild that `owner` owns and is in.
pub(crate) fn create_guild(world: &mut World, name: &str, owner: Id) -> Id {
    let id = world.new_id();
    let everyone = Role {
        id,
        name: "@everyone".to_owned(),
        permissions: EVERYONE,
        position: 0,
        color: 0,
        hoist: false,
        mentionable: false,
        bot: None,
    };
    let guild = Guild {
        id,
        name: name.to_owned(),
        owner,
        roles: BTreeMap::from([(id, everyone)]),
        members: BTreeMap::new(),
    };
    world.guilds.insert(id, guild);
    insert_member(world, id, owner, Vec::new());
    id
}

/// Changes a guild's name or owner, who must be a member.
pub(crate) fn update_guild(
    world: &mut World,
    id: Id,
    name: Option<&str>,
    owner: Option<Id>,
) -> Result<(), ApiError> {
    if let Some(owner) = owner {
        world.member(id, owner)?;
    }
    let guild = world.guild_mut(id)?;
    if let Some(name) = name {
        name.clone_into(&mut guild.name);
    }
    guild.owner = owner.unwrap_or(guild.owner);
    let rendered = guild.render();
    world.tell_guild(id, "GUILD_UPDATE", intent::GUILDS, rendered);
    Ok(())
}

fn insert_member(world: &mut World, guild: Id, user: Id, roles: Vec<Id>) {
    if let Some(guild) = world.guilds.get_mut(&guild) {
        let member = Member {
            user,
            nick: None,
            roles,
            joined_ms: now_ms(),
        };
        guild.members.insert(user, member);
    }
    if world
        .users
        .get(&user)
        .is_some_and(|user| user.token.is_some())
    {
        // The members in it depend on the bot's intents, so the gateway makes the payload.
        let data = json!({"id": guild});
        world.tell_bot(user, Some(guild), "GUILD_CREATE", intent::GUILDS, data);
    }
    tell_member(world, guild, user, "GUILD_MEMBER_ADD");
}

/// Tells that a member came or is another now.
pub(crate) fn tell_member(world: &mut World, guild: Id, user: Id, name: &'static str) {
    let Ok(member) = world.member(guild, user) else {
        return;
    };
    let mut data = world.render_member(member);
    data["guild_id"] = json!(guild);
    world.tell_guild(guild, name, intent::GUILD_MEMBERS, data);
}

/// Makes a user a member, or gives a member other roles. A bot may get a role of its own.
pub(crate) fn set_member(
    world: &mut World,
    guild: Id,
    user: Id,
    roles: Option<Vec<Id>>,
    own_role: Option<u64>,
) -> Result<(), ApiError> {
    world.user(user)?;
    let found = world.guild(guild)?;
    if roles
        .iter()
        .flatten()
        .any(|role| *role == guild || !found.roles.contains_key(role))
    {
        return Err(UNKNOWN_ROLE);
    }
    let known = found.members.get(&user).cloned();
    let own = found
        .roles
        .values()
        .find(|role| role.bot == Some(user))
        .map(|role| role.id);
    let mut wanted =
        roles.unwrap_or_else(|| known.as_ref().map(|m| m.roles.clone()).unwrap_or_default());
    if let Some(permissions) = own_role {
        let id = own.unwrap_or_else(|| world.new_id());
        let name = world.user(user)?.username.clone();
        let roles = &mut world.guild_mut(guild)?.roles;
        let highest = roles.values().map(|role| role.position).max().unwrap_or(0);
        let position = roles.get(&id).map_or(highest + 1, |role| role.position);
        let (color, hoist, mentionable) = (0, false, false);
        let bot = Some(user);
        let role = Role {
            id,
            name,
            permissions,
            position,
            color,
            hoist,
            mentionable,
            bot,
        };
        let rendered = role.render();
        roles.insert(id, role);
        let data = json!({"guild_id": guild, "role": rendered});
        let name = if own.is_some() {
            "GUILD_ROLE_UPDATE"
        } else {
            "GUILD_ROLE_CREATE"
        };
        world.tell_guild(guild, name, intent::GUILDS, data);
        wanted.push(id);
    } else if let Some(own) = own {
        wanted.push(own);
    }
    wanted.sort_unstable();
    wanted.dedup();
    if known.is_some() {
        world.member_mut(guild, user)?.roles = wanted;
        tell_member(world, guild, user, "GUILD_MEMBER_UPDATE");
    } else {
        insert_member(world, guild, user, wanted);
    }
    Ok(())
}

/// A member leaves.
pub(crate) fn remove_member(world: &mut World, guild: Id, user: Id) -> Result<(), ApiError> {
    world.member(guild, user)?;
    let rendered = world.user(user)?.render();
    let is_bot = world.user(user)?.token.is_some();
    let found = world.guild_mut(guild)?;
    found.members.remove(&user);
    found.roles.retain(|_, role| role.bot != Some(user));
    for channel in world
        .channels
        .values_mut()
        .filter(|channel| channel.guild == Some(guild))
    {
        if let Some(thread) = &mut channel.thread {
            thread.members.remove(&user);
        }
    }
    let data = json!({"guild_id": guild, "user": rendered});
    world.tell_guild(guild, "GUILD_MEMBER_REMOVE", intent::GUILD_MEMBERS, data);
    if is_bot {
        let data = json!({"id": guild, "unavailable": false});
        world.tell_bot(user, Some(guild), "GUILD_DELETE", intent::GUILDS, data);
    }
    Ok(())
}

/// Opens the direct messages of two users; there is one channel for each pair.
pub(crate) fn open_direct(world: &mut World, actor: Id, other: Id) -> Result<Id, ApiError> {
    let recipient = world.users.get(&other).ok_or(INVALID_RECIPIENT)?;
    if other == actor {
        return Err(INVALID_RECIPIENT);
    }
    if recipient.bot && world.user(actor)?.bot {
        return Err(CANNOT_MESSAGE_USER);
    }
    let existing = world.channels.values().find(|channel| {
        channel.guild.is_none()
            && channel.recipients.contains(&actor)
            && channel.recipients.contains(&other)
    });
    if let Some(existing) = existing {
        return Ok(existing.id);
    }
    let id = world.new_id();
    let mut channel = Channel::new(id, Kind::Direct, None, String::new());
    channel.recipients = vec![actor, other];
    let bot = if recipient_is_bot(world, other) {
        other
    } else {
        actor
    };
    let data = channel.render_in(world, Some(bot));
    world.channels.insert(id, channel.clone());
    world.tell_channel(&channel, event::channels("CHANNEL_CREATE"), data, None);
    Ok(id)
}

fn recipient_is_bot(world: &World, user: Id) -> bool {
    world.users.get(&user).is_some_and(|user| user.bot)
}
