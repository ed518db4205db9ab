//! Effects: what was approved is begun at most once.

use rusqlite::{Connection, OptionalExtension as _};
use serde_json::json;

use super::approval::{Approval, ApprovalEnding, read};
use super::{ApprovalId, list, record};
use crate::Epoch;
use crate::error::{Fault, StoreError};

/// Whether an effect may begin. All but the first mean that nothing was written.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectStart {
    /// It may: the row says that it has begun.
    Started,
    /// There is no such approval, it is open, or it did not end with consent.
    NotApproved,
    /// It has begun before. One approval is for one effect.
    AlreadyStarted,
    /// Something else was approved.
    DigestDiffers,
    /// The row is no longer this epoch's turn, or its session was reset.
    ClaimLost,
}

pub(super) fn start(
    connection: &Connection,
    id: ApprovalId,
    digest: &str,
    epoch: Epoch,
    now: i64,
) -> Result<EffectStart, Fault> {
    let started: Option<Approval> = connection
        .prepare_cached(
            "UPDATE approvals SET effect_started_at = ?4, updated_at = ?4
             WHERE id = ?1 AND ending = 'approved' AND effect_started_at IS NULL AND digest = ?2
               AND EXISTS (
                   SELECT 1 FROM rows JOIN sessions ON sessions.key = rows.session
                   WHERE rows.id = approvals.row AND rows.status = 'started' AND rows.epoch = ?3
                     AND rows.generation = sessions.generation)
             RETURNING *",
        )?
        .query_row((id, digest, epoch, now), read)
        .optional()?;
    if let Some(approval) = started {
        let detail = json!({"tool": approval.tool});
        record(connection, &approval, "effect-started", "host", detail, now)?;
        return Ok(EffectStart::Started);
    }
    Ok(match list::one(connection, id)? {
        Some(approval) if approval.ending == Some(ApprovalEnding::Approved) => {
            if approval.effect_started_at.is_some() {
                EffectStart::AlreadyStarted
            } else if approval.digest != digest {
                EffectStart::DigestDiffers
            } else {
                EffectStart::ClaimLost
            }
        }
        _ => EffectStart::NotApproved,
    })
}

/// Notes how an effect went. Told again the same way, it stays as it is.
pub(super) fn end(
    connection: &Connection,
    id: ApprovalId,
    outcome: &str,
    now: i64,
) -> Result<(), Fault> {
    let ended: Option<Approval> = connection
        .prepare_cached(
            "UPDATE approvals SET effect_ended_at = ?3, effect_outcome = ?2, updated_at = ?3
             WHERE id = ?1 AND effect_started_at IS NOT NULL AND effect_ended_at IS NULL
             RETURNING *",
        )?
        .query_row((id, outcome, now), read)
        .optional()?;
    if let Some(approval) = ended {
        let detail = json!({"tool": approval.tool, "outcome": outcome});
        return record(connection, &approval, "effect-ended", "host", detail, now);
    }
    let before = list::one(connection, id)?.and_then(|approval| approval.effect_outcome);
    if before.as_deref() == Some(outcome) {
        return Ok(());
    }
    Err(StoreError::NoRunningEffect { approval: id }.into())
}
