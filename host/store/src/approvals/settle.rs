//! Endings: the first valid answer wins.

use rusqlite::{Connection, OptionalExtension as _, named_params};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::approval::{Approval, ApprovalEnding, Via, read};
use super::{ApprovalId, list, record};
use crate::error::{Fault, StoreError};
use crate::{Digest, RowId};

/// What ends an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// How.
    pub ending: ApprovalEnding,
    /// Why, at most 500 characters.
    pub reason: Option<String>,
    /// A question's answer, at most 4,000 characters: with [`ApprovalEnding::Answered`], and with
    /// nothing else.
    pub answer: Option<String>,
    /// Who, 1 to 512 bytes: `discord:<account>`, `local:cli`, `local:page`, `host`.
    pub by: String,
    /// By what way.
    pub via: Via,
    /// The platform's id of the click, 1 to 128 bytes: one click decides once.
    pub event: Option<String>,
    /// When, in milliseconds since 1970 (UTC).
    pub at: i64,
}

/// What became of a settlement.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It ended the approval, which now stands so.
    Now(Approval),
    /// Somebody was first: what stands. Also for the click that decided, when it comes again.
    Before(Approval),
    /// An answer that came when the approval had expired. Nothing was changed; the sweep ends it.
    Expired(Approval),
    /// There is no such approval.
    Unknown,
}

pub(super) fn settle(
    connection: &Connection,
    id: ApprovalId,
    settlement: &Settlement,
) -> Result<Settled, Fault> {
    if let Some(event) = &settlement.event {
        let decided: Option<ApprovalId> = connection
            .prepare_cached("SELECT id FROM approvals WHERE event = ?1")?
            .query_row([event], |row| row.get(0))
            .optional()?;
        if let Some(decided) = decided.filter(|decided| *decided != id) {
            return Err(StoreError::EventReused {
                event: event.clone(),
                decided,
                approval: id,
            }
            .into());
        }
    }
    // An ending at the wrong time or of the wrong class also fails the table's checks.
    let settled = connection
        .prepare_cached(
            "UPDATE approvals SET state = 'resolved', ending = :ending, reason = :reason,
                 answer = :answer, decided_by = :by, decided_via = :via, decided_at = :at,
                 event = :event, revision = revision + 1, updated_at = :at
             WHERE id = :id AND state <> 'resolved' AND (NOT :is_an_answer OR :at < expires_at)
             RETURNING *",
        )?
        .query_row(
            named_params! {
                ":id": id,
                ":ending": settlement.ending,
                ":is_an_answer": settlement.ending.is_an_answer(),
                ":reason": settlement.reason,
                ":answer": settlement.answer,
                ":by": settlement.by,
                ":via": settlement.via,
                ":at": settlement.at,
                ":event": settlement.event,
            },
            read,
        )
        .optional()?;
    if let Some(approval) = settled {
        let kind = settlement.ending.as_str();
        // The words of an answer stay in the approval; its digest is what nobody can change here.
        let answer = settlement
            .answer
            .as_ref()
            .map(|answer| Digest::from_sha256(Sha256::digest(answer).into()));
        let detail = json!({
            "class": approval.class, "tool": approval.tool, "via": settlement.via,
            "event": settlement.event, "reason": settlement.reason, "answer": answer,
        });
        record(
            connection,
            &approval,
            kind,
            &settlement.by,
            detail,
            settlement.at,
        )?;
        return Ok(Settled::Now(approval));
    }
    Ok(match list::one(connection, id)? {
        None => Settled::Unknown,
        Some(approval) if approval.ending.is_some() => Settled::Before(approval),
        Some(approval) => Settled::Expired(approval),
    })
}

/// Cancels what is open of a row.
pub(super) fn cancel_of_row(
    connection: &Connection,
    row: RowId,
    reason: &str,
    now: i64,
) -> Result<Vec<Approval>, Fault> {
    let cancelled = Settlement {
        ending: ApprovalEnding::Cancelled,
        reason: Some(reason.to_owned()),
        answer: None,
        by: "host".to_owned(),
        via: Via::Host,
        event: None,
        at: now,
    };
    let mut ended = Vec::new();
    for approval in list::of_row(connection, row)? {
        if approval.ending.is_none()
            && let Settled::Now(approval) = settle(connection, approval.id, &cancelled)?
        {
            ended.push(approval);
        }
    }
    Ok(ended)
}
