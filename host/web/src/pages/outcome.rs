//! What became of an answer.

use axum::response::Response;
use maud::html;

use super::layout::Page;
use super::text::line;
use crate::answer::Answered;
use crate::login::SignedIn;
use crate::server::now;

pub(super) fn page(id: &str, answered: &Answered, session: &SignedIn) -> Response {
    if matches!(answered, Answered::Unknown) {
        return super::approval::unknown(session);
    }
    let (title, message) = told(answered);
    Page {
        title: title.to_owned(),
        refresh: None,
        signed_in: Some(session),
        body: html! {
            h1 { (title) }
            p role="status" { (message) }
            // An id that was found is hexadecimal.
            p { a href=(format!("/approvals/{id}")) { "See what becomes of it" } }
            p { a href="/approvals" { "All approvals" } }
        },
    }
    .with_status(answered.status())
}

/// A heading and a sentence.
fn told(answered: &Answered) -> (&'static str, String) {
    let nothing = "Nothing was decided";
    match answered {
        Answered::Settled(approval) => (
            "Your answer counts",
            format!("It is {}.", line(&approval.standing(now()))),
        ),
        Answered::Before(approval) => (
            "Somebody was first",
            format!(
                "Your answer changed nothing. What stands: {}.",
                line(&approval.standing(now()))
            ),
        ),
        Answered::TooLate(_) => (
            nothing,
            "The time for this is over, and nothing ran.".to_owned(),
        ),
        Answered::Refused(refusal) => (nothing, format!("You cannot answer this: {refusal}.")),
        Answered::Question => (
            nothing,
            "This is a question for the one who asked, who answers it on Discord.".to_owned(),
        ),
        Answered::Unreadable => (
            nothing,
            "What is stored of this cannot be read, so nothing may be decided by it.".to_owned(),
        ),
        Answered::Unknown => (nothing, "There is no such approval.".to_owned()),
        Answered::BrokeOff => (
            "Look before you try again",
            "The answer broke off, and whether it counts stands on the approval’s page.".to_owned(),
        ),
    }
}
