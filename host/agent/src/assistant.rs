//! One profile's assistant: from its start to its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ostler_config::{MAIN_AGENT, ProfileConfig};
use ostler_registry::Registry;
use ostler_store::{
    ChannelId, Ending, Epoch, MessageId, NewPost, Profile, RowOutcome, SessionStore, StoreError,
};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::channel::Channel;
use crate::clock::Clock;
use crate::inbound::Place;
use crate::model::ModelSource;
use crate::rows::{self, RowContent};
use crate::tools::{Plugins, Services, Toolbox};
use crate::turn::preview;
use crate::turn::workers::{self, Workers};

/// What an assistant is made of.
pub struct Options {
    /// The profile.
    pub profile: Profile,
    /// Its file, for what is read afresh at each check.
    pub profile_file: PathBuf,
    /// Its configuration, as it changes.
    pub config: watch::Receiver<Arc<ProfileConfig>>,
    /// The authority over its sessions.
    pub store: Arc<dyn SessionStore>,
    /// Its plugins.
    pub registry: Arc<Registry>,
    /// Its models.
    pub models: ModelSource,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How many turns may run at once; at least 1.
    pub turns: usize,
}

/// A running assistant. Clones are the same one.
#[derive(Clone)]
pub struct Assistant {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) services: Services,
    pub(crate) models: ModelSource,
    pub(crate) tools: Toolbox,
    pub(crate) plugins: Plugins,
    pub(crate) epoch: Epoch,
    pub(crate) turns: Semaphore,
    pub(crate) workers: Workers,
    pub(crate) threads: KnownThreads,
    pub(crate) tasks: TaskTracker,
    pub(crate) cancel: CancellationToken,
    channel: watch::Sender<Option<Arc<dyn Channel>>>,
    is_connected: watch::Sender<bool>,
    profile_file: PathBuf,
}

impl Assistant {
    /// Begins an epoch: whatever ran under an older one is lost, and told once its session can be
    /// reached. Nothing runs before [`Assistant::attach`].
    ///
    /// # Errors
    /// Those of the store.
    pub async fn start(options: Options) -> Result<Self, StoreError> {
        let now = options.clock.now();
        let epoch = options.store.begin_epoch(now).await?;
        let lost = options.store.lose_older(&options.profile, epoch).await?;
        if lost > 0 {
            tracing::warn!(rows = lost, "turns were lost with the host that ran them");
        }
        let plugins = Plugins::new(Arc::clone(&options.registry), options.profile.clone());
        Ok(Self {
            inner: Arc::new(Inner {
                services: Services {
                    profile: options.profile,
                    store: options.store,
                    registry: options.registry,
                    clock: options.clock,
                    config: options.config,
                },
                models: options.models,
                tools: Toolbox::own(),
                plugins,
                epoch,
                turns: Semaphore::new(options.turns.max(1)),
                workers: Workers::default(),
                threads: KnownThreads::default(),
                tasks: TaskTracker::new(),
                cancel: CancellationToken::new(),
                channel: watch::Sender::new(None),
                is_connected: watch::Sender::new(false),
                profile_file: options.profile_file,
            }),
        })
    }

    /// Gives the assistant its adapter. Once; a second one is ignored.
    pub fn attach(&self, channel: Arc<dyn Channel>) {
        let is_first = self.inner.channel.send_if_modified(|attached| {
            let is_first = attached.is_none();
            attached.get_or_insert(channel);
            is_first
        });
        if !is_first {
            tracing::error!("an assistant has one adapter");
        }
    }

    /// Ends when the adapter is connected.
    pub async fn connected(&self) {
        let mut is_connected = self.inner.is_connected.subscribe();
        // The sender lives as long as the assistant.
        let _ = is_connected.wait_for(|is_connected| *is_connected).await;
    }

    /// How the model is named wherever a model is named.
    #[must_use]
    pub async fn model_name(&self) -> String {
        let config = self.inner.services.config.borrow().clone();
        let agent = config.agent(MAIN_AGENT).unwrap_or_default();
        self.inner.models.of(&config, &agent).await.name()
    }

    /// Stops: running turns are interrupted and recorded so, and nothing new begins. Whatever
    /// waits stays durable. Ends when every turn has ended.
    pub async fn shutdown(&self) {
        self.inner.cancel.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }
}

impl Inner {
    /// The adapter, once it is attached.
    pub(crate) fn live_channel(&self) -> Option<Arc<dyn Channel>> {
        self.channel.borrow().clone()
    }

