//! What an install holds now: a grant that can be narrowed while calls run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::member_set::MemberSet;

/// An install's grant. Every host call looks at its epoch, so that what is taken away is away at
/// once, in calls that run as well.
#[derive(Debug)]
pub struct Grant {
    /// Grows with each change.
    epoch: AtomicU64,
    members: Mutex<MemberSet>,
}

impl Grant {
    /// A grant of these members.
    #[must_use]
    pub fn new(members: MemberSet) -> Self {
        Self {
            epoch: AtomicU64::new(0),
            members: Mutex::new(members),
        }
    }

    /// Takes away all but `members`. Nothing is ever given back: a wider grant is another load.
    pub fn narrow(&self, members: MemberSet) {
        let mut held = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        *held = held.meet(members);
        self.epoch.fetch_add(1, Ordering::Release);
    }

    /// What is held now.
    #[must_use]
    pub fn members(&self) -> MemberSet {
        *self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which change was the last one.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }
}
