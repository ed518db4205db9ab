//! Threads: started, joined, listed.

use serde_json::{Value, json};

use super::call::{Call, Reply, id};
use super::error::{ApiError, NOT_FOUND, UNKNOWN_MEMBER, WRONG_CHANNEL_TYPE};
use super::guilds::list_of_threads;
use crate::actions::threads;
use crate::permissions::{MANAGE_THREADS, READ_MESSAGE_HISTORY};
use crate::snowflake::{Id, timestamp};
use crate::state::AppState;
use crate::world::World;
use crate::world::channel::{Channel, Kind};

pub(super) fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    let actor = call.actor;
    let channel = id(call.path.get(1).copied().unwrap_or_default(), "channel_id")?;
    match (call.method, call.path.get(2..).unwrap_or_default()) {
        ("POST", ["messages", message, "threads"]) => {
            let message = id(message, "message_id")?;
            state.change(|world| {
                let thread =
                    threads::start_from_message(world, actor, channel, message, call.body())?;
                Ok(Reply::created(
                    world.channel(thread)?.render_in(world, Some(actor)),
                ))
            })
        }
        ("POST", ["threads"]) => state.change(|world| {
            let uploads = &call.payload.uploads;
            let thread = threads::start(world, actor, channel, call.body(), uploads)?;
            let mut rendered = world.channel(thread)?.render_in(world, Some(actor));
            // A post is answered with its message too.
            if let Ok(message) = world.message(thread, thread) {
                rendered["message"] = world.render_message(message, Some(actor));
            }
            Ok(Reply::created(rendered))
        }),
        ("GET", ["threads", "archived", "public"]) => archived(
            state,
            call,
            channel,
            |_, thread| thread.kind != Kind::PrivateThread,
            0,
        ),
        ("GET", ["threads", "archived", "private"]) => archived(
            state,
            call,
            channel,
            |_, thread| thread.kind == Kind::PrivateThread,
            MANAGE_THREADS,
        ),
        ("GET", ["users", "@me", "threads", "archived", "private"]) => archived(
            state,
            call,
            channel,
            |actor, thread| {
                let members = thread.thread.as_ref().map(|thread| &thread.members);
                thread.kind == Kind::PrivateThread
                    && members.is_some_and(|members| members.contains_key(&actor))
            },
            0,
        ),
        ("GET", ["thread-members"]) => state.read(|world| {
            let (thread, members) = members(world, actor, channel)?;
            let listed: Vec<Value> = members
                .iter()
                .filter_map(|user| thread.render_thread_member(*user))
                .collect();
            Ok(Reply::ok(json!(listed)))
        }),
        ("GET", ["thread-members", user]) => {
            let user = user_of(user, actor)?;
            state.read(|world| {
                let (thread, _) = members(world, actor, channel)?;
                let member = thread.render_thread_member(user).ok_or(UNKNOWN_MEMBER)?;
                Ok(Reply::ok(member))
            })
        }
        (method @ ("PUT" | "DELETE"), ["thread-members", user]) => {
            let user = user_of(user, actor)?;
            let present = method == "PUT";
            state.change(|world| threads::set_member(world, actor, channel, user, present))?;
            Ok(Reply::empty())
        }
        _ => Err(NOT_FOUND),
    }
}

fn user_of(text: &str, actor: Id) -> Result<Id, ApiError> {
    if text == "@me" {
        Ok(actor)
    } else {
        id(text, "user_id")
    }
}

fn members(world: &World, actor: Id, thread: Id) -> Result<(&Channel, Vec<Id>), ApiError> {
    let channel = world.channel(thread)?;
    world.require(actor, channel, 0)?;
    let Some(inner) = &channel.thread else {
        return Err(WRONG_CHANNEL_TYPE);
    };
    Ok((channel, inner.members.keys().copied().collect()))
}

/// Archived threads, the last archived first.
fn archived(
    state: &AppState,
    call: &Call<'_>,
    parent: Id,
    wanted: impl Fn(Id, &Channel) -> bool,
    permission: u64,
) -> Result<Reply, ApiError> {
    let limit = call.number("limit", 1..=100, 50)?;
    let before = call.parameter("before");
    state.read(|world| {
        let channel = world.channel(parent)?;
        world.require(call.actor, channel, READ_MESSAGE_HISTORY | permission)?;
        if !matches!(
            channel.kind,
            Kind::Text | Kind::Announcement | Kind::Forum | Kind::Media
        ) {
            return Err(WRONG_CHANNEL_TYPE);
        }
        let since = |thread: &Channel| thread.thread.as_ref().map_or(0, |inner| inner.archived_ms);
        let mut threads: Vec<&Channel> = world
            .threads_in(parent)
            .filter(|thread| thread.thread.as_ref().is_some_and(|inner| inner.archived))
            .filter(|thread| wanted(call.actor, thread))
            .filter(|thread| {
                before
                    .as_ref()
                    .is_none_or(|b| timestamp(since(thread)) < *b)
            })
            .collect();
        threads.sort_by_key(|thread| std::cmp::Reverse((since(thread), thread.id)));
        let has_more = threads.len() > limit;
        threads.truncate(limit);
        Ok(Reply::ok(list_of_threads(
            world, call.actor, &threads, has_more,
        )))
    })
}
