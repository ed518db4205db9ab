//! What there is: the state, messages, received requests.

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answered, path_id};
use crate::actions::history::{self, Page};
use crate::refusal::Refusal;
use crate::snowflake::Id;
use crate::state::{AppState, lock};
use crate::world::World;
use crate::world::message::Message;

/// `GET state`: everything but messages, as Discord shows it.
pub(super) async fn state(State(state): State<AppState>) -> Answered {
    Ok(Json(state.read(|world| {
        let guilds: Vec<Value> = world
            .guilds
            .values()
            .map(crate::world::guild::Guild::render)
            .collect();
        let all = world.channels.values();
        let (threads, channels): (Vec<_>, Vec<_>) = all.partition(|c| c.thread.is_some());
        let render = |list: Vec<&crate::world::channel::Channel>| -> Vec<Value> {
            list.iter()
                .map(|channel| channel.render_in(world, None))
                .collect()
        };
        let users: Vec<Value> = world
            .users
            .values()
            .map(crate::world::user::User::render)
            .collect();
        let members: Vec<Value> = world
            .guilds
            .values()
            .flat_map(|guild| guild.members.values().map(move |member| (guild.id, member)))
            .map(|(guild, member)| {
                json!({
                    "guild": guild, "user": member.user, "roles": member.roles,
                    "nick": member.nick,
                })
            })
            .collect();
        json!({
            "guilds": guilds,
            "channels": render(channels),
            "threads": render(threads),
            "users": users,
            "members": members,
        })
    })))
}

#[derive(Deserialize)]
pub(super) struct MessagesQuery {
    channel: String,
    #[serde(rename = "as")]
    viewer: Option<String>,
    limit: Option<usize>,
}

/// `GET messages`: a channel's messages, newest first, and with `as` also what only that user sees.
pub(super) async fn messages(
    State(state): State<AppState>,
    query: Result<Query<MessagesQuery>, axum::extract::rejection::QueryRejection>,
) -> Answered {
    let Query(query) = query.map_err(|error| Refusal::bad(error.to_string()))?;
    let channel = path_id(&query.channel)?;
    let viewer = query.viewer.as_deref().map(path_id).transpose()?;
    let limit = query.limit.unwrap_or(100);
    state.read(|world| {
        let found = match viewer {
            Some(viewer) => seen_by(world, channel, viewer, limit)?,
            None => {
                world.channel(channel)?;
                let list = world
                    .messages
                    .get(&channel)
                    .into_iter()
                    .flat_map(|l| l.values().rev());
                list.filter(|message| message.ephemeral_to.is_none())
                    .take(limit)
                    .collect()
            }
        };
        let rendered: Vec<Value> = found
            .iter()
            .map(|message| world.render_message(message, viewer))
            .collect();
        Ok(Json(json!(rendered)))
    })
}

fn seen_by(world: &World, channel: Id, viewer: Id, limit: usize) -> Result<Vec<&Message>, Refusal> {
    world.user(viewer)?;
    let mut found = history::page(world, viewer, channel, Page::Latest, limit)?;
    let all = world
        .messages
        .get(&channel)
        .into_iter()
        .flat_map(|list| list.values());
    found.extend(all.filter(|message| message.ephemeral_to == Some(viewer)));
    found.sort_by_key(|message| std::cmp::Reverse(message.id));
    found.truncate(limit);
    Ok(found)
}

#[derive(Deserialize)]
pub(super) struct RequestsQuery {
    since: Option<u64>,
}

/// `GET requests`: the REST requests with a number above `since`, oldest first.
pub(super) async fn requests(
    State(state): State<AppState>,
    query: Result<Query<RequestsQuery>, axum::extract::rejection::QueryRejection>,
) -> Answered {
    let Query(query) = query.map_err(|error| Refusal::bad(error.to_string()))?;
    let since = query.since.unwrap_or(0);
    Ok(Json(json!(lock(&state.requests).since(since))))
}
