//! What a judgement holds.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::NotReadOnly;

/// What a command is judged against.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The folder that read-only commands must stay in: an absolute path.
    pub workspace: &'a Path,
    /// The folder that the command starts in: an absolute path.
    pub folder: &'a Path,
    /// Patterns over paths that no read-only command may touch: `*` and `?` stand for text and a
    /// character of a name, `**` for any number of folders. A pattern is held against the path
    /// from the workspace and against the absolute path, and one without a `/` against every name
    /// of the path; it takes in all that lies below what it fits.
    pub protected: &'a [String],
    /// Patterns over commands that are never run: `*` stands for any text, `?` for any one
    /// character, and letter case makes no difference. A pattern is held against the whole text,
    /// the text without its quoting, and every simple command with its words joined by one space.
    pub deny: &'a [String],
}

/// What a command would do, as far as its text tells.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Why the command may never run, whoever approves it.
    pub floor: Option<Floor>,
    /// Whether the command only reads, and only what it may: then it runs unasked on every turn.
    pub read_only: Result<(), NotReadOnly>,
    /// Why the command could do harm, in the order of its text; at most 64.
    pub findings: Vec<Finding>,
    /// Whether any part of it runs as another user: through `sudo`, `doas`, `pkexec`, `su` or
    /// `run0`.
    pub uses_sudo: bool,
    /// Files whose contents the command would run, each once, as absolute paths without `.` and
    /// `..`. A program that tries several names (`make`) gives each of them, whether it is there
    /// or not.
    pub scripts: Vec<PathBuf>,
    /// The same for every text that runs the same simple commands.
    pub equivalence: Equivalence,
}

/// A reason for which a command never runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floor {
    /// Its stable name: `destroys-system`, `destroys-home`, `raw-device`, `file-system`,
    /// `fork-bomb`, `kills-everything`, `shutdown` or `denied`.
    pub code: &'static str,
    /// The sentence for a person.
    pub text: String,
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One reason for which a command could do harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of harm.
    pub category: Category,
    /// The part of the command that it is about, at most 200 characters.
    pub text: String,
    /// What it would do: one plain sentence.
    pub why: String,
}

/// A kind of harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Category {
    /// Deletes folders with all that is in them.
    RecursiveDeletion,
    /// Changes permissions or owners.
    Permissions,
    /// Changes disks, partitions, mounts.
    Disks,
    /// Deletes data of a database.
    Databases,
    /// Changes services.
    Services,
    /// Ends processes.
    Processes,
    /// Runs commands elsewhere, or commands from elsewhere.
    RemoteExecution,
    /// Hands text to a shell or interpreter that cannot be read here.
    PipeToShell,
    /// Asks a cloud's metadata service, which hands out credentials.
    CloudMetadata,
    /// Changes the system's or a shell's configuration.
    SystemConfiguration,
    /// Touches keys or credentials, also only to read them.
    Credentials,
    /// Touches a project's secrets, also only to read them.
    ProjectSecrets,
    /// Touches a path that the operator protects.
    Protected,
    /// Loses commits or uncommitted work, or rewrites what others have.
    GitHistory,
    /// Removes or opens up containers and what runs in clusters.
    Containers,
    /// Removes packages.
    Packages,
    /// Gets more rights.
    Privilege,
    /// Arranges for something to run later.
    Persistence,
    /// Sends files or text elsewhere.
    Exfiltration,
    /// Changes which programs or libraries a command runs.
    Environment,
    /// Changes the host of this assistant.
    HostControl,
    /// Cannot be told: the text, or what it runs, is not readable.
    Unreadable,
}

impl Category {
    /// Its stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RecursiveDeletion => "recursive-deletion",
            Self::Permissions => "permissions",
            Self::Disks => "disks",
            Self::Databases => "databases",
            Self::Services => "services",
            Self::Processes => "processes",
            Self::RemoteExecution => "remote-execution",
            Self::PipeToShell => "pipe-to-shell",
            Self::CloudMetadata => "cloud-metadata",
            Self::SystemConfiguration => "system-configuration",
            Self::Credentials => "credentials",
            Self::ProjectSecrets => "project-secrets",
            Self::Protected => "protected",
            Self::GitHistory => "git-history",
            Self::Containers => "containers",
            Self::Packages => "packages",
            Self::Privilege => "privilege",
            Self::Persistence => "persistence",
            Self::Exfiltration => "exfiltration",
            Self::Environment => "environment",
            Self::HostControl => "host-control",
            Self::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What two texts that run the same simple commands have in common.
///
/// Quoting, spacing, comments, the way the commands are joined, and wrapping in `sh -c`, `env`,
/// `command`, `nice`, `timeout` and their like make no difference; the order of the commands and
/// of their words does. It is for refusing again what was refused. It must not grant anything:
/// how commands are joined, and the variables that are set for them, are left out of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Equivalence(pub(crate) String);
