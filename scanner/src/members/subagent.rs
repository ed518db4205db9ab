//! Helpers that work on a task of their own.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:subagent.spawn`.
    pub const SUBAGENT_SPAWN: Self = Self::new("agentApi:subagent.spawn");
}

pub(super) static GROUP: Group = Group {
    name: "subagent",
    permissions: &[PermissionText {
        permission: Permission::SUBAGENT_SPAWN,
        sentence: "start helper assistants that work on tasks it writes, at your model's cost and \
            with no more tools than the conversation that started them",
    }],
    members: &[Member {
        interface: "subagent",
        function: "spawn",
        path: "session.subagent.spawn",
        permissions: &[Permission::SUBAGENT_SPAWN],
        presence: Presence::Session,
        sentence: "start a helper assistant on a task",
    }],
};
