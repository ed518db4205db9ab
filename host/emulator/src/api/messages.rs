//! Messages of channels, their reactions and pins.

use serde_json::{Value, json};

use super::call::{Call, Reply, id};
use super::error::{ApiError, MISSING_PERMISSIONS, NOT_FOUND};
use crate::actions::history::{self, Page};
use crate::actions::reactions::{self, emoji};
use crate::actions::{messages, pins as pinning};
use crate::permissions::READ_MESSAGE_HISTORY;
use crate::snowflake::{Id, timestamp};
use crate::state::AppState;
use crate::world::World;
use crate::world::message::Message;

pub(super) fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    let actor = call.actor;
    let channel = id(call.path.get(1).copied().unwrap_or_default(), "channel_id")?;
    match (call.method, call.path.get(2..).unwrap_or_default()) {
        ("GET", ["messages"]) => list(state, call, channel),
        ("POST", ["messages"]) => {
            let body = call.body();
            let rendered = state.change(|world| {
                let message = messages::create(world, actor, channel, &call.draft())?;
                rendered(world, actor, channel, message)
            })?;
            Ok(Reply::ok(with_nonce(rendered, body)))
        }
        ("POST", ["messages", "bulk-delete"]) => {
            state.change(|world| messages::delete_many(world, actor, channel, call.body()))?;
            Ok(Reply::empty())
        }
        ("GET", ["pins"]) => state.read(|world| {
            let pins = pins(world, actor, channel)?;
            let pins: Vec<Value> = pins
                .iter()
                .map(|pin| world.render_message(pin, Some(actor)))
                .collect();
            Ok(Reply::ok(json!(pins)))
        }),
        ("GET", ["messages", "pins"]) => page_of_pins(state, call, channel),
        (method @ ("PUT" | "DELETE"), ["messages", "pins", message] | ["pins", message]) => {
            let message = id(message, "message_id")?;
            let pinned = method == "PUT";
            state.change(|world| pinning::pin(world, actor, channel, message, pinned))?;
            Ok(Reply::empty())
        }
        (_, ["messages", message, "reactions", rest @ ..]) => {
            let message = id(message, "message_id")?;
            react(state, call, channel, message, rest)
        }
        ("GET", ["messages", message]) => {
            let message = id(message, "message_id")?;
            state.read(|world| {
                world.require(actor, world.channel(channel)?, READ_MESSAGE_HISTORY)?;
                Ok(Reply::ok(rendered(world, actor, channel, message)?))
            })
        }
        ("PATCH", ["messages", message]) => {
            let message = id(message, "message_id")?;
            state.change(|world| {
                messages::edit(world, actor, channel, message, &call.draft())?;
                Ok(Reply::ok(rendered(world, actor, channel, message)?))
            })
        }
        ("DELETE", ["messages", message]) => {
            let message = id(message, "message_id")?;
            state.change(|world| messages::delete(world, actor, channel, message))?;
            Ok(Reply::empty())
        }
        _ => Err(NOT_FOUND),
    }
}

fn rendered(world: &World, actor: Id, channel: Id, message: Id) -> Result<Value, ApiError> {
    let (_, message) = messages::visible(world, actor, channel, message)?;
    Ok(world.render_message(&message, Some(actor)))
}

/// Whoever sends a message gets its nonce back, and nobody else later.
pub(crate) fn with_nonce(mut message: Value, body: &Value) -> Value {
    if let Some(nonce) = body.get("nonce").filter(|nonce| !nonce.is_null()) {
        message["nonce"] = nonce.clone();
    }
    message
}

fn list(state: &AppState, call: &Call<'_>, channel: Id) -> Result<Reply, ApiError> {
    let limit = call.number("limit", 1..=100, 50)?;
    let before = call.id_parameter("before")?.map(Page::Before);
    let after = call.id_parameter("after")?.map(Page::After);
    let around = call.id_parameter("around")?.map(Page::Around);
    let given = [around, before, after]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    if given.len() > 1 {
        return Err(ApiError::field(
            "before",
            "MUTUALLY_EXCLUSIVE",
            "Only one of around, before and after may be given",
        ));
    }
    let page = given.first().copied().unwrap_or(Page::Latest);
    state.read(|world| {
        let found = history::page(world, call.actor, channel, page, limit)?;
        let found: Vec<Value> = found
            .iter()
            .map(|message| world.render_message(message, Some(call.actor)))
            .collect();
        Ok(Reply::ok(json!(found)))
    })
}

