//! What can go wrong at this crate's boundary.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why the configuration or the home was refused. [`ConfigError::code`] is stable; the text is
/// for people.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A configuration file cannot be read or understood. Nothing in it counts as allowed.
    #[error("{}{}: {reason}; correct the file, until then nothing in it is allowed",
        .path.display(), .place.map(|place| format!(":{place}")).unwrap_or_default())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Where in it, if that is known.
        place: Option<Place>,
        /// What is wrong.
        reason: String,
    },
    /// A file parses, but its keys cannot be changed without touching what is not ours.
    #[error(
        "{}: cannot edit the keys of {plugin} without touching the rest of the file; edit them by \
         hand under [plugins.{plugin}]", .path.display()
    )]
    NotEditable {
        /// The file.
        path: PathBuf,
        /// The plugin whose keys were to change.
        plugin: String,
    },
    /// A file could not be written. The old one, if there was one, is whole.
    #[error(
        "cannot write {}: {source}; check that this user may write to its folder and that the \
         disk has room", .path.display()
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not a name of a profile or a plugin.
    #[error(
        "{name:?} is no {kind} name: use a to z, 0 to 9 and `-`, a letter first, at most 64 \
         characters"
    )]
    InvalidName {
        /// `profile` or `plugin`.
        kind: &'static str,
        /// What was given.
        name: String,
    },
    /// No home was given, and the platform names no data folder.
    #[error("there is no folder to keep the host's data in: pass --home DIR or set OSTLER_HOME")]
    HomeUnknown,
    /// Something that is no folder stands where the home or one of its folders should be.
    #[error("{} is not a folder; move it away, or choose another home with --home DIR",
        .path.display())]
    HomeNotAFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// The home or one of its folders cannot be made, read or entered.
    #[error(
        "cannot use the folder {}: {source}; give this user read, write and search permission, \
         or choose another home with --home DIR", .path.display()
    )]
    HomeUnreadable {
        /// The folder.
        path: PathBuf,
        /// What the system said, or what its mode lacks.
        source: io::Error,
    },
    /// Somebody else may write to the home or one of its folders, and so act as the host.
    #[error(
        "others may write to the folder {} (owner {owner}, mode {mode:04o}); make it yours alone: \
         chown it to this user and chmod 700 it", .path.display()
    )]
    HomeExposed {
        /// The folder.
        path: PathBuf,
        /// Its owner's user id.
        owner: u32,
        /// Its permission bits.
        mode: u32,
    },
}

impl ConfigError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "config-unreadable",
            Self::NotEditable { .. } => "config-not-editable",
            Self::Unwritable { .. } => "config-unwritable",
            Self::InvalidName { .. } => "invalid-name",
            Self::HomeUnknown => "home-unknown",
            Self::HomeNotAFolder { .. } => "home-not-a-folder",
            Self::HomeUnreadable { .. } => "home-unreadable",
            Self::HomeExposed { .. } => "home-exposed",
        }
    }
}

/// A place in a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in Unicode scalar values.
    pub column: usize,
}

impl Place {
    /// The place of the byte `offset` in `text`, of whose UTF-8 only the part before it must be
    /// valid.
    pub(crate) fn of(text: &[u8], offset: usize) -> Self {
        let before = String::from_utf8_lossy(&text[..offset.min(text.len())]);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        Self { line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
