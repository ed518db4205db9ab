//! Small decisions by a model.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "decide",
    permissions: &[],
    members: &[
        Member {
            interface: "decide",
            function: "choose",
            path: "decide.choose",
            permissions: &[],
            presence: Presence::Decide,
            sentence: "let a model choose one of several",
        },
        Member {
            interface: "decide",
            function: "extract",
            path: "decide.extract",
            permissions: &[],
            presence: Presence::Decide,
            sentence: "let a model take data out of a text",
        },
        Member {
            interface: "decide",
            function: "classify",
            path: "decide.classify",
            permissions: &[],
            presence: Presence::Decide,
            sentence: "let a model label a text",
        },
    ],
};
