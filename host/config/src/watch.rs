//! A profile's configuration, followed while the host runs.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::watch;

use crate::read::{parse, text};
use crate::{ConfigError, ProfileConfig};

/// How often the file is read although nothing was heard of a change: an editor may have replaced
/// the folder, or the file may be a link to another one.
const RECHECK: Duration = Duration::from_secs(3);
/// How long nothing must happen before a change counts as whole.
const QUIET: Duration = Duration::from_millis(50);
/// How long a file that changes all the time is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// A profile's configuration as it is in force: the newest that was whole and in order.
///
/// A file that is broken, or gone after it was there, leaves the configuration as it was; the log
/// and [`ConfigWatch::last_error`] say so. A change is in force within a second as a rule, and
/// within four where the system does not tell of it.
///
/// Dropping it ends the watching, and keeps the receivers' last value.
#[derive(Debug)]
pub struct ConfigWatch {
    current: watch::Receiver<Arc<ProfileConfig>>,
    error: Arc<Mutex<Option<Arc<ConfigError>>>>,
    signal: mpsc::Sender<Signal>,
    thread: Option<JoinHandle<()>>,
}

/// What wakes the watching thread.
#[derive(Debug)]
enum Signal {
    Changed,
    Stop,
}

impl ConfigWatch {
    /// Reads the file and watches it from then on. A missing file is the same as an empty one.
    ///
    /// # Errors
    /// Those of [`crate::read_profile`]: there is no configuration yet that could stay in force;
    /// and `config-unreadable` when no thread can be started.
    pub fn start(file: &Path) -> Result<Self, ConfigError> {
        let seen = text(file)?;
        let config = parse(file, seen.as_deref().unwrap_or_default())
            .map_err(|mut errors| errors.swap_remove(0))?;
        let (publish, current) = watch::channel(Arc::new(config));
        let error = Arc::default();
        let (signal, signals) = mpsc::channel();
        let following = Following {
            file: file.to_owned(),
            seen: Seen::Text(seen),
            publish,
            error: Arc::clone(&error),
            changes: Changes {
                signal: signal.clone(),
                watched: None,
            },
        };
        let thread = std::thread::Builder::new()
            .name("ostler-config".to_owned())
            .spawn(move || following.run(&signals))
            .map_err(|error| ConfigError::Unreadable {
                path: file.to_owned(),
                place: None,
                reason: format!("no thread can be started to watch it: {error}"),
            })?;
        Ok(Self {
            current,
            error,
            signal,
            thread: Some(thread),
        })
    }

    /// The configuration in force now.
    #[must_use]
    pub fn current(&self) -> Arc<ProfileConfig> {
        Arc::clone(&self.current.borrow())
    }

    /// Follows the configuration. The receiver has seen the present one.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<Arc<ProfileConfig>> {
        let mut receiver = self.current.clone();
        receiver.mark_unchanged();
        receiver
    }

    /// Why the file that is there now is not in force; none when it is.
    #[must_use]
    pub fn last_error(&self) -> Option<Arc<ConfigError>> {
        self.error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for ConfigWatch {
    fn drop(&mut self) {
        _ = self.signal.send(Signal::Stop);
        if let Some(thread) = self.thread.take() {
            // It can only have panicked, which the panic hook has told already.
            _ = thread.join();
        }
    }
}

/// What was last found in the file's place.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Text(Option<String>),
    /// The text of the error: the same one is told once.
    Unreadable(String),
}

struct Following {
    file: PathBuf,
    seen: Seen,
    publish: watch::Sender<Arc<ProfileConfig>>,
    error: Arc<Mutex<Option<Arc<ConfigError>>>>,
    changes: Changes,
}

