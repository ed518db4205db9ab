//! What can go wrong at this crate's boundary.

use std::path::PathBuf;

/// Why a command did not run, or why nothing is known of it. [`ConfineError::code`] is stable; the
/// text is for people.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfineError {
    /// The workspace is no folder that can be entered.
    #[error(
        "the workspace {} cannot be entered: {source}; create it, owned by the user that runs the \
         host", .path.display()
    )]
    NoWorkspace {
        /// The workspace.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The working folder is missing, or is not in the workspace.
    #[error(
        "the working folder {} is not a folder in the workspace {}; name one that is",
        .folder.display(), .workspace.display()
    )]
    FolderOutside {
        /// The working folder.
        folder: PathBuf,
        /// The workspace.
        workspace: PathBuf,
    },
    /// The workspace and a hidden path lie within one another, so no box can show the one and not
    /// the other.
    #[error(
        "the workspace {} and {}, which must stay hidden, lie within one another; move the \
         workspace out", .workspace.display(), .hidden.display()
    )]
    WorkspaceHidden {
        /// The workspace.
        workspace: PathBuf,
        /// The hidden path.
        hidden: PathBuf,
    },
    /// The workspace is a folder of the system's, in one, or around one.
    #[error(
        "the workspace {} and the system's folder {} lie within one another; move the workspace, \
         for example to a folder of its own in /srv", .workspace.display(), .system.display()
    )]
    WorkspaceSystem {
        /// The workspace.
        workspace: PathBuf,
        /// The system's folder.
        system: PathBuf,
    },
    /// A path that the box needs cannot be said in UTF-8, or a hidden one is not absolute.
    #[error("the path {} must be absolute and in UTF-8; rename what it goes through", .path.display())]
    BadPath {
        /// The path.
        path: PathBuf,
    },
    /// The command cannot be an argument of a program.
    #[error(
        "a command has 1 to {limit} bytes, none of them zero; put a longer script into a file of \
         the workspace and run that"
    )]
    BadCommand {
        /// The most bytes that a command has.
        limit: usize,
    },
    /// A variable cannot stand in an environment.
    #[error(
        "the environment variable {name:?} cannot be set: a name is not empty and has no `=`, \
         name and value have no zero byte and at most {limit} bytes"
    )]
    BadEnvironment {
        /// The variable.
        name: String,
        /// The most bytes of both together.
        limit: usize,
    },
    /// A layer of the box could not be put on. The command did not run.
    #[error(
        "the command did not run: {layer} could not be put on: {reason}; run `ostler doctor` to \
         see what this machine has"
    )]
    NotConfined {
        /// What failed: `mount namespace`, `Landlock`.
        layer: String,
        /// Why.
        reason: String,
    },
    /// The launcher could not be started. The command did not run.
    #[error(
        "the command did not run: cannot start {}: {source}; if the program was replaced while it \
         ran, start the host again", .path.display()
    )]
    Launcher {
        /// The launcher.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The box ended and never said how the command did. It may have run in part.
    #[error(
        "the box ended without a word of its command ({reason}), which may have run in part; the \
         system may have been short of memory: look at what it did, then try again"
    )]
    Lost {
        /// What is known.
        reason: String,
    },
}

impl ConfineError {
    /// The error's stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoWorkspace { .. } => "confine-no-workspace",
            Self::FolderOutside { .. } => "confine-folder-outside",
            Self::WorkspaceHidden { .. } => "confine-workspace-hidden",
            Self::WorkspaceSystem { .. } => "confine-workspace-system",
            Self::BadPath { .. } => "confine-bad-path",
            Self::BadCommand { .. } => "confine-bad-command",
            Self::BadEnvironment { .. } => "confine-bad-environment",
            Self::NotConfined { .. } => "confine-not-confined",
            Self::Launcher { .. } => "confine-launcher",
            Self::Lost { .. } => "confine-lost",
        }
    }
}

/// Why this machine gives no box. `shell` and `execute_code` are then the owner's only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unconfined {
    /// Boxes are built from what Linux has.
    #[error("this system has no boxes for commands: they need Linux; run the host there")]
    Platform,
    /// A box was tried and could not be built.
    #[error(
        "this machine gives no box for commands: {tried}; boxes need user namespaces (or root with \
         CAP_SYS_ADMIN) and seccomp: see the sysctls user.max_user_namespaces, \
         kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns; in a \
         container they need its seccomp profile to allow `unshare`"
    )]
    Refused {
        /// What was tried, and what the system said.
        tried: String,
    },
    /// A box was built and did not hold what it must.
    #[error(
        "the box for commands was tried and does not hold ({found}); this is a fault of Ostler's \
         or of this kernel: please report it"
    )]
    Leaks {
        /// What the command in the box said.
        found: String,
    },
    /// The trial itself could not be made.
    #[error("cannot try the box for commands: {source}; {}", .source.code())]
    Trial {
        /// What failed.
        #[from]
        source: ConfineError,
    },
}

impl Unconfined {
    /// The error's stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Platform => "confine-platform",
            Self::Refused { .. } => "confine-unavailable",
            Self::Leaks { .. } => "confine-leaks",
            Self::Trial { .. } => "confine-trial",
        }
    }
}
