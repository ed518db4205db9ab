//! Pages: plain HTML of this server's own, which works without scripts.

mod approval;
mod approvals;
mod index;
mod layout;
pub(crate) mod login;
mod outcome;
mod text;

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::server::Shared;

pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/", get(index::show))
        .route("/style.css", get(style))
        .route("/login", get(login::show).post(login::sign_in))
        .route("/logout", post(login::sign_out))
        .route("/approvals", get(approvals::show))
        .route("/approvals/{id}", get(approval::show))
        .route("/approvals/{id}/approve", post(approval::approve))
        .route("/approvals/{id}/deny", post(approval::deny))
}

async fn style() -> Response {
    (
        [(header::CONTENT_TYPE, "text/css; charset=utf-8")],
        include_str!("style.css"),
    )
        .into_response()
}
