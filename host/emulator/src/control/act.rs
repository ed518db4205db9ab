//! People speak, edit, react, type, start threads, and delete.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Answered, id_in, object, object_within, optional_id, path_id, text_in};
use crate::actions::compose::{Draft, Upload};
use crate::actions::{channels, delivery, messages, reactions, threads};
use crate::api::error::{UNKNOWN_CHANNEL, UNKNOWN_MESSAGE};
use crate::api::messages::with_nonce;
use crate::refusal::Refusal;
use crate::snowflake::Id;
use crate::state::AppState;
use crate::world::World;

/// Bytes of a request that may bring files, which are a third longer in base64.
const FILES_LIMIT: usize = 64 * 1024 * 1024;

/// The fields of a message that `say` passes on.
const MESSAGE: [&str; 9] = [
    "content",
    "embeds",
    "components",
    "flags",
    "allowed_mentions",
    "message_reference",
    "nonce",
    "enforce_nonce",
    "tts",
];

fn message_body(body: &Value) -> Value {
    let fields = MESSAGE
        .iter()
        .filter_map(|name| body.get(name).map(|value| (name, value)));
    Value::Object(
        fields
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
    )
}

/// The files of a message: `[{"name": …, "base64": …, "content_type": …}]`, the type if the sender
/// claims one.
fn uploads(body: &Value) -> Result<Vec<Upload>, Refusal> {
    let files = match body.get("files").filter(|files| !files.is_null()) {
        None => return Ok(Vec::new()),
        Some(files) => files.as_array(),
    };
    let files = files.ok_or_else(|| Refusal::bad("files must be a list"))?;
    let read = |(number, file): (u64, &Value)| {
        let bytes = STANDARD
            .decode(text_in(file, "base64")?)
            .map_err(|error| Refusal::bad(format!("a file is no base64: {error}")))?;
        Ok(Upload {
            number,
            filename: text_in(file, "name")?.to_owned(),
            content_type: file["content_type"].as_str().map(str::to_owned),
            bytes: Arc::new(bytes),
        })
    };
    (0..).zip(files).map(read).collect()
}

/// The bot that `mention_bot` means: named by id, or the only one that is connected or there.
fn mentioned(
    world: &World,
    channel: Id,
    author: Id,
    wanted: &Value,
) -> Result<Option<Id>, Refusal> {
    if let Some(id) = wanted.as_str() {
        return path_id(id).map(Some);
    }
    if wanted.as_bool() != Some(true) {
        return Ok(None);
    }
    let viewers = world.viewers(world.channel(channel)?);
    let mut others = viewers.into_iter().filter(|bot| *bot != author);
    let first = others
        .next()
        .ok_or_else(|| Refusal::new(409, "no-bot", "no bot sees that channel"))?;
    if others.next().is_some() {
        let text = "several bots see that channel; give the bot's id as mention_bot";
        return Err(Refusal::new(409, "several-bots", text));
    }
    Ok(Some(first))
}

/// `POST say`: a message by a user, or by another bot, with `files` if there are any.
pub(super) async fn say(State(state): State<AppState>, body: Body) -> Answered {
    let body = object_within(body, FILES_LIMIT).await?;
    let uploads = uploads(&body)?;
    let (user, channel) = (id_in(&body, "user")?, id_in(&body, "channel")?);
    state.change(|world| {
        world.user(user)?;
        let mut message = message_body(&body);
        if let Some(bot) = mentioned(world, channel, user, &body["mention_bot"])? {
            let content = message["content"].as_str().unwrap_or_default();
            message["content"] = json!(format!("<@{bot}> {content}").trim());
        }
        let draft = Draft {
            body: &message,
            uploads: &uploads,
        };
        let id = messages::create(world, user, channel, &draft)?;
        let rendered = world.render_message(world.message(channel, id)?, Some(user));
        Ok(Json(with_nonce(rendered, &message)))
    })
}

fn place_of(world: &World, message: Id) -> Result<Id, Refusal> {
    Ok(world.channel_of_message(message).ok_or(UNKNOWN_MESSAGE)?)
}

/// `POST edit`: a user edits their message.
pub(super) async fn edit(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    let message = id_in(&body, "message")?;
    let user = optional_id(&body, "user")?;
    state.change(|world| {
        let channel = place_of(world, message)?;
        let author = user.unwrap_or(world.message(channel, message)?.author);
        let changed = message_body(&body);
        let draft = Draft {
            body: &changed,
            uploads: &[],
        };
        messages::edit(world, author, channel, message, &draft)?;
        Ok(Json(world.render_message(
            world.message(channel, message)?,
            Some(author),
        )))
    })
}

/// `POST react`: a user puts a reaction under a message, or takes it away.
pub(super) async fn react(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    let (user, message) = (id_in(&body, "user")?, id_in(&body, "message")?);
    let emoji = reactions::emoji(text_in(&body, "emoji")?)?;
    let remove = body["remove"].as_bool().unwrap_or(false);
    state.change(|world| {
        world.user(user)?;
        let channel = place_of(world, message)?;
        if remove {
            reactions::remove(world, user, channel, message, &emoji, user)?;
        } else {
            reactions::add(world, user, channel, message, &emoji)?;
        }
        Ok(Json(world.render_message(
            world.message(channel, message)?,
            Some(user),
        )))
    })
}

/// `POST typing`: a user is typing.
pub(super) async fn typing(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    let (user, channel) = (id_in(&body, "user")?, id_in(&body, "channel")?);
    state.change(|world| messages::typing(world, user, channel))?;
    Ok(Json(json!({})))
}

/// `POST threads`: a user starts a thread, with `message` from it, in a forum with `content`.
pub(super) async fn thread(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    let (user, channel) = (id_in(&body, "user")?, id_in(&body, "channel")?);
    let name = text_in(&body, "name")?;
    let message = optional_id(&body, "message")?;
    let mut form = json!({"name": name});
    for field in [
        "auto_archive_duration",
        "rate_limit_per_user",
        "applied_tags",
    ] {
        if let Some(value) = body.get(field) {
            form[field] = value.clone();
        }
    }
    state.change(|world| {
        world.user(user)?;
        let id = if let Some(message) = message {
            threads::start_from_message(world, user, channel, message, &form)?
        } else if world.channel(channel)?.kind.is_forum() {
            form["message"] = message_body(&body);
            threads::start(world, user, channel, &form, &[])?
        } else {
            form["type"] = body.get("type").cloned().unwrap_or(json!(11));
            threads::start(world, user, channel, &form, &[])?
        };
        Ok(Json(world.channel(id)?.render_in(world, Some(user))))
    })
}

/// `DELETE messages/{id}`: a message goes, as its author or a moderator would have it.
pub(super) async fn delete_message(
    State(state): State<AppState>,
    Path(message): Path<String>,
) -> Answered {
    let message = path_id(&message)?;
    state.change(|world| {
        let channel = place_of(world, message)?;
        let channel = world.channel(channel)?.clone();
        delivery::remove(world, &channel, message);
        Ok(Json(json!({})))
    })
}

/// `DELETE channels/{id}`: a channel or thread goes.
pub(super) async fn delete_channel(
    State(state): State<AppState>,
    Path(channel): Path<String>,
) -> Answered {
    let channel = path_id(&channel)?;
    state.change(|world| {
        let channel = world
            .channels
            .get(&channel)
            .cloned()
            .ok_or(UNKNOWN_CHANNEL)?;
        channels::remove(world, &channel);
        Ok(Json(json!({})))
    })
}
