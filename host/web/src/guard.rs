//! Who may ask at all.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::api::error;
use crate::server::Shared;

/// Refuses requests that were meant for another server, or that another page made, and sets the
/// headers that keep a page to itself.
pub(crate) async fn local(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = if !is_ours(&shared, request.headers(), header::HOST, "") {
        error(
            StatusCode::FORBIDDEN,
            "host-refused",
            "this server answers to its own address only",
        )
        .into_response()
    } else if request.headers().contains_key(header::ORIGIN)
        && !is_ours(&shared, request.headers(), header::ORIGIN, "http://")
    {
        error(
            StatusCode::FORBIDDEN,
            "origin-refused",
            "another page may not ask here",
        )
        .into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; \
             form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // Not `no-referrer`: with it, browsers send `Origin: null` with this server's own forms
        // (Fetch, *Append a request `Origin` header*).
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    response
}

/// Whether a header names this server by one of its loopback names.
fn is_ours(shared: &Shared, headers: &HeaderMap, name: header::HeaderName, scheme: &str) -> bool {
    let port = shared.address.port();
    let ip = shared.address.ip();
    let own = if ip.is_ipv6() {
        format!("{scheme}[{ip}]:{port}")
    } else {
        format!("{scheme}{ip}:{port}")
    };
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|given| given == own || given == format!("{scheme}localhost:{port}"))
}

/// Refuses requests without the API's token.
pub(crate) async fn bearer(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let given = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or_default();
    if is_same(given.as_bytes(), shared.token.as_bytes()) {
        next.run(request).await
    } else {
        error(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "this needs `Authorization: Bearer` with the token of the running host",
        )
        .into_response()
    }
}

/// Compares in a time that depends on the lengths alone.
pub(crate) fn is_same(a: &[u8], b: &[u8]) -> bool {
    !b.is_empty()
        && a.len() == b.len()
        && a.iter().zip(b).fold(0, |diff, (x, y)| diff | (x ^ y)) == 0
}
