//! The page at `/`: servers, channels and messages as people see them, live.
//!
//! It is static: what it shows it reads from the control API, with the token that the person
//! gives it in the address's fragment, which no server ever gets. So nothing here is secret, and
//! nothing here changes.

mod assets;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode};

use crate::control::is_local;
use crate::state::AppState;
use assets::Asset;

/// What the page may load and do: only what this server gives, nothing inline. Messages are
/// hostile text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// What every answer carries beside its type. The page of another emulator at the same port must
/// not be shown from a cache.
const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
];

pub(crate) fn router() -> Router<AppState> {
    Router::new()
        .route("/", get(index))
        .route("/page/{name}", get(asset))
}

async fn index(State(state): State<AppState>, headers: HeaderMap) -> Response {
    serve(&state, &headers, Some(&assets::INDEX))
}

async fn asset(
    State(state): State<AppState>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    serve(&state, &headers, assets::find(&name))
}

fn serve(state: &AppState, headers: &HeaderMap, asset: Option<&Asset>) -> Response {
    if !is_local(state, headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    match asset {
        Some(asset) => (
            HEADERS,
            [("content-type", asset.content_type)],
            asset.content,
        )
            .into_response(),
        None => (StatusCode::NOT_FOUND, HEADERS).into_response(),
    }
}
