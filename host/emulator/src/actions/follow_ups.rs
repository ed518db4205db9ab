//! What an application says after its first response: `@original` and further messages.

use serde_json::json;

use super::compose::{Draft, fill};
use super::delivery::{apply_edit, deliver, remove};
use super::responses::{UPDATE_LATER, UPDATE_NOW, answer};
use crate::api::error::{ApiError, INVALID_WEBHOOK_TOKEN, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK};
use crate::forms::message::{EPHEMERAL, Form, LOADING, V2, check};
use crate::snowflake::Id;
use crate::world::World;
use crate::world::channel::Channel;
use crate::world::interaction::Interaction;
use crate::world::message::Message;

/// The interaction behind a webhook's address.
fn behind(world: &World, application: Id, token: &str) -> Result<Interaction, ApiError> {
    let of_application = |interaction: &&Interaction| interaction.application == application;
    let found = world
        .interactions
        .values()
        .filter(of_application)
        .find(|interaction| interaction.token == token);
    let interaction = found.ok_or(if world.users.contains_key(&application) {
        INVALID_WEBHOOK_TOKEN
    } else {
        UNKNOWN_WEBHOOK
    })?;
    if interaction.is_expired() {
        return Err(INVALID_WEBHOOK_TOKEN);
    }
    if interaction.answered.is_none() {
        return Err(UNKNOWN_WEBHOOK);
    }
    Ok(interaction.clone())
}

/// A further message after the first response. After a deferred reply the first one fills that.
pub(crate) fn follow_up(
    world: &mut World,
    application: Id,
    token: &str,
    draft: &Draft<'_>,
) -> Result<(Id, Id), ApiError> {
    let interaction = behind(world, application, token)?;
    check(draft.body, Form::Answer, false)?;
    let channel = world.channel(interaction.channel)?.clone();
    let original = interaction
        .original
        .and_then(|id| world.message(channel.id, id).ok());
    if let Some(loading) = original
        .filter(|message| message.flags & LOADING != 0)
        .cloned()
    {
        let id = loading.id;
        finish_loading(world, &channel, loading, draft)?;
        return Ok((channel.id, id));
    }
    let ephemeral = draft.flags() & EPHEMERAL != 0;
    let mut message = answer(world, &interaction, ephemeral);
    if interaction.answered != Some(UPDATE_LATER)
        && interaction.answered != Some(UPDATE_NOW)
        && let Some(original) = interaction.original
    {
        message.interaction["original_response_message_id"] = json!(original);
    }
    fill(world, &channel, &mut message, draft, None)?;
    let id = message.id;
    deliver(world, message, None);
    Ok((channel.id, id))
}

fn finish_loading(
    world: &mut World,
    channel: &Channel,
    mut message: Message,
    draft: &Draft<'_>,
) -> Result<(), ApiError> {
    message.flags &= !LOADING;
    apply_edit(world, channel, message, draft)
}

/// A message that belongs to the interaction: `@original` or a follow-up.
pub(crate) fn own_message(
    world: &World,
    application: Id,
    token: &str,
    which: &str,
) -> Result<(Channel, Message), ApiError> {
    let interaction = behind(world, application, token)?;
    let id = if which == "@original" {
        interaction.original.ok_or(UNKNOWN_MESSAGE)?
    } else {
        which.parse::<Id>().map_err(|()| UNKNOWN_MESSAGE)?
    };
    let channel = world.channel(interaction.channel)?.clone();
    let message = world.message(channel.id, id)?.clone();
    let owned =
        interaction.original == Some(id) || message.interaction["id"] == json!(interaction.id);
    if !owned {
        return Err(UNKNOWN_MESSAGE);
    }
    Ok((channel, message))
}

/// Edits `@original` or a follow-up.
pub(crate) fn edit(
    world: &mut World,
    application: Id,
    token: &str,
    which: &str,
    draft: &Draft<'_>,
) -> Result<(Id, Id), ApiError> {
    let (channel, message) = own_message(world, application, token, which)?;
    check(draft.body, Form::Edit, message.flags & V2 != 0)?;
    let id = message.id;
    finish_loading(world, &channel, message, draft)?;
    Ok((channel.id, id))
}

/// Deletes `@original` or a follow-up.
pub(crate) fn delete(
    world: &mut World,
    application: Id,
    token: &str,
    which: &str,
) -> Result<(), ApiError> {
    let (channel, message) = own_message(world, application, token, which)?;
    remove(world, &channel, message.id);
    Ok(())
}
