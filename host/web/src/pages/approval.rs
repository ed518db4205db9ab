//! One ask: all of it, and the forms that answer it.

use std::sync::Arc;

use axum::Form;
use axum::extract::rejection::FormRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};
use ostler_agent::{Decision, Reason, ReasonBy, Subject};
use ostler_store::{ApprovalClass, StoreError, Via};
use serde::Deserialize;

use super::layout::{Page, plain, secret, store_failed, time, whole};
use super::login::unreadable;
use super::outcome;
use super::text::{line, sentence, shown};
use crate::answer;
use crate::login::SignedIn;
use crate::server::{Shared, now};
use crate::view::{ApprovalDetail, ApprovalView, AuditView, approval_detail};

/// The longest reason of a denial, in characters: what the host keeps.
const REASON: u16 = 500;

pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    session: SignedIn,
    Path(id): Path<String>,
) -> Response {
    match detail(&shared, &id).await {
        Ok(Some(detail)) => Page {
            title: format!("May I {}?", line(&detail.approval.wish())),
            refresh: None,
            signed_in: Some(&session),
            body: page(&detail, &session, now()),
        }
        .into_response(),
        Ok(None) => unknown(&session),
        Err(failed) => store_failed(&failed, Some(&session)),
    }
}

async fn detail(shared: &Shared, id: &str) -> Result<Option<ApprovalDetail>, StoreError> {
    let Some((approval, _)) = answer::find(shared, id).await? else {
        return Ok(None);
    };
    let log = shared.registry.store().as_ref();
    approval_detail(log, approval).await.map(Some)
}

pub(super) fn unknown(session: &SignedIn) -> Response {
    plain(
        StatusCode::NOT_FOUND,
        "No such approval",
        "The profiles that this host serves have no approval with this id.",
        Some(session),
    )
}

/// What a form of an ask sends.
#[derive(Deserialize)]
pub(super) struct AnswerForm {
    csrf: Option<String>,
    reason: Option<String>,
}

pub(super) async fn approve(
    State(shared): State<Arc<Shared>>,
    session: SignedIn,
    Path(id): Path<String>,
    form: Result<Form<AnswerForm>, FormRejection>,
) -> Response {
    decide(&shared, &session, &id, Decision::Approve, form).await
}

pub(super) async fn deny(
    State(shared): State<Arc<Shared>>,
    session: SignedIn,
    Path(id): Path<String>,
    form: Result<Form<AnswerForm>, FormRejection>,
) -> Response {
    decide(&shared, &session, &id, Decision::Deny, form).await
}

async fn decide(
    shared: &Shared,
    session: &SignedIn,
    id: &str,
    decision: Decision,
    form: Result<Form<AnswerForm>, FormRejection>,
) -> Response {
    let Ok(Form(form)) = form else {
        return unreadable(Some(session));
    };
    if !session.made(form.csrf.as_deref()) {
        return unreadable(Some(session));
    }
    match answer::give(shared, id, decision, form.reason, Via::Page).await {
        Ok(answered) => outcome::page(id, &answered, session),
        Err(failed) => store_failed(&failed, Some(session)),
    }
}

fn page(detail: &ApprovalDetail, session: &SignedIn, now: i64) -> Markup {
    let approval = &detail.approval;
    html! {
        h1 { "May I " (line(&approval.wish())) "?" }
        p class="standing" role="status" {
            strong { (sentence(&line(&approval.standing(now)))) } "."
            @if let Some(effect) = approval.effect() { " What was approved: " (effect) "." }
        }
        @if let Some(reason) = &approval.reason {
            p { "Reason: " q { (line(reason)) } }
        }
        @if let Some(answer) = &approval.answer {
            p { "The answer: " q { (line(answer)) } }
        }
        (subject(approval))
        (reasons(&approval.reasons))
        @if approval.is_open(now) { (forms(approval, session)) }
        (causes(&approval.causes))
        (facts(approval))
        (steps(&detail.steps))
    }
}

