//! `/api/v1/audit`: who did what.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use ostler_store::AuditLog as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, Which, profile};
use crate::server::Shared;
use crate::view::{AuditView, newest_audit};

/// Entries where the request does not say how many.
const LISTED: u32 = 100;
/// The most of them.
const MOST: u32 = 1_000;

#[derive(Deserialize)]
pub(super) struct Filter {
    profile: Option<String>,
    after: Option<u64>,
    limit: Option<u32>,
}

/// Those after a place, the oldest first; without one, the newest in the same order. With a
/// profile, its alone.
pub(super) async fn list(
    State(shared): State<Arc<Shared>>,
    Query(filter): Query<Filter>,
) -> Result<Json<Value>, ApiError> {
    let profile = match filter.profile {
        Some(_) => {
            let which = Which {
                profile: filter.profile,
            };
            Some(profile(&shared, &which)?.profile())
        }
        None => None,
    };
    let log = shared.registry.store().as_ref();
    let limit = filter.limit.unwrap_or(LISTED).min(MOST);
    let entries = match filter.after {
        Some(after) => log.audit_entries(after, limit, profile).await?,
        None => newest_audit(log, limit, profile).await?,
    };
    let entries: Vec<AuditView> = entries.into_iter().map(Into::into).collect();
    Ok(Json(json!({"entries": entries})))
}
