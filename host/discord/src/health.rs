//! How an adapter is doing, for the web page, `ostler status` and alarms.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How an adapter is doing at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Whether every shard holds a live connection.
    pub is_connected: bool,
    /// Whether the last connection ended because it was silent for too long, and no other one
    /// stands yet.
    pub is_silent: bool,
    /// When the gateway was last heard, be it a heartbeat's acknowledgement.
    pub last_heard: Option<SystemTime>,
    /// The slowest shard's last heartbeat, there and back.
    pub latency: Option<Duration>,
    /// Connections that were opened, the first ones included.
    pub connections: u64,
    /// Connections that the watchdog ended, because what must come did not.
    pub silences: u64,
    /// Interactions that could be read in part or not at all.
    pub unreadable_interactions: u64,
    /// Interactions that Discord had forgotten before they could be acknowledged; the presser saw
    /// a failure, though the press was handed on.
    pub expired_interactions: u64,
    /// Other events that could not be read.
    pub unreadable_events: u64,
    /// Messages and clicks that the inbox did not take, however often they were told.
    pub undelivered: u64,
    /// Privileged intents that Discord refused.
    pub missing_intents: Vec<MissingIntent>,
}

/// A privileged intent that is switched off in the developer portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingIntent {
    /// Its name in Discord's documentation.
    pub name: &'static str,
    /// What does not work without it.
    pub consequence: &'static str,
}

/// What is missing when Discord refuses the privileged intents (4014). Buttons need none.
pub(crate) const PRIVILEGED: [MissingIntent; 2] = [
    MissingIntent {
        name: "GUILD_MEMBERS",
        consequence: "changes of a member's roles are noticed only when they next act; switch on \
                      the Server Members Intent in the developer portal",
    },
    MissingIntent {
        name: "MESSAGE_CONTENT",
        consequence: "the text of messages in servers stays hidden unless they mention the bot; \
                      switch on the Message Content Intent in the developer portal",
    },
];

#[derive(Clone, Copy, Debug, Default)]
struct ShardHealth {
    is_connected: bool,
    is_silent: bool,
    latency: Option<Duration>,
}

/// The counters behind [`Health`].
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    health: Health,
    shards: BTreeMap<u32, ShardHealth>,
}

impl Counters {
    pub(crate) fn snapshot(&self) -> Health {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Health {
            is_connected: !inner.shards.is_empty()
                && inner.shards.values().all(|shard| shard.is_connected),
            is_silent: inner.shards.values().any(|shard| shard.is_silent),
            latency: inner
                .shards
                .values()
                .filter_map(|shard| shard.latency)
                .max(),
            ..inner.health.clone()
        }
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut Health)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).health);
    }

    fn shard(&self, shard: u32, change: impl FnOnce(&mut ShardHealth)) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(inner.shards.entry(shard).or_default());
    }

    /// A shard exists, though it is not connected yet.
    pub(crate) fn known(&self, shard: u32) {
        self.shard(shard, |_| ());
    }

    pub(crate) fn heard(&self, shard: u32, latency: Option<Duration>) {
        self.count(|health| health.last_heard = Some(SystemTime::now()));
        self.shard(shard, |state| state.latency = latency.or(state.latency));
    }

    pub(crate) fn connected(&self, shard: u32) {
        self.shard(shard, |state| {
            state.is_connected = true;
            state.is_silent = false;
        });
    }

    pub(crate) fn lost(&self, shard: u32, is_silent: bool) {
        self.count(|health| health.silences += u64::from(is_silent));
        self.shard(shard, |state| {
            state.is_connected = false;
            state.is_silent = is_silent;
        });
    }
}
