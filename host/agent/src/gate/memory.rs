//! What a turn was refused. A denial is state of the host, not advice to a model: the same call, or
//! a rewording that comes to the same, is not asked again in the turn.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Denials in a row that end a turn.
pub(crate) const DENIALS: u32 = 3;

/// The refusals of one turn.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Held>);

#[derive(Default)]
struct Held {
    refused: BTreeMap<String, &'static str>,
    in_a_row: u32,
    has_asked: bool,
}

impl Memory {
    /// The code under which the same was refused before.
    pub(crate) fn refused(&self, sameness: &str) -> Option<&'static str> {
        self.held().refused.get(sameness).copied()
    }

    /// Keeps a refusal: whether the turn ends with it.
    pub(crate) fn refuse(&self, sameness: &str, code: &'static str, is_denial: bool) -> bool {
        let mut held = self.held();
        held.refused.insert(sameness.to_owned(), code);
        if is_denial {
            held.in_a_row += 1;
        }
        held.in_a_row >= DENIALS
    }

    /// Something was allowed: denials no longer stand in a row.
    pub(crate) fn allow(&self) {
        self.held().in_a_row = 0;
    }

    /// Somebody was asked in this turn.
    pub(crate) fn asks(&self) {
        self.held().has_asked = true;
    }

    /// Whether somebody was.
    pub(crate) fn has_asked(&self) -> bool {
        self.held().has_asked
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_denials_in_a_row_end_a_turn_and_an_approval_between_them_does_not() {
        let memory = Memory::default();
        assert!(!memory.refuse("a", "denied", true));
        assert!(!memory.refuse("b", "denied", true));
        memory.allow();
        assert!(!memory.refuse("c", "denied", true));
        assert!(!memory.refuse("d", "unanswered", false));
        assert!(!memory.refuse("e", "denied", true));
        assert!(memory.refuse("f", "denied", true));
        assert_eq!(memory.refused("a"), Some("denied"));
        assert_eq!(memory.refused("d"), Some("unanswered"));
        assert_eq!(memory.refused("z"), None);
    }
}
