//! The gateway: events over a WebSocket (documentation: Topics, Gateway).
//!
//! Frames are plain text, also for clients that ask for compression of the transport; clients tell
//! the two apart by the frame's kind.

mod connection;
pub(crate) mod faults;
pub(crate) mod hub;
mod identify;
mod members;

use axum::extract::{FromRequestParts, Request, State, WebSocketUpgrade};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::state::{AppState, lock};
use faults::{Action, Stage};

/// Paths of the gateway; they are others' when no upgrade is asked for.
const PATHS: [&str; 5] = ["/", "/gateway", "/gateway/", "/resume", "/resume/"];

/// Takes upgrades on the gateway's paths, and lets everything else through.
pub(crate) async fn intercept(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let upgrade = request
        .headers()
        .get("upgrade")
        .and_then(|value| value.to_str().ok());
    let wanted = upgrade.is_some_and(|value| value.eq_ignore_ascii_case("websocket"));
    if !wanted || !PATHS.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    let query = request.uri().query().unwrap_or_default().to_owned();
    let (mut parts, _) = request.into_parts();
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &state).await {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let fault = lock(&state.hub).faults.take(Stage::Upgrade);
    if matches!(fault, Some(Action::Hang)) {
        // Never answered: the client must give up, or the emulator stop.
        state.stop.cancelled().await;
        return http::StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    // What is larger than Discord allows must still be read, to be refused properly.
    upgrade
        .max_message_size(1024 * 1024)
        .on_upgrade(move |socket| connection::run(state, socket, query, fault))
}
