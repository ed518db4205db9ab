//! One queue for each channel: what happens in one channel is handed on in order, and channels do
//! not wait for each other.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ostler_store::ChannelId;
use tokio::sync::Notify;

use crate::options::Backlog;

/// Jobs that wait, by channel. A lane exists while a worker serves it.
#[derive(Debug)]
pub(crate) struct Lanes<J> {
    limits: Backlog,
    state: Mutex<State<J>>,
    drained: Notify,
}

#[derive(Debug)]
struct State<J> {
    lanes: HashMap<ChannelId, VecDeque<J>>,
    waiting: usize,
}

/// What became of a job.
#[derive(Debug)]
#[must_use]
pub(crate) enum Queued<J> {
    /// It waits behind others of its channel.
    Behind,
    /// It is the first of its lane: a worker must be started.
    First,
    /// There is no room.
    Full(J),
}

impl<J> Lanes<J> {
    pub(crate) fn new(limits: Backlog) -> Self {
        Self {
            limits,
            state: Mutex::new(State {
                lanes: HashMap::new(),
                waiting: 0,
            }),
            drained: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, channel: &ChannelId, job: J) -> Queued<J> {
        let mut state = self.state();
        if state.waiting >= self.limits.total.max(1) {
            return Queued::Full(job);
        }
        let queued = match state.lanes.get_mut(channel) {
            Some(lane) if lane.len() >= self.limits.channel.max(1) => return Queued::Full(job),
            Some(lane) => {
                lane.push_back(job);
                Queued::Behind
            }
            None => {
                state.lanes.insert(channel.clone(), VecDeque::from([job]));
                Queued::First
            }
        };
        state.waiting += 1;
        queued
    }

    /// Puts a job before all others of its channel, whatever waits there: whether it is the first
    /// of its lane, so that a worker must be started.
    #[must_use]
    pub(crate) fn push_front(&self, channel: &ChannelId, job: J) -> bool {
        let mut state = self.state();
        state.waiting += 1;
        match state.lanes.get_mut(channel) {
            Some(lane) => {
                lane.push_front(job);
                false
            }
            None => {
                state.lanes.insert(channel.clone(), VecDeque::from([job]));
                true
            }
        }
    }

    /// The next job of a lane; `None` ends the lane, and its worker with it.
    pub(crate) fn next(&self, channel: &ChannelId) -> Option<J> {
        let mut state = self.state();
        let Some(job) = state.lanes.get_mut(channel).and_then(VecDeque::pop_front) else {
            state.lanes.remove(channel);
            return None;
        };
        state.waiting -= 1;
        if self.has_room(&state) {
            self.drained.notify_waiters();
        }
        Some(job)
    }

    fn has_room(&self, state: &State<J>) -> bool {
        state.waiting <= self.limits.total / 2
            && state
                .lanes
                .values()
                .all(|lane| lane.len() <= self.limits.channel / 2)
    }

    /// Ends when no queue is more than half full.
    pub(crate) async fn room(&self) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            if self.has_room(&self.state()) {
                return;
            }
            drained.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(id: &str) -> ChannelId {
        id.parse().unwrap()
    }

    #[test]
    fn a_lane_keeps_order_and_ends_when_it_is_empty() {
        let lanes = Lanes::new(Backlog::default());
        let (one, two) = (channel("1"), channel("2"));
        assert!(matches!(lanes.push(&one, 'a'), Queued::First));
        assert!(matches!(lanes.push(&two, 'x'), Queued::First));
        assert!(matches!(lanes.push(&one, 'b'), Queued::Behind));
        assert_eq!(lanes.next(&one), Some('a'));
        assert_eq!(lanes.next(&one), Some('b'));
        assert!(matches!(lanes.push(&one, 'c'), Queued::Behind));
        assert_eq!(lanes.next(&one), Some('c'));
        assert_eq!(lanes.next(&one), None);
        assert!(matches!(lanes.push(&one, 'd'), Queued::First));
    }

    #[test]
    fn what_is_put_first_goes_before_what_waits_however_much_that_is() {
        let lanes = Lanes::new(Backlog {
            channel: 1,
            total: 1,
        });
        let one = channel("1");
        assert!(lanes.push_front(&one, 'b'));
        assert!(!lanes.push_front(&one, 'a'));
        assert_eq!(lanes.next(&one), Some('a'));
        assert_eq!(lanes.next(&one), Some('b'));
        assert_eq!(lanes.next(&one), None);
    }

    #[tokio::test]
    async fn a_full_lane_refuses_and_has_room_again_at_half() {
        let lanes = Lanes::new(Backlog {
            channel: 4,
            total: 100,
        });
        let one = channel("1");
        for job in 0..4 {
            assert!(!matches!(lanes.push(&one, job), Queued::Full(_)));
        }
        assert!(matches!(lanes.push(&one, 4), Queued::Full(4)));
        let waiting = lanes.room();
        tokio::pin!(waiting);
        assert!(futures_util::poll!(&mut waiting).is_pending());
        lanes.next(&one);
        assert!(futures_util::poll!(&mut waiting).is_pending());
        lanes.next(&one);
        waiting.await;
    }
}
