//! The bytes of attachments.

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode};

use super::{render, wait};
use crate::control::failures::Failure;
use crate::control::requests::Record;
use crate::snowflake::Id;
use crate::state::{AppState, lock};

/// Gives an attachment. As on Discord, whoever has the address has the file. It can be made to
/// fail, and is noted, as requests to the API are.
pub(super) async fn download(
    State(state): State<AppState>,
    Path((_, id, _)): Path<(String, String, String)>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let failure = lock(&state.failures).take(parts.method.as_str(), parts.uri.path());
    if let Some(failure) = &failure {
        wait(failure.delay).await;
    }
    let response = match failure.and_then(Failure::into_answer) {
        Some((status, headers, body)) => render(status, &headers, body.as_ref()),
        None => stored(&state, &id),
    };
    let mut record = Record::new(&parts, None);
    record.finish(response.status().as_u16(), None);
    lock(&state.requests).push(record);
    response
}

fn stored(state: &AppState, id: &str) -> Response {
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
