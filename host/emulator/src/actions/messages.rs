//! Messages are sent, edited, deleted; somebody is typing.

use serde_json::{Value, json};

use super::compose::{Draft, fill};
use super::delivery::{apply_edit, deliver, remove, remove_many, tell_update};
use super::threads;
use crate::api::error::{
    ApiError, MISSING_PERMISSIONS, NON_TEXT_CHANNEL, NOT_FOUND, NOT_THE_AUTHOR,
    REPLY_NEEDS_HISTORY, SLOWMODE, SYSTEM_MESSAGE, THREAD_ARCHIVED, THREAD_LOCKED, UNKNOWN_MESSAGE,
};
use crate::forms::form::id_of;
use crate::forms::message::{self as form, Form, SUPPRESS_EMBEDS, V2};
use crate::permissions::{
    ATTACH_FILES, BYPASS_SLOWMODE, EMBED_LINKS, MANAGE_MESSAGES, MANAGE_THREADS,
    READ_MESSAGE_HISTORY,
};
use crate::snowflake::{Id, now_ms};
use crate::world::World;
use crate::world::access::to_write;
use crate::world::channel::Channel;
use crate::world::event::{Topic, intent};
use crate::world::message::{Message, REPLY, Reference};

/// How long a nonce is remembered, in milliseconds.
const NONCE_MS: u64 = 5 * 60 * 1_000;

