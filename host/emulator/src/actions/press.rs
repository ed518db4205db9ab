//! People press components and submit modals
//! (documentation: Interactions, Receiving and Responding).

use serde_json::{Map, Value, json};

use super::compose::FILE_LIMIT;
use super::responses::{metadata_of, owners};
use crate::forms::component::{BUTTON, SELECTS, TEXT_SELECT, all, kind};
use crate::forms::modal;
use crate::refusal::Refusal;
use crate::snowflake::Id;
use crate::world::World;
use crate::world::channel::Channel;
use crate::world::interaction::{COMPONENT, Interaction, MODAL_SUBMIT};
use crate::world::message::Message;

/// What a person does.
pub(crate) struct Press<'a> {
    pub(crate) user: Id,
    /// The message with the component; a modal's submission may leave it out.
    pub(crate) message: Option<Id>,
    pub(crate) custom_id: &'a str,
    pub(crate) values: Vec<String>,
    /// What was filled into a modal.
    pub(crate) fields: Option<&'a Map<String, Value>>,
}

fn random_token(id: Id) -> Result<String, Refusal> {
    let mut bytes = [0; 48];
    getrandom::fill(&mut bytes)
        .map_err(|error| Refusal::new(500, "no-randomness", error.to_string()))?;
    Ok(format!("interaction{id}{}", hex::encode(bytes)))
}

/// A person presses a component, or submits a modal that they see. Gives the interaction.
pub(crate) fn press(world: &mut World, press: &Press<'_>) -> Result<Id, Refusal> {
    let user = world.user(press.user)?;
    if user.bot {
        return Err(Refusal::new(
            403,
            "bots-cannot-press",
            "bots cannot press components",
        ));
    }
    match press.fields {
        Some(fields) => submit(world, press, fields),
        None => click(world, press),
    }
}

/// The message and its channel as the person sees them.
fn seen(world: &World, user: Id, message: Id) -> Result<(Channel, Message), Refusal> {
    let unknown = || {
        Refusal::new(
            404,
            "unknown-message",
            format!("there is no message {message}"),
        )
    };
    let place = world.channel_of_message(message).ok_or_else(unknown)?;
    let channel = world.channel(place)?.clone();
    let message = world.message(place, message)?.clone();
    if !world.can_view(user, &channel) || message.ephemeral_to.is_some_and(|only| only != user) {
        return Err(Refusal::new(
            403,
            "not-visible",
            "this user does not see that message",
        ));
    }
    Ok((channel, message))
}

fn click(world: &mut World, press: &Press<'_>) -> Result<Id, Refusal> {
    let message = press
        .message
        .ok_or_else(|| Refusal::bad("name the message"))?;
    let (channel, message) = seen(world, press.user, message)?;
    let component = all(&message.components)
        .into_iter()
        .find(|component| component["custom_id"] == press.custom_id)
        .cloned()
        .ok_or_else(|| {
            let text = format!("the message has no component {}", press.custom_id);
            Refusal::new(404, "unknown-component", text)
        })?;
    if component["disabled"].as_bool() == Some(true) {
        let text = format!("the component {} is disabled", press.custom_id);
        return Err(Refusal::new(409, "disabled-component", text));
    }
    let kind = kind(&component);
    let mut data = json!({
        "custom_id": press.custom_id, "component_type": kind, "id": component["id"],
    });
    if SELECTS.contains(&kind) {
        check_values(&component, &press.values)?;
        data["values"] = json!(press.values);
        if kind != TEXT_SELECT {
            data["resolved"] = resolved(world, &channel, &press.values);
        }
    } else if kind != BUTTON || !press.values.is_empty() {
        return Err(Refusal::bad("only select menus take values"));
    }
    start(
        world,
        press,
        &channel,
        Some(&message),
        COMPONENT,
        &data,
        Value::Null,
    )
}

fn check_values(select: &Value, values: &[String]) -> Result<(), Refusal> {
    let bound = |name: &str| select[name].as_u64().unwrap_or(1);
    let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
    let (least, most) = (bound("min_values"), bound("max_values"));
    if !(least..=most).contains(&count) {
        return Err(Refusal::bad(format!(
            "the menu takes {least} to {most} values"
        )));
    }
    if kind(select) != TEXT_SELECT {
        return Ok(());
    }
    let options = select["options"].as_array().cloned().unwrap_or_default();
    match values
        .iter()
        .find(|value| options.iter().all(|o| o["value"] != **value))
    {
        Some(unknown) => Err(Refusal::bad(format!("the menu has no option {unknown}"))),
        None => Ok(()),
    }
}

