//! The terms that an install runs under.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "license",
    permissions: &[],
    members: &[Member {
        interface: "license",
        function: "get",
        path: "license",
        permissions: &[],
        presence: Presence::Platform,
        sentence: "look up its own license",
    }],
};
