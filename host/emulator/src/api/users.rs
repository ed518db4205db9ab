//! Users, applications, and where the gateway is.

use serde_json::{Value, json};

use super::call::{Call, Reply, id};
use super::error::{ApiError, NOT_FOUND};
use crate::actions::guilds::open_direct;
use crate::forms::form::{self, Field, Shape, id_of, optional};
use crate::snowflake::Id;
use crate::state::{AppState, lock};
use crate::world::World;
use crate::world::access::in_guild;

const DIRECT: &[Field] = &[
    optional("recipient_id", Shape::Snowflake),
    optional("access_tokens", Shape::Any),
    optional("nicks", Shape::Any),
];

pub(super) fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    let actor = call.actor;
    match (call.method, call.path) {
        ("GET", ["gateway"]) => Ok(Reply::ok(json!({"url": gateway_url(state)}))),
        ("GET", ["gateway", "bot"]) => {
            let limit = lock(&state.hub).identify_limit(actor);
            Ok(Reply::ok(json!({
                "url": gateway_url(state), "shards": 1, "session_start_limit": limit,
            })))
        }
        ("GET", ["users", "@me"]) => {
            state.read(|world| Ok(Reply::ok(world.user(actor)?.render_self())))
        }
        ("GET", ["users", "@me", "guilds"]) => my_guilds(state, call),
        ("GET", ["users", "@me", "guilds", guild, "member"]) => {
            let guild = id(guild, "guild_id")?;
            state.read(|world| Ok(Reply::ok(world.render_member(world.member(guild, actor)?))))
        }
        ("POST", ["users", "@me", "channels"]) => {
            form::check(call.body(), DIRECT)?;
            let Some(other) = call.body().get("recipient_id").and_then(id_of) else {
                return Err(ApiError::field(
                    "recipient_id",
                    "BASE_TYPE_REQUIRED",
                    "This field is required",
                ));
            };
            let channel = state.change(|world| {
                let id = open_direct(world, actor, other)?;
                Ok::<Value, ApiError>(world.channel(id)?.render_in(world, Some(actor)))
            })?;
            Ok(Reply::ok(channel))
        }
        ("GET", ["users", user]) => {
            let user = id(user, "user_id")?;
            state.read(|world| Ok(Reply::ok(world.user(user)?.render())))
        }
        ("GET", ["applications", "@me"] | ["oauth2", "applications", "@me"]) => {
            state.read(|world| {
                let user = world.user(actor)?;
                Ok(Reply::ok(
                    user.render_application(guilds_of(world, actor).count()),
                ))
            })
        }
        _ => Err(NOT_FOUND),
    }
}

fn gateway_url(state: &AppState) -> String {
    format!("ws://{}", state.address)
}

fn guilds_of(world: &World, user: Id) -> impl Iterator<Item = &crate::world::guild::Guild> {
    world
        .guilds
        .values()
        .filter(move |guild| guild.members.contains_key(&user))
}

fn my_guilds(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    let limit = call.number("limit", 1..=200, 200)?;
    let before = call.id_parameter("before")?.unwrap_or(Id(u64::MAX));
    let after = call.id_parameter("after")?.unwrap_or(Id(0));
    let counts = call.parameter("with_counts").as_deref() == Some("true");
    let guilds: Vec<Value> = state.read(|world| {
        guilds_of(world, call.actor)
            .filter(|guild| guild.id > after && guild.id < before)
            .take(limit)
            .map(|guild| {
                let mut rendered = json!({
                    "id": guild.id,
                    "name": guild.name,
                    "icon": null,
                    "banner": null,
                    "owner": guild.owner == call.actor,
                    "permissions": in_guild(guild, call.actor).to_string(),
                    "features": [],
                });
                if counts {
                    rendered["approximate_member_count"] = json!(guild.members.len());
                    rendered["approximate_presence_count"] = json!(0);
                }
                rendered
            })
            .collect()
    });
    Ok(Reply::ok(json!(guilds)))
}
