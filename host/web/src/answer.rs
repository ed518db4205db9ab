//! Answers from outside of Discord: one way for the API and the pages.

use std::sync::Arc;

use axum::http::StatusCode;
use ostler_agent::{Decision, PressRefusal, Resolution};
use ostler_store::{Approval, ApprovalClass, ApprovalId, ApprovalStore as _, StoreError, Via};

use crate::server::{ProfileState, Shared};
use crate::view::ApprovalView;

/// What became of an answer.
pub(crate) enum Answered {
    /// It ended the ask.
    Settled(Box<ApprovalView>),
    /// Something else had: this stands.
    Before(Box<ApprovalView>),
    /// Its window is over; nothing was decided.
    TooLate(Box<ApprovalView>),
    /// The owner may not answer it either.
    Refused(PressRefusal),
    /// It is a question for its asker.
    Question,
    /// What is stored of it cannot be read.
    Unreadable,
    /// The profiles that are served have no such ask.
    Unknown,
    /// It broke off: the row says whether anything was decided.
    BrokeOff,
}

impl Answered {
    /// The status of the answer to the request.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Settled(_) => StatusCode::OK,
            Self::Before(_) => StatusCode::CONFLICT,
            Self::TooLate(_) => StatusCode::GONE,
            Self::Refused(_) => StatusCode::FORBIDDEN,
            Self::Question | Self::Unreadable => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unknown => StatusCode::NOT_FOUND,
            Self::BrokeOff => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// A stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Settled(_) => "settled",
            Self::Before(_) => "approval-settled",
            Self::TooLate(_) => "approval-expired",
            Self::Refused(refusal) => refusal.code(),
            Self::Question => "approval-is-question",
            Self::Unreadable => "approval-unreadable",
            Self::Unknown => "approval-unknown",
            Self::BrokeOff => "internal",
        }
    }
}

/// An ask of a profile that is served, by its whole id, with that profile.
///
/// # Errors
/// Those of the store.
pub(crate) async fn find<'a>(
    shared: &'a Shared,
    id: &str,
) -> Result<Option<(Approval, &'a Arc<dyn ProfileState>)>, StoreError> {
    let Ok(id) = id.parse::<ApprovalId>() else {
        return Ok(None);
    };
    let Some(approval) = shared.registry.store().approval(id).await? else {
        return Ok(None);
    };
    let profile = shared
        .profiles
        .iter()
        .find(|state| *state.profile() == approval.profile);
    Ok(profile.map(|profile| (approval, profile)))
}

/// Answers an ask as the owner. Whoever calls has made sure that it is the operator of this
/// machine.
///
/// # Errors
/// Those of the store; then nothing was decided.
pub(crate) async fn give(
    shared: &Shared,
    id: &str,
    decision: Decision,
    reason: Option<String>,
    via: Via,
) -> Result<Answered, StoreError> {
    let Some((approval, profile)) = find(shared, id).await? else {
        return Ok(Answered::Unknown);
    };
    if approval.class == ApprovalClass::Clarify {
        return Ok(Answered::Question);
    }
    // A task of its own: whoever asked may close the connection, and an answer that was written
    // must still reach the turn and the card.
    let (profile, ask) = (Arc::clone(profile), approval.id);
    let answering = tokio::spawn(async move { profile.answer(ask, decision, reason, via).await });
    let Ok(resolution) = answering.await else {
        return Ok(Answered::BrokeOff);
    };
    Ok(match resolution? {
        Resolution::Settled(approval) => Answered::Settled(Box::new((*approval).into())),
        Resolution::AlreadySettled(approval) => Answered::Before(Box::new((*approval).into())),
        Resolution::TooLate => Answered::TooLate(Box::new(approval.into())),
        Resolution::NotAllowed(refusal) => Answered::Refused(refusal),
        // The row was there a moment ago and rows stay: its document says nothing.
        Resolution::Unknown => Answered::Unreadable,
    })
}
