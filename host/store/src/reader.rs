//! A few read connections, used by whoever asks.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};

use crate::error::{Fault, StoreError};
use crate::migrations::connect;

/// Connections that are kept open between reads. More are opened while more reads run at once.
const KEPT: usize = 4;

/// Read connections. Each read sees what was committed before it began.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Runs `query` on a read connection, on this thread.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let connection = match self.take() {
            Some(connection) => connection,
            None => self.open()?,
        };
        let outcome = query(&connection).map_err(|fault| fault.at(&self.path));
        self.put_back(connection);
        outcome
    }

    /// Runs `query` on a thread of the runtime that may block. Needs a tokio runtime.
    pub(crate) async fn read_async<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let readers = Arc::clone(self);
        tokio::task::spawn_blocking(move || readers.read(query))
            .await
            .unwrap_or(Err(StoreError::Closed))
    }

    fn take(&self) -> Option<Connection> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    fn put_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(connection);
        }
    }

    fn open(&self) -> Result<Connection, StoreError> {
        let connection = connect(&self.path, OpenFlags::empty())?;
        // The connection may write (SQLite's shared memory and recovery need it); queries may not.
        connection
            .pragma_update(None, "query_only", true)
            .map_err(|error| StoreError::from_sqlite(&self.path, error))?;
        Ok(connection)
    }
}
