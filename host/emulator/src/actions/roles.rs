//! Roles are made, changed, moved, deleted, given and taken.

use serde_json::{Value, json};

use crate::api::error::{
    ApiError, INVALID_ROLE, MISSING_PERMISSIONS, TOO_MANY_ROLES, UNKNOWN_MEMBER, UNKNOWN_ROLE,
};
use crate::forms::channel::ROLE;
use crate::forms::form::{self, bits_of, id_of, text_in};
use crate::permissions::{ALL, MANAGE_ROLES};
use crate::snowflake::Id;
use crate::world::World;
use crate::world::access::in_guild;
use crate::world::event::intent;
use crate::world::guild::Role;

fn tell(world: &mut World, guild: Id, role: Id, name: &'static str) {
    let Ok(rendered) = world.role(guild, role).map(Role::render) else {
        return;
    };
    world.tell_guild(
        guild,
        name,
        intent::GUILDS,
        json!({"guild_id": guild, "role": rendered}),
    );
}

/// The bits that a body asks for. Nobody gives what they do not have.
fn granted(world: &World, guild: Id, actor: Id, body: &Value) -> Result<Option<u64>, ApiError> {
    let Some(asked) = body.get("permissions").and_then(bits_of) else {
        return Ok(None);
    };
    let own = in_guild(world.guild(guild)?, actor);
    if asked & ALL & !own != 0 {
        return Err(MISSING_PERMISSIONS);
    }
    Ok(Some(asked & ALL))
}

fn apply(role: &mut Role, body: &Value) {
    if let Some(name) = text_in(body, "name") {
        name.clone_into(&mut role.name);
    }
    let color = body
        .get("color")
        .or_else(|| body.pointer("/colors/primary_color"));
    if let Some(color) = color.and_then(Value::as_u64) {
        role.color = color;
    }
    role.hoist = body["hoist"].as_bool().unwrap_or(role.hoist);
    role.mentionable = body["mentionable"].as_bool().unwrap_or(role.mentionable);
}

/// Makes a role, as the lowest one.
pub(crate) fn create(
    world: &mut World,
    actor: Id,
    guild: Id,
    body: &Value,
) -> Result<Id, ApiError> {
    world.require_in_guild(actor, guild, MANAGE_ROLES)?;
    form::check(body, ROLE)?;
    let everyone = world.role(guild, guild)?.permissions;
    let own = in_guild(world.guild(guild)?, actor);
    let permissions = granted(world, guild, actor, body)?.unwrap_or(everyone & own);
    if world.guild(guild)?.roles.len() >= 250 {
        return Err(TOO_MANY_ROLES);
    }
    let id = world.new_id();
    let mut role = Role {
        id,
        name: "new role".to_owned(),
        permissions,
        position: 1,
        color: 0,
        hoist: false,
        mentionable: false,
        bot: None,
    };
    apply(&mut role, body);
    let roles = &mut world.guild_mut(guild)?.roles;
    for other in roles.values_mut().filter(|other| other.id != guild) {
        other.position += 1;
    }
    roles.insert(id, role);
    tell(world, guild, id, "GUILD_ROLE_CREATE");
    Ok(id)
}

/// A role that `actor` may change: below its own highest.
fn changeable(world: &World, actor: Id, guild: Id, role: Id) -> Result<(), ApiError> {
    let found = world.require_in_guild(actor, guild, MANAGE_ROLES)?;
    let role = found.roles.get(&role).ok_or(UNKNOWN_ROLE)?;
    if role.position >= found.rank(actor) && found.owner != actor {
        return Err(MISSING_PERMISSIONS);
    }
    Ok(())
}

pub(crate) fn update(
    world: &mut World,
    actor: Id,
    guild: Id,
    role: Id,
    body: &Value,
) -> Result<(), ApiError> {
    changeable(world, actor, guild, role)?;
    form::check(body, ROLE)?;
    let permissions = granted(world, guild, actor, body)?;
    let changed = world
        .guild_mut(guild)?
        .roles
        .get_mut(&role)
        .ok_or(UNKNOWN_ROLE)?;
    if let Some(permissions) = permissions {
        changed.permissions = permissions;
    }
    apply(changed, body);
    tell(world, guild, role, "GUILD_ROLE_UPDATE");
    Ok(())
}

pub(crate) fn delete(world: &mut World, actor: Id, guild: Id, role: Id) -> Result<(), ApiError> {
    changeable(world, actor, guild, role)?;
    if role == guild || world.role(guild, role)?.bot.is_some() {
        return Err(INVALID_ROLE);
    }
    let found = world.guild_mut(guild)?;
    found.roles.remove(&role);
    let mut holders = Vec::new();
    for member in found.members.values_mut() {
        if member.roles.contains(&role) {
            member.roles.retain(|held| *held != role);
            holders.push(member.user);
        }
    }
    for channel in world
        .channels
        .values_mut()
        .filter(|channel| channel.guild == Some(guild))
    {
        channel
            .overwrites
            .retain(|overwrite| overwrite.member || overwrite.id != role);
    }
    let data = json!({"guild_id": guild, "role_id": role});
    world.tell_guild(guild, "GUILD_ROLE_DELETE", intent::GUILDS, data);
    for holder in holders {
        super::guilds::tell_member(world, guild, holder, "GUILD_MEMBER_UPDATE");
    }
    Ok(())
}

/// Moves roles.
pub(crate) fn arrange(
    world: &mut World,
    actor: Id,
    guild: Id,
    body: &Value,
) -> Result<(), ApiError> {
    world.require_in_guild(actor, guild, MANAGE_ROLES)?;
    let Some(moves) = body.as_array() else {
        return Err(ApiError::field(
            "_",
            "LIST_TYPE_CONVERT",
            "Only iterables may be used in a ListType",
        ));
    };
    let rank = world.guild(guild)?.rank(actor);
    let mut wanted = Vec::new();
    for entry in moves {
        let role = entry.get("id").and_then(id_of).ok_or(UNKNOWN_ROLE)?;
        changeable(world, actor, guild, role)?;
        let position = entry.get("position").and_then(Value::as_u64).unwrap_or(1);
        if role == guild || position == 0 {
            return Err(INVALID_ROLE);
        }
        if position >= rank && rank != u64::MAX {
            return Err(MISSING_PERMISSIONS);
        }
        wanted.push((role, position));
    }
    for (role, position) in wanted {
        if let Some(role) = world.guild_mut(guild)?.roles.get_mut(&role) {
            role.position = position;
        }
        tell(world, guild, role, "GUILD_ROLE_UPDATE");
    }
    Ok(())
}

/// Gives a member a role, or takes it.
pub(crate) fn assign(
    world: &mut World,
    actor: Id,
    guild: Id,
    user: Id,
    role: Id,
    held: bool,
) -> Result<(), ApiError> {
    world.require_in_guild(actor, guild, 0)?;
    if !world.guild(guild)?.members.contains_key(&user) {
        return Err(UNKNOWN_MEMBER);
    }
    changeable(world, actor, guild, role)?;
    if role == guild || world.role(guild, role)?.bot.is_some() {
        return Err(INVALID_ROLE);
    }
    let roles = &mut world.member_mut(guild, user)?.roles;
    if roles.contains(&role) == held {
        return Ok(());
    }
    if held {
        roles.push(role);
    } else {
        roles.retain(|known| *known != role);
    }
    super::guilds::tell_member(world, guild, user, "GUILD_MEMBER_UPDATE");
    Ok(())
}