/// The nonce of a body, as text for comparing.
fn nonce_of(body: &Value) -> Option<String> {
    match body.get("nonce")? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The message that a body answers, if it answers one.
fn replied_to(
    world: &World,
    author: Id,
    channel: &Channel,
    body: &Value,
) -> Result<Option<Reference>, ApiError> {
    let Some(reference) = body
        .get("message_reference")
        .filter(|value| !value.is_null())
    else {
        return Ok(None);
    };
    if reference["type"].as_i64() == Some(1) {
        tracing::warn!("unimplemented: a forwarded message");
        return Err(NOT_FOUND);
    }
    if world.permissions(author, channel) & READ_MESSAGE_HISTORY == 0 {
        return Err(REPLY_NEEDS_HISTORY);
    }
    let id = reference.get("message_id").and_then(id_of).unwrap_or(Id(0));
    let elsewhere = reference
        .get("channel_id")
        .and_then(id_of)
        .is_some_and(|other| other != channel.id);
    match world.message(channel.id, id) {
        Ok(message) if !elsewhere && message.ephemeral_to.is_none() => {
            if !message.is_by_a_user() {
                return Err(ApiError::field(
                    "message_reference",
                    "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE",
                    "Cannot reply to a system message",
                ));
            }
            Ok(Some(Reference {
                channel: channel.id,
                message: Some(id),
                guild: channel.guild,
            }))
        }
        _ if reference["fail_if_not_exists"].as_bool() == Some(false) => Ok(None),
        _ => Err(ApiError::field(
            "message_reference",
            "REPLIES_UNKNOWN_MESSAGE",
            "Unknown message",
        )),
    }
}

fn check_slowmode(world: &World, author: Id, channel: &Channel) -> Result<(), ApiError> {
    // Bots are unaffected.
    let bot = world.users.get(&author).is_some_and(|user| user.bot);
    let bypass = bot || world.permissions(author, channel) & BYPASS_SLOWMODE != 0;
    let last = world
        .last_written
        .get(&(channel.id, author))
        .copied()
        .unwrap_or(0);
    if channel.slowmode > 0 && !bypass && now_ms() < last + channel.slowmode * 1_000 {
        return Err(SLOWMODE);
    }
    Ok(())
}

/// Whether messages may be written in a thread as it is: locked ones take moderators only.
fn check_thread(world: &World, author: Id, channel: &Channel) -> Result<(), ApiError> {
    let locked = channel.thread.as_ref().is_some_and(|thread| thread.locked);
    if locked && world.permissions(author, channel) & MANAGE_THREADS == 0 {
        return Err(THREAD_LOCKED);
    }
    Ok(())
}

/// Sends a message. A nonce that was used lately gives the message that has it.
pub(crate) fn create(
    world: &mut World,
    author: Id,
    channel: Id,
    draft: &Draft<'_>,
) -> Result<Id, ApiError> {
    let channel = world.channel(channel)?.clone();
    world.require(author, &channel, 0)?;
    if !channel.kind.has_messages() {
        return Err(NON_TEXT_CHANNEL);
    }
    form::check(draft.body, Form::Create, false)?;
    let mut wanted = to_write(&channel);
    if draft.has_embeds() {
        wanted |= EMBED_LINKS;
    }
    if !draft.uploads.is_empty() {
        wanted |= ATTACH_FILES;
    }
    world.require(author, &channel, wanted)?;
    check_thread(world, author, &channel)?;
    check_slowmode(world, author, &channel)?;
    let nonce = nonce_of(draft.body);
    let key = nonce.map(|nonce| (author, channel.id, nonce));
    let now = now_ms();
    world.nonces.retain(|_, (_, since)| now < *since + NONCE_MS);
    if draft.body["enforce_nonce"].as_bool() == Some(true)
        && let Some((existing, _)) = key.as_ref().and_then(|key| world.nonces.get(key))
        && world.message(channel.id, *existing).is_ok()
    {
        return Ok(*existing);
    }
    let reference = replied_to(world, author, &channel, draft.body)?;
    let answered = reference.as_ref().and_then(|reference| {
        let message = world.message(channel.id, reference.message?).ok()?;
        Some(message.author)
    });
    let mut message = Message::new(world.new_id(), channel.id, author);
    fill(world, &channel, &mut message, draft, answered)?;
    if reference.is_some() {
        message.kind = REPLY;
        message.reference = reference;
    }
    let id = message.id;
    if let Some(key) = key {
        world.nonces.insert(key, (id, now));
    }
    world.last_written.insert((channel.id, author), now);
    threads::reopen(world, channel.id);
    deliver(
        world,
        message,
        draft.body.get("nonce").filter(|nonce| !nonce.is_null()),
    );
    Ok(id)
}

/// A message that `actor` may see through the channel's own routes.
pub(crate) fn visible(
    world: &World,
    actor: Id,
    channel: Id,
    id: Id,
) -> Result<(Channel, Message), ApiError> {
    let channel = world.channel(channel)?;
    world.require(actor, channel, 0)?;
    let message = world.message(channel.id, id)?;
    if message.ephemeral_to.is_some() {
        return Err(UNKNOWN_MESSAGE);
    }
    Ok((channel.clone(), message.clone()))
}

/// Edits a message: its author all of it, moderators whether its embeds show.
pub(crate) fn edit(
    world: &mut World,
    actor: Id,
    channel: Id,
    id: Id,
    draft: &Draft<'_>,
) -> Result<(), ApiError> {
    let (channel, message) = visible(world, actor, channel, id)?;
    form::check(draft.body, Form::Edit, message.flags & V2 != 0)?;
    if message.author != actor {
        let only_flags = draft
            .body
            .as_object()
            .is_some_and(|body| body.keys().all(|k| k == "flags"));
        if !only_flags {
            return Err(NOT_THE_AUTHOR);
        }
        world.require(actor, &channel, MANAGE_MESSAGES)?;
        check_open(&channel)?;
        let changed = message.flags & !SUPPRESS_EMBEDS | draft.flags() & SUPPRESS_EMBEDS;
        world.message_mut(channel.id, id)?.flags = changed;
        tell_update(world, channel.id, id);
        return Ok(());
    }
    if !message.is_by_a_user() {
        return Err(SYSTEM_MESSAGE);
    }
    check_open(&channel)?;
    if !draft.uploads.is_empty() {
        world.require(actor, &channel, ATTACH_FILES)?;
    }
    apply_edit(world, &channel, message, draft)
}

/// An archived thread's messages stay as they are.
pub(super) fn check_open(channel: &Channel) -> Result<(), ApiError> {
    if channel
        .thread
        .as_ref()
        .is_some_and(|thread| thread.archived)
    {
        return Err(THREAD_ARCHIVED);
    }
    Ok(())
}

/// Deletes a message: one's own, or as a moderator.
pub(crate) fn delete(world: &mut World, actor: Id, channel: Id, id: Id) -> Result<(), ApiError> {
    let (channel, message) = visible(world, actor, channel, id)?;
    if message.author != actor {
        world.require(actor, &channel, MANAGE_MESSAGES)?;
    }
    if message.kind == crate::world::message::THREAD_STARTER {
        return Err(SYSTEM_MESSAGE);
    }
    check_open(&channel)?;
    remove(world, &channel, id);
    Ok(())
}

/// Somebody is typing.
pub(crate) fn typing(world: &mut World, actor: Id, channel: Id) -> Result<(), ApiError> {
    let channel = world.channel(channel)?.clone();
    world.require(actor, &channel, to_write(&channel))?;
    if !channel.kind.has_messages() {
        return Err(NON_TEXT_CHANNEL);
    }
    let mut data = json!({
        "channel_id": channel.id, "user_id": actor, "timestamp": now_ms() / 1_000,
    });
    if let Some(guild) = channel.guild {
        data["guild_id"] = json!(guild);
        if let Ok(member) = world.member(guild, actor) {
            data["member"] = world.render_member(member);
        }
    }
    let topic = Topic {
        name: "TYPING_START",
        guild: intent::GUILD_TYPING,
        direct: intent::DIRECT_TYPING,
    };
    world.tell_channel(&channel, topic, data, None);
    Ok(())
}

/// Deletes several messages at once, as moderators do.
pub(crate) fn delete_many(
    world: &mut World,
    actor: Id,
    channel: Id,
    body: &Value,
) -> Result<(), ApiError> {
    let channel = world.channel(channel)?.clone();
    world.require(actor, &channel, MANAGE_MESSAGES)?;
    if channel.guild.is_none() {
        return Err(MISSING_PERMISSIONS);
    }
    let listed = body
        .get("messages")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let ids: Vec<Id> = listed.iter().filter_map(id_of).collect();
    if !(2..=100).contains(&ids.len()) || ids.len() != listed.len() {
        return Err(ApiError::field(
            "messages",
            "BASE_TYPE_BAD_LENGTH",
            "Must be between 2 and 100 in length.",
        ));
    }
    let oldest = now_ms().saturating_sub(14 * 24 * 3_600 * 1_000);
    if ids.iter().any(|id| id.created_ms() < oldest) {
        return Err(ApiError {
            status: 400,
            code: 50034,
            message: "You can only bulk delete messages that are under 14 days old.".into(),
            errors: None,
        });
    }
    remove_many(world, &channel, &ids);
    Ok(())
}
