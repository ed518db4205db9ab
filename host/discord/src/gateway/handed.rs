//! Which events of a shard were handed on whole, so that the stored sequence never runs ahead.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The sequence numbers of one shard's session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handed(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    moved: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Tickets of an earlier session change nothing in this one.
    session: u64,
    received: u64,
    /// How many tickets are out for an event: one that is told twice has two.
    open: BTreeMap<u64, u32>,
}

impl State {
    /// Takes a ticket back; `false` if it is one of an earlier session.
    fn close(&mut self, ticket: &Ticket) -> bool {
        if self.session != ticket.session {
            return false;
        }
        if let Some(count) = self.open.get_mut(&ticket.sequence) {
            *count -= 1;
            if *count == 0 {
                self.open.remove(&ticket.sequence);
            }
        }
        true
    }
}

impl Handed {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session begins, or one of an earlier process continues, after this event.
    pub(crate) fn restart(&self, sequence: u64) {
        let mut state = self.state();
        state.session += 1;
        state.received = sequence;
        state.open.clear();
    }

    /// An event came.
    pub(crate) fn begin(&self, sequence: u64) -> Ticket {
        let mut state = self.state();
        state.received = state.received.max(sequence);
        *state.open.entry(sequence).or_default() += 1;
        Ticket {
            handed: self.clone(),
            session: state.session,
            sequence,
        }
    }

    /// The last event that was taken in: where this process resumes.
    pub(crate) fn received(&self) -> u64 {
        self.state().received
    }

    /// The last event before which every one was handed on: where another process resumes.
    pub(crate) fn complete(&self) -> u64 {
        let state = self.state();
        state
            .open
            .first_key_value()
            .map_or(state.received, |(first, _)| first.saturating_sub(1))
    }

    /// Ends when [`Handed::complete`] may have moved.
    pub(crate) async fn moved(&self) {
        self.0.moved.notified().await;
    }
}

/// An event that is on its way to the inbox. One that is dropped without a word was not handed on:
/// the next process is told it again.
#[derive(Debug)]
pub(crate) struct Ticket {
    handed: Handed,
    session: u64,
    sequence: u64,
}

impl Ticket {
    /// The event was handed on, or there was nothing to hand on.
    pub(crate) fn done(self) {
        {
            let mut state = self.handed.state();
            state.close(&self);
        }
        self.handed.0.moved.notify_one();
    }

    /// There was no room for the event: it is as if it had not come, so that a resume brings it
    /// again.
    pub(crate) fn refuse(self) {
        let mut state = self.handed.state();
        if state.close(&self) {
            state.received = state.received.min(self.sequence.saturating_sub(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_sequence_waits_for_the_slowest_event() {
        let handed = Handed::default();
        handed.restart(4);
        let five = handed.begin(5);
        let six = handed.begin(6);
        six.done();
        assert_eq!((handed.received(), handed.complete()), (6, 4));
        five.done();
        assert_eq!((handed.received(), handed.complete()), (6, 6));
    }

    #[test]
    fn an_event_that_is_told_twice_is_done_when_both_are() {
        let handed = Handed::default();
        let (first, again) = (handed.begin(1), handed.begin(1));
        again.done();
        assert_eq!(handed.complete(), 0);
        first.done();
        assert_eq!(handed.complete(), 1);
    }

    #[test]
    fn a_refused_event_comes_again() {
        let handed = Handed::default();
        handed.restart(4);
        handed.begin(5).refuse();
        assert_eq!((handed.received(), handed.complete()), (4, 4));
    }

    #[test]
    fn an_event_that_was_dropped_on_the_way_is_told_to_the_next_process() {
        let handed = Handed::default();
        drop(handed.begin(1));
        handed.begin(2).done();
        assert_eq!((handed.received(), handed.complete()), (2, 0));
    }

    #[test]
    fn a_ticket_of_an_earlier_session_changes_nothing() {
        let handed = Handed::default();
        let old = handed.begin(90);
        handed.restart(1);
        let new = handed.begin(2);
        old.refuse();
        assert_eq!((handed.received(), handed.complete()), (2, 1));
        new.done();
        assert_eq!(handed.complete(), 2);
    }
}
