//! The REST API, version 10.
//!
//! Every request goes the same way: it is read, failed if a test asked for that, counted against
//! the rate limits, told whose it is, answered, and noted.

pub(crate) mod call;
mod channels;
pub(crate) mod error;
mod files;
mod guilds;
mod interactions;
pub(crate) mod limits;
pub(crate) mod messages;
mod roles;
mod threads;
mod users;

use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::response::Response;
use axum::routing::{any, get};
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use serde_json::Value;

use self::call::{Call, Payload, REQUEST_LIMIT, Reply, header, payload};
use self::error::{ApiError, NOT_FOUND, TOO_LARGE, UNAUTHORIZED};
use self::limits::Allowance;
use crate::control::requests::Record;
use crate::snowflake::Id;
use crate::state::{AppState, lock};

pub(crate) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/{*path}", any(serve))
        .route("/attachments/{channel}/{id}/{name}", get(files::download))
        // Requests are read by `serve`, with a limit of its own.
        .layer(DefaultBodyLimit::disable())
}

/// Answers a request and notes it.
async fn serve(State(state): State<AppState>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let method = parts.method.as_str().to_owned();
    let path = parts.uri.path().to_owned();
    let failure = lock(&state.failures).take(&method, &path);
    // A form has more bytes than its files.
    let bytes = to_bytes(body, REQUEST_LIMIT + 1024 * 1024).await;
    let payload = match bytes {
        Err(_) => Err(TOO_LARGE),
        Ok(bytes) => payload(&parts, &bytes).await,
    };
    let mut record = Record::new(&parts, payload.as_ref().ok().map(|payload| &payload.body));
    record.files = payload.as_ref().map_or(0, |payload| payload.uploads.len());
    let (status, headers, body) = match failure {
        None => respond(&state, &parts, payload),
        // The request takes effect, and only its answer is late or lost.
        Some(failure) if failure.takes_effect => {
            let real = respond(&state, &parts, payload);
            wait(failure.delay).await;
            failure.into_answer().unwrap_or(real)
        }
        Some(failure) => {
            wait(failure.delay).await;
            match failure.into_answer() {
                Some(answer) => answer,
                None => respond(&state, &parts, payload),
            }
        }
    };
    record.finish(status, body.as_ref());
    lock(&state.requests).push(record);
    render(status, &headers, body.as_ref())
}

async fn wait(delay: Option<Duration>) {
    if let Some(delay) = delay {
        tokio::time::sleep(delay).await;
    }
}

type Answer = (u16, Vec<(&'static str, String)>, Option<Value>);

fn refuse(error: &ApiError, allowance: Option<&Allowance>) -> Answer {
    let headers = allowance.map(Allowance::headers).unwrap_or_default();
    (error.status, headers, Some(error.body()))
}

fn respond(state: &AppState, parts: &Parts, payload: Result<Payload, ApiError>) -> Answer {
    let path = call::percent_decoded_segments(parts.uri.path());
    let segments: Vec<&str> = path.iter().map(String::as_str).collect();
    let method = parts.method.as_str();
    let ["api", "v10", segments @ ..] = segments.as_slice() else {
        tracing::warn!(method, path = parts.uri.path(), "unimplemented");
        return refuse(&NOT_FOUND, None);
    };
    let by_token_in_path = matches!(segments, ["interactions" | "webhooks", ..]);
    let open = by_token_in_path || segments == ["gateway"];
    let authorization = header(&parts.headers, "authorization").unwrap_or_default();
    let token = authorization.strip_prefix("Bot ");
    let actor =
        token.and_then(|token| state.read(|world| world.bot_by_token(token).map(|user| user.id)));
    let Some(actor) = actor.or(open.then_some(Id(0))) else {
        return refuse(&UNAUTHORIZED, None);
    };
    let allowance = lock(&state.limiter).count(&actor.to_string(), method, segments);
    if allowance.refused.is_some() {
        return (429, allowance.headers(), Some(allowance.body()));
    }
    if header(&parts.headers, "x-audit-log-reason")
        .is_some_and(|reason| call::percent_decoded(reason).chars().count() > 512)
    {
        let error = ApiError::field(
            "reason",
            "BASE_TYPE_MAX_LENGTH",
            "Must be 512 or fewer in length.",
        );
        return refuse(&error, Some(&allowance));
    }
    let payload = match payload {
        Ok(payload) => payload,
        Err(error) => return refuse(&error, Some(&allowance)),
    };
    let query = parts.uri.query().unwrap_or_default();
    let call = Call {
        method,
        path: segments,
        query,
        actor,
        payload: &payload,
    };
    match route(state, &call) {
        Ok(Reply { status, body }) => (status, allowance.headers(), body),
        Err(error) => {
            if error.code == 0 {
                tracing::warn!(method, path = parts.uri.path(), "unimplemented");
            }
            refuse(&error, Some(&allowance))
        }
    }
}

fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    match call.path {
        ["gateway", ..] | ["users", ..] | ["applications", ..] | ["oauth2", ..] => {
            users::route(state, call)
        }
        ["guilds", _, "roles", ..] | ["guilds", _, "members", _, "roles", _] => {
            roles::route(state, call)
        }
        ["guilds", ..] => guilds::route(state, call),
        ["channels", _, "messages", _, "threads"]
        | ["channels", _, "threads" | "thread-members", ..]
        | ["channels", _, "users", ..] => threads::route(state, call),
        ["channels", _, "messages" | "pins", ..] => messages::route(state, call),
        ["channels", ..] => channels::route(state, call),
        ["interactions", ..] | ["webhooks", ..] => interactions::route(state, call),
        _ => Err(NOT_FOUND),
    }
}

fn render(status: u16, headers: &[(&'static str, String)], body: Option<&Value>) -> Response {
    let mut response = Response::new(match body {
        Some(body) => Body::from(body.to_string()),
        None => Body::empty(),
    });
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    if body.is_some() {
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert("content-type", json);
    }
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(*name, value);
        }
    }
    response
}

/// A delay that a test asked for.
pub(crate) fn milliseconds(value: u64) -> Duration {
    Duration::from_millis(value.min(600_000))
}
