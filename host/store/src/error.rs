//! What can go wrong at the store's boundary.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::ErrorCode;

use crate::{ApprovalId, InstallState, PackageName, Profile, RowId, SessionKey};

/// What a lower layer said. Shared, because one failed commit answers a whole group of writes.
pub type LowerError = Arc<dyn std::error::Error + Send + Sync>;

/// Why the store refused or failed. [`StoreError::code`] is stable; the text is for people.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file or its folder cannot be opened for reading and writing.
    #[error(
        "cannot open the database {} for reading and writing: {source}; check that its folder \
         exists, that it is a file, and that this user may write to both", .path.display()
    )]
    Unreadable {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: LowerError,
    },
    /// The file is no SQLite database, another program's, or a damaged one.
    #[error(
        "{} is not a database of Ostler's, or a damaged one: {source}; move it away to start \
         afresh, or put a backup in its place", .path.display()
    )]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: LowerError,
    },
    /// The file was written by a newer version of this program.
    #[error(
        "the database {} has schema version {found}, and this program knows versions up to \
         {supported}; use the newer program that wrote it", .path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The version in the file.
        found: i64,
        /// The newest version that this program knows.
        supported: u32,
    },
    /// Another process kept the database locked. Nothing was written.
    #[error(
        "the database {} stayed locked by another process for {} s; nothing was written; try \
         again, or find the process that holds it open", .path.display(), .waited.as_secs()
    )]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long the store waited.
        waited: Duration,
    },
    /// The disk has no room. Nothing was written.
    #[error("no room on the disk for the database {}; free some and try again", .path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// An install names a version that was never published here.
    #[error("version {version} of {package} is not in this registry; publish or fetch it first")]
    NoSuchVersion {
        /// The package.
        package: PackageName,
        /// The version that is missing.
        version: String,
    },
    /// The package is not installed in the profile.
    #[error("{package} is not installed in profile {profile}; install it first")]
    NoSuchInstall {
        /// The profile.
        profile: Profile,
        /// The package.
        package: PackageName,
    },
    /// The install's state does not allow the step.
    #[error("cannot {step} {package} in profile {profile}: the install is {found}; {remedy}")]
    WrongState {
        /// The profile.
        profile: Profile,
        /// The package.
        package: PackageName,
        /// What was asked, as a verb: `activate`.
        step: &'static str,
        /// The state that the install is in.
        found: InstallState,
        /// What to do first.
        remedy: &'static str,
    },
    /// The install is not the one that the installer was shown. Nothing was written.
    #[error("the install of {package} in profile {profile} changed meanwhile; review it again")]
    Overtaken {
        /// The profile.
        profile: Profile,
        /// The package.
        package: PackageName,
    },
    /// The same request was admitted before with another payload. Nothing was written.
    #[error(
        "request {request:?} of {session} was admitted before with another payload; a new request \
         needs another id"
    )]
    AdmissionConflict {
        /// The session.
        session: SessionKey,
        /// The request.
        request: String,
    },
    /// The row is no longer this turn's: it was settled, the session was reset, or a later start
    /// of the host took over. Nothing was written.
    #[error("row {row} is no longer claimed by this turn; what it did is not recorded")]
    ClaimLost {
        /// The row.
        row: RowId,
    },
    /// A click that decided one approval came for another. Nothing was written.
    #[error(
        "event {event:?} decided approval {decided} and does not decide {approval} too; one click \
         decides once"
    )]
    EventReused {
        /// The platform's id of the click.
        event: String,
        /// What it decided.
        decided: ApprovalId,
        /// What it came for.
        approval: ApprovalId,
    },
    /// An effect's end was told, and none runs under this approval. Nothing was written.
    #[error(
        "approval {approval} has no effect that runs: it never began, or its end is recorded \
         already; this is a defect of the caller"
    )]
    NoRunningEffect {
        /// The approval.
        approval: ApprovalId,
    },
    /// A bound was reached. Nothing was written.
    #[error("{limit}")]
    LimitReached {
        /// The bound.
        limit: Limit,
    },
    /// The writer has ended. It can only have been stopped by a defect.
    #[error("the database's writer has stopped; start the host again")]
    Closed,
    /// The database refuses a value: text that is no JSON, a negative time. Nothing was written.
    #[error("the database {} refuses a value: {source}; this is a defect of the caller", .path.display())]
    Invalid {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: LowerError,
    },
    /// Anything else that SQLite reports, such as a failed read of the disk.
    #[error("the database {} failed: {source}; `ostler doctor` checks the file", .path.display())]
    Failed {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: LowerError,
    },
}

impl StoreError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "store-unreadable",
            Self::Corrupt { .. } => "store-corrupt",
            Self::Newer { .. } => "store-newer",
            Self::Busy { .. } => "store-busy",
            Self::Full { .. } => "store-full",
            Self::NoSuchVersion { .. } | Self::NoSuchInstall { .. } => "store-not-found",
            Self::WrongState { .. } | Self::Overtaken { .. } | Self::NoRunningEffect { .. } => {
                "store-conflict"
            }
            Self::EventReused { .. } => "event-reused",
            Self::AdmissionConflict { .. } => "admission_conflict",
            Self::ClaimLost { .. } => "claim-lost",
            Self::LimitReached { .. } => "limited",
            Self::Invalid { .. } => "store-invalid",
            Self::Closed => "store-closed",
            Self::Failed { .. } => "store-failed",
        }
    }

    /// What SQLite's `error` means for the database at `path`.
    pub(crate) fn from_sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        // A stored value that does not read back is damage as much as a broken page.
        let unreadable_value = matches!(
            error,
            rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..)
        );
        let code = error.sqlite_error_code();
        let source: LowerError = Arc::new(error);
        match code {
            _ if unreadable_value => Self::Corrupt { path, source },
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Corrupt { path, source }
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                Self::Unreadable { path, source }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy {
                path,
                waited: crate::BUSY_TIMEOUT,
            },
            Some(ErrorCode::ConstraintViolation) => Self::Invalid { path, source },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            _ => Self::Failed { path, source },
        }
    }
}

/// A bound of what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A key has 1 to 256 bytes.
    SettingKeyBytes,
    /// A value has at most 65,536 bytes.
    SettingValueBytes,
    /// An install has at most 1,000 keys.
    SettingKeys,
    /// An install keeps at most 1 MiB of keys and values.
    SettingBytes,
    /// A session has at most 500 to-dos.
    Todos,
    /// A to-do's title has 1 to 2,000 bytes.
    TodoTitleBytes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SettingKeyBytes => "a settings key has 1 to 256 bytes; use a shorter one",
            Self::SettingValueBytes => {
                "a settings value has at most 65,536 bytes; store less, or spread it over keys"
            }
            Self::SettingBytes => "an install keeps at most 1 MiB of settings; delete some first",
            Self::Todos => "a session has at most 500 to-dos; delete some first",
            Self::TodoTitleBytes => "a to-do has 1 to 2,000 bytes; write a shorter one",
            Self::SettingKeys => "an install keeps at most 1,000 settings; delete some first",
        })
    }
}

/// What a query can fail with before the database's path is known to the error.
#[derive(Debug)]
pub(crate) enum Fault {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl Fault {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => StoreError::from_sqlite(path, error),
            Self::Store(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
