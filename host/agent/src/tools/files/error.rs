//! Why a file tool did not do what it was called for.

use std::io;

use super::text::visible_name;
use crate::gate::CHANGED;
use crate::tools::ToolFailure;

/// A call that came to nothing. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    /// Nothing stands there.
    #[error(
        "there is no `{0}` in the workspace. Paths are given from the workspace's root; look for \
         the file with `search_files`"
    )]
    NotFound(String),
    /// The call itself is wrong.
    #[error("{0}")]
    Invalid(String),
    /// The path leads out.
    #[error(
        "`{0}` leads out of the workspace. Give a path from the workspace's root, which no `..` \
         and no link leads out of"
    )]
    OutOfWorkspace(String),
    /// No regular file.
    #[error("`{path}` is {kind}, not a regular file. Name a regular file")]
    NotAFile {
        /// As it was given.
        path: String,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// Over a bound.
    #[error("`{path}` {what}, and the most is {most} bytes. {advice}")]
    TooLarge {
        /// As it was given.
        path: String,
        /// What is too large, as the rest of a sentence.
        what: String,
        /// The bound.
        most: u64,
        /// What to do.
        advice: &'static str,
    },
    /// No text.
    #[error("`{0}` holds no text in UTF-8. Use a command that reads or makes such files")]
    Binary(String),
    /// There is such a file already.
    #[error("`{0}` is there already. Leave out `create_only` to replace it, or take another name")]
    Exists(String),
    /// Its mode lets nobody write it.
    #[error("`{0}` is read-only. Ask the person whether it may be made writable first")]
    ReadOnly(String),
    /// `old` is nowhere in the file.
    #[error("edit {edit}: `old` is not in the file. {hint}. Nothing was written")]
    NoMatch {
        /// Which edit, from 1.
        edit: usize,
        /// What to look at.
        hint: String,
    },
    /// `old` is there more than once.
    #[error(
        "edit {edit}: `old` is in the file more than once, in lines {lines}. Give more of the text \
         around it, or set `all`. Nothing was written"
    )]
    Ambiguous {
        /// Which edit, from 1.
        edit: usize,
        /// Where it begins, for people.
        lines: String,
    },
    /// It, or what leads to it, was changed while the call ran.
    #[error("`{0}` was changed by something else at the same time. Read it again")]
    Changed(String),
    /// A secret would be written or shown.
    #[error(
        "{0} holds a secret that this host keeps. Nothing was written: a secret has no place in a \
         file of the workspace. Tell the person; a plugin can be given it by its name"
    )]
    Secret(&'static str),
    /// The system's own refusal.
    #[error("`{path}` cannot be used: {source}. Tell the person")]
    Io {
        /// As it was given.
        path: String,
        /// Why.
        source: io::Error,
    },
}

impl FileError {
    pub(super) fn not_found(path: &str) -> Self {
        Self::NotFound(visible_name(path))
    }

    pub(super) fn out_of_workspace(path: &str) -> Self {
        Self::OutOfWorkspace(visible_name(path))
    }

    pub(super) fn changed(path: &str) -> Self {
        Self::Changed(visible_name(path))
    }

    /// What the system said about a path, by its kind.
    pub(super) fn of_io(path: &str, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::not_found(path),
            io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => Self::Invalid(format!(
                "`{}` is no name that a file can have: give a shorter or a simpler one",
                visible_name(path)
            )),
            // How `cap_std` tells that a path leads out: with no number of the system's.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                Self::out_of_workspace(path)
            }
            _ => Self::Io {
                path: visible_name(path),
                source: error,
            },
        }
    }

    /// A stable code.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not-found",
            Self::Invalid(_) => "invalid",
            Self::OutOfWorkspace(_) => "out-of-workspace",
            Self::NotAFile { .. } => "not-a-file",
            Self::TooLarge { .. } => "too-large",
            Self::Binary(_) => "binary",
            Self::Exists(_) => "exists",
            Self::ReadOnly(_) => "read-only",
            Self::NoMatch { .. } => "no-match",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Changed(_) => CHANGED,
            Self::Secret(_) => "secret-in-file",
            Self::Io { .. } => "io",
        }
    }
}

impl From<FileError> for ToolFailure {
    fn from(error: FileError) -> Self {
        Self::new(error.code(), format!("{error}."))
    }
}
