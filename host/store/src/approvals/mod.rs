//! Approvals: what waits for a person's answer, how it ended, and the effect that it allowed.
//!
//! [`ApprovalStore`] holds what everybody relies on: an ask is a row before it is a card, the first
//! valid answer wins, and one consent is for one effect. Each step is one transaction with its
//! entry in the audit log ([`crate::AuditLog`]): `asked`, then the word of the ending, then
//! `effect-started` and `effect-ended`. Who may answer is not decided here.

mod approval;
mod ask;
mod effect;
mod id;
mod list;
mod settle;

use async_trait::async_trait;
use rusqlite::Connection;

pub use approval::{Approval, ApprovalClass, ApprovalEnding, ApprovalState, NewApproval, Via};
pub use effect::EffectStart;
pub use id::{ApprovalId, RandomError};
pub use settle::{Settled, Settlement};

use crate::error::{Fault, StoreError};
use crate::{Epoch, MessageId, NewAuditEntry, Profile, RowId, Store, audit};

/// The approvals of all profiles. Every method answers when what it did is durable. Times are
/// milliseconds since 1970 (UTC).
///
/// Besides what is named at each method, errors are those of the database itself, and
/// `store-invalid` for a value that is not as its type's page says.
#[async_trait]
pub trait ApprovalStore: Send + Sync {
    /// Asks. The card comes after.
    ///
    /// # Errors
    /// `claim-lost`: the row is not this epoch's running turn in this session and profile, or the
    /// session was reset. `store-invalid`: also an id or a nonce that was used before.
    async fn create_approval(&self, new: NewApproval) -> Result<(), StoreError>;

    /// Keeps the message that shows an approval, which is then `pending`, or stays `resolved` if it
    /// ended meanwhile. The first message that is told stays. None if there is no such approval.
    async fn approval_posted(
        &self,
        id: ApprovalId,
        message: MessageId,
        now: i64,
    ) -> Result<Option<Approval>, StoreError>;

    /// Ends an approval, if nothing has and the time is right: one conditional update.
    ///
    /// # Errors
    /// `event-reused`: the click decided another approval. `store-invalid`: an ending that the
    /// approval's class cannot have, `unanswered` before it expired, or an answer's text with
    /// another ending than `answered`. Nothing was written.
    async fn settle_approval(
        &self,
        id: ApprovalId,
        settlement: Settlement,
    ) -> Result<Settled, StoreError>;

    /// Cancels all open approvals of a row, for a reason of at most 500 characters: those that it
    /// ended.
    async fn cancel_of_row(
        &self,
        row: RowId,
        reason: &str,
        now: i64,
    ) -> Result<Vec<Approval>, StoreError>;

    /// Begins the effect of an approval, at most once: it was approved, the effect has the digest
    /// that was asked about, and the row is still this epoch's running turn.
    async fn start_effect(
        &self,
        id: ApprovalId,
        digest: &str,
        epoch: Epoch,
        now: i64,
    ) -> Result<EffectStart, StoreError>;

    /// Notes how an effect went: `done` or `failed`. The same again is nothing new.
    ///
    /// # Errors
    /// `store-conflict`: no effect runs under this approval. `store-invalid`: another outcome.
    async fn end_effect(&self, id: ApprovalId, outcome: &str, now: i64) -> Result<(), StoreError>;

    /// An approval.
    async fn approval(&self, id: ApprovalId) -> Result<Option<Approval>, StoreError>;

    /// A profile's approvals that have not ended, the oldest first.
    async fn open_approvals(&self, profile: &Profile) -> Result<Vec<Approval>, StoreError>;

    /// A profile's approvals that have ended, the one that ended last first, `limit` at most.
    async fn past_approvals(
        &self,
        profile: &Profile,
        limit: u32,
    ) -> Result<Vec<Approval>, StoreError>;

    /// Approvals of all profiles that have not ended and have expired at `now`, `limit` at most,
    /// the one that expired first first.
    async fn expired_approvals(&self, now: i64, limit: u32) -> Result<Vec<Approval>, StoreError>;

    /// A row's approvals, the oldest first.
    async fn approvals_of_row(&self, row: RowId) -> Result<Vec<Approval>, StoreError>;

    /// A profile's approvals that have not ended and whose rows are not running turns of this
    /// epoch: nobody waits for them.
    async fn abandoned_approvals(
        &self,
        profile: &Profile,
        epoch: Epoch,
    ) -> Result<Vec<Approval>, StoreError>;

    /// A profile's approvals that have ended and whose messages do not show it yet, also those
    /// whose message is not known.
    async fn undrawn_approvals(&self, profile: &Profile) -> Result<Vec<Approval>, StoreError>;

    /// Notes that a card shows this revision of its approval. An older one than it is known to
    /// show changes nothing.
    async fn approval_drawn(
        &self,
        id: ApprovalId,
        revision: u32,
        now: i64,
    ) -> Result<(), StoreError>;

