//! Guilds: what they are, their channels, members and active threads.

use serde_json::{Value, json};

use super::call::{Call, Reply, id};
use super::error::{ApiError, MISSING_ACCESS, NOT_FOUND};
use crate::actions::channels;
use crate::snowflake::Id;
use crate::state::AppState;
use crate::world::World;
use crate::world::channel::Channel;
use crate::world::guild::Guild;
use crate::world::guild::Member;

pub(super) fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    let actor = call.actor;
    let guild = call.path.get(1).copied().unwrap_or_default();
    let guild = id(guild, "guild_id")?;
    match (call.method, call.path.get(2..).unwrap_or_default()) {
        ("GET", []) => state.read(|world| {
            let found = of_member(world, guild, actor)?;
            let mut rendered = found.render();
            if call.parameter("with_counts").as_deref() == Some("true") {
                rendered["approximate_member_count"] = json!(found.members.len());
                rendered["approximate_presence_count"] = json!(0);
            }
            Ok(Reply::ok(rendered))
        }),
        ("GET", ["channels"]) => state.read(|world| {
            of_member(world, guild, actor)?;
            // Like Discord, this lists also what the bot cannot see into.
            let channels: Vec<Value> = world
                .channels_of(guild)
                .map(|channel| channel.render_in(world, None))
                .collect();
            Ok(Reply::ok(json!(channels)))
        }),
        ("POST", ["channels"]) => state.change(|world| {
            let id = channels::create(world, actor, guild, call.body())?;
            Ok(Reply::created(world.channel(id)?.render_in(world, None)))
        }),
        ("GET", ["members"]) => members(state, call, guild),
        ("GET", ["members", "search"]) => search(state, call, guild),
        ("GET", ["members", user]) => {
            let user = id(user, "user_id")?;
            state.read(|world| {
                of_member(world, guild, actor)?;
                Ok(Reply::ok(world.render_member(world.member(guild, user)?)))
            })
        }
        ("GET", ["threads", "active"]) => state.read(|world| {
            of_member(world, guild, actor)?;
            let active = world.channels.values().filter(|channel| {
                channel.guild == Some(guild)
                    && channel
                        .thread
                        .as_ref()
                        .is_some_and(|thread| !thread.archived)
                    && world.can_view(actor, channel)
            });
            let mut threads: Vec<&Channel> = active.collect();
            threads.sort_by_key(|thread| std::cmp::Reverse(thread.id));
            Ok(Reply::ok(list_of_threads(world, actor, &threads, false)))
        }),
        _ => Err(NOT_FOUND),
    }
}

/// A guild that the bot is in.
fn of_member(world: &World, guild: Id, actor: Id) -> Result<&Guild, ApiError> {
    let guild = world.guild(guild)?;
    if guild.members.contains_key(&actor) {
        Ok(guild)
    } else {
        Err(MISSING_ACCESS)
    }
}

/// Threads as Discord lists them: with the bot's own memberships.
pub(super) fn list_of_threads(
    world: &World,
    viewer: Id,
    threads: &[&Channel],
    has_more: bool,
) -> Value {
    let rendered: Vec<Value> = threads
        .iter()
        .map(|thread| thread.render_in(world, Some(viewer)))
        .collect();
    let members: Vec<Value> = threads
        .iter()
        .filter_map(|thread| thread.render_thread_member(viewer))
        .collect();
    json!({"threads": rendered, "members": members, "has_more": has_more})
}

fn members(state: &AppState, call: &Call<'_>, guild: Id) -> Result<Reply, ApiError> {
    let limit = call.number("limit", 1..=1000, 1)?;
    let after = call.id_parameter("after")?.unwrap_or(Id(0));
    state.read(|world| {
        let found = of_member(world, guild, call.actor)?;
        // Listing members takes the privileged intent.
        if !world.user(call.actor)?.privileged_intents {
            return Err(MISSING_ACCESS);
        }
        let members = found
            .members
            .range(Id(after.0.saturating_add(1))..)
            .take(limit);
        let members: Vec<Value> = members
            .map(|(_, member)| world.render_member(member))
            .collect();
        Ok(Reply::ok(json!(members)))
    })
}

fn search(state: &AppState, call: &Call<'_>, guild: Id) -> Result<Reply, ApiError> {
    let limit = call.number("limit", 1..=1000, 1)?;
    let query = call.parameter("query").unwrap_or_default().to_lowercase();
    if query.is_empty() {
        return Err(ApiError::field(
            "query",
            "BASE_TYPE_REQUIRED",
            "This field is required",
        ));
    }
    if query.chars().count() > 100 {
        return Err(ApiError::field(
            "query",
            "BASE_TYPE_BAD_LENGTH",
            "Must be between 1 and 100 in length.",
        ));
    }
    state.read(|world| {
        let found = of_member(world, guild, call.actor)?;
        // Names that begin with the query, as they are written or as they are shown.
        let begins = |member: &&Member| {
            let user = world.users.get(&member.user);
            let names = [
                user.map(|user| user.username.as_str()),
                user.and_then(|user| user.global_name.as_deref()),
                member.nick.as_deref(),
            ];
            names
                .into_iter()
                .flatten()
                .any(|name| name.to_lowercase().starts_with(&query))
        };
        let members: Vec<Value> = found
            .members
            .values()
            .filter(begins)
            .take(limit)
            .map(|member| world.render_member(member))
            .collect();
        Ok(Reply::ok(json!(members)))
    })
}
