//! The models that a profile can use.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:models.read`.
    pub const MODELS_READ: Self = Self::new("agentApi:models.read");
}

pub(super) static GROUP: Group = Group {
    name: "models",
    permissions: &[PermissionText {
        permission: Permission::MODELS_READ,
        sentence: "see which models this assistant can use, without their keys",
    }],
    members: &[Member {
        interface: "models",
        function: "list",
        path: "models.list",
        permissions: &[Permission::MODELS_READ],
        presence: Presence::Platform,
        sentence: "list the models that can be used",
    }],
};