fn resolved(world: &World, channel: &Channel, values: &[String]) -> Value {
    let mut resolved = json!({});
    for id in values.iter().filter_map(|value| value.parse::<Id>().ok()) {
        let key = id.to_string();
        if let Some(user) = world.users.get(&id) {
            resolved["users"][&key] = user.render();
            if let Some(member) = channel.guild.and_then(|guild| world.member(guild, id).ok()) {
                resolved["members"][&key] = member.render_partial();
            }
        } else if let Some(role) = channel.guild.and_then(|guild| world.role(guild, id).ok()) {
            resolved["roles"][&key] = role.render();
        } else if let Some(found) = world.channels.get(&id) {
            resolved["channels"][&key] = found.render_in(world, None);
        }
    }
    resolved
}

fn submit(
    world: &mut World,
    press: &Press<'_>,
    fields: &Map<String, Value>,
) -> Result<Id, Refusal> {
    let shown = world
        .interactions
        .values()
        .rev()
        .find(|shown| {
            shown.user == press.user
                && shown.modal["custom_id"] == press.custom_id
                && (press.message.is_none() || press.message == shown.message)
        })
        .cloned()
        .ok_or_else(|| {
            let text = format!("this user sees no modal {}", press.custom_id);
            Refusal::new(404, "unknown-modal", text)
        })?;
    let components = modal::submit(&shown.modal, fields)
        .map_err(|reason| Refusal::new(422, "modal-incomplete", reason))?;
    let channel = world.channel(shown.channel)?.clone();
    let message = shown
        .message
        .and_then(|id| world.message(channel.id, id).ok())
        .cloned();
    let data = json!({"custom_id": press.custom_id, "components": components});
    let trigger = metadata_of(world, &shown);
    start(
        world,
        press,
        &channel,
        message.as_ref(),
        MODAL_SUBMIT,
        &data,
        trigger,
    )
}

/// Makes the interaction and tells its application.
fn start(
    world: &mut World,
    press: &Press<'_>,
    channel: &Channel,
    message: Option<&Message>,
    kind: u8,
    data: &Value,
    trigger: Value,
) -> Result<Id, Refusal> {
    let application = match message {
        Some(message) => message.application.unwrap_or(message.author),
        None => {
            return Err(Refusal::new(
                409,
                "no-message",
                "the modal's message is gone",
            ));
        }
    };
    if world
        .users
        .get(&application)
        .is_none_or(|user| user.token.is_none())
    {
        return Err(Refusal::new(
            409,
            "no-application",
            "the message is no application's",
        ));
    }
    let id = world.new_id();
    let token = random_token(id)?;
    let mut payload = json!({
        "id": id,
        "application_id": application,
        "type": kind,
        "token": token,
        "version": 1,
        "data": data,
        "channel_id": channel.id,
        "channel": channel_of_payload(world, channel, press.user),
        "app_permissions": world.permissions(application, channel).to_string(),
        "locale": "en-US",
        "entitlements": [],
        "entitlement_sku_ids": [],
        "attachment_size_limit": FILE_LIMIT,
        "authorizing_integration_owners": owners(channel.guild),
        "context": if channel.guild.is_some() { 0 } else { 1 },
    });
    if let Some(message) = message {
        payload["message"] = world.render_message(message, Some(application));
    }
    if let Some(guild) = channel.guild {
        let mut member = world.render_member(world.member(guild, press.user)?);
        member["permissions"] = json!(world.permissions(press.user, channel).to_string());
        payload["member"] = member;
        payload["guild_id"] = json!(guild);
        payload["guild_locale"] = json!("en-US");
        payload["guild"] = json!({"id": guild, "locale": "en-US", "features": []});
    } else {
        payload["user"] = world.user(press.user)?.render();
    }
    world.forget_interactions();
    world.interactions.insert(
        id,
        Interaction {
            id,
            token,
            application,
            user: press.user,
            guild: channel.guild,
            channel: channel.id,
            message: message.map(|message| message.id),
            kind,
            custom_id: press.custom_id.to_owned(),
            answered: None,
            original: None,
            modal: Value::Null,
            trigger,
        },
    );
    world.tell_bot(application, channel.guild, "INTERACTION_CREATE", 0, payload);
    Ok(id)
}

fn channel_of_payload(world: &World, channel: &Channel, user: Id) -> Value {
    let mut rendered = channel.render_in(world, None);
    if channel.guild.is_some() {
        rendered["permissions"] = json!(world.permissions(user, channel).to_string());
    }
    rendered
}
