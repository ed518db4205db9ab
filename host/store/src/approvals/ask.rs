//! Asking: an approval's row, and what is known of its card.

use rusqlite::{Connection, OptionalExtension as _, named_params};
use serde_json::json;

use super::approval::{Approval, NewApproval, read};
use super::{ApprovalId, record};
use crate::MessageId;
use crate::error::{Fault, StoreError};

/// Inserts the approval if its row is claimed: one statement, so that nothing comes between.
pub(super) fn create(connection: &Connection, new: NewApproval) -> Result<(), Fault> {
    // Whose turn asks: the log names them as the row does.
    let principal: Option<String> = connection
        .prepare_cached(
            "INSERT INTO approvals (id, profile, session, row, epoch, class, tool, asker, tier,
                 digest, channel, nonce, expires_at, created_at, state, updated_at, document)
             SELECT :id, sessions.profile, rows.session, rows.id, rows.epoch, :class, :tool,
                 :asker, :tier, :digest, :channel, :nonce, :expires_at, :now, 'creating', :now,
                 :document
             FROM rows JOIN sessions ON sessions.key = rows.session
             WHERE rows.id = :row AND rows.status = 'started' AND rows.epoch = :epoch
               AND rows.generation = sessions.generation
               AND rows.session = :session AND sessions.profile = :profile
             RETURNING (SELECT principal FROM rows WHERE rows.id = :row)",
        )?
        .query_row(
            named_params! {
                ":id": new.id,
                ":profile": new.profile,
                ":session": new.session,
                ":row": new.row,
                ":epoch": new.epoch,
                ":class": new.class,
                ":tool": new.tool,
                ":asker": new.asker,
                ":tier": new.tier,
                ":digest": new.digest,
                ":channel": new.channel,
                ":nonce": new.nonce,
                ":expires_at": new.expires_at,
                ":now": new.created_at,
                ":document": new.document,
            },
            |row| row.get(0),
        )
        .optional()?;
    let Some(principal) = principal else {
        return Err(StoreError::ClaimLost { row: new.row }.into());
    };
    let detail = json!({
        "class": new.class, "tool": new.tool, "tier": new.tier, "asker": new.asker,
        "expires_at": new.expires_at,
    });
    let at = new.created_at;
    record(connection, &new.into(), "asked", &principal, detail, at)
}

/// Keeps the message that shows an approval, the first that is told.
pub(super) fn posted(
    connection: &Connection,
    id: ApprovalId,
    message: &MessageId,
    now: i64,
) -> Result<Option<Approval>, Fault> {
    Ok(connection
        .prepare_cached(
            "UPDATE approvals SET message = coalesce(message, ?2), drawn = max(drawn, 1),
                 state = CASE state WHEN 'creating' THEN 'pending' ELSE state END, updated_at = ?3
             WHERE id = ?1 RETURNING *",
        )?
        .query_row((id, message, now), read)
        .optional()?)
}

/// Forgets the message that shows an approval. Without one nothing is done: a post under the nonce
/// may be on its way.
pub(super) fn forget_card(
    connection: &Connection,
    id: ApprovalId,
    nonce: &str,
    now: i64,
) -> Result<Option<Approval>, Fault> {
    let forgotten = connection
        .prepare_cached(
            "UPDATE approvals SET message = NULL, nonce = ?2, updated_at = ?3,
                 state = CASE state WHEN 'pending' THEN 'creating' ELSE state END,
                 drawn = CASE state WHEN 'pending' THEN 0 ELSE drawn END
             WHERE id = ?1 AND message IS NOT NULL RETURNING *",
        )?
        .query_row((id, nonce, now), read)
        .optional()?;
    match forgotten {
        Some(approval) => Ok(Some(approval)),
        None => super::list::one(connection, id),
    }
}

/// Notes what a card shows. A slow drawer does not take back what a later one drew.
pub(super) fn drawn(
    connection: &Connection,
    id: ApprovalId,
    revision: u32,
    now: i64,
) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "UPDATE approvals SET drawn = min(?2, revision), updated_at = ?3
             WHERE id = ?1 AND drawn < min(?2, revision)",
        )?
        .execute((id, revision, now))?;
    Ok(())
}
