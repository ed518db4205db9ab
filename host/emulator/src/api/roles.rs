//! Roles of guilds, and who holds them.

use serde_json::{Value, json};

use super::call::{Call, Reply, id};
use super::error::{ApiError, MISSING_ACCESS, NOT_FOUND};
use crate::actions::roles;
use crate::snowflake::Id;
use crate::state::AppState;
use crate::world::World;
use crate::world::guild::Role;

pub(super) fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    let actor = call.actor;
    let guild = id(call.path.get(1).copied().unwrap_or_default(), "guild_id")?;
    match (call.method, call.path.get(2..).unwrap_or_default()) {
        ("GET", ["roles"]) => state.read(|world| list(world, guild, actor)),
        ("POST", ["roles"]) => state.change(|world| {
            let role = roles::create(world, actor, guild, call.body())?;
            Ok(Reply::ok(world.role(guild, role)?.render()))
        }),
        ("PATCH", ["roles"]) => state.change(|world| {
            roles::arrange(world, actor, guild, call.body())?;
            list(world, guild, actor)
        }),
        ("GET", ["roles", role]) => {
            let role = id(role, "role_id")?;
            state.read(|world| {
                list(world, guild, actor)?;
                Ok(Reply::ok(world.role(guild, role)?.render()))
            })
        }
        ("PATCH", ["roles", role]) => {
            let role = id(role, "role_id")?;
            state.change(|world| {
                roles::update(world, actor, guild, role, call.body())?;
                Ok(Reply::ok(world.role(guild, role)?.render()))
            })
        }
        ("DELETE", ["roles", role]) => {
            let role = id(role, "role_id")?;
            state.change(|world| roles::delete(world, actor, guild, role))?;
            Ok(Reply::empty())
        }
        (method @ ("PUT" | "DELETE"), ["members", user, "roles", role]) => {
            let (user, role) = (id(user, "user_id")?, id(role, "role_id")?);
            let held = method == "PUT";
            state.change(|world| roles::assign(world, actor, guild, user, role, held))?;
            Ok(Reply::empty())
        }
        _ => Err(NOT_FOUND),
    }
}

fn list(world: &World, guild: Id, actor: Id) -> Result<Reply, ApiError> {
    let found = world.guild(guild)?;
    if !found.members.contains_key(&actor) {
        return Err(MISSING_ACCESS);
    }
    let roles: Vec<Value> = found.roles.values().map(Role::render).collect();
    Ok(Reply::ok(json!(roles)))
}
