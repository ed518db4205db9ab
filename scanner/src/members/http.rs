//! HTTP requests.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "http",
    permissions: &[],
    members: &[Member {
        interface: "http",
        function: "fetch",
        path: "fetch",
        permissions: &[],
        presence: Presence::Always,
        sentence: "send a request to an accepted host",
    }],
};
