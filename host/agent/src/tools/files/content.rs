//! What a file holds now, whole and bounded.

use std::io::Read as _;

use cap_std::fs::{Dir, PermissionsExt as _};
use sha2::{Digest as _, Sha256};

use super::error::FileError;
use super::place::{Found, Place, open_file};
use super::text::visible_name;

/// The most that a file may hold that is written here, before and after, in bytes.
pub(super) const MOST: u64 = 1024 * 1024;

/// What stands at a place before it is written.
pub(super) enum Before {
    /// Nothing.
    Absent,
    /// A file.
    File(Content),
}

/// A file's content.
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    /// Its permissions, without the bits that lend somebody's rights.
    pub(super) mode: u32,
}

impl Before {
    /// Reads what stands at a place.
    ///
    /// # Errors
    /// A folder stands there, it is more than [`MOST`], or it cannot be read.
    pub(super) fn read(place: &Place) -> Result<Self, FileError> {
        let shown = &place.asked;
        match &place.found {
            Found::Nothing { .. } => Ok(Self::Absent),
            Found::Folder(_) => Err(FileError::NotAFile {
                path: visible_name(shown),
                kind: "a folder",
            }),
            Found::File { parent, name } => Content::read(parent, name, shown).map(Self::File),
        }
    }

    /// Names it to the byte: `absent`, or `sha256:` and 64 hexadecimal digits.
    pub(super) fn digest(&self) -> String {
        match self {
            Self::Absent => "absent".to_owned(),
            Self::File(content) => digest(&content.bytes),
        }
    }
}

impl Content {
    /// Reads a file of a folder.
    ///
    /// # Errors
    /// As [`Before::read`].
    pub(super) fn read(parent: &Dir, name: &str, shown: &str) -> Result<Self, FileError> {
        let file = open_file(parent, name, shown)?;
        let io = |error| FileError::of_io(shown, error);
        let found = file.metadata().map_err(io)?;
        let mut bytes = Vec::new();
        file.take(MOST + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > MOST {
            return Err(FileError::TooLarge {
                path: visible_name(shown),
                what: "is larger than what this tool writes over".to_owned(),
                most: MOST,
                advice: "Change it by a command",
            });
        }
        Ok(Self {
            bytes,
            mode: found.permissions().mode() & 0o777,
        })
    }

    /// Its text.
    ///
    /// # Errors
    /// `binary`: it is not UTF-8, or holds a NUL.
    pub(super) fn text(&self, shown: &str) -> Result<&str, FileError> {
        std::str::from_utf8(&self.bytes)
            .ok()
            .filter(|text| !text.contains('\0'))
            .ok_or_else(|| FileError::Binary(visible_name(shown)))
    }
}

/// `sha256:` and 64 hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}