/// The whole of what is asked, and what a reader would not see in it.
fn subject(approval: &ApprovalView) -> Markup {
    let Some(subject) = &approval.subject else {
        return html! {
            p role="alert" {
                "What is stored of this cannot be read, so nothing may be decided by it."
            }
        };
    };
    let text = subject.text();
    let visible = shown(&text);
    let label = match subject {
        Subject::Command { .. } => "The command",
        Subject::Call { .. } => "The arguments",
        Subject::Write { .. } => "The change",
        Subject::Changes { .. } => "The changes",
        Subject::Question { .. } => "The question",
    };
    html! {
        h2 { (label) }
        (whole(label, &visible))
        @if visible != text {
            p class="aside" {
                "Characters that would not show, or would turn the reading direction, are written "
                "as ⟨U+…⟩."
            }
        }
        @if let Some(digest) = &approval.text_digest {
            p class="aside" { "SHA-256 " code { (digest.trim_start_matches("sha256:")) } }
        }
        @if let Subject::Command { folder, confined, .. } = subject {
            p {
                "It runs in the workspace"
                @if !folder.is_empty() { "'s folder " code { (line(folder)) } }
                ", "
                @match confined {
                    Some(how) => { "confined: " (line(how)) },
                    None => { strong { "not confined" } ": this machine offers no way" },
                }
                "."
            }
        }
        @if let Subject::Question { options, .. } = subject {
            ol { @for option in options { li { (line(option)) } } }
        }
    }
}

fn reasons(reasons: &[Reason]) -> Markup {
    html! {
        @if !reasons.is_empty() {
            h2 { "Why you are asked" }
            dl {
                @for reason in reasons {
                    dt {
                        @match &reason.by {
                            ReasonBy::Host => "The host’s rules",
                            ReasonBy::Guardian => "The guardian, a second model",
                            ReasonBy::Reviewer => "The reviewer, a second model",
                            ReasonBy::Plugin(plugin) => { "The plugin " (line(plugin)) },
                        }
                    }
                    dd { q { (line(&reason.text)) } }
                }
            }
        }
    }
}

/// *Approve once* and *Deny*: always these words.
fn forms(approval: &ApprovalView, session: &SignedIn) -> Markup {
    if approval.class == ApprovalClass::Clarify {
        return html! {
            p { "This is a question for the one who asked, who answers it on Discord." }
        };
    }
    html! {
        h2 { "Your answer" }
        @if approval.is_for_owner {
            p { "It asks for the rights of another account: only the owner may answer." }
        }
        p { "You answer as the owner, for this one time. The card on Discord will say so." }
        form method="post" action=(format!("/approvals/{}/approve", approval.id)) {
            (secret(session))
            button class="approve" { "Approve once" }
        }
        form method="post" action=(format!("/approvals/{}/deny", approval.id)) {
            (secret(session))
            label for="reason" { "Why not? (may stay empty)" }
            textarea id="reason" name="reason" rows="2" maxlength=(REASON) {}
            button class="deny" { "Deny" }
        }
    }
}

fn causes(causes: &[String]) -> Markup {
    html! {
        @if !causes.is_empty() {
            h2 { "What led here" }
            ol { @for cause in causes { li { (line(cause)) } } }
        }
    }
}

fn facts(approval: &ApprovalView) -> Markup {
    let asker = approval.asker_name.as_deref().unwrap_or("somebody");
    let rows: [(&str, Markup); 9] = [
        ("Asked", time(approval.created_at)),
        ("Open until", time(approval.expires_at)),
        (
            "In a turn of",
            html! { (line(asker)) ", tier " (line(&approval.tier)) },
        ),
        ("Profile", html! { (approval.profile) }),
        ("Session", html! { code { (approval.session.as_str()) } }),
        ("Row", html! { code { (approval.row) } }),
        (
            "Card",
            html! {
                "channel " code { (line(&approval.channel.to_string())) }
                @if let Some(message) = &approval.message {
                    ", message " code { (line(&message.to_string())) }
                }
            },
        ),
        (
            "Digest of the effect",
            html! { code { (line(&approval.digest)) } },
        ),
        ("Approval", html! { code { (approval.id) } }),
    ];
    html! {
        h2 { "Facts" }
        dl { @for (name, value) in rows { dt { (name) } dd { (value) } } }
    }
}

fn steps(steps: &[AuditView]) -> Markup {
    html! {
        h2 { "Steps" }
        @if steps.is_empty() {
            p { "The audit log has none." }
        }
        ol class="steps" {
            @for step in steps {
                li {
                    (time(step.at)) " " strong { (line(&step.kind)) } " by "
                    code { (line(&step.actor)) }
                    " " span class="aside" { "entry " (step.seq) }
                }
            }
        }
    }
}
