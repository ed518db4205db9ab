//! Interactions: clicks and submitted modals, and what became of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::World;
use crate::snowflake::{Id, now_ms};

/// Time for the first response, in milliseconds.
pub(crate) const FIRST_RESPONSE_MS: u64 = 3_000;
/// Life of a token, in milliseconds.
pub(crate) const TOKEN_MS: u64 = 15 * 60 * 1_000;

/// What a component's interaction is about.
pub(crate) const COMPONENT: u8 = 3;
/// A submitted modal.
pub(crate) const MODAL_SUBMIT: u8 = 5;

/// A click or a submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Interaction {
    pub(crate) id: Id,
    pub(crate) token: String,
    pub(crate) application: Id,
    pub(crate) user: Id,
    pub(crate) guild: Option<Id>,
    pub(crate) channel: Id,
    /// The message with the component.
    pub(crate) message: Option<Id>,
    pub(crate) kind: u8,
    pub(crate) custom_id: String,
    /// The callback's type once there was one.
    pub(crate) answered: Option<i64>,
    /// The message that `@original` means.
    pub(crate) original: Option<Id>,
    /// A modal that was shown and not submitted yet.
    pub(crate) modal: Value,
    /// For a submitted modal, what the interaction that showed it was.
    pub(crate) trigger: Value,
}

impl Interaction {
    pub(crate) fn age_ms(&self) -> u64 {
        now_ms().saturating_sub(self.id.created_ms())
    }

    pub(crate) fn is_expired(&self) -> bool {
        self.age_ms() > TOKEN_MS
    }
}

impl World {
    /// Forgets interactions whose tokens are long dead.
    pub(crate) fn forget_interactions(&mut self) {
        self.interactions
            .retain(|_, interaction| interaction.age_ms() < 2 * TOKEN_MS);
    }
}
