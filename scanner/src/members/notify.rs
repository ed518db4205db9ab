//! Messages at a later time.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:notify.write`.
    pub const NOTIFY_WRITE: Self = Self::new("agentApi:notify.write");
}

pub(super) static GROUP: Group = Group {
    name: "notify",
    permissions: &[PermissionText {
        permission: Permission::NOTIFY_WRITE,
        sentence: "set reminders that are posted later in the conversation it is working in, up \
            to a year ahead",
    }],
    members: &[Member {
        interface: "notify",
        function: "schedule",
        path: "session.notify.schedule",
        permissions: &[Permission::NOTIFY_WRITE],
        presence: Presence::Session,
        sentence: "set a reminder for a later time",
    }],
};
