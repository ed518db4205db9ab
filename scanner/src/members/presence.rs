//! What an invocation can call.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "presence",
    permissions: &[],
    members: &[Member {
        interface: "presence",
        function: "members",
        path: "presence.members",
        permissions: &[],
        presence: Presence::Always,
        sentence: "list what it can call now",
    }],
};