    /// Forgets the message that shows an approval, since it was deleted on the platform: an open
    /// one is `creating` again. The next message gets the new nonce, 1 to 25 bytes: under the old
    /// one the platform would give the message that is gone. An approval without a message stays as
    /// it is. Gives what stands, none if there is no such approval.
    ///
    /// # Errors
    /// `store-invalid`: the nonce was used before, or is of another length.
    async fn forget_card(
        &self,
        id: ApprovalId,
        nonce: &str,
        now: i64,
    ) -> Result<Option<Approval>, StoreError>;
}

/// Writes into the audit log what happens to an approval, in the same transaction.
fn record(
    connection: &Connection,
    approval: &Approval,
    kind: &str,
    actor: &str,
    mut detail: serde_json::Value,
    at: i64,
) -> Result<(), Fault> {
    detail["session"] = approval.session.as_str().into();
    detail["row"] = approval.row.to_string().into();
    audit::append(
        connection,
        &NewAuditEntry {
            at,
            profile: Some(approval.profile.clone()),
            kind: kind.to_owned(),
            actor: actor.to_owned(),
            subject: Some(approval.id.to_string()),
            place: Some(approval.channel.to_string()),
            digest: Some(approval.digest.clone()),
            detail: detail.to_string(),
        },
    )?;
    Ok(())
}

#[async_trait]
impl ApprovalStore for Store {
    async fn create_approval(&self, new: NewApproval) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| ask::create(connection, new))
            .await
    }

    async fn approval_posted(
        &self,
        id: ApprovalId,
        message: MessageId,
        now: i64,
    ) -> Result<Option<Approval>, StoreError> {
        self.writer
            .write_async(move |connection| ask::posted(connection, id, &message, now))
            .await
    }

    async fn settle_approval(
        &self,
        id: ApprovalId,
        settlement: Settlement,
    ) -> Result<Settled, StoreError> {
        self.writer
            .write_async(move |connection| settle::settle(connection, id, &settlement))
            .await
    }

    async fn cancel_of_row(
        &self,
        row: RowId,
        reason: &str,
        now: i64,
    ) -> Result<Vec<Approval>, StoreError> {
        let reason = reason.to_owned();
        self.writer
            .write_async(move |connection| settle::cancel_of_row(connection, row, &reason, now))
            .await
    }

    async fn start_effect(
        &self,
        id: ApprovalId,
        digest: &str,
        epoch: Epoch,
        now: i64,
    ) -> Result<EffectStart, StoreError> {
        let digest = digest.to_owned();
        self.writer
            .write_async(move |connection| effect::start(connection, id, &digest, epoch, now))
            .await
    }

    async fn end_effect(&self, id: ApprovalId, outcome: &str, now: i64) -> Result<(), StoreError> {
        let outcome = outcome.to_owned();
        self.writer
            .write_async(move |connection| effect::end(connection, id, &outcome, now))
            .await
    }

    async fn approval(&self, id: ApprovalId) -> Result<Option<Approval>, StoreError> {
        self.readers
            .read_async(move |connection| list::one(connection, id))
            .await
    }

    async fn open_approvals(&self, profile: &Profile) -> Result<Vec<Approval>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| list::open(connection, &profile))
            .await
    }

    async fn past_approvals(
        &self,
        profile: &Profile,
        limit: u32,
    ) -> Result<Vec<Approval>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| list::past(connection, &profile, limit))
            .await
    }

    async fn expired_approvals(&self, now: i64, limit: u32) -> Result<Vec<Approval>, StoreError> {
        self.readers
            .read_async(move |connection| list::expired(connection, now, limit))
            .await
    }

    async fn approvals_of_row(&self, row: RowId) -> Result<Vec<Approval>, StoreError> {
        self.readers
            .read_async(move |connection| list::of_row(connection, row))
            .await
    }

    async fn abandoned_approvals(
        &self,
        profile: &Profile,
        epoch: Epoch,
    ) -> Result<Vec<Approval>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| list::abandoned(connection, &profile, epoch))
            .await
    }

    async fn undrawn_approvals(&self, profile: &Profile) -> Result<Vec<Approval>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| list::undrawn(connection, &profile))
            .await
    }

    async fn approval_drawn(
        &self,
        id: ApprovalId,
        revision: u32,
        now: i64,
    ) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| ask::drawn(connection, id, revision, now))
            .await
    }

    async fn forget_card(
        &self,
        id: ApprovalId,
        nonce: &str,
        now: i64,
    ) -> Result<Option<Approval>, StoreError> {
        let nonce = nonce.to_owned();
        self.writer
            .write_async(move |connection| ask::forget_card(connection, id, &nonce, now))
            .await
    }
}
