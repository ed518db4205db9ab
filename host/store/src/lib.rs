//! The SQLite database of a host: schema, migrations, one writer with group commit, typed queries.
//!
//! Start at [`Store::open`]. Methods named `*_async` are for async callers; all others block the
//! calling thread until the database has answered.
//!
//! What this crate promises:
//! - **An answered write is on disk.** A write is answered only after the transaction that holds
//!   it was committed with `synchronous=FULL`; a host killed at any later moment finds it again.
//! - **Writes share commits.** One thread owns the write connection and puts all writes that wait
//!   into one transaction, each in a savepoint of its own: one that fails leaves its neighbours.
//! - **Published versions never change.** Triggers refuse it, also to other programs.
//! - **Nothing about an approval happens unrecorded.** What is asked, decided and begun stands in
//!   the audit log in the transaction that holds it; the log is a chain of hashes that is only
//!   added to ([`AuditLog`]).
//! - **Typed queries are the only way in.** No SQL stands outside this crate, and no connection
//!   leaves it.
//! - **Several processes may use one file.** Whoever finds it locked waits up to
//!   [`BUSY_TIMEOUT`], then fails with `store-busy`.
//!
//! Times are milliseconds since 1970 (UTC) and always given by the caller. JSON is stored as the
//! text that the caller gives; the store only checks that it is JSON.

mod approvals;
mod audit;
mod error;
mod gateway;
mod ids;
mod installs;
mod migrations;
mod reader;
mod secrets;
mod sessions;
mod settings;
mod stored;
mod versions;
mod writer;

use std::path::Path;
use std::sync::Arc;

pub use approvals::{
    Approval, ApprovalClass, ApprovalEnding, ApprovalId, ApprovalState, ApprovalStore, EffectStart,
    NewApproval, RandomError, Settled, Settlement, Via,
};
pub use audit::{AuditEntry, AuditLog, AuditVerdict, NewAuditEntry};
pub use error::{Limit, LowerError, StoreError};
pub use gateway::GatewaySession;
pub use ids::{
    ChannelId, Digest, GuildId, MessageId, PackageName, ParseIdError, PersonId, Profile, RoleId,
};
pub use installs::{InstallRow, InstallState, NewInstall};
pub use migrations::BUSY_TIMEOUT;
pub use secrets::SecretRow;
pub use sessions::{
    Admitted, BotThread, Cause, ChatType, Delivery, Descriptor, Ending, Epoch, Heard,
    HumanEnvelope, ItemKind, NewPost, NewRow, Origin, Overheard, Post, Preview, Principal, Role,
    Route, Row, RowId, RowOutcome, RowStatus, Session, SessionKey, SessionStore, Todo, TodoState,
    TurnItem,
};
pub use settings::SettingsPage;
pub use versions::{PackageVersion, PublishOutcome, VersionRow};

/// An open database. Share it behind an [`Arc`]; every method takes `&self`.
///
/// Dropping it finishes the writes that were accepted and closes the file.
#[derive(Debug)]
pub struct Store {
    // Fields drop in this order: the writer closes last, and so folds the write-ahead log back.
    readers: Arc<reader::Readers>,
    writer: writer::Writer,
}

impl Store {
    /// Opens the database at `path`, creates it if there is none, and migrates an older one.
    ///
    /// # Errors
    /// - `store-unreadable`: the file or its folder cannot be opened for reading and writing;
    /// - `store-corrupt`: the file is no SQLite database, another program's, or a damaged one; it is
    ///   left as it is;
    /// - `store-newer`: a newer Ostler wrote it; it is left as it is;
    /// - `store-busy`: another process kept it locked for longer than [`BUSY_TIMEOUT`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = migrations::open_and_migrate(path)?;
        Ok(Self {
            readers: Arc::new(reader::Readers::new(path)),
            writer: writer::Writer::start(path, connection)?,
        })
    }

    /// Transactions that the writer has committed since [`Store::open`]: with group commit, at
    /// most the number of writes.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// The schema's version in the file: the number of migrations that were applied.
    ///
    /// # Errors
    /// Those of any read: `store-busy`, `store-corrupt`, `store-unreadable`, `store-failed`.
    pub fn schema_version(&self) -> Result<u32, StoreError> {
        self.readers
            .read(|connection| Ok(connection.query_row("PRAGMA user_version", [], |r| r.get(0))?))
    }

    /// Looks for damage: what SQLite's own checks of pages, indexes, constraints and foreign keys
    /// find, one sentence each. Empty when all is well. Reads the whole file.
    ///
    /// # Errors
    /// `store-corrupt` when the damage keeps the checks from running, and those of any read.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        self.readers.read(|connection| {
            let mut problems: Vec<String> = connection
                .prepare("PRAGMA integrity_check")?
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            problems.retain(|line| line != "ok");
            let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let table: String = row.get(0)?;
                let rowid: Option<i64> = row.get(1)?;
                let parent: String = row.get(2)?;
                let which = rowid.map_or_else(|| "a row".to_owned(), |id| format!("row {id}"));
                problems.push(format!(
                    "{which} of {table} names a row of {parent} that is missing"
                ));
            }
            Ok(problems)
        })
    }
}
