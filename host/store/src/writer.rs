//! The one writer: a thread that owns the write connection and commits what waits in groups.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior, ffi};

use crate::error::{Fault, StoreError};

/// Writes in one transaction at most: bounds how long the first of a group waits for the last.
const GROUP: usize = 256;

/// The front of the writer's thread. Dropping it waits until what was accepted is committed.
pub(crate) struct Writer {
    path: PathBuf,
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    pub(crate) fn start(path: &Path, connection: Connection) -> Result<Self, StoreError> {
        let (queue, jobs) = mpsc::channel();
        let commits = Arc::new(AtomicU64::new(0));
        let thread = {
            let (path, commits) = (path.to_owned(), Arc::clone(&commits));
            std::thread::Builder::new()
                .name("ostler-store".to_owned())
                .spawn(move || serve(&path, connection, &jobs, &commits))
                .map_err(|_| StoreError::Closed)?
        };
        Ok(Self {
            path: path.to_owned(),
            queue: Some(queue),
            thread: Some(thread),
            commits,
        })
    }

    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Runs `work` in the writer's next transaction and blocks until that is committed.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = mpsc::sync_channel(1);
        // A caller that went away needs no answer.
        self.submit(work, move |outcome| _ = reply.send(outcome));
        answer.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// As [`Writer::write`], for async callers. A future that is dropped after its first poll
    /// does not take the write back.
    pub(crate) async fn write_async<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        self.submit(work, move |outcome| _ = reply.send(outcome));
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        reply: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let write = Write {
            path: self.path.clone(),
            work: Some(work),
            outcome: None,
            reply,
        };
        if let Some(queue) = &self.queue {
            // When the thread has ended, the job is dropped here with its reply, and whoever
            // waits for the answer sees that.
            _ = queue.send(Box::new(write));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // It can only have panicked, which the panic hook has told already.
            _ = thread.join();
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("path", &self.path)
            .field("commits", &self.commits)
            .finish()
    }
}

/// One write, from its arrival to its answer.
trait Job: Send {
    /// Runs the write. On an error, which it keeps for its answer, its savepoint goes; SQLite's
    /// part of the error is given.
    fn run(&mut self, connection: &Connection) -> Result<(), Option<ffi::Error>>;
    /// Answers, once it is known how the transaction ended.
    fn answer(self: Box<Self>, ending: Result<(), StoreError>);
}

struct Write<T, W, R> {
    path: PathBuf,
    work: Option<W>,
    outcome: Option<Result<T, Fault>>,
    reply: R,
}

