//! A person presses a component, and sees what comes of it.

use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{Answered, id_in, object, optional_id, text_in};
use crate::actions::press::{self, Press};
use crate::refusal::Refusal;
use crate::state::{AppState, lock};
use crate::world::interaction::FIRST_RESPONSE_MS;

/// What a person sees when nobody answers.
const FAILED: &str = "This interaction failed";

/// `POST press`: answers when the application has acknowledged, or when its time is over.
pub(super) async fn press(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    let fields = match body.get("fields").filter(|fields| !fields.is_null()) {
        None => None,
        Some(fields) => Some(
            fields
                .as_object()
                .ok_or_else(|| Refusal::bad("fields must be an object"))?,
        ),
    };
    let values = body.get("values").and_then(Value::as_array);
    let values = values
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned);
    let wanted = Press {
        user: id_in(&body, "user")?,
        message: optional_id(&body, "message")?,
        custom_id: text_in(&body, "custom_id")?,
        values: values.collect(),
        fields,
    };
    let started = Instant::now();
    let (sender, receiver) = oneshot::channel();
    let interaction = state.change(|world| {
        let interaction = press::press(world, &wanted)?;
        // Before the application can hear of it: its answer must find who waits.
        lock(&state.presses).insert(interaction, sender);
        Ok::<_, Refusal>(interaction)
    })?;
    let answer = timeout(Duration::from_millis(FIRST_RESPONSE_MS), receiver).await;
    lock(&state.presses).remove(&interaction);
    let Ok(Ok(acknowledgement)) = answer else {
        return Ok(Json(
            json!({"failed": FAILED, "interaction_id": interaction}),
        ));
    };
    let mut answered = json!({
        "acknowledged_ms": u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "response": acknowledgement.response,
        "interaction_id": interaction,
    });
    let message = state.read(|world| {
        let known = world.interactions.get(&interaction)?;
        let message = world.message(known.channel, known.original?).ok()?;
        Some(world.render_message(message, Some(wanted.user)))
    });
    if let Some(message) = message {
        answered["message"] = message;
    }
    Ok(Json(answered))
}
