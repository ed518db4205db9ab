//! Notes that wake the assistant, and the two allow-list keys that let a plugin write them.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `allow_gateway_injection`.
    pub const ALLOW_GATEWAY_INJECTION: Self = Self::new("allow_gateway_injection");

    /// `allow_origin_sessions`.
    pub const ALLOW_ORIGIN_SESSIONS: Self = Self::new("allow_origin_sessions");
}

pub(super) static GROUP: Group = Group {
    name: "origin",
    permissions: &[
        PermissionText {
            permission: Permission::ALLOW_GATEWAY_INJECTION,
            sentence: "write notes into existing conversations, which wake the assistant to act \
                on them; unless you set otherwise it then has few tools, and every risky \
                step asks you",
        },
        PermissionText {
            permission: Permission::ALLOW_ORIGIN_SESSIONS,
            sentence: "wake the assistant in a Discord thread that the assistant opened, without \
                a person writing first; it then has few tools, and every risky step still \
                asks you",
        },
    ],
    members: &[
        Member {
            interface: "origin",
            function: "start",
            path: "origin.start",
            permissions: &[
                Permission::ALLOW_GATEWAY_INJECTION,
                Permission::ALLOW_ORIGIN_SESSIONS,
            ],
            presence: Presence::Threads,
            sentence: "wake the assistant in a Discord thread",
        },
        Member {
            interface: "gateway",
            function: "inject",
            path: "origin.inject",
            permissions: &[Permission::ALLOW_GATEWAY_INJECTION],
            presence: Presence::Threads,
            sentence: "wake the assistant in an existing session",
        },
    ],
};
