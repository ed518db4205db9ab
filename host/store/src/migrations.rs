//! Opening a database: what is refused untouched, what is set, and how the schema is brought up.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, MAIN_DB, OpenFlags, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use crate::error::{Fault, LowerError, StoreError};

/// How long a read or a write waits for a lock that another process holds: 5 s.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The smallest database, in bytes: one page of SQLite's smallest size.
const SMALLEST: u64 = 512;

/// Applied in order, each once. Never edit one that was released: add another.
const MIGRATIONS: &[M<'static>] = &[
    M::up(include_str!("../migrations/0001_packages.sql")),
    M::up(include_str!("../migrations/0002_sessions.sql")),
    M::up(include_str!("../migrations/0003_approvals.sql")),
];

/// Opens the write connection. A file that is refused is left byte for byte as it was.
pub(crate) fn open_and_migrate(path: &Path) -> Result<Connection, StoreError> {
    let started = Instant::now();
    loop {
        match prepare(path) {
            // SQLite does not wait for a lock when it changes the journal's mode, and a process
            // that migrates at the same time can win between our look and our lock.
            Err(StoreError::Busy { .. }) if started.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

fn prepare(path: &Path) -> Result<Connection, StoreError> {
    // SQLite takes a file of one byte for an empty one. The size is asked by path: opening and
    // closing the file here would drop the locks that this process holds on it.
    if std::fs::metadata(path).is_ok_and(|file| (1..SMALLEST).contains(&file.len())) {
        let source = LowerError::from(Box::from("it is too short"));
        return Err(StoreError::Corrupt {
            path: path.to_owned(),
            source,
        });
    }
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
    let fault = |error| StoreError::from_sqlite(path, error);

    let found = look(&mut connection).map_err(fault)?;
    found.refuse(path)?;

    connection
        .pragma_update(None, "journal_mode", "WAL")
        .map_err(fault)?;
    // WAL syncs at each commit only with FULL; an answered write must outlive a power cut.
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(fault)?;
    connection.set_transaction_behavior(TransactionBehavior::Immediate);

    let Err(error) = Migrations::from_slice(MIGRATIONS).to_latest(&mut connection) else {
        return Ok(connection);
    };
    let now = look(&mut connection).map_err(fault)?;
    Err(match error {
        // Somebody else migrated first: look again from the start.
        _ if now.version != found.version => StoreError::Busy {
            path: path.to_owned(),
            waited: BUSY_TIMEOUT,
        },
        rusqlite_migration::Error::RusqliteError { err, .. } => fault(err),
        other => StoreError::Failed {
            path: path.to_owned(),
            source: Arc::new(other),
        },
    })
}

/// What stands in a file before it is touched.
struct Found {
    version: i64,
    is_empty: bool,
}

/// Reads both in one transaction: another process may be migrating.
fn look(connection: &mut Connection) -> rusqlite::Result<Found> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let is_empty = transaction.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        [],
        |row| row.get(0),
    )?;
    let version = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(Found { version, is_empty })
}

impl Found {
    fn refuse(&self, path: &Path) -> Result<(), StoreError> {
        let path = path.to_owned();
        let supported = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
        if self.version > i64::from(supported) {
            return Err(StoreError::Newer {
                path,
                found: self.version,
                supported,
            });
        }
        if self.version < 0 || (self.version == 0 && !self.is_empty) {
            let source = LowerError::from(Box::from("its tables are another program's"));
            return Err(StoreError::Corrupt { path, source });
        }
        Ok(())
    }
}

/// A connection with what every one of ours has. `more` is added to reading and writing.
pub(crate) fn connect(path: &Path, more: OpenFlags) -> Result<Connection, StoreError> {
    let open = || -> Result<Connection, Fault> {
        // Each connection stays with one thread at a time, so SQLite's own mutex is not needed.
        // Without SQLITE_OPEN_URI a path is a path, whatever it looks like.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
        let connection = Connection::open_with_flags(path, flags)?;
        // SQLite opens a file that it may not write for reading, and says so at the first write.
        if connection.is_readonly(MAIN_DB)? {
            let source = LowerError::from(Box::from("it is read-only"));
            return Err(StoreError::Unreadable {
                path: path.to_owned(),
                source,
            }
            .into());
        }
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(connection)
    };
    open().map_err(|fault| fault.at(path))
}

/// How SQLite would find the rows of a query, a line for each step.
#[cfg(test)]
pub(crate) fn plan_of(connection: &Connection, query: &str) -> Vec<String> {
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {query}"))
        .unwrap();
    // The plan does not depend on the values.
    let values = vec![rusqlite::types::Null; statement.parameter_count()];
    statement
        .query_map(rusqlite::params_from_iter(values), |row| row.get(3))
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_applies_to_an_empty_database() {
        Migrations::from_slice(MIGRATIONS).validate().unwrap();
    }
}
