//! Commands over the assistant's SSH connections.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `host:ssh:command`.
    pub const SSH_COMMAND: Self = Self::new("host:ssh:command");
}

pub(super) static GROUP: Group = Group {
    name: "ssh",
    permissions: &[PermissionText {
        permission: Permission::SSH_COMMAND,
        sentence: "run commands on the servers that the assistant connects to over SSH, each time \
            it connects, has run a command or disconnects",
    }],
    members: &[Member {
        interface: "ssh",
        function: "command",
        path: "ssh.command",
        permissions: &[Permission::SSH_COMMAND],
        presence: Presence::Ssh,
        sentence: "run a command on the connected server",
    }],
};
