//! What all parts of an adapter share.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::FutureExt as _;
use ostler_agent::{Change, ChannelError, Inbox};
use ostler_store::{PersonId, Store};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::Fatal;
use crate::fetch::Downloads;
use crate::gateway::{ShardSession, Ticket};
use crate::guilds::Guilds;
use crate::handover::Job;
use crate::health::Counters;
use crate::lanes::Lanes;
use crate::options::Options;
use crate::payload::Identity;
use crate::places::Places;
use crate::recent::Recent;
use crate::rest::{Call, Rest};

/// A change on its way to the inbox, and the event that told it.
pub(crate) type Told = (Change, Option<Ticket>);

pub(crate) struct Core {
    pub(crate) options: Options,
    pub(crate) rest: Rest,
    pub(crate) downloads: Downloads,
    pub(crate) store: Arc<Store>,
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) places: Places,
    pub(crate) guilds: Guilds,
    pub(crate) lanes: Lanes<Job>,
    pub(crate) messages: Recent,
    pub(crate) interactions: Recent,
    pub(crate) counters: Counters,
    pub(crate) fatal: watch::Sender<Option<Fatal>>,
    /// Nothing new is begun after this.
    pub(crate) stop: CancellationToken,
    /// What still runs is dropped.
    kill: CancellationToken,
    pub(crate) tasks: TaskTracker,
    changes: mpsc::UnboundedSender<Told>,
    /// New sessions of the gateway that the inbox has not been told of yet. Meanwhile no lane moves.
    new_sessions: watch::Sender<usize>,
    identity: RwLock<Identity>,
    shards: Mutex<Vec<Arc<ShardSession>>>,
}

impl Core {
    pub(crate) fn new(
        options: Options,
        rest: Rest,
        downloads: Downloads,
        store: Arc<Store>,
        inbox: Arc<dyn Inbox>,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<Told>) {
        let (changes, told) = mpsc::unbounded_channel();
        let core = Self {
            lanes: Lanes::new(options.backlog),
            options,
            rest,
            downloads,
            store,
            inbox,
            places: Places::default(),
            guilds: Guilds::default(),
            messages: Recent::default(),
            interactions: Recent::default(),
            counters: Counters::default(),
            fatal: watch::Sender::new(None),
            stop: CancellationToken::new(),
            kill: CancellationToken::new(),
            tasks: TaskTracker::new(),
            changes,
            new_sessions: watch::Sender::new(0),
            identity: RwLock::default(),
            shards: Mutex::default(),
        };
        (Arc::new(core), told)
    }

    /// Runs something until the adapter has shut down.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let kill = self.kill.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = kill.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// Drops whatever still runs.
    pub(crate) fn kill(&self) {
        self.stop.cancel();
        self.kill.cancel();
    }

    /// Ends the adapter for good; the first reason stays.
    pub(crate) fn end(&self, fatal: Fatal) {
        self.fatal.send_if_modified(|state| {
            if state.is_some() {
                return false;
            }
            tracing::error!(code = fatal.code(), "the Discord adapter ended: {fatal}");
            *state = Some(fatal);
            true
        });
        self.stop.cancel();
    }

    /// Sends a request; a refused token ends the adapter.
    pub(crate) async fn call(&self, call: &Call<'_>) -> Result<Value, ChannelError> {
        let answer = self.rest.call(call).await;
        if self.rest.is_token_refused() {
            self.end(Fatal::TokenRefused);
        }
        answer
    }

    /// Tells the inbox of a change, after those before it.
    pub(crate) fn tell(&self, change: Change, ticket: Option<Ticket>) {
        // The receiver ends only with the adapter.
        let _ = self.changes.send((change, ticket));
    }

    /// Holds all lanes until the inbox has been told of a new session: what was missed before it
    /// is read back ahead of what it tells.
    pub(crate) fn hold_lanes(&self) {
        self.new_sessions.send_modify(|waiting| *waiting += 1);
    }

    fn let_lanes_go(&self) {
        self.new_sessions
            .send_modify(|waiting| *waiting = waiting.saturating_sub(1));
    }

    /// Ends when no new session waits to be told.
    pub(crate) async fn lanes_may_move(&self) {
        // The sender lives as long as this.
        let _ = self
            .new_sessions
            .subscribe()
            .wait_for(|waiting| *waiting == 0)
            .await;
    }

    pub(crate) fn identity(&self) -> Identity {
        self.identity
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn learn_identity(&self, bot: PersonId, application: Option<String>) {
        let mut identity = self
            .identity
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        identity.bot = Some(bot);
        if application.is_some() {
            identity.application = application;
        }
    }

    pub(crate) fn add_shard(&self, shard: Arc<ShardSession>) {
        self.shards
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(shard);
    }

    pub(crate) fn shards(&self) -> Vec<Arc<ShardSession>> {
        self.shards
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Tells the inbox of changes one by one, in their order.
pub(crate) async fn tell_changes(core: Arc<Core>, mut told: mpsc::UnboundedReceiver<Told>) {
    loop {
        let next = tokio::select! {
            biased;
            next = told.recv() => next,
            () = core.stop.cancelled() => None,
        };
        let Some((change, ticket)) = next else { return };
        let is_new_session = matches!(
            change,
            Change::Ready {
                is_resumed: false,
                ..
            }
        );
        let told = AssertUnwindSafe(core.inbox.changed(change)).catch_unwind();
        if told.await.is_err() {
            tracing::error!("the inbox panicked over a change");
        }
        if is_new_session {
            core.let_lanes_go();
        }
        if let Some(ticket) = ticket {
            ticket.done();
        }
    }
}
