//! One profile's assistant: from its start to its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ostler_config::{MAIN_AGENT, ProfileConfig};
use ostler_confine::Confinement;
use ostler_registry::Registry;
use ostler_store::{
    ApprovalId, ApprovalStore, AuditLog, ChannelId, Ending, Epoch, MessageId, NewPost, PersonId,
    Profile, RowId, RowOutcome, SessionStore, StoreError, Via,
};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::approvals::{Answer, Approvals, Decision, Parts, Presser, Resolution};
use crate::channel::Channel;
use crate::clock::Clock;
use crate::facts::{Fact, MemberFacts};
use crate::inbound::Place;
use crate::model::ModelSource;
use crate::rows::{self, RowContent};
use crate::tools::{OperatorGuilds, Plugins, Services, ShellPlace, Toolbox};
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
    /// Its asks.
    pub approvals: Arc<dyn ApprovalStore>,
    /// What is recorded for ever.
    pub audit: Arc<dyn AuditLog>,
    /// Its plugins.
    pub registry: Arc<Registry>,
    /// Its models.
    pub models: ModelSource,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The places of turns that run at once, shared by all profiles of the process.
    pub turns: Arc<Semaphore>,
    /// Where its shell works.
    pub shell: ShellOptions,
    /// The profile's standing grants.
    pub grants_file: PathBuf,
    /// Whether nobody is asked (`ostler serve --yolo`). Turns that plugins or peers caused ask all
    /// the same.
    pub yolo: bool,
}

/// Where commands of the assistant run.
pub struct ShellOptions {
    /// The folder that they may write in.
    pub workspace: PathBuf,
    /// What they never reach, wherever it lies: the host's home, package folders.
    pub hidden: Vec<PathBuf>,
    /// This program, which starts them ([`ostler_confine::launcher`]).
    pub launcher: PathBuf,
    /// How this machine confines them; none if it cannot.
    pub confinement: Option<Confinement>,
}

