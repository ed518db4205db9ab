//! The bytes of attachments.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode};

use crate::snowflake::Id;
use crate::state::AppState;

/// Gives an attachment. As on Discord, whoever has the address has the file.
pub(super) async fn download(
    State(state): State<AppState>,
    Path((_, id, _)): Path<(String, String, String)>,
) -> Response {
    let found = id.parse::<Id>().ok().and_then(|id| {
        state.read(|world| {
            let bytes = world.files.get(&id)?.as_ref().clone();
            let attachments = world.messages.values().flat_map(|list| list.values());
            let mut attachments = attachments.flat_map(|message| &message.attachments);
            let content_type = attachments
                .find(|known| known.id == id)?
                .content_type
                .clone();
            Some((bytes, content_type))
        })
    });
    let Some((bytes, content_type)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = Response::new(Body::from(bytes));
    let content_type = content_type.and_then(|text| HeaderValue::from_str(&text).ok());
    let content_type = content_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    // A file must not become a page of this origin, whatever it says that it is.
    let headers = response.headers_mut();
    headers.insert("content-type", content_type);
    headers.insert(
        "content-disposition",
        HeaderValue::from_static("attachment"),
    );
    headers.insert(
        "x-content-type-options",
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        "content-security-policy",
        HeaderValue::from_static("sandbox"),
    );
    response
}
