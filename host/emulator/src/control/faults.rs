//! Faults: requests that fail, a gateway that breaks, everything gone.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use serde_json::{Value, json};

use super::failures::Failure;
use super::{Answered, object};
use crate::gateway::faults::{Action, Stage};
use crate::refusal::Refusal;
use crate::state::{AppState, lock};
use crate::world::World;

/// `POST fail`: the next matching requests fail or are late.
pub(super) async fn fail(State(state): State<AppState>, body: Body) -> Answered {
    let failure = Failure::read(&object(body).await?)?;
    lock(&state.failures).add(failure);
    Ok(Json(json!({})))
}

fn action(body: &Value) -> Result<Action, Refusal> {
    let code = match body.get("code").filter(|code| !code.is_null()) {
        None => None,
        Some(code) => {
            let number = code.as_u64().and_then(|code| u16::try_from(code).ok());
            let sendable = |code: &u16| matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999);
            Some(number.filter(sendable).ok_or_else(|| {
                Refusal::bad("code must be one that a close frame may carry: 1000, 4000, …")
            })?)
        }
    };
    match body.get("action").and_then(Value::as_str) {
        Some("drop") => Ok(Action::Drop),
        Some("close") => Ok(Action::Close(code)),
        Some("reconnect") => Ok(Action::Reconnect),
        Some("invalid_session") => Ok(Action::InvalidSession(
            body["resumable"].as_bool().unwrap_or(false),
        )),
        Some("hang") => Ok(Action::Hang),
        Some("silence") => Ok(Action::Silence),
        _ => Err(Refusal::bad(
            "action must be drop, close, reconnect, invalid_session, hang or silence",
        )),
    }
}

/// `POST gateway`: what the gateway does next. A hang, or whatever names `at`, waits for the next
/// connections; everything else happens at once to those that are open, and counts once.
pub(super) async fn gateway(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    let action = action(&body)?;
    let times = body.get("times").and_then(Value::as_u64).unwrap_or(1);
    let stage = match body.get("at").and_then(Value::as_str) {
        None => None,
        Some("upgrade") => Some(Stage::Upgrade),
        Some("hello") => Some(Stage::Hello),
        Some("ready") => Some(Stage::Ready),
        Some(_) => return Err(Refusal::bad("at must be upgrade, hello or ready")),
    };
    if stage == Some(Stage::Upgrade) && action != Action::Hang {
        return Err(Refusal::bad("only a hang can happen at the upgrade"));
    }
    let mut hub = lock(&state.hub);
    let mut applied = 0;
    let mut waiting = times;
    if stage.is_none() && action != Action::Hang && times > 0 {
        applied = hub.fault_now(action);
        if applied > 0 {
            waiting -= 1;
        }
    }
    let default = if action == Action::Hang {
        Stage::Upgrade
    } else {
        Stage::Hello
    };
    hub.faults.add(stage.unwrap_or(default), action, waiting);
    Ok(Json(json!({"applied": applied, "waiting": waiting})))
}

/// `GET gateway`: who is connected.
pub(super) async fn sessions(State(state): State<AppState>) -> Answered {
    Ok(Json(lock(&state.hub).describe()))
}

/// `POST reset`: everything is gone, except that no id comes twice.
pub(super) async fn reset(State(state): State<AppState>) -> Answered {
    state.change(|world| {
        let (ids, origin) = (world.ids, std::mem::take(&mut world.origin));
        *world = World {
            ids,
            origin,
            ..World::default()
        };
        lock(&state.hub).reset();
    });
    lock(&state.failures).clear();
    lock(&state.requests).clear();
    lock(&state.presses).clear();
    let _ = state.notices.send(json!({"type": "reset"}));
    Ok(Json(json!({})))
}
