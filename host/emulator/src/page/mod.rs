//! Pages for people.

use axum::Router;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode};

use crate::control::is_local;
use crate::state::AppState;

pub(crate) fn router() -> Router<AppState> {
    Router::new().route("/", get(start))
}

/// Says what this server is.
async fn start(State(state): State<AppState>, headers: HeaderMap) -> Response {
    if !is_local(&state, &headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let origin = state.origin();
    let page = maud::html! {
        (maud::DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "Ostler's emulator" }
            }
            body {
                h1 { "Ostler's emulator" }
                p { "A server on this machine that speaks as Discord does." }
                p { "Its REST API is at " code { (origin) "/api/v10" } "." }
            }
        }
    };
    Html(page.into_string()).into_response()
}
