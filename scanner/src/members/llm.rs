//! Questions to a model.

use super::{Group, Member, Presence};

pub(super) static GROUP: Group = Group {
    name: "llm",
    permissions: &[],
    members: &[
        Member {
            interface: "llm",
            function: "complete",
            path: "llm.complete",
            permissions: &[],
            presence: Presence::Llm,
            sentence: "ask the profile's utility model",
        },
        Member {
            interface: "session-llm",
            function: "complete",
            path: "session.llm.complete",
            permissions: &[],
            presence: Presence::SessionLlm,
            sentence: "ask the model of the session's agent",
        },
    ],
};
