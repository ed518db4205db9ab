//! The live connection of a channel.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `host:connection:send`.
    pub const CONNECTION_SEND: Self = Self::new("host:connection:send");
}

pub(super) static GROUP: Group = Group {
    name: "connection",
    permissions: &[PermissionText {
        permission: Permission::CONNECTION_SEND,
        sentence: "send data over the live connection of the chat channel that it provides",
    }],
    members: &[Member {
        interface: "connection",
        function: "send",
        path: "connection.send",
        permissions: &[Permission::CONNECTION_SEND],
        presence: Presence::Connection,
        sentence: "send data over its own live connection",
    }],
};