impl<T, W, R> Job for Write<T, W, R>
where
    T: Send,
    W: FnOnce(&Connection) -> Result<T, Fault> + Send,
    R: FnOnce(Result<T, StoreError>) + Send,
{
    fn run(&mut self, connection: &Connection) -> Result<(), Option<ffi::Error>> {
        self.outcome = self.work.take().map(|work| work(connection));
        match &self.outcome {
            Some(Err(Fault::Sqlite(error))) => Err(error.sqlite_error().copied()),
            Some(Err(Fault::Store(_))) => Err(None),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    fn answer(self: Box<Self>, ending: Result<(), StoreError>) {
        let answer = match (self.outcome, ending) {
            (Some(Err(fault)), _) => Err(fault.at(&self.path)),
            (_, Err(error)) => Err(error),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        (self.reply)(answer);
    }
}

fn serve(
    path: &Path,
    mut connection: Connection,
    jobs: &mpsc::Receiver<Box<dyn Job>>,
    commits: &AtomicU64,
) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        group.extend(jobs.try_iter().take(GROUP - 1));
        let ending =
            commit(&mut connection, &mut group).map_err(|e| StoreError::from_sqlite(path, e));
        if ending.is_ok() {
            commits.fetch_add(1, Ordering::Relaxed);
        }
        for job in group {
            job.answer(ending.clone());
        }
    }
}

/// One transaction around the whole group. An error means that nothing of it was written.
fn commit(connection: &mut Connection, group: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in group {
        let savepoint = transaction.savepoint()?;
        match job.run(&savepoint) {
            Ok(()) => savepoint.commit()?,
            Err(cause) => {
                // Dropping a savepoint rolls it back.
                drop(savepoint);
                // Some errors, such as a full disk, make SQLite roll the whole transaction back.
                // Then the next savepoint would open a transaction of its own: stop here.
                if transaction.is_autocommit() {
                    let cause = cause.unwrap_or_else(|| ffi::Error::new(ffi::SQLITE_ABORT));
                    return Err(rusqlite::Error::SqliteFailure(cause, None));
                }
            }
        }
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;
    use crate::migrations::open_and_migrate;

    fn insert(connection: &Connection, text: &str) -> Result<(), Fault> {
        connection.execute("INSERT INTO notes VALUES (?1)", [text])?;
        Ok(())
    }

    /// What is left of three writes in one group, the middle one being `middle`: the answers, the
    /// rows that another connection sees, and the transactions that were committed for them.
    fn group_of_three(
        middle: impl FnOnce(&Connection) -> Result<(), Fault> + Send + 'static,
    ) -> ([Result<(), StoreError>; 3], Vec<String>, u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ostler.db");
        let writer = Writer::start(&path, open_and_migrate(&path).unwrap()).unwrap();

        // The first write keeps its transaction open until the three are in the queue.
        let (opened, is_open) = mpsc::channel();
        let (go, gone) = mpsc::channel();
        let mut opener = pin!(writer.write_async(move |connection| {
            connection.execute_batch("CREATE TABLE notes (text TEXT)")?;
            opened.send(()).unwrap();
            gone.recv().unwrap();
            Ok(())
        }));
        // A future has sent its write once it was polled.
        let mut context = Context::from_waker(Waker::noop());
        assert!(opener.as_mut().poll(&mut context).is_pending());
        is_open.recv().unwrap();
        let mut first = pin!(writer.write_async(|c| insert(c, "first")));
        let mut second = pin!(writer.write_async(middle));
        let mut third = pin!(writer.write_async(|c| insert(c, "third")));
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert!(third.as_mut().poll(&mut context).is_pending());
        go.send(()).unwrap();

        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let answers = runtime.block_on(async {
            opener.await.unwrap();
            [first.await, second.await, third.await]
        });
        let other = Connection::open(&path).unwrap();
        let mut notes = other
            .prepare("SELECT text FROM notes ORDER BY rowid")
            .unwrap();
        let notes = notes
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let commits = writer.commits() - 1;
        // Whatever happened, the writer goes on.
        writer.write(|c| insert(c, "later")).unwrap();
        (answers, notes, commits)
    }

    #[test]
    fn writes_that_wait_together_share_one_commit() {
        let (answers, notes, commits) = group_of_three(|c| insert(c, "second"));
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        assert_eq!(notes, ["first", "second", "third"]);
        assert_eq!(commits, 1);
    }

    #[test]
    fn a_write_that_fails_half_way_is_undone_and_its_neighbours_stay() {
        let (answers, notes, commits) = group_of_three(|connection| {
            insert(connection, "half")?;
            insert(connection, "another half")?;
            Ok(connection.execute_batch("INSERT INTO nowhere VALUES (1)")?)
        });
        assert!(answers[0].is_ok() && answers[2].is_ok(), "{answers:?}");
        assert_eq!(answers[1].as_ref().unwrap_err().code(), "store-failed");
        assert_eq!(notes, ["first", "third"]);
        assert_eq!(commits, 1);
    }

    #[test]
    fn when_an_error_ends_the_whole_transaction_nobody_is_told_that_it_was_written() {
        let (answers, notes, commits) = group_of_three(|connection| {
            // As SQLite does by itself when the disk is full.
            connection.execute_batch("ROLLBACK")?;
            Ok(connection.execute_batch("INSERT INTO nowhere VALUES (1)")?)
        });
        assert!(answers.iter().all(Result::is_err), "{answers:?}");
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(commits, 0);
    }

    #[test]
    fn dropping_the_writer_finishes_what_it_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ostler.db");
        let writer = Writer::start(&path, open_and_migrate(&path).unwrap()).unwrap();
        writer
            .write(|c| Ok(c.execute_batch("CREATE TABLE notes (text TEXT)")?))
            .unwrap();
        for n in 0..500 {
            writer.submit(move |c| insert(c, &n.to_string()), |_| ());
        }
        drop(writer);
        let count: i64 = Connection::open(&path)
            .unwrap()
            .query_row("SELECT count(*) FROM notes", [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, 500);
    }
}
