//! The control API: tests and pages make things, speak and press as people, and cause faults.
//!
//! It is there only with a token. Requests must carry it, must be addressed to loopback by name,
//! and must not come from another site's page.

mod act;
mod events;
pub(crate) mod failures;
mod faults;
mod make;
mod press;
pub(crate) mod requests;
mod show;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::api::call::header;
use crate::forms::form::id_of;
use crate::refusal::Refusal;
use crate::snowflake::Id;
use crate::state::AppState;

pub(crate) use make::{make_channel, make_user};

/// Bytes of a request's body.
const BODY_LIMIT: usize = 1024 * 1024;

pub(crate) fn router(state: &AppState) -> Router<AppState> {
    Router::new()
        .route("/_emulator/state", get(show::state))
        .route("/_emulator/messages", get(show::messages))
        .route("/_emulator/requests", get(show::requests))
        .route("/_emulator/events", get(events::stream))
        .route("/_emulator/guilds", post(make::guild))
        .route("/_emulator/channels", post(make::channel))
        .route("/_emulator/users", post(make::user))
        .route("/_emulator/members", post(make::member))
        .route("/_emulator/roles", post(make::role))
        .route("/_emulator/threads", post(act::thread))
        .route("/_emulator/say", post(act::say))
        .route("/_emulator/edit", post(act::edit))
        .route("/_emulator/react", post(act::react))
        .route("/_emulator/typing", post(act::typing))
        .route("/_emulator/press", post(press::press))
        .route("/_emulator/fail", post(faults::fail))
        .route(
            "/_emulator/gateway",
            get(faults::sessions).post(faults::gateway),
        )
        .route("/_emulator/reset", post(faults::reset))
        .route("/_emulator/messages/{id}", delete(act::delete_message))
        .route("/_emulator/channels/{id}", delete(act::delete_channel))
        .layer(axum::middleware::from_fn_with_state(
            state.clone(),
            authorize,
        ))
}

/// Names under which this server is reached on loopback.
fn hosts(state: &AppState) -> [String; 3] {
    let port = state.address.port();
    [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
    ]
}

/// Whether a request is addressed to loopback, and comes from no other site's page.
pub(crate) fn is_local(state: &AppState, headers: &HeaderMap) -> bool {
    let hosts = hosts(state);
    let host = header(headers, "host").unwrap_or_default();
    let addressed = hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
    let own_page = match headers.get("origin").map(|value| value.to_str()) {
        None => true,
        Some(Err(_)) => false,
        Some(Ok(origin)) => origin
            .strip_prefix("http://")
            .is_some_and(|origin| hosts.iter().any(|known| known.eq_ignore_ascii_case(origin))),
    };
    addressed && own_page
}

/// Compares without telling by the time where two texts differ.
fn same(one: &str, other: &str) -> bool {
    let differ = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

async fn authorize(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let Some(expected) = &state.control_token else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !is_local(&state, request.headers()) {
        let text = "the control API answers only on its own loopback address, to its own pages";
        return Refusal::new(403, "wrong-origin", text).into_response();
    }
    let given = header(request.headers(), "authorization").unwrap_or_default();
    let given = given.strip_prefix("Bearer ").unwrap_or_default();
    if !same(given, expected) {
        let text = "the control API needs `Authorization: Bearer` with its token";
        return Refusal::new(401, "wrong-token", text).into_response();
    }
    next.run(request).await
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, axum::Json(self.body())).into_response()
    }
}

type Answered = Result<axum::Json<Value>, Refusal>;

/// Reads a body as a JSON object.
async fn object(body: Body) -> Result<Value, Refusal> {
    object_within(body, BODY_LIMIT).await
}

/// Reads a body of at most `limit` bytes as a JSON object.
async fn object_within(body: Body, limit: usize) -> Result<Value, Refusal> {
    let bytes = to_bytes(body, limit).await.map_err(|_| {
        let text = format!("the body is larger than {} MiB", limit / (1024 * 1024));
        Refusal::new(413, "too-large", text)
    })?;
    if bytes.is_empty() {
        return Ok(serde_json::json!({}));
    }
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::bad(format!("the body is no JSON: {error}")))?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(Refusal::bad("the body is no object"))
    }
}

/// An id that must be in the body.
fn id_in(body: &Value, name: &str) -> Result<Id, Refusal> {
    optional_id(body, name)?.ok_or_else(|| Refusal::bad(format!("name the {name}, by its id")))
}

/// An id that may be in the body.
fn optional_id(body: &Value, name: &str) -> Result<Option<Id>, Refusal> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match id_of(value) {
            Some(id) => Ok(Some(id)),
            None => Err(Refusal::bad(format!("{name} is no id: {value}"))),
        },
    }
}

/// A text that must be in the body.
fn text_in<'a>(body: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    let text = body.get(name).and_then(Value::as_str);
    text.ok_or_else(|| Refusal::bad(format!("{name} must be there, as text")))
}

/// An id in a path.
fn path_id(text: &str) -> Result<Id, Refusal> {
    text.parse()
        .map_err(|()| Refusal::bad(format!("no id: {text}")))
}
