//! A plugin's own log.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "log",
    permissions: &[],
    members: &[
        Member {
            interface: "log",
            function: "debug",
            path: "log.debug",
            permissions: &[],
            presence: Presence::Always,
            sentence: "write a debug line to its log",
        },
        Member {
            interface: "log",
            function: "info",
            path: "log.info",
            permissions: &[],
            presence: Presence::Always,
            sentence: "write a line to its log",
        },
        Member {
            interface: "log",
            function: "warn",
            path: "log.warn",
            permissions: &[],
            presence: Presence::Always,
            sentence: "write a warning to its log",
        },
        Member {
            interface: "log",
            function: "error",
            path: "log.error",
            permissions: &[],
            presence: Presence::Always,
            sentence: "write an error to its log",
        },
    ],
};
