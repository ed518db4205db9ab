//! Which events came lately: Discord repeats some, for instance after close code 4007.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// How many ids are remembered: more than a resume replays.
const CAPACITY: usize = 8192;

/// The ids of the last events of one kind.
#[derive(Debug, Default)]
pub(crate) struct Recent(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl Recent {
    /// Remembers an id; `false` if it was known already.
    pub(crate) fn is_first(&self, id: &str) -> bool {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !inner.known.insert(id.to_owned()) {
            return false;
        }
        inner.order.push_back(id.to_owned());
        if inner.order.len() > CAPACITY
            && let Some(oldest) = inner.order.pop_front()
        {
            inner.known.remove(&oldest);
        }
        true
    }

    /// Forgets an id whose event was not taken: it may come again.
    pub(crate) fn forget(&self, id: &str) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.known.remove(id) {
            inner.order.retain(|known| known != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_first_once_until_it_is_forgotten() {
        let recent = Recent::default();
        assert!(recent.is_first("1"));
        assert!(!recent.is_first("1"));
        recent.forget("1");
        assert!(recent.is_first("1"));
    }

    #[test]
    fn memory_is_bounded() {
        let recent = Recent::default();
        for id in 0..=CAPACITY {
            assert!(recent.is_first(&id.to_string()));
        }
        assert!(recent.is_first("0"), "the oldest was dropped");
        assert!(!recent.is_first(&CAPACITY.to_string()));
    }
}
