//! The audit log: who did what, where, when and why.
//!
//! Entries are only ever added, in the transaction of what they record, and each holds the hash of
//! the one before it. What that is worth:
//! - [`AuditLog::verify_audit`] finds an entry that was changed, taken out of the middle, put in or
//!   swapped with another.
//! - It does **not** find that the newest entries were cut off, nor that somebody who may write the
//!   file made the whole chain anew: both leave a chain that is whole. For these, note a head (the
//!   hash of the last entry) where the file's writers cannot reach it, and ask later with
//!   [`AuditLog::is_audit_head`] whether it still is in the chain. In a chain that is whole, a head
//!   vouches for every entry up to its own.

mod chain;

use async_trait::async_trait;

pub(crate) use chain::append;

use crate::error::StoreError;
use crate::{Profile, Store};

/// What is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// When, in milliseconds since 1970 (UTC): 0 to 2^53 - 1, the whole numbers that canonical JSON
    /// can tell apart (RFC 8785, section 3.2.2.3).
    pub at: i64,
    /// In which profile; none for what concerns the host.
    pub profile: Option<Profile>,
    /// What happened: lower-case words with `-` between them, 1 to 64 bytes, such as `approved`.
    pub kind: String,
    /// Who did it, 1 to 512 bytes: `discord:<account>`, `local:cli`, `local:page`, `plugin:<id>`,
    /// `host`.
    pub actor: String,
    /// To what, 1 to 512 bytes: an approval's id, a row's, a session's key, a grant.
    pub subject: Option<String>,
    /// Where, 1 to 512 bytes: a channel.
    pub place: Option<String>,
    /// The SHA-256 of what it is about: `sha256:` and 64 lower-case hexadecimal digits.
    pub digest: Option<String>,
    /// Everything else: a JSON object, at most 64 KiB.
    pub detail: String,
}

/// An entry as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its place, from 1 and without gaps.
    pub seq: u64,
    /// When, in milliseconds since 1970 (UTC).
    pub at: i64,
    /// In which profile; none for what concerns the host.
    pub profile: Option<Profile>,
    /// What happened.
    pub kind: String,
    /// Who did it.
    pub actor: String,
    /// To what.
    pub subject: Option<String>,
    /// Where.
    pub place: Option<String>,
    /// The SHA-256 of what it is about.
    pub digest: Option<String>,
    /// Everything else, a JSON object, as it was given.
    pub detail: String,
    /// The hash of the entry before it; `sha256:` and 64 zeros for the first.
    pub previous: String,
    /// Its own: `sha256:` and the SHA-256, in lower-case hexadecimal digits, of the bytes
    /// `ostler.audit.v1` and a zero, the text of `previous`, and the canonical JSON (RFC 8785) of
    /// an object with `seq` and the fields of [`NewAuditEntry`], `null` where there is none and
    /// `detail` as a string.
    pub hash: String,
}

/// What looking through the whole log found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditVerdict {
    /// The chain holds from the first entry to the last.
    Whole {
        /// How many entries there are.
        entries: u64,
        /// The last one's hash, to be noted elsewhere; `sha256:` and 64 zeros when there is none.
        head: String,
    },
    /// It does not.
    Broken {
        /// The first place where it does not. Up to there it does.
        seq: u64,
        /// What is wrong there, a sentence without its full stop.
        what: String,
    },
}

/// The log of who did what. Errors are those of the database itself, besides what is named.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Adds an entry: its place. It is on disk when this answers.
    ///
    /// # Errors
    /// `store-invalid`: a field is not as [`NewAuditEntry`] says.
    async fn audit(&self, entry: NewAuditEntry) -> Result<u64, StoreError>;

    /// Entries after a place (0 for all), the oldest first, `limit` at most; with a profile, its
    /// alone.
    async fn audit_entries(
        &self,
        after: u64,
        limit: u32,
        profile: Option<&Profile>,
    ) -> Result<Vec<AuditEntry>, StoreError>;

    /// Looks through the whole log, one entry at a time and as it stood at one moment. It finds an
    /// entry that was changed, taken out of the middle, put in or swapped. That the newest ones
    /// were cut off, or the whole chain made anew, only shows against a head that was noted:
    /// [`AuditLog::is_audit_head`].
    async fn verify_audit(&self) -> Result<AuditVerdict, StoreError>;

    /// The place of the entry with this hash; none if no entry has it. For a head that was noted
    /// earlier, none means that entries were cut off or the chain was made anew. It looks the hash
    /// up and trusts the entries, so ask it together with [`AuditLog::verify_audit`].
    async fn is_audit_head(&self, hash: &str) -> Result<Option<u64>, StoreError>;
}

#[async_trait]
impl AuditLog for Store {
    async fn audit(&self, entry: NewAuditEntry) -> Result<u64, StoreError> {
        self.writer
            .write_async(move |connection| append(connection, &entry))
            .await
    }

    async fn audit_entries(
        &self,
        after: u64,
        limit: u32,
        profile: Option<&Profile>,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let profile = profile.cloned();
        self.readers
            .read_async(move |connection| {
                chain::entries(connection, after, limit, profile.as_ref())
            })
            .await
    }

    async fn verify_audit(&self) -> Result<AuditVerdict, StoreError> {
        self.readers.read_async(chain::verify).await
    }

    async fn is_audit_head(&self, hash: &str) -> Result<Option<u64>, StoreError> {
        let hash = hash.to_owned();
        self.readers
            .read_async(move |connection| chain::place_of(connection, &hash))
            .await
    }
}
