//! The list: what waits, then what has ended.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};
use ostler_store::{ApprovalStore as _, StoreError};
use serde::Deserialize;

use super::layout::{Page, store_failed, time};
use super::text::line;
use crate::login::SignedIn;
use crate::server::{Shared, now};
use crate::view::ApprovalView;

/// Seconds after which the list is loaded again.
const REFRESH: u32 = 10;
/// Ended asks of a profile that are listed.
const PAST: u32 = 50;
/// As much of what is asked as the list shows, in characters. Nobody answers here.
const EXCERPT: usize = 160;

#[derive(Deserialize)]
pub(super) struct Options {
    refresh: Option<String>,
}

pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    session: SignedIn,
    Query(options): Query<Options>,
) -> Response {
    let (open, past) = match found(&shared).await {
        Ok(found) => found,
        Err(failed) => return store_failed(&failed, Some(&session)),
    };
    let is_still = options.refresh.as_deref() == Some("off");
    let now = now();
    Page {
        title: format!("({}) Approvals", open.len()),
        refresh: (!is_still).then_some(REFRESH),
        signed_in: Some(&session),
        body: html! {
            h1 { "Approvals" }
            p class="aside" {
                @if is_still {
                    "This page stands still. " a href="/approvals" { "Keep it up to date" } "."
                } @else {
                    "This page loads itself again every " (REFRESH) " seconds. "
                    a href="/approvals?refresh=off" { "Let it stand still" } "."
                }
            }
            h2 { "Open" }
            (list(&open, now, "Nothing waits for an answer."))
            h2 { "Past" }
            (list(&past, now, "Nothing was asked yet."))
        },
    }
    .into_response()
}

/// Open and past asks of all profiles that are served.
async fn found(shared: &Shared) -> Result<(Vec<ApprovalView>, Vec<ApprovalView>), StoreError> {
    let store = shared.registry.store();
    let (mut open, mut past) = (Vec::new(), Vec::new());
    for state in &shared.profiles {
        open.extend(store.open_approvals(state.profile()).await?);
        past.extend(store.past_approvals(state.profile(), PAST).await?);
    }
    open.sort_by_key(|approval| approval.created_at);
    past.sort_by_key(|approval| std::cmp::Reverse(approval.decided_at));
    let views = |found: Vec<ostler_store::Approval>| found.into_iter().map(Into::into).collect();
    Ok((views(open), views(past)))
}

fn list(approvals: &[ApprovalView], now: i64, empty: &str) -> Markup {
    html! {
        @if approvals.is_empty() {
            p { (empty) }
        } @else {
            ul class="asks" {
                @for approval in approvals {
                    li { (entry(approval, now)) }
                }
            }
        }
    }
}

fn entry(approval: &ApprovalView, now: i64) -> Markup {
    let asker = approval.asker_name.as_deref().unwrap_or("somebody");
    let text = approval.subject.as_ref().map(ostler_agent::Subject::text);
    html! {
        p {
            a href=(format!("/approvals/{}", approval.id)) {
                "May I " (line(&approval.wish())) "?"
            }
        }
        @if let Some(text) = text {
            p class="excerpt" { code { (excerpt(&text)) } }
        }
        p class="aside" {
            "Asked " (time(approval.created_at)) " in a turn of " (line(asker))
            ", profile " (approval.profile) ": "
            strong { (line(&approval.standing(now))) } "."
        }
    }
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let mut beginning: String = text.chars().take(EXCERPT).collect();
    if beginning.len() < text.len() {
        beginning.push('…');
    }
    line(&beginning)
}
