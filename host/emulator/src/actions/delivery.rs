//! Messages arrive, change and go, and everybody who sees them is told.

use serde_json::{Value, json};

use super::compose::{Draft, fill};
use super::threads;
use crate::api::error::ApiError;
use crate::snowflake::{Id, now_ms};
use crate::world::World;
use crate::world::channel::Channel;
use crate::world::event::{self, intent};
use crate::world::message::Message;

/// Puts a finished message into its channel and tells of it.
pub(crate) fn deliver(world: &mut World, message: Message, nonce: Option<&Value>) {
    let channel_id = message.channel;
    if message.ephemeral_to.is_none() {
        threads::count_message(world, &message);
        if let Ok(channel) = world.channel_mut(channel_id) {
            channel.last_message = Some(message.id);
        }
    }
    let mut data = world.render_message(&message, None);
    if let Some(nonce) = nonce {
        data["nonce"] = nonce.clone();
    }
    let rule = world.content_rule(&message);
    let ephemeral = message.ephemeral_to.is_some();
    let author = message.author;
    world
        .messages
        .entry(channel_id)
        .or_default()
        .insert(message.id, message);
    let Ok(channel) = world.channel(channel_id).cloned() else {
        return;
    };
    if ephemeral {
        // Only the application itself hears of these, and not where they are.
        let intents = if channel.guild.is_some() {
            intent::GUILD_MESSAGES
        } else {
            intent::DIRECT_MESSAGES
        };
        world.tell_bot(author, channel.guild, "MESSAGE_CREATE", intents, data);
        return;
    }
    add_guild_fields(world, &channel, author, &mut data);
    world.tell_channel(
        &channel,
        event::messages("MESSAGE_CREATE"),
        data,
        Some(rule),
    );
}

/// Message events in guilds also carry the guild and the author's member.
fn add_guild_fields(world: &World, channel: &Channel, author: Id, data: &mut Value) {
    let Some(guild) = channel.guild else { return };
    data["guild_id"] = json!(guild);
    if let Ok(member) = world.member(guild, author) {
        data["member"] = member.render_partial();
    }
}

/// Tells that a message is another now.
pub(crate) fn tell_update(world: &mut World, channel: Id, id: Id) {
    let (Ok(channel), Ok(message)) = (world.channel(channel), world.message(channel, id)) else {
        return;
    };
    let channel = channel.clone();
    let (author, rule) = (message.author, world.content_rule(message));
    let ephemeral = message.ephemeral_to.is_some();
    let mut data = world.render_message(message, None);
    let topic = event::messages("MESSAGE_UPDATE");
    if ephemeral {
        let intents = if channel.guild.is_some() {
            topic.guild
        } else {
            topic.direct
        };
        world.tell_bot(author, channel.guild, topic.name, intents, data);
        return;
    }
    add_guild_fields(world, &channel, author, &mut data);
    world.tell_channel(&channel, topic, data, Some(rule));
}

/// Changes a message as its author says, and tells of it.
pub(crate) fn apply_edit(
    world: &mut World,
    channel: &Channel,
    mut message: Message,
    draft: &Draft<'_>,
) -> Result<(), ApiError> {
    fill(world, channel, &mut message, draft, None)?;
    message.edited_ms = Some(now_ms());
    let (place, id) = (message.channel, message.id);
    world.messages.entry(place).or_default().insert(id, message);
    tell_update(world, place, id);
    Ok(())
}

/// Takes a message away, with its files, and out of its thread's count.
fn take_away(world: &mut World, channel: &Channel, id: Id) -> Option<Message> {
    let list = world.messages.get_mut(&channel.id)?;
    let message = list.remove(&id)?;
    for attachment in &message.attachments {
        world.files.remove(&attachment.id);
    }
    if let Ok(Some(thread)) = world.channel_mut(channel.id).map(|c| c.thread.as_mut())
        && message.ephemeral_to.is_none()
        && message.is_by_a_user()
        && message.id != channel.id
    {
        thread.message_count = thread.message_count.saturating_sub(1);
    }
    Some(message)
}

/// Takes several messages away, and tells of all of them at once.
pub(crate) fn remove_many(world: &mut World, channel: &Channel, ids: &[Id]) {
    let public = |world: &World, id: Id| {
        let message = world.message(channel.id, id);
        message.is_ok_and(|message| message.ephemeral_to.is_none())
    };
    let ids: Vec<Id> = ids
        .iter()
        .copied()
        .filter(|id| public(world, *id))
        .collect();
    for id in &ids {
        take_away(world, channel, *id);
    }
    if ids.is_empty() {
        return;
    }
    let mut data = json!({"ids": ids, "channel_id": channel.id});
    if let Some(guild) = channel.guild {
        data["guild_id"] = json!(guild);
    }
    let topic = event::messages("MESSAGE_DELETE_BULK");
    world.tell_channel(channel, topic, data, None);
}

/// Takes a message away and tells of it.
pub(crate) fn remove(world: &mut World, channel: &Channel, id: Id) {
    let Some(message) = take_away(world, channel, id) else {
        return;
    };
    let mut data = json!({"id": id, "channel_id": channel.id});
    if let Some(guild) = channel.guild {
        data["guild_id"] = json!(guild);
    }
    let topic = event::messages("MESSAGE_DELETE");
    if message.ephemeral_to.is_some() {
        let intents = if channel.guild.is_some() {
            topic.guild
        } else {
            topic.direct
        };
        world.tell_bot(message.author, channel.guild, topic.name, intents, data);
        return;
    }
    world.tell_channel(channel, topic, data, None);
}
