//! Random values, hashes and authentication codes.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "crypto",
    permissions: &[],
    members: &[
        Member {
            interface: "crypto",
            function: "random-bytes",
            path: "crypto.randomBytes",
            permissions: &[],
            presence: Presence::Always,
            sentence: "make random bytes",
        },
        Member {
            interface: "crypto",
            function: "hash",
            path: "crypto.hash",
            permissions: &[],
            presence: Presence::Always,
            sentence: "hash some data",
        },
        Member {
            interface: "crypto",
            function: "hmac",
            path: "crypto.hmac",
            permissions: &[],
            presence: Presence::Always,
            sentence: "make an authentication code",
        },
        Member {
            interface: "crypto",
            function: "verify-hmac",
            path: "crypto.verifyHmac",
            permissions: &[],
            presence: Presence::Always,
            sentence: "check an authentication code",
        },
        Member {
            interface: "crypto",
            function: "uuid",
            path: "crypto.uuid",
            permissions: &[],
            presence: Presence::Always,
            sentence: "make a random id",
        },
    ],
};
