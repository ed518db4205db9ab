//! Changing an operator's file: one editor at a time, and old or new, never half.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::read::text as read;
use crate::{ConfigError, write_atomically};

/// The permissions of a file that is written anew.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    /// As they were; 0600 for a file that was not there.
    Kept,
    /// 0600, whatever they were.
    Private,
}

/// Reads `file`, gives its text (none when it is missing) to `change`, and writes what comes back,
/// all under the file's lock. Writes nothing where nothing changed. The folder must exist.
pub(crate) fn rewrite<T>(
    file: &Path,
    mode: Mode,
    change: impl FnOnce(Option<&str>) -> Result<(String, T), ConfigError>,
) -> Result<T, ConfigError> {
    let unwritable = |source| unwritable(file, source);
    let _lock = lock(file).map_err(unwritable)?;
    let old = read(file)?;
    let (new, outcome) = change(old.as_deref())?;
    if new == old.as_deref().unwrap_or_default() {
        return Ok(outcome);
    }
    let mode = match (mode, old) {
        (Mode::Kept, Some(_)) => {
            fs::metadata(file).map_err(unwritable)?.permissions().mode() & 0o7777
        }
        (Mode::Kept, None) | (Mode::Private, _) => 0o600,
    };
    write_atomically(file, new.as_bytes(), mode)?;
    Ok(outcome)
}

/// Makes the folder of `file` where it is missing, for this user alone (0700).
pub(crate) fn make_folder_of(file: &Path) -> Result<(), ConfigError> {
    let folder = file.parent();
    let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| unwritable(file, source))
}

/// The file that a link at `path` means: an operator's link must not be replaced by a file.
pub(crate) fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Waits until nobody else edits `file`. The lock is on a file beside it that is never removed:
/// the file itself gets a new inode at each write, and a removed lock file would let two in.
fn lock(file: &Path) -> io::Result<File> {
    let mut path = file.as_os_str().to_owned();
    path.push(".lock");
    let lock = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)?;
    loop {
        match lock.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome.map(|()| lock),
        }
    }
}

fn unwritable(file: &Path, source: io::Error) -> ConfigError {
    ConfigError::Unwritable {
        path: file.to_owned(),
        source,
    }
}
