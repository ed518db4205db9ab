//! Signing in and out.
//!
//! A printed link leads to a button, not to a session: programs that look at links before people
//! do must not use it up.

use std::sync::Arc;

use axum::Form;
use axum::extract::rejection::FormRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Page, plain};
use crate::login::{Cookie, LoginError, Proof, SignedIn, signed_in};
use crate::server::{Shared, now};

/// Where a login leads when nothing else was asked for.
const HOME: &str = "/approvals";

#[derive(Deserialize)]
pub(super) struct Link {
    code: Option<String>,
    next: Option<String>,
}

/// What the forms of the login send.
#[derive(Deserialize)]
pub(super) struct LoginForm {
    code: Option<String>,
    token: Option<String>,
    next: Option<String>,
}

/// What a form of a session sends besides its own fields.
#[derive(Deserialize)]
pub(super) struct SessionForm {
    csrf: Option<String>,
}

/// 303 to the login, which leads back to a page.
pub(crate) fn redirect_to_login(path: &str) -> Redirect {
    Redirect::to(&format!("/login?next={}", place(Some(path))))
}

/// A page that a login may lead to: one of this server's, and one that only shows. Of a form's
/// address it is the page that has the form.
fn place(asked: Option<&str>) -> String {
    let asked = asked.unwrap_or_default();
    let page = ["/approve", "/deny"]
        .iter()
        .find_map(|form| asked.strip_suffix(form))
        .unwrap_or(asked);
    let is_ask = page.strip_prefix("/approvals/").is_some_and(|id| {
        id.len() == 32 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    });
    if is_ask { page } else { HOME }.to_owned()
}

/// The form, or the button for a code. A good session goes on.
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    Query(link): Query<Link>,
    headers: HeaderMap,
) -> Response {
    let next = place(link.next.as_deref());
    if signed_in(&shared, &headers).is_some() {
        return Redirect::to(&next).into_response();
    }
    login_page(StatusCode::OK, link.code.as_deref(), &next, None)
}

pub(super) async fn sign_in(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    form: Result<Form<LoginForm>, FormRejection>,
) -> Response {
    let Ok(Form(form)) = form else {
        return unreadable(None);
    };
    let next = place(form.next.as_deref());
    let proof = match (form.code, form.token) {
        (Some(code), None) => Proof::Code(code),
        (None, Some(token)) => Proof::Token(token.trim().to_owned()),
        _ => return unreadable(None),
    };
    let cookie = Cookie::of(&shared);
    match shared.logins.sign_in(proof, now()).await {
        Ok(session) => {
            // Whoever was signed in here before is not any more.
            if let Some(old) = cookie.read(&headers) {
                shared.logins.sign_out(&old);
            }
            tracing::info!("somebody signed in on the pages");
            let mut response = Redirect::to(&next).into_response();
            if let Some(value) = cookie.set(&session) {
                response.headers_mut().insert(header::SET_COOKIE, value);
            }
            response
        }
        Err(error) => {
            tracing::warn!(%error, "a login on the pages was refused");
            let status = match error {
                LoginError::Wrong => StatusCode::FORBIDDEN,
                LoginError::Busy => StatusCode::TOO_MANY_REQUESTS,
                LoginError::NoRandom => StatusCode::SERVICE_UNAVAILABLE,
            };
            login_page(status, None, &next, Some(error))
        }
    }
}

pub(super) async fn sign_out(
    State(shared): State<Arc<Shared>>,
    session: SignedIn,
    headers: HeaderMap,
    form: Result<Form<SessionForm>, FormRejection>,
) -> Response {
    match form {
        Ok(Form(form)) if session.made(form.csrf.as_deref()) => {}
        _ => return unreadable(Some(&session)),
    }
    let cookie = Cookie::of(&shared);
    if let Some(value) = cookie.read(&headers) {
        shared.logins.sign_out(&value);
    }
    let mut response = Redirect::to("/").into_response();
    if let Some(value) = cookie.clear() {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

/// A form that is nobody's, or an older session's. Nothing was done.
pub(super) fn unreadable(session: Option<&SignedIn>) -> Response {
    plain(
        StatusCode::FORBIDDEN,
        "Nothing was done",
        "This form is not one of your session's, or it is not complete. Load its page again, and \
         answer there.",
        session,
    )
}

fn login_page(
    status: StatusCode,
    code: Option<&str>,
    next: &str,
    failed: Option<LoginError>,
) -> Response {
    Page {
        title: "Sign in".to_owned(),
        refresh: None,
        signed_in: None,
        body: html! {
            h1 { "Sign in" }
            @if let Some(failed) = failed {
                p role="alert" { "You are not signed in: " (failed) "." }
            }
            @match code {
                Some(code) => (by_code(code, next)),
                None => (by_token(next)),
            }
        },
    }
    .with_status(status)
}

fn by_code(code: &str, next: &str) -> Markup {
    html! {
        p { "The link is good once, within ten minutes of when the host printed it." }
        form method="post" action="/login" {
            input type="hidden" name="code" value=(code);
            input type="hidden" name="next" value=(next);
            button autofocus { "Sign in as the operator" }
        }
    }
}

fn by_token(next: &str) -> Markup {
    html! {
        p {
            "The host printed a link that signs you in, and its token. The token stands in "
            code { "run/api.json" } " of its home too, which only you can read."
        }
        form method="post" action="/login" {
            label for="token" { "Token" }
            input id="token" name="token" type="password" required autocomplete="off"
                spellcheck="false";
            input type="hidden" name="next" value=(next);
            button { "Sign in" }
        }
        // A link on another site leads here without the cookie; one on this page carries it.
        p { "Signed in here already? " a href=(next) { "Go on" } "." }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_page_of_this_server_or_to_the_list() {
        let ask = "/approvals/00112233445566778899aabbccddeeff";
        for (asked, leads) in [
            (ask.to_owned(), ask),
            (format!("{ask}/approve"), ask),
            (format!("{ask}/deny"), ask),
            ("/approvals".to_owned(), HOME),
            ("/logout".to_owned(), HOME),
            ("//evil.example".to_owned(), HOME),
            ("https://evil.example/approvals".to_owned(), HOME),
            (format!("{ask}\r\nset-cookie: a=b"), HOME),
            (format!("/approvals/../{}", &ask[11..]), HOME),
            (ask.to_uppercase(), HOME),
        ] {
            assert_eq!(place(Some(&asked)), leads, "{asked}");
        }
        assert_eq!(place(None), HOME);
    }
}
