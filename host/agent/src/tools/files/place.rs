//! Where a path leads, looked up one name at a time.
//!
//! No name is handed to the system with a `/` in it, and no link is followed by the system: each
//! folder on the way is opened by its own name in the one before it, and a link is read and its
//! target walked in the same way. So the path that is judged is the path that is used, whatever is
//! renamed or swapped for a link meanwhile, and `..` goes back by what was walked.

use std::collections::VecDeque;
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, FileTypeExt as _, OpenOptions};

use super::error::FileError;
use super::text::visible_name;

/// The longest path, in bytes (`PATH_MAX` of Linux).
const PATH: usize = 4_096;
/// The most names that are walked for one path, those of links' targets among them.
const NAMES: usize = 256;
/// The most links of one path (`MAXSYMLINKS` of Linux).
const LINKS: usize = 40;

/// Where a path leads.
pub(super) struct Place {
    /// The path as it was given, without `.` and with `..` taken back by its text.
    pub(super) asked: String,
    /// The path without links, from the workspace's root; empty for the root itself.
    pub(super) real: String,
    /// What stands there.
    pub(super) found: Found,
}

/// What stands at a place.
pub(super) enum Found {
    /// A folder.
    Folder(Dir),
    /// A regular file.
    File {
        /// The folder that it is in.
        parent: Dir,
        /// Its name there.
        name: String,
    },
    /// Nothing yet.
    Nothing {
        /// The last folder on the way that is there.
        parent: Dir,
        /// The folders that are not.
        folders: Vec<String>,
        /// The last name.
        name: String,
    },
}

enum Step {
    Into(String),
    Up,
}

impl Place {
    /// Looks a path up from the workspace's root.
    ///
    /// # Errors
    /// `invalid`, `out-of-workspace`; `not-a-file` for anything but regular files, folders and
    /// links; `not-found` where a file is taken for a folder.
    pub(super) fn find(workspace: &Dir, given: &str) -> Result<Self, FileError> {
        let (asked, steps) = read(given)?;
        let (real, found) = walk(workspace, given, steps)?;
        if given.ends_with('/') && !matches!(found, Found::Folder(_)) {
            return Err(FileError::Invalid(format!(
                "`{}` ends with `/`, which only a folder does",
                visible_name(given)
            )));
        }
        Ok(Self { asked, real, found })
    }

    /// Whether it was given by another path than its own.
    pub(super) fn is_by_link(&self) -> bool {
        self.asked != self.real
    }
}

/// The workspace, opened for one call.
///
/// # Errors
/// It is not there, or not readable.
pub(super) fn open_workspace(path: &Path) -> Result<Dir, FileError> {
    Dir::open_ambient_dir(path, ambient_authority()).map_err(|source| FileError::Io {
        path: "the workspace".to_owned(),
        source,
    })
}

/// Opens a regular file of a folder for reading; never a link, and never something that waits.
///
/// # Errors
/// `changed` if a link stands there now; `not-a-file`.
pub(super) fn open_file(parent: &Dir, name: &str, shown: &str) -> Result<File, FileError> {
    refuse_special(metadata(parent, name, shown)?, shown)?;
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = parent
        .open_with(name, &options)
        .map_err(|error| of_swap(parent, name, shown, error))?;
    // Once more, of what was opened.
    let opened = file
        .metadata()
        .map_err(|error| FileError::of_io(shown, error))?;
    refuse_special(opened.file_type(), shown)?;
    if opened.is_file() {
        Ok(file)
    } else {
        Err(FileError::changed(shown))
    }
}

fn metadata(parent: &Dir, name: &str, shown: &str) -> Result<FileType, FileError> {
    parent
        .symlink_metadata(name)
        .map(|found| found.file_type())
        .map_err(|error| FileError::of_io(shown, error))
}

/// An opening that failed although the name was looked at before: something else stands there.
fn of_swap(parent: &Dir, name: &str, shown: &str, error: std::io::Error) -> FileError {
    match parent.symlink_metadata(name) {
        Ok(now) if now.is_symlink() => FileError::changed(shown),
        _ => FileError::of_io(shown, error),
    }
}

fn refuse_special(found: FileType, shown: &str) -> Result<(), FileError> {
    let kind = if found.is_fifo() {
        "a FIFO"
    } else if found.is_socket() {
        "a socket"
    } else if found.is_char_device() || found.is_block_device() {
        "a device"
    } else {
        return Ok(());
    };
    Err(FileError::NotAFile {
        path: visible_name(shown),
        kind,
    })
}

