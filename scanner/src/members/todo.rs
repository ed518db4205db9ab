//! The to-dos of a session.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:todo.read`.
    pub const TODO_READ: Self = Self::new("agentApi:todo.read");

    /// `agentApi:todo.write`.
    pub const TODO_WRITE: Self = Self::new("agentApi:todo.write");
}

pub(super) static GROUP: Group = Group {
    name: "todo",
    permissions: &[
        PermissionText {
            permission: Permission::TODO_READ,
            sentence: "read the to-do list of the conversation it is working in",
        },
        PermissionText {
            permission: Permission::TODO_WRITE,
            sentence: "add, change, complete and delete to-dos in the conversation it is working \
                in",
        },
    ],
    members: &[
        Member {
            interface: "todo-read",
            function: "list",
            path: "session.todo.list",
            permissions: &[Permission::TODO_READ],
            presence: Presence::Session,
            sentence: "list the session's to-dos",
        },
        Member {
            interface: "todo-write",
            function: "create",
            path: "session.todo.create",
            permissions: &[Permission::TODO_WRITE],
            presence: Presence::Session,
            sentence: "add a to-do to the session",
        },
        Member {
            interface: "todo-write",
            function: "update",
            path: "session.todo.update",
            permissions: &[Permission::TODO_WRITE],
            presence: Presence::Session,
            sentence: "change a to-do of the session",
        },
        Member {
            interface: "todo-write",
            function: "complete",
            path: "session.todo.complete",
            permissions: &[Permission::TODO_WRITE],
            presence: Presence::Session,
            sentence: "mark a to-do as completed",
        },
        Member {
            interface: "todo-write",
            function: "delete",
            path: "session.todo.delete",
            permissions: &[Permission::TODO_WRITE],
            presence: Presence::Session,
            sentence: "delete a to-do for good",
        },
    ],
};
