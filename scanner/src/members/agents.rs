//! The profile's agents.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:agents.read`.
    pub const AGENTS_READ: Self = Self::new("agentApi:agents.read");

    /// `agentApi:agents.write`.
    pub const AGENTS_WRITE: Self = Self::new("agentApi:agents.write");
}

pub(super) static GROUP: Group = Group {
    name: "agents",
    permissions: &[
        PermissionText {
            permission: Permission::AGENTS_READ,
            sentence: "see your agents with their instructions, models and tools",
        },
        PermissionText {
            permission: Permission::AGENTS_WRITE,
            sentence: "create, change and delete your agents, including the instructions they \
                follow and the tools they are offered",
        },
    ],
    members: &[
        Member {
            interface: "agents-read",
            function: "list",
            path: "agents.list",
            permissions: &[Permission::AGENTS_READ],
            presence: Presence::Platform,
            sentence: "list the profile's agents and their instructions",
        },
        Member {
            interface: "agents-write",
            function: "create",
            path: "agents.create",
            permissions: &[Permission::AGENTS_WRITE],
            presence: Presence::Platform,
            sentence: "create an agent",
        },
        Member {
            interface: "agents-write",
            function: "update",
            path: "agents.update",
            permissions: &[Permission::AGENTS_WRITE],
            presence: Presence::Platform,
            sentence: "change an agent and what it follows",
        },
        Member {
            interface: "agents-write",
            function: "delete",
            path: "agents.delete",
            permissions: &[Permission::AGENTS_WRITE],
            presence: Presence::Platform,
            sentence: "delete an agent",
        },
    ],
};
