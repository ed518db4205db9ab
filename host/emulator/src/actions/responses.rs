//! Applications answer interactions: the first response
//! (documentation: Interactions, Receiving and Responding).

use serde_json::{Value, json};

use super::compose::{Draft, Upload, fill};
use super::delivery::{apply_edit, deliver};
use crate::api::error::{ALREADY_ACKNOWLEDGED, ApiError, UNKNOWN_INTERACTION, UNKNOWN_MESSAGE};
use crate::forms::form::Errors;
use crate::forms::message::{EPHEMERAL, Form, LOADING, V2, check_into};
use crate::forms::modal;
use crate::snowflake::Id;
use crate::world::World;
use crate::world::interaction::{COMPONENT, FIRST_RESPONSE_MS, Interaction, MODAL_SUBMIT};
use crate::world::message::{Message, REPLY, Reference};

/// Callback types.
const REPLY_NOW: i64 = 4;
const REPLY_LATER: i64 = 5;
pub(super) const UPDATE_LATER: i64 = 6;
pub(super) const UPDATE_NOW: i64 = 7;
const SHOW_MODAL: i64 = 9;

/// Whose installation of the application an interaction belongs to.
pub(super) fn owners(guild: Option<Id>) -> Value {
    json!({"0": guild.map_or_else(|| "0".to_owned(), |id| id.to_string())})
}

/// What messages say about the interaction that they answer.
pub(super) fn metadata_of(world: &World, interaction: &Interaction) -> Value {
    let mut metadata = json!({
        "id": interaction.id,
        "type": interaction.kind,
        "user": world.users.get(&interaction.user).map(crate::world::user::User::render),
        "authorizing_integration_owners": owners(interaction.guild),
    });
    if interaction.kind == MODAL_SUBMIT {
        metadata["triggering_interaction_metadata"] = interaction.trigger.clone();
    } else {
        metadata["interacted_message_id"] = json!(interaction.message);
    }
    metadata
}

/// A message that answers an interaction, empty yet.
pub(super) fn answer(world: &mut World, interaction: &Interaction, ephemeral: bool) -> Message {
    let mut message = Message::new(world.new_id(), interaction.channel, interaction.application);
    message.application = Some(interaction.application);
    message.interaction = metadata_of(world, interaction);
    if let Some(answered) = interaction.message {
        message.kind = REPLY;
        message.reference = Some(Reference {
            channel: interaction.channel,
            message: Some(answered),
            guild: interaction.guild,
        });
    }
    if ephemeral {
        message.flags |= EPHEMERAL;
        message.ephemeral_to = Some(interaction.user);
    }
    message
}

fn check_data(data: &Value, form: Form, v2: bool) -> Result<(), ApiError> {
    if data.is_null() {
        return Ok(());
    }
    let mut errors = Errors::default();
    errors.within("data", |errors| check_into(data, form, v2, errors));
    errors.finish()
}

/// The first response to an interaction.
///
/// # Errors
/// 10062 when it is unknown or the three seconds are over, 40060 when it was answered, 50035.
pub(crate) fn respond(
    world: &mut World,
    id: Id,
    token: &str,
    body: &Value,
    uploads: &[Upload],
) -> Result<(), ApiError> {
    let interaction = world
        .interactions
        .get(&id)
        .cloned()
        .ok_or(UNKNOWN_INTERACTION)?;
    if interaction.token != token {
        return Err(UNKNOWN_INTERACTION);
    }
    if interaction.answered.is_some() {
        return Err(ALREADY_ACKNOWLEDGED);
    }
    if interaction.age_ms() > FIRST_RESPONSE_MS {
        return Err(UNKNOWN_INTERACTION);
    }
    let kind = body.get("type").and_then(Value::as_i64).unwrap_or(0);
    let data = body.get("data").cloned().unwrap_or(Value::Null);
    let channel = world.channel(interaction.channel)?.clone();
    let place = interaction
        .message
        .and_then(|id| world.message(channel.id, id).ok())
        .cloned();
    let mut original = None;
    let mut shown = Value::Null;
    let draft = Draft {
        body: &data,
        uploads,
    };
    let ephemeral = draft.flags() & EPHEMERAL != 0;
    match kind {
        REPLY_NOW => {
            check_data(&data, Form::Answer, false)?;
            let mut message = answer(world, &interaction, ephemeral);
            fill(world, &channel, &mut message, &draft, None)?;
            original = Some(message.id);
            deliver(world, message, None);
        }
        REPLY_LATER => {
            check_data(&data, Form::Answer, false)?;
            let mut message = answer(world, &interaction, ephemeral);
            message.flags |= LOADING;
            original = Some(message.id);
            deliver(world, message, None);
        }
        UPDATE_LATER => {
            check_data(&data, Form::Answer, false)?;
            original = interaction.message;
        }
        UPDATE_NOW => {
            let message = place.ok_or(UNKNOWN_MESSAGE)?;
            check_data(&data, Form::Answer, message.flags & V2 != 0)?;
            original = Some(message.id);
            apply_edit(world, &channel, message, &draft)?;
        }
        SHOW_MODAL if interaction.kind == COMPONENT => {
            modal::check(&data)?;
            shown = data;
        }
        _ => {
            return Err(ApiError::field(
                "type",
                "BASE_TYPE_CHOICES",
                "Value must be one of {4, 5, 6, 7, 9}.",
            ));
        }
    }
    let user = interaction.user;
    // A submitted modal is closed, and a new one replaces it.
    if interaction.kind == MODAL_SUBMIT || !shown.is_null() {
        for other in world
            .interactions
            .values_mut()
            .filter(|other| other.user == user)
        {
            other.modal = Value::Null;
        }
    }
    if let Some(stored) = world.interactions.get_mut(&id) {
        stored.answered = Some(kind);
        stored.original = original;
        stored.modal = shown;
    }
    Ok(())
}

/// What `with_response` answers.
pub(crate) fn describe_response(world: &World, id: Id) -> Value {
    let Some(interaction) = world.interactions.get(&id) else {
        return Value::Null;
    };
    let kind = interaction.answered.unwrap_or(0);
    let mut described = json!({
        "interaction": {
            "id": id,
            "type": interaction.kind,
            "channel_id": interaction.channel,
        },
    });
    if let Some(guild) = interaction.guild {
        described["interaction"]["guild_id"] = json!(guild);
    }
    let original = interaction
        .original
        .and_then(|o| world.message(interaction.channel, o).ok());
    if let Some(message) = original {
        let about = &mut described["interaction"];
        about["response_message_id"] = json!(message.id);
        about["response_message_loading"] = json!(message.flags & LOADING != 0);
        about["response_message_ephemeral"] = json!(message.ephemeral_to.is_some());
        if matches!(kind, REPLY_NOW | UPDATE_NOW) {
            let message = world.render_message(message, Some(interaction.application));
            described["resource"] = json!({"type": kind, "message": message});
        }
    }
    described
}
