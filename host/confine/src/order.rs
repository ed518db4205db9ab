//! What the host and its launcher say to each other, over one socket that is the launcher's
//! standard input.
//!
//! The host sends the order once for each stage, as a length (4 bytes, little-endian) and JSON: a
//! stage reads its own and not a byte more. The launcher answers with lines of JSON. When the host
//! closes its side, or dies, the box ends.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Ended;

/// The hidden first argument of the launcher. The stage follows.
pub(crate) const ARGUMENT: &str = "__ostler-confine";

/// An order is at most this long. The kernel allows a program far less as arguments.
pub(crate) const ORDER_BYTES: u32 = 16 * 1024 * 1024;

/// The folders that make up the system: what is there is in the box, for reading.
pub(crate) const SYSTEM: &[&str] = &[
    "/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/sbin", "/usr",
];

/// What the launcher is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// For `/bin/sh -c`.
    pub(crate) command: String,
    /// Real path of the folder that may be written.
    pub(crate) workspace: PathBuf,
    /// Real path of the folder to start in.
    pub(crate) folder: PathBuf,
    /// Where the command's own folder is made.
    pub(crate) temporary: PathBuf,
    /// The environment, but for `HOME`, `TMPDIR` and the proxy.
    pub(crate) environment: BTreeMap<String, String>,
    /// The most processor time of one process.
    pub(crate) cpu_seconds: u64,
    /// The layers of the box. None: no box, the owner's unconfined run.
    pub(crate) confine: Option<Layers>,
    /// Real paths that stay hidden.
    pub(crate) hidden: Vec<PathBuf>,
    /// Whether the box has the way out.
    pub(crate) network: bool,
}

impl Order {
    /// How many stages read it.
    pub(crate) fn stages(&self) -> usize {
        if self.confine.is_some() { 3 } else { 2 }
    }
}

/// The layers that machines have or have not. All others are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Layers {
    /// A user namespace. Without it, the launcher has the rights that its namespaces need: it is
    /// root.
    pub(crate) user_namespace: bool,
    /// Landlock.
    pub(crate) landlock: Landlock,
}

/// What is asked of Landlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Landlock {
    /// The trial: as much as the kernel has.
    Trial,
    /// The probe found none.
    None,
    /// All of this ABI, or nothing runs.
    Abi(u8),
}

/// What the launcher says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The descriptor that came along listens where the box's proxy is to be.
    Listening,
    /// Every layer is on; the shell starts now. Holds the ABI of Landlock that is in force.
    Confined(Option<u8>),
    /// The command does not run.
    Failed {
        /// What could not be put on or done.
        layer: String,
        /// Why.
        reason: String,
    },
    /// The shell ended.
    Ended(Ended),
}
