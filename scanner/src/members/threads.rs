//! Threads on Discord.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `host:threads:create`.
    pub const THREADS_CREATE: Self = Self::new("host:threads:create");
}

pub(super) static GROUP: Group = Group {
    name: "threads",
    permissions: &[PermissionText {
        permission: Permission::THREADS_CREATE,
        sentence: "open threads in the Discord channels that you listed for posting",
    }],
    members: &[Member {
        interface: "threads",
        function: "create",
        path: "threads.create",
        permissions: &[Permission::THREADS_CREATE],
        presence: Presence::Threads,
        sentence: "open a thread in a listed channel",
    }],
};