impl Following {
    fn run(mut self, signals: &mpsc::Receiver<Signal>) {
        loop {
            self.changes.watch(folder_of(&self.file));
            self.reload();
            match signals.recv_timeout(RECHECK) {
                Ok(Signal::Changed) => {}
                Err(mpsc::RecvTimeoutError::Timeout) => continue,
                Ok(Signal::Stop) | Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            // What is written in steps is read once, after the last.
            let began = Instant::now();
            while began.elapsed() < PATIENCE {
                match signals.recv_timeout(QUIET) {
                    Ok(Signal::Changed) => {}
                    Err(mpsc::RecvTimeoutError::Timeout) => break,
                    Ok(Signal::Stop) | Err(mpsc::RecvTimeoutError::Disconnected) => return,
                }
            }
        }
    }

    /// Reads the file, and takes it if it is another one than before and in order.
    fn reload(&mut self) {
        let (read, seen) = self.settled();
        if seen == self.seen {
            return;
        }
        let outcome = match read {
            Ok(Some(text)) => parse(&self.file, &text).map_err(|mut errors| errors.swap_remove(0)),
            Ok(None) => Err(ConfigError::Gone {
                path: self.file.clone(),
            }),
            Err(error) => Err(error),
        };
        self.seen = seen;
        match outcome {
            Ok(config) => {
                self.tell(None);
                let is_new = self.publish.send_if_modified(|current| {
                    let is_new = **current != config;
                    if is_new {
                        *current = Arc::new(config);
                    }
                    is_new
                });
                if is_new {
                    tracing::info!(file = %self.file.display(), "the configuration has changed");
                }
            }
            Err(error) => {
                tracing::warn!(
                    code = error.code(),
                    "the configuration stays as it was: {error}"
                );
                self.tell(Some(Arc::new(error)));
            }
        }
    }

    /// What is in the file's place, read twice where it has changed: a file that is being written
    /// may be in order half way, and mean something else.
    fn settled(&self) -> (Result<Option<String>, ConfigError>, Seen) {
        let began = Instant::now();
        let mut found = look(&self.file);
        while found.1 != self.seen && began.elapsed() < PATIENCE {
            std::thread::sleep(QUIET);
            let again = look(&self.file);
            if again.1 == found.1 {
                break;
            }
            found = again;
        }
        found
    }

    fn tell(&self, error: Option<Arc<ConfigError>>) {
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }
}

fn look(file: &Path) -> (Result<Option<String>, ConfigError>, Seen) {
    let read = text(file);
    let seen = match &read {
        Ok(text) => Seen::Text(text.clone()),
        Err(error) => Seen::Unreadable(error.to_string()),
    };
    (read, seen)
}

/// The system's news of changes in the file's folder.
struct Changes {
    signal: mpsc::Sender<Signal>,
    watched: Option<Watched>,
}

struct Watched {
    /// Device and inode: a folder that was replaced is another one.
    folder: (u64, u64),
    /// Held so that the news come.
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Watches the folder, if it is there and is not watched already. Without the system's news
    /// the file is still read every few seconds.
    fn watch(&mut self, folder: &Path) {
        let found = fs::metadata(folder)
            .ok()
            .map(|found| (found.dev(), found.ino()));
        if self.watched.as_ref().map(|watched| watched.folder) == found {
            return;
        }
        self.watched = found.and_then(|identity| {
            let signal = self.signal.clone();
            let watcher = notify::recommended_watcher(move |event: notify::Result<_>| {
                // Reading the file is an event too, and must not lead to reading it again.
                let is_access = matches!(
                    event,
                    Ok(notify::Event {
                        kind: notify::EventKind::Access(_),
                        ..
                    })
                );
                if !is_access {
                    _ = signal.send(Signal::Changed);
                }
            })
            .and_then(|mut watcher| {
                watcher.watch(folder, RecursiveMode::NonRecursive)?;
                Ok(watcher)
            });
            match watcher {
                Ok(watcher) => Some(Watched {
                    folder: identity,
                    _watcher: watcher,
                }),
                Err(error) => {
                    tracing::debug!("the folder cannot be watched: {error}");
                    None
                }
            }
        });
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        // A bare file name.
        _ => Path::new("."),
    }
}