    /// Whether the profile parts threads by person, read afresh.
    pub(crate) fn threads_are_per_user(&self) -> Result<bool, String> {
        ostler_config::read_thread_sessions_per_user(&self.profile_file)
            .map_err(|error| error.to_string())
    }

    /// An ending without items, now.
    pub(crate) fn ending(
        &self,
        outcome: RowOutcome,
        reason: Option<&str>,
        posts: Vec<NewPost>,
    ) -> Ending {
        Ending {
            outcome,
            reason: reason.map(str::to_owned),
            detail: None,
            items: Vec::new(),
            posts,
            settled_at: self.services.clock.now(),
        }
    }

    /// The adapter is connected. What was missed is asked for before this answers; until then no
    /// message comes, which would move the mark after which it is read.
    pub(crate) async fn connected(self: &Arc<Self>, is_resumed: bool) {
        let channel = tokio::select! {
            () = self.cancel.cancelled() => return,
            channel = self.attached() => channel,
        };
        if !is_resumed {
            match self.places_heard().await {
                Ok(places) => channel.catch_up(places),
                Err(error) => {
                    tracing::error!(code = error.code(), %error, "what was missed is not read");
                }
            }
        }
        self.is_connected.send_replace(true);
        self.take_up();
    }

    /// The adapter, as soon as it is attached: it may be connected before.
    async fn attached(&self) -> Arc<dyn Channel> {
        let mut channel = self.channel.subscribe();
        let attached = channel.wait_for(Option::is_some).await;
        match attached.ok().and_then(|attached| attached.clone()) {
            Some(channel) => channel,
            // The sender lives as long as this.
            None => std::future::pending().await,
        }
    }

    /// The adapter lost its connection.
    pub(crate) fn disconnected(&self) {
        self.is_connected.send_replace(false);
        tracing::warn!("the connection to Discord was lost");
    }

    /// What an earlier process left is taken up.
    fn take_up(self: &Arc<Self>) {
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let taken = async {
                inner.tell_of_lost_turns().await?;
                inner.remove_stale_previews().await?;
                for session in inner.services.store.with_work(&inner.services.profile).await? {
                    workers::wake(&inner, &session);
                }
                Ok::<_, StoreError>(())
            };
            tokio::select! {
                () = inner.cancel.cancelled() => {}
                taken = taken => {
                    if let Err(error) = taken {
                        tracing::error!(code = error.code(), %error, "what was left is not taken up");
                    }
                }
            }
        });
    }

    /// Tells each session once of a turn that was lost.
    async fn tell_of_lost_turns(&self) -> Result<(), StoreError> {
        let store = &self.services.store;
        for row in store.untold(&self.services.profile).await? {
            let reply_to = match rows::read(&row.descriptor) {
                Ok(RowContent::NativeText(message)) => Some(message.message),
                Err(_) => None,
            };
            let post = NewPost {
                channel: row.route.chat.clone(),
                reply_to,
                content: format!(
                    "I was cut off while I worked on this, and do not know how far I came. I do \
                     not start it again by myself: look at what was done, then ask again if you \
                     still want it.\n-# row {}",
                    row.id
                ),
            };
            let now = self.services.clock.now();
            store.tell(row.id, self.epoch, vec![post], now).await?;
        }
        Ok(())
    }

    async fn remove_stale_previews(&self) -> Result<(), StoreError> {
        let Some(channel) = self.live_channel() else {
            return Ok(());
        };
        let store = &self.services.store;
        for stale in store.stale_previews(&self.services.profile).await? {
            preview::remove_stale(&channel, store, stale).await;
        }
        Ok(())
    }

    /// The channels that were heard, each with its newest message that was taken.
    async fn places_heard(&self) -> Result<Vec<(Place, MessageId)>, StoreError> {
        let heard = self
            .services
            .store
            .all_heard(&self.services.profile)
            .await?;
        Ok(heard
            .into_iter()
            .filter_map(|heard| {
                let place = serde_json::from_str(&heard.place).ok()?;
                Some((place, heard.message))
            })
            .collect())
    }
}

/// Threads whose owner was read: whether it is the bot. An owner never changes.
#[derive(Default)]
pub(crate) struct KnownThreads(Mutex<BTreeMap<ChannelId, bool>>);

impl KnownThreads {
    /// Threads that are remembered.
    const MOST: usize = 10_000;

    pub(crate) fn get(&self, thread: &ChannelId) -> Option<bool> {
        self.lock().get(thread).copied()
    }

    pub(crate) fn put(&self, thread: ChannelId, is_own: bool) {
        let mut known = self.lock();
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(thread, is_own);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<ChannelId, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
