//! Other sessions of the same profile.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:peer.send`.
    pub const PEER_SEND: Self = Self::new("agentApi:peer.send");

    /// `agentApi:session.read.cross`.
    pub const SESSION_READ_CROSS: Self = Self::new("agentApi:session.read.cross");
}

pub(super) static GROUP: Group = Group {
    name: "peer",
    permissions: &[
        PermissionText {
            permission: Permission::PEER_SEND,
            sentence: "send messages to other conversations of this assistant, which it then \
                reads and acts on there",
        },
        PermissionText {
            permission: Permission::SESSION_READ_CROSS,
            sentence: "look into other conversations of this assistant, not only the one it is \
                working in",
        },
    ],
    members: &[
        Member {
            interface: "peer",
            function: "send",
            path: "session.peer.send",
            permissions: &[Permission::PEER_SEND],
            presence: Presence::Session,
            sentence: "send a message to another session",
        },
        Member {
            interface: "peer-read",
            function: "get",
            path: "session.peer.get",
            permissions: &[Permission::SESSION_READ_CROSS],
            presence: Presence::Session,
            sentence: "look up another session by its key",
        },
    ],
};
