//! Cards with text, figures and questions.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:card.write`.
    pub const CARD_WRITE: Self = Self::new("agentApi:card.write");
}

pub(super) static GROUP: Group = Group {
    name: "cards",
    permissions: &[PermissionText {
        permission: Permission::CARD_WRITE,
        sentence: "show cards under its own name in the conversation it is working in, ask \
            questions on them, and read the answers",
    }],
    members: &[
        Member {
            interface: "cards",
            function: "show",
            path: "cards.show",
            permissions: &[Permission::CARD_WRITE],
            presence: Presence::Cards,
            sentence: "show a card in the session's chat",
        },
        Member {
            interface: "cards",
            function: "ask",
            path: "cards.ask",
            permissions: &[Permission::CARD_WRITE],
            presence: Presence::Cards,
            sentence: "ask a question on a card and wait",
        },
    ],
};