/// The pins of a channel, the last one first.
fn pins(world: &World, actor: Id, channel: Id) -> Result<Vec<&Message>, ApiError> {
    let found = world.channel(channel)?;
    world.require(actor, found, 0)?;
    if world.permissions(actor, found) & READ_MESSAGE_HISTORY == 0 {
        return Ok(Vec::new());
    }
    let messages = world
        .messages
        .get(&channel)
        .into_iter()
        .flat_map(|list| list.values());
    let mut pins: Vec<&Message> = messages.filter(|m| m.pinned_ms.is_some()).collect();
    pins.sort_by_key(|pin| std::cmp::Reverse((pin.pinned_ms, pin.id)));
    Ok(pins)
}

fn page_of_pins(state: &AppState, call: &Call<'_>, channel: Id) -> Result<Reply, ApiError> {
    let limit = call.number("limit", 1..=50, 50)?;
    let before = call.parameter("before");
    state.read(|world| {
        let pins = pins(world, call.actor, channel)?;
        let time = |pin: &Message| timestamp(pin.pinned_ms.unwrap_or(0));
        let older = pins
            .iter()
            .filter(|pin| before.as_ref().is_none_or(|b| time(pin) < *b));
        let older: Vec<&&Message> = older.collect();
        let items: Vec<Value> = older
            .iter()
            .take(limit)
            .map(|pin| {
                json!({
                    "pinned_at": time(pin),
                    "message": world.render_message(pin, Some(call.actor)),
                })
            })
            .collect();
        Ok(Reply::ok(
            json!({"items": items, "has_more": older.len() > limit}),
        ))
    })
}

fn react(
    state: &AppState,
    call: &Call<'_>,
    channel: Id,
    message: Id,
    rest: &[&str],
) -> Result<Reply, ApiError> {
    let actor = call.actor;
    match (call.method, rest) {
        ("PUT", [name, "@me"]) => {
            let emoji = emoji(name)?;
            state.change(|world| reactions::add(world, actor, channel, message, &emoji))?;
        }
        ("DELETE", [name, user]) => {
            let emoji = emoji(name)?;
            let user = if *user == "@me" {
                actor
            } else {
                id(user, "user_id")?
            };
            state
                .change(|world| reactions::remove(world, actor, channel, message, &emoji, user))?;
        }
        ("DELETE", [name]) => {
            let emoji = emoji(name)?;
            state.change(|world| reactions::clear(world, actor, channel, message, Some(&emoji)))?;
        }
        ("DELETE", []) => {
            state.change(|world| reactions::clear(world, actor, channel, message, None))?;
        }
        ("GET", [name]) => return who_reacted(state, call, channel, message, name),
        _ => return Err(NOT_FOUND),
    }
    Ok(Reply::empty())
}

fn who_reacted(
    state: &AppState,
    call: &Call<'_>,
    channel: Id,
    message: Id,
    name: &str,
) -> Result<Reply, ApiError> {
    let emoji = emoji(name)?;
    let limit = call.number("limit", 1..=100, 25)?;
    let after = call.id_parameter("after")?.unwrap_or(Id(0));
    state.read(|world| {
        let (found, message) = messages::visible(world, call.actor, channel, message)?;
        if world.permissions(call.actor, &found) & READ_MESSAGE_HISTORY == 0 {
            return Err(MISSING_PERMISSIONS);
        }
        let reaction = message
            .reactions
            .iter()
            .find(|reaction| reaction.emoji == emoji);
        let mut users: Vec<Id> = reaction.map(|r| r.users.clone()).unwrap_or_default();
        users.sort_unstable();
        users.retain(|user| *user > after);
        let users: Vec<Value> = users
            .iter()
            .take(limit)
            .filter_map(|user| world.users.get(user))
            .map(crate::world::user::User::render)
            .collect();
        Ok(Reply::ok(json!(users)))
    })
}
