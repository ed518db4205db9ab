//! What all pages have in common.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use ostler_store::StoreError;

use crate::login::SignedIn;
use crate::view::utc;

/// A page. `refresh` loads it again after so many seconds.
pub(super) struct Page<'a> {
    pub(super) title: String,
    pub(super) refresh: Option<u32>,
    pub(super) signed_in: Option<&'a SignedIn>,
    pub(super) body: Markup,
}

impl Page<'_> {
    /// The page as an answer.
    pub(super) fn with_status(self, status: StatusCode) -> Response {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    @if let Some(seconds) = self.refresh {
                        meta http-equiv="refresh" content=(seconds);
                    }
                    title { (self.title) " · Ostler" }
                    link rel="stylesheet" href="/style.css";
                }
                body {
                    a class="skip" href="#main" { "Skip to the content" }
                    header {
                        nav aria-label="Pages" {
                            a href="/" { "Ostler" }
                            a href="/approvals" { "Approvals" }
                        }
                        @if let Some(session) = self.signed_in {
                            form method="post" action="/logout" {
                                (secret(session))
                                button class="quiet" { "Sign out" }
                            }
                        }
                    }
                    main id="main" { (self.body) }
                }
            }
        };
        (
            status,
            [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
            page.into_string(),
        )
            .into_response()
    }
}

impl IntoResponse for Page<'_> {
    fn into_response(self) -> Response {
        self.with_status(StatusCode::OK)
    }
}

/// What makes a form one of this session's.
pub(super) fn secret(session: &SignedIn) -> Markup {
    html! { input type="hidden" name="csrf" value=(session.form_secret()); }
}

/// A time, for people and programs.
pub(super) fn time(milliseconds: i64) -> Markup {
    let iso = utc(milliseconds);
    let read = iso.replace('T', " ").replace('Z', " UTC");
    html! { time datetime=(iso) { (read) } }
}

/// A text that must be read to the letter. The line break after the tag is the one that HTML takes
/// away (HTML, *Parsing*, "in body", `pre`).
pub(super) fn whole(label: &str, text: &str) -> Markup {
    html! {
        pre tabindex="0" role="region" aria-label=(label) { (PreEscaped("\n")) (text) }
    }
}

/// A page that says in one sentence why there is no other.
pub(super) fn plain(
    status: StatusCode,
    title: &str,
    message: &str,
    signed_in: Option<&SignedIn>,
) -> Response {
    Page {
        title: title.to_owned(),
        refresh: None,
        signed_in,
        body: html! {
            h1 { (title) }
            p role="alert" { (message) }
            p { a href="/approvals" { "All approvals" } }
        },
    }
    .with_status(status)
}

/// The store did not answer.
pub(super) fn store_failed(failed: &StoreError, signed_in: Option<&SignedIn>) -> Response {
    tracing::error!(code = failed.code(), error = %failed, "a page cannot be shown");
    plain(
        StatusCode::INTERNAL_SERVER_ERROR,
        "The database does not answer",
        &format!("{}: {failed}", failed.code()),
        signed_in,
    )
}
