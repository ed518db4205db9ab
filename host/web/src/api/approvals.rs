//! `/api/v1/approvals`: what waits for an answer, and the answers of whoever holds the token, which
//! count as the owner's on the command line.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use ostler_agent::Decision;
use ostler_store::{ApprovalStore as _, Via};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, Which, error, profile};
use crate::answer::{self, Answered};
use crate::server::Shared;
use crate::view::{ApprovalView, approval_detail};

/// Asks that have ended, in a list, where the request does not say how many.
const LISTED: u32 = 100;
/// The most of them.
const MOST: u32 = 1_000;

#[derive(Deserialize)]
pub(super) struct Filter {
    profile: Option<String>,
    #[serde(default)]
    state: Listed,
    limit: Option<u32>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Listed {
    #[default]
    Open,
    Past,
    All,
}

/// Those that are open, the oldest first, then those that have ended, the latest first.
pub(super) async fn list(
    State(shared): State<Arc<Shared>>,
    Query(filter): Query<Filter>,
) -> Result<Json<Value>, ApiError> {
    let which = Which {
        profile: filter.profile,
    };
    let profile = profile(&shared, &which)?.profile();
    let store = shared.registry.store();
    let mut found = Vec::new();
    if filter.state != Listed::Past {
        found.extend(store.open_approvals(profile).await?);
    }
    if filter.state != Listed::Open {
        let limit = filter.limit.unwrap_or(LISTED).min(MOST);
        found.extend(store.past_approvals(profile, limit).await?);
    }
    let approvals: Vec<ApprovalView> = found.into_iter().map(Into::into).collect();
    Ok(Json(json!({"approvals": approvals})))
}

pub(super) async fn one(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    match answer::find(&shared, &id).await? {
        Some((approval, _)) => {
            let log = shared.registry.store().as_ref();
            Ok(Json(json!(approval_detail(log, approval).await?)))
        }
        None => Err(unknown()),
    }
}

pub(super) async fn approve(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, ApiError> {
    decide(&shared, &id, Decision::Approve, &body).await
}

pub(super) async fn deny(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, ApiError> {
    decide(&shared, &id, Decision::Deny, &body).await
}

async fn decide(
    shared: &Shared,
    id: &str,
    decision: Decision,
    body: &[u8],
) -> Result<Response, ApiError> {
    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        reason: Option<String>,
    }
    let body = if body.is_empty() {
        Body::default()
    } else {
        serde_json::from_slice(body).map_err(|failed| {
            error(
                StatusCode::BAD_REQUEST,
                "body-invalid",
                &format!("the body is empty or `{{\"reason\": \"…\"}}`: {failed}"),
            )
        })?
    };
    let answered = answer::give(shared, id, decision, body.reason, Via::Cli).await?;
    let (status, code) = (answered.status(), answered.code());
    let failed = |message: &str| error(status, code, message);
    Err(match answered {
        Answered::Settled(approval) => return Ok((status, Json(*approval)).into_response()),
        Answered::Before(approval) => {
            failed("somebody was first, and what they decided stands").with_approval(*approval)
        }
        Answered::TooLate(approval) => {
            failed("its window is over; nothing was decided, and nothing ran")
                .with_approval(*approval)
        }
        Answered::Refused(refusal) => failed(&refusal.to_string()),
        Answered::Question => failed("it is a question, which only its asker answers, on Discord"),
        Answered::Unreadable => {
            failed("what it asks cannot be read, so nothing may be decided by it")
        }
        Answered::Unknown => unknown(),
        Answered::BrokeOff => failed("the answer broke off; look at the ask before you try again"),
    })
}

fn unknown() -> ApiError {
    error(
        StatusCode::NOT_FOUND,
        "approval-unknown",
        "the profiles that this host serves have no such approval",
    )
}
