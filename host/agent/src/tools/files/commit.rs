//! A whole new content in the place of the old one, or nothing.
//!
//! The content goes to a temporary file of the same folder, which then takes the name: whoever
//! opens it sees the old content or the new one. A name that was free is taken only while it is
//! free; a file is replaced only while it holds what was judged. Between that last look and the
//! rename another *program* could write the file, and then loses what it wrote; calls of this host
//! wait for each other.

use std::io::{self, ErrorKind, Write as _};
use std::sync::{Mutex, PoisonError};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{
    Dir, DirBuilder, DirBuilderExt as _, OpenOptions, OpenOptionsExt as _, Permissions,
    PermissionsExt as _,
};

use super::content::{Before, Content, digest};
use super::error::FileError;
use super::place::{Found, Place};

/// The mode of a new file, less what the process's mask takes.
const FILE: u32 = 0o644;
/// The same of a new folder.
const FOLDER: u32 = 0o755;
/// The mode of a file while it is written that is to have another one.
const TEMPORARY: u32 = 0o600;

/// Held from the last look at a file until the new content has its name.
static REPLACING: Mutex<()> = Mutex::new(());

/// Writes a content to a place where `before` stood when it was judged. Folders on the way are
/// made.
///
/// # Errors
/// `changed` if something else stands there now; `io`. Then nothing was written, but for folders.
pub(super) fn commit(place: &Place, before: &Before, content: &[u8]) -> Result<(), FileError> {
    let shown = place.asked.as_str();
    let made;
    let (parent, name) = match &place.found {
        Found::File { parent, name } => (parent, name.as_str()),
        Found::Nothing {
            parent,
            folders,
            name,
        } => {
            made = folders_of(parent, folders, shown)?;
            (&made, name.as_str())
        }
        Found::Folder(_) => return Err(FileError::changed(shown)),
    };
    let temporary = Temporary::write(parent, before, content, shown)?;
    match before {
        Before::Absent => temporary.take_free(name),
        Before::File(old) => temporary.replace(name, old),
    }
}

/// Makes the folders on the way and opens the last.
fn folders_of(parent: &Dir, folders: &[String], shown: &str) -> Result<Dir, FileError> {
    let io = |error| FileError::of_io(shown, error);
    let mut here = parent.try_clone().map_err(io)?;
    for name in folders {
        let mut builder = DirBuilder::new();
        builder.mode(FOLDER);
        match here.create_dir_with(name, &builder) {
            Ok(()) => {}
            // Another call may have made it; anything but a folder does not open as one.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io(error)),
        }
        here = here
            .open_dir_nofollow(name)
            .map_err(|_| FileError::changed(shown))?;
    }
    Ok(here)
}

/// A file that is taken away unless it got its name.
struct Temporary<'a> {
    parent: &'a Dir,
    name: String,
    shown: &'a str,
}

impl<'a> Temporary<'a> {
    fn write(
        parent: &'a Dir,
        before: &Before,
        content: &[u8],
        shown: &'a str,
    ) -> Result<Self, FileError> {
        let failed = |error| FileError::of_io(shown, error);
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|error| failed(io::Error::other(error.to_string())))?;
        let name = format!(".ostler-{}.tmp", hex::encode(random));
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .follow(FollowSymlinks::No)
            .mode(match before {
                Before::Absent => FILE,
                Before::File(_) => TEMPORARY,
            });
        let mut file = parent.open_with(&name, &options).map_err(failed)?;
        let temporary = Self {
            parent,
            name,
            shown,
        };
        file.write_all(content).map_err(failed)?;
        if let Before::File(old) = before {
            file.set_permissions(Permissions::from_mode(old.mode))
                .map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        Ok(temporary)
    }

    /// Takes a name that nothing has.
    fn take_free(self, name: &str) -> Result<(), FileError> {
        match self.parent.hard_link(&self.name, self.parent, name) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(FileError::changed(self.shown))
            }
            // A file system without hard links.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Unsupported | ErrorKind::PermissionDenied
                ) =>
            {
                let _replacing = REPLACING.lock().unwrap_or_else(PoisonError::into_inner);
                match self.parent.symlink_metadata(name) {
                    Err(error) if error.kind() == ErrorKind::NotFound => self.rename(name),
                    _ => Err(FileError::changed(self.shown)),
                }
            }
            Err(error) => Err(FileError::of_io(self.shown, error)),
        }
    }

    /// Takes the name of a file that holds what it held.
    fn replace(self, name: &str, old: &Content) -> Result<(), FileError> {
        let _replacing = REPLACING.lock().unwrap_or_else(PoisonError::into_inner);
        match Content::read(self.parent, name, self.shown) {
            Ok(now) if digest(&now.bytes) == digest(&old.bytes) => self.rename(name),
            _ => Err(FileError::changed(self.shown)),
        }
    }

    fn rename(&self, name: &str) -> Result<(), FileError> {
        self.parent
            .rename(&self.name, self.parent, name)
            .map_err(|error| FileError::of_io(self.shown, error))
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        match self.parent.remove_file(&self.name) {
            Ok(()) => {}
            // It was renamed.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(name = self.name, %error, "a temporary file stays in the workspace");
            }
        }
    }
}
