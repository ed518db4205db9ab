//! What is to run, and the checks that it can be boxed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::ConfineError;
use crate::order::{Order, SYSTEM};

/// A string that a program is started with has less than this (Linux `MAX_ARG_STRLEN`, with its
/// zero byte).
const STRING_BYTES: usize = 128 * 1024 - 1;

/// The folders that a box has of its own, or not at all.
const OWN: &[&str] = &["/dev", "/proc", "/run", "/sys"];

/// What the command finds in its environment, beside `HOME` and `TMPDIR`.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("LANG", "C.UTF-8"),
    ("LOGNAME", "ostler"),
    (
        "PATH",
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ),
    ("SHELL", "/bin/sh"),
    ("TERM", "dumb"),
    ("USER", "ostler"),
];

/// Whether a command may use the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Network {
    /// No sockets but those of the box's own processes among themselves (`AF_UNIX`); not even
    /// loopback.
    #[default]
    None,
    /// HTTP and HTTPS, through a proxy that the environment names (`HTTP_PROXY`, `HTTPS_PROXY` and
    /// their like): public addresses on the ports 80 and 443, and what [`Reach`] adds. Programs
    /// that know no proxy reach nothing; there is no UDP and no name service.
    Open,
}

/// What [`Network::Open`] reaches beside the public ports 80 and 443.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reach {
    /// Further ports of public addresses.
    pub ports: Vec<u16>,
    /// Addresses that are reachable although they are not public: a mirror of packages in the
    /// operator's own network. Never the host's API or the emulator.
    pub addresses: Vec<SocketAddr>,
}

/// A command to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// What `/bin/sh -c` gets: 1 byte to 128 KiB.
    pub command: String,
    /// The folder that the command may write in. It lies in no folder of the system and in no
    /// hidden one. In the box it has the same path as outside.
    pub workspace: PathBuf,
    /// Where the command starts: the workspace or a folder in it, absolute or from the workspace.
    pub folder: PathBuf,
    /// Absolute paths that are never reachable, even in a folder that is readable: the host's home,
    /// package folders, other workspaces. What is missing when the box is built is not hidden if it
    /// comes up in a folder of the system's later.
    pub hidden: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: Network,
    /// What the network reaches when it is open.
    pub reach: Reach,
    /// What the caller lets through. It comes on top of `PATH`, `LANG`, `TERM`, `HOME`, `TMPDIR`,
    /// `SHELL`, `USER` and `LOGNAME`, and goes before them. Nothing else is inherited.
    pub environment: BTreeMap<String, String>,
    /// From the start of the box. What still runs then is killed.
    pub timeout: Duration,
    /// How much of each stream is kept: its beginning and its end.
    pub output_bytes: usize,
}

/// The real path of `path`, as far as it exists.
fn real(path: &Path) -> PathBuf {
    for at in path.ancestors() {
        if let Ok(real) = at.canonicalize() {
            return match path.strip_prefix(at) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}

fn lie_within(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

impl Job {
    /// The order for the launcher. Looks at the file system, and so may block.
    pub(crate) fn order(&self) -> Result<Order, ConfineError> {
        let (workspace, folder) = self.places()?;
        let mut hidden = Vec::new();
        for path in &self.hidden {
            let climbs = path.components().any(|c| c == Component::ParentDir);
            if !path.is_absolute() || climbs {
                return Err(ConfineError::BadPath { path: path.clone() });
            }
            let real = real(path);
            if lie_within(&workspace, &real) {
                return Err(ConfineError::WorkspaceHidden {
                    workspace,
                    hidden: real,
                });
            }
            hidden.push(utf8(real)?);
        }
        let temporary = real(&std::env::temp_dir());
        for system in SYSTEM.iter().chain(OWN).map(Path::new) {
            if lie_within(&workspace, system) {
                let system = system.to_owned();
                return Err(ConfineError::WorkspaceSystem { workspace, system });
            }
        }
        // Around the folder where every box has its own, it would show the others.
        if temporary.starts_with(&workspace) {
            return Err(ConfineError::WorkspaceSystem {
                workspace,
                system: temporary,
            });
        }
        if self.command.is_empty()
            || self.command.len() >= STRING_BYTES
            || self.command.contains('\0')
        {
            return Err(ConfineError::BadCommand {
                limit: STRING_BYTES - 1,
            });
        }
        Ok(Order {
            command: self.command.clone(),
            workspace: utf8(workspace)?,
            folder: utf8(folder)?,
            temporary: utf8(temporary)?,
            environment: self.whole_environment()?,
            cpu_seconds: self.cpu_seconds(),
            confine: None,
            hidden,
            network: self.network == Network::Open,
        })
    }

    /// The real paths of the workspace and of the working folder.
    fn places(&self) -> Result<(PathBuf, PathBuf), ConfineError> {
        let lost = |source| ConfineError::NoWorkspace {
            path: self.workspace.clone(),
            source,
        };
        if !self.workspace.is_absolute() {
            return Err(ConfineError::BadPath {
                path: self.workspace.clone(),
            });
        }
        let workspace = self.workspace.canonicalize().map_err(lost)?;
        if !workspace.is_dir() {
            return Err(lost(io::ErrorKind::NotADirectory.into()));
        }
        let folder = workspace.join(&self.folder);
        let outside = || ConfineError::FolderOutside {
            folder: folder.clone(),
            workspace: workspace.clone(),
        };
        let real = folder.canonicalize().map_err(|_| outside())?;
        if !real.is_dir() || !real.starts_with(&workspace) {
            return Err(outside());
        }
        Ok((workspace, real))
    }

    fn whole_environment(&self) -> Result<BTreeMap<String, String>, ConfineError> {
        let mut whole: BTreeMap<String, String> = ENVIRONMENT
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        for (name, value) in &self.environment {
            if name.is_empty()
                || name.contains(['=', '\0'])
                || value.contains('\0')
                || name.len() + 1 + value.len() >= STRING_BYTES
            {
                return Err(ConfineError::BadEnvironment {
                    name: name.clone(),
                    limit: STRING_BYTES - 2,
                });
            }
            whole.insert(name.clone(), value.clone());
        }
        Ok(whole)
    }

    /// The most processor time of one process: what all processors give it until the time-out.
    fn cpu_seconds(&self) -> u64 {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let seconds = self.timeout.as_secs().saturating_add(1);
        seconds.saturating_mul(processors as u64)
    }
}

/// `path`, which goes to the launcher as JSON.
fn utf8(path: PathBuf) -> Result<PathBuf, ConfineError> {
    if <&str>::try_from(path.as_os_str() as &OsStr).is_err() {
        return Err(ConfineError::BadPath { path });
    }
    Ok(path)
}
