//! Answers to interactions: the callback, `@original`, follow-ups.

use serde_json::Value;

use super::call::{Call, Reply, id};
use super::error::{ApiError, NOT_FOUND, UNKNOWN_INTERACTION, UNKNOWN_WEBHOOK};
use crate::actions::{follow_ups, responses};
use crate::snowflake::Id;
use crate::state::{Acknowledgement, AppState, lock};
use crate::world::World;

pub(super) fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    match (call.method, call.path) {
        ("POST", ["interactions", interaction, token, "callback"]) => {
            let interaction = id(interaction, "interaction_id")?;
            callback(state, call, interaction, token)
        }
        ("POST", ["webhooks", application, token]) => {
            let application = id(application, "webhook_id")?;
            state.change(|world| {
                let (channel, message) =
                    follow_ups::follow_up(world, application, token, &call.draft())?;
                rendered(world, application, channel, message)
            })
        }
        (method, ["webhooks", application, token, "messages", which]) => {
            let application = id(application, "webhook_id")?;
            own_message(state, call, method, application, token, which)
        }
        ("GET" | "PATCH" | "DELETE", ["webhooks", _] | ["webhooks", _, _]) => Err(UNKNOWN_WEBHOOK),
        _ => Err(NOT_FOUND),
    }
}

fn rendered(world: &World, application: Id, channel: Id, message: Id) -> Result<Reply, ApiError> {
    let message = world.message(channel, message)?;
    Ok(Reply::ok(world.render_message(message, Some(application))))
}

fn own_message(
    state: &AppState,
    call: &Call<'_>,
    method: &str,
    application: Id,
    token: &str,
    which: &str,
) -> Result<Reply, ApiError> {
    match method {
        "GET" => state.read(|world| {
            let (channel, message) = follow_ups::own_message(world, application, token, which)?;
            rendered(world, application, channel.id, message.id)
        }),
        "PATCH" => state.change(|world| {
            let (channel, message) =
                follow_ups::edit(world, application, token, which, &call.draft())?;
            rendered(world, application, channel, message)
        }),
        "DELETE" => {
            state.change(|world| follow_ups::delete(world, application, token, which))?;
            Ok(Reply::empty())
        }
        _ => Err(NOT_FOUND),
    }
}

fn callback(
    state: &AppState,
    call: &Call<'_>,
    interaction: Id,
    token: &str,
) -> Result<Reply, ApiError> {
    if interaction == Id(0) {
        return Err(UNKNOWN_INTERACTION);
    }
    let uploads = &call.payload.uploads;
    let described = state.change(|world| {
        responses::respond(world, interaction, token, call.body(), uploads)?;
        Ok::<Value, ApiError>(responses::describe_response(world, interaction))
    })?;
    if let Some(waiting) = lock(&state.presses).remove(&interaction) {
        // Whoever pressed may have given up.
        let _ = waiting.send(Acknowledgement {
            response: call.body().clone(),
        });
    }
    if call.parameter("with_response").as_deref() == Some("true") {
        return Ok(Reply::ok(described));
    }
    Ok(Reply::empty())
}
