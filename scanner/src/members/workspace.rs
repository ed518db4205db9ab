//! The files of an agent's workspace folder.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `host:workspace:read`.
    pub const WORKSPACE_READ: Self = Self::new("host:workspace:read");

    /// `host:workspace:write`.
    pub const WORKSPACE_WRITE: Self = Self::new("host:workspace:write");
}

pub(super) static GROUP: Group = Group {
    name: "workspace",
    permissions: &[
        PermissionText {
            permission: Permission::WORKSPACE_READ,
            sentence: "list and read the files in the workspace folder of the agent that uses it",
        },
        PermissionText {
            permission: Permission::WORKSPACE_WRITE,
            sentence: "create, change and delete files in the workspace folder of the agent that \
                uses it",
        },
    ],
    members: &[
        Member {
            interface: "workspace-read",
            function: "list",
            path: "workspace.list",
            permissions: &[Permission::WORKSPACE_READ],
            presence: Presence::Workspace,
            sentence: "list the files of a workspace folder",
        },
        Member {
            interface: "workspace-read",
            function: "read",
            path: "workspace.read",
            permissions: &[Permission::WORKSPACE_READ],
            presence: Presence::Workspace,
            sentence: "read a file of the workspace",
        },
        Member {
            interface: "workspace-write",
            function: "write",
            path: "workspace.write",
            permissions: &[Permission::WORKSPACE_WRITE],
            presence: Presence::Workspace,
            sentence: "write a file of the workspace",
        },
        Member {
            interface: "workspace-write",
            function: "edit",
            path: "workspace.edit",
            permissions: &[Permission::WORKSPACE_WRITE],
            presence: Presence::Workspace,
            sentence: "replace parts of a workspace file",
        },
        Member {
            interface: "workspace-write",
            function: "delete",
            path: "workspace.delete",
            permissions: &[Permission::WORKSPACE_WRITE],
            presence: Presence::Workspace,
            sentence: "delete a file or folder of the workspace",
        },
    ],
};
