//! What an install keeps, and the secrets that people set for it.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "settings",
    permissions: &[],
    members: &[
        Member {
            interface: "settings",
            function: "get",
            path: "settings.get",
            permissions: &[],
            presence: Presence::Always,
            sentence: "read one of its own settings",
        },
        Member {
            interface: "settings",
            function: "set",
            path: "settings.set",
            permissions: &[],
            presence: Presence::Always,
            sentence: "keep one of its own settings",
        },
        Member {
            interface: "settings",
            function: "delete",
            path: "settings.delete",
            permissions: &[],
            presence: Presence::Always,
            sentence: "delete one of its own settings",
        },
        Member {
            interface: "settings",
            function: "list",
            path: "settings.list",
            permissions: &[],
            presence: Presence::Always,
            sentence: "list the names of its own settings",
        },
        Member {
            interface: "settings-secret",
            function: "get",
            path: "settings.getSecret",
            permissions: &[],
            presence: Presence::Always,
            sentence: "read a secret that you gave it",
        },
    ],
};
