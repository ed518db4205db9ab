//! OAuth, run by the host.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "oauth",
    permissions: &[],
    members: &[
        Member {
            interface: "oauth",
            function: "authorize-url",
            path: "oauth.authorizeUrl",
            permissions: &[],
            presence: Presence::Always,
            sentence: "make a link that connects an account",
        },
        Member {
            interface: "oauth",
            function: "token",
            path: "oauth.token",
            permissions: &[],
            presence: Presence::Always,
            sentence: "get a token for a connected account",
        },
        Member {
            interface: "oauth",
            function: "revoke",
            path: "oauth.revoke",
            permissions: &[],
            presence: Presence::Always,
            sentence: "disconnect an account",
        },
    ],
};