/// A running assistant. Clones are the same one.
#[derive(Clone)]
pub struct Assistant {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) services: Services,
    pub(crate) tools: Toolbox,
    pub(crate) plugins: Plugins,
    pub(crate) epoch: Epoch,
    pub(crate) turns: Arc<Semaphore>,
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
        let channel = watch::Sender::new(None);
        let approvals = Arc::new(Approvals::new(Parts {
            profile: options.profile.clone(),
            profile_file: options.profile_file.clone(),
            store: options.approvals,
            audit: options.audit,
            clock: Arc::clone(&options.clock),
            config: options.config.clone(),
            channel: channel.subscribe(),
        }));
        approvals.abandon(epoch).await?;
        let (tasks, cancel) = (TaskTracker::new(), CancellationToken::new());
        tasks.spawn(Arc::clone(&approvals).sweep(cancel.clone()));
        let inner = Arc::new(Inner {
            services: Services {
                profile: options.profile,
                store: options.store,
                registry: options.registry,
                clock: options.clock,
                config: options.config,
                models: options.models,
                approvals,
                shell: ShellPlace {
                    workspace: options.shell.workspace,
                    hidden: options.shell.hidden,
                    launcher: options.shell.launcher,
                    confinement: options.shell.confinement,
                },
                operator_guilds: OperatorGuilds::default(),
                grants_file: options.grants_file,
                yolo: options.yolo,
            },
            tools: Toolbox::own(),
            plugins,
            epoch,
            turns: options.turns,
            workers: Workers::default(),
            threads: KnownThreads::default(),
            tasks,
            cancel,
            channel,
            is_connected: watch::Sender::new(false),
            profile_file: options.profile_file,
        });
        inner.tasks.spawn(Arc::clone(&inner).mark_connection());
        Ok(Self { inner })
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
        let models = &self.inner.services.models;
        models.of(&config, &agent).await.name()
    }

    /// Stops: running turns are interrupted and recorded so, and nothing new begins. Whatever
    /// waits stays durable. Ends when every turn has ended.
    pub async fn shutdown(&self) {
        self.inner.cancel.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        self.inner.services.approvals.settle_down().await;
    }

    /// Ends an ask, as the owner, from outside of Discord: `via` the page or the command line.
    /// Whoever calls has made sure that it is the operator of this machine.
    ///
    /// # Errors
    /// Those of the store; then nothing was decided.
    pub async fn answer(
        &self,
        id: ApprovalId,
        decision: Decision,
        reason: Option<String>,
        via: Via,
    ) -> Result<Resolution, StoreError> {
        let owner = self.owner_as_member(id).await?;
        let answer = Answer::Pressed {
            by: Presser::Local { via, owner },
            decision,
            reason,
            event: None,
        };
        self.inner.services.approvals.resolve(id, answer).await
    }

    /// The owner as a member of the server that an ask stands in, read afresh.
    async fn owner_as_member(&self, id: ApprovalId) -> Result<Fact<MemberFacts>, StoreError> {
        let services = &self.inner.services;
        let owner: Option<PersonId> = {
            let config = services.config.borrow();
            let owner = config.owner_id.as_ref();
            owner.and_then(|owner| owner.as_str().parse().ok())
        };
        let approval = services.approvals.store().approval(id).await?;
        let row = match &approval {
            Some(approval) => services.store.row(approval.row).await?,
            None => None,
        };
        let guild = row.and_then(|row| row.route.guild);
        let (Some(owner), Some(guild), Some(channel)) = (owner, guild, self.inner.live_channel())
        else {
            return Ok(Fact::Absent);
        };
        Ok(match channel.member(&guild, &owner).await {
            Ok(Some(member)) => Fact::Known(member),
            Ok(None) => Fact::Absent,
            Err(error) => Fact::Unreadable(error.code()),
        })
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
            match self.missed(channel.as_ref()).await {
                Ok(places) => channel.catch_up(places),
                Err(error) => {
                    tracing::error!(code = error.code(), %error, "what was missed is not read");
                }
            }
        }
        self.is_connected.send_replace(true);
        self.take_up();
    }

    /// Where something was written that was not heard: the channels that were heard before, and
    /// those in which somebody wrote since the connection last stood.
    async fn missed(&self, channel: &dyn Channel) -> Result<Vec<(Place, MessageId)>, StoreError> {
        let services = &self.services;
        let mut places = self.places_heard().await?;
        let Some(stood_at) = services.store.connected_at(&services.profile).await? else {
            return Ok(places);
        };
        match channel.written_since(stood_at - MARKS_APART * 4).await {
            Ok(written) => places.extend(
                written
                    .into_iter()
                    .filter(|(place, _)| !places.iter().any(|(p, _)| p.channel == place.channel))
                    .collect::<Vec<_>>(),
            ),
            Err(error) => {
                tracing::warn!(code = error.code(), %error, "new places are not looked through");
            }
        }
        Ok(places)
    }

    /// Notes again and again that the connection stands, so that the next start knows since when
    /// it may have missed something.
    async fn mark_connection(self: Arc<Self>) {
        loop {
            if *self.is_connected.borrow() {
                let services = &self.services;
                let now = services.clock.now();
                if let Err(error) = services
                    .store
                    .keep_connected_at(&services.profile, now)
                    .await
                {
                    tracing::warn!(code = error.code(), %error, "the connection is not marked");
                }
            }
            let pause = std::time::Duration::from_millis(MARKS_APART.unsigned_abs());
            tokio::select! {
                () = self.cancel.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
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
                inner.services.approvals.reconcile().await?;
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
                    "I was cut off while I worked on this, and do not know how far I came.{} I do \
                     not start it again by myself: look at what was done, then ask again if you \
                     still want it.\n-# row {}",
                    self.begun(row.id).await?,
                    row.id
                ),
            };
            let now = self.services.clock.now();
            store.tell(row.id, self.epoch, vec![post], now).await?;
        }
        Ok(())
    }

    /// What of a lost turn had begun under an approval, and is not known to have ended.
    async fn begun(&self, row: RowId) -> Result<String, StoreError> {
        let asks = self
            .services
            .approvals
            .store()
            .approvals_of_row(row)
            .await?;
        Ok(asks
            .iter()
            .filter(|ask| ask.effect_started_at.is_some() && ask.effect_ended_at.is_none())
            .map(|ask| {
                format!(
                    " I had begun what was approved (`{}`, ask {}); whether it was done is not \
                     known.",
                    ask.tool, ask.id
                )
            })
            .collect())
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

/// How often a standing connection is marked, in milliseconds. What was written some marks before
/// the last one is read again: a connection is dead for a while before that shows.
const MARKS_APART: i64 = 30_000;

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