/// Reads a path that was given: its text without what means nothing, and its steps.
fn read(given: &str) -> Result<(String, VecDeque<Step>), FileError> {
    let fault = if given.is_empty() {
        Some("the path is empty: `.` is the workspace itself")
    } else if given.len() > PATH {
        Some("the path is longer than 4096 bytes")
    } else if given.contains('\0') {
        Some("a path holds no NUL")
    } else {
        None
    };
    if let Some(fault) = fault {
        return Err(FileError::Invalid(fault.to_owned()));
    }
    if given.starts_with('/') {
        return Err(FileError::out_of_workspace(given));
    }
    let mut names: Vec<&str> = Vec::new();
    let mut list = VecDeque::new();
    for name in given.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                if names.pop().is_none() {
                    return Err(FileError::out_of_workspace(given));
                }
                list.push_back(Step::Up);
            }
            name => {
                names.push(name);
                list.push_back(Step::Into(name.to_owned()));
            }
        }
    }
    Ok((names.join("/"), list))
}

fn walk(
    workspace: &Dir,
    given: &str,
    mut steps: VecDeque<Step>,
) -> Result<(String, Found), FileError> {
    let io = |error| FileError::of_io(given, error);
    // The folders that were walked, each open, without the workspace itself.
    let mut walked: Vec<(String, Dir)> = Vec::new();
    let mut absent: Vec<String> = Vec::new();
    let (mut names, mut links) = (0, 0);
    while let Some(step) = steps.pop_front() {
        let Step::Into(name) = step else {
            if !absent.is_empty() {
                return Err(FileError::not_found(given));
            }
            if walked.pop().is_none() {
                return Err(FileError::out_of_workspace(given));
            }
            continue;
        };
        names += 1;
        if names > NAMES {
            return Err(FileError::Invalid(format!(
                "the path leads through more than {NAMES} names"
            )));
        }
        if !absent.is_empty() {
            absent.push(name);
            continue;
        }
        let here = walked.last().map_or(workspace, |(_, dir)| dir);
        let found = match here.symlink_metadata(&name) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                absent.push(name);
                continue;
            }
            Err(error) => return Err(io(error)),
        };
        if found.is_symlink() {
            links += 1;
            if links > LINKS {
                return Err(FileError::Invalid(format!(
                    "`{}` leads through more than {LINKS} links",
                    visible_name(given)
                )));
            }
            // It was a link a moment ago.
            let target = here
                .read_link_contents(&name)
                .map_err(|_| FileError::changed(given))?;
            follow(&target, given, &mut steps)?;
        } else if found.is_dir() {
            let dir = here
                .open_dir_nofollow(&name)
                .map_err(|error| of_swap(here, &name, given, error))?;
            walked.push((name, dir));
        } else {
            refuse_special(found, given)?;
            if !steps.is_empty() {
                return Err(FileError::not_found(given));
            }
            let parent = here.try_clone().map_err(io)?;
            let real = joined(&walked, [name.as_str()]);
            return Ok((real, Found::File { parent, name }));
        }
    }
    let real = joined(&walked, absent.iter().map(String::as_str));
    let last = walked.last().map_or(workspace, |(_, dir)| dir);
    let here = last.try_clone().map_err(io)?;
    Ok(match absent.pop() {
        None => (real, Found::Folder(here)),
        Some(name) => {
            let found = Found::Nothing {
                parent: here,
                folders: absent,
                name,
            };
            (real, found)
        }
    })
}

/// Puts the steps of a link's target before the others.
fn follow(target: &Path, given: &str, steps: &mut VecDeque<Step>) -> Result<(), FileError> {
    if target.is_absolute() {
        return Err(FileError::out_of_workspace(given));
    }
    let Some(target) = target.to_str() else {
        return Err(FileError::Invalid(format!(
            "`{}` leads through a link whose target is not UTF-8",
            visible_name(given)
        )));
    };
    for name in target.rsplit('/') {
        match name {
            "" | "." => {}
            ".." => steps.push_front(Step::Up),
            name => steps.push_front(Step::Into(name.to_owned())),
        }
    }
    Ok(())
}

fn joined<'a>(walked: &'a [(String, Dir)], rest: impl IntoIterator<Item = &'a str>) -> String {
    let walked = walked.iter().map(|(name, _)| name.as_str());
    walked.chain(rest).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
