//! What can go wrong at this crate's boundary.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why the configuration or the home was refused. [`ConfigError::code`] is stable; the text is
/// for people.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A configuration file cannot be read, or is no TOML, or a key that is read at every check
    /// has the wrong type. Nothing in it counts as allowed.
    #[error("{}{}: {reason}; correct the file, until then nothing in it is allowed",
        .path.display(), at(*.place))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Where in it, if that is known.
        place: Option<Place>,
        /// What is wrong.
        reason: String,
    },
    /// A configuration file has a key that nothing reads.
    #[error("{}{}: unknown key `{key}`; {}", .path.display(), at(*.place),
        .nearest.as_ref().map_or_else(
            || "`ostler config show --docs` lists the keys".to_owned(),
            |nearest| format!("did you mean `{nearest}`?")))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// Where the key is.
        place: Option<Place>,
        /// The key with the tables that it is in: `discord.token`.
        key: String,
        /// The nearest key that the table may have.
        nearest: Option<String>,
    },
    /// A configuration file has a value that its key does not take.
    #[error("{}{}: {}{reason}", .path.display(), at(*.place),
        .key.as_ref().map(|key| format!("`{key}`: ")).unwrap_or_default())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where the value is.
        place: Option<Place>,
        /// The key with the tables that it is in, if one key is wrong.
        key: Option<String>,
        /// What is wrong, and what it takes.
        reason: String,
    },
    /// `shell.environment` names a variable that looks like a secret.
    #[error(
        "{}{}: `{key}`: a variable with `{part}` in its name looks like a secret, and the shell's \
         commands must not see one; take it out of the list", .path.display(), at(*.place)
    )]
    SecretInEnvironment {
        /// The file.
        path: PathBuf,
        /// Where the name is.
        place: Option<Place>,
        /// The list's element: `shell.environment[0]`.
        key: String,
        /// What gives it away.
        part: &'static str,
    },
    /// The configuration file of a running host is gone.
    #[error(
        "{} is gone; what was read from it before stays in force, but for the keys under \
         [plugins]; put it back, or an empty one for the defaults", .path.display()
    )]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The assistant's shell would work in the home.
    #[error(
        "the workspace {} and the home {} lie in each other; set `workspace` to a folder outside \
         of the home", .workspace.display(), .home.display()
    )]
    WorkspaceInHome {
        /// The workspace.
        workspace: PathBuf,
        /// The home.
        home: PathBuf,
    },
    /// Not a name of a secret.
    #[error(
        "{name:?} is no secret's name: use A to Z, 0 to 9 and `_`, a letter first, at most 64 \
         characters"
    )]
    SecretName {
        /// What was given.
        name: String,
    },
    /// A value that cannot be a secret.
    #[error("the secret's value {reason}")]
    SecretValue {
        /// What is wrong with it. Never a part of the value.
        reason: &'static str,
    },
    /// The key that seals the secrets is not there.
    #[error(
        "the secrets' key {} is missing, so no secret can be opened; put it back from a copy, or \
         set the secrets again", .path.display()
    )]
    SecretsKeyMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The key that seals the secrets cannot be used.
    #[error("the secrets' key {} cannot be used: {reason}", .path.display())]
    SecretsKeyUnusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// Others may read the key that seals the secrets, or may have.
    #[error(
        "others may read the secrets' key {} (owner {owner}, mode {mode:04o}); make it yours alone \
         (0600), and renew the secrets if it leaked", .path.display()
    )]
    SecretsKeyExposed {
        /// The file.
        path: PathBuf,
        /// Its owner's user id.
        owner: u32,
        /// Its permission bits.
        mode: u32,
    },
    /// A sealed value does not open.
    #[error(
        "the secret {name} of the profile {profile} does not open: it was damaged, or sealed with \
         another key or for another place; set it again with `ostler secrets set {name}`"
    )]
    SecretDamaged {
        /// The profile.
        profile: String,
        /// The secret's name.
        name: String,
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
    /// A file of grants is in order, but cannot be changed without touching what is not ours.
    #[error(
        "{}: cannot edit the grants without touching the rest of the file; edit them by hand as \
         [[grant]] tables", .path.display()
    )]
    GrantsNotEditable {
        /// The file.
        path: PathBuf,
    },
    /// What was given cannot be a standing grant.
    #[error("no standing grant can be made: its {what} {reason}")]
    GrantInvalid {
        /// `text`, `session` or `author`.
        what: &'static str,
        /// What is wrong with it, and what it takes.
        reason: &'static str,
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
            Self::UnknownKey { .. } => "config-unknown-key",
            Self::Invalid { .. } => "config-invalid",
            Self::SecretInEnvironment { .. } => "secret-in-environment",
            Self::Gone { .. } => "config-gone",
            Self::WorkspaceInHome { .. } => "workspace-in-home",
            Self::SecretName { .. } => "secret-name-invalid",
            Self::SecretValue { .. } => "secret-value-invalid",
            Self::SecretsKeyMissing { .. } => "secrets-key-missing",
            Self::SecretsKeyUnusable { .. } => "secrets-key-unusable",
            Self::SecretsKeyExposed { .. } => "secrets-key-exposed",
            Self::SecretDamaged { .. } => "secret-damaged",
            Self::NotEditable { .. } | Self::GrantsNotEditable { .. } => "config-not-editable",
            Self::GrantInvalid { .. } => "grant-invalid",
            Self::Unwritable { .. } => "config-unwritable",
            Self::InvalidName { .. } => "invalid-name",
            Self::HomeUnknown => "home-unknown",
            Self::HomeNotAFolder { .. } => "home-not-a-folder",
            Self::HomeUnreadable { .. } => "home-unreadable",
            Self::HomeExposed { .. } => "home-exposed",
        }
    }

    /// Where in a configuration file it is, if that is known.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Unreadable { place, .. }
            | Self::UnknownKey { place, .. }
            | Self::Invalid { place, .. }
            | Self::SecretInEnvironment { place, .. } => *place,
            _ => None,
        }
    }

    /// The key of a configuration file that is wrong, with the tables that it is in, if it is one.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::UnknownKey { key, .. } | Self::SecretInEnvironment { key, .. } => Some(key),
            Self::Invalid { key, .. } => key.as_deref(),
            _ => None,
        }
    }
}

/// A place behind a file's name.
fn at(place: Option<Place>) -> String {
    place.map(|place| format!(":{place}")).unwrap_or_default()
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
