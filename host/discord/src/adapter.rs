//! The adapter's front: start, look, shut down.

use std::sync::Arc;
use std::time::Duration;

use ostler_agent::Inbox;
use ostler_store::Store;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::core::{Core, tell_changes};
use crate::error::{Fatal, StartError};
use crate::fetch::Downloads;
use crate::gateway::{ShardSession, supervise};
use crate::health::Health;
use crate::options::Options;
use crate::rest::Rest;

/// Of the time for a shutdown, what is kept for saving the sequences.
const FOR_SAVING: Duration = Duration::from_millis(400);

/// One bot on Discord. Dropping it ends its connections at once; [`Adapter::shutdown`] ends them in
/// order.
pub struct Adapter {
    pub(crate) core: Arc<Core>,
}

impl std::fmt::Debug for Adapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adapter")
            .field("options", &self.core.options)
            .field("health", &self.health())
            .finish_non_exhaustive()
    }
}

impl Adapter {
    /// Starts an adapter, which then connects by itself: Discord need not be reachable yet. A
    /// session that an earlier process left in the store is continued.
    ///
    /// # Errors
    /// - `no-https`: this machine has no usable certificates;
    /// - `store-unreadable`: the stored gateway session cannot be read.
    pub async fn start(
        options: Options,
        store: Arc<Store>,
        inbox: Arc<dyn Inbox>,
    ) -> Result<Self, StartError> {
        // The gateway's and the REST client's TLS both take the process's provider. Whoever set
        // another one meant it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let timings = &options.timings;
        let rest = Rest::new(
            options.api_base.clone(),
            &options.token,
            timings.rest,
            timings.connect,
        )?;
        let base = options.api_base.clone();
        let downloads = Downloads::new(base, timings.rest, timings.connect)?;
        let first = ShardSession::load(Arc::clone(&store), options.profile.clone(), 0).await?;
        let first = Arc::new(first);
        let (core, changes) = Core::new(options, rest, downloads, store, inbox);
        if let Some(bot) = first.bot() {
            core.learn_identity(bot, first.application());
        }
        core.add_shard(Arc::clone(&first));
        core.spawn(tell_changes(Arc::clone(&core), changes));
        core.spawn(supervise(Arc::clone(&core), first));
        Ok(Self { core })
    }

    /// How the adapter is doing now.
    #[must_use]
    pub fn health(&self) -> Health {
        self.core.counters.snapshot()
    }

    /// Becomes the reason when the adapter ended for good: the next start would end the same way
    /// until something is changed, and the reason says what.
    #[must_use]
    pub fn fatal(&self) -> watch::Receiver<Option<Fatal>> {
        self.core.fatal.subscribe()
    }

    /// Shuts down within [`crate::Timings::shutdown`]: the gateway session stays resumable, what is
    /// being handed on is finished as far as time allows, and the sequence before the first event
    /// that was not handed on is saved, so that the next start continues there.
    pub async fn shutdown(&self) {
        let core = &self.core;
        core.stop.cancel();
        core.tasks.close();
        let for_work = core.options.timings.shutdown.saturating_sub(FOR_SAVING);
        if timeout(for_work, core.tasks.wait()).await.is_err() {
            tracing::warn!("some events were not handed on before the shutdown: they come again");
        }
        core.kill();
        let saving = async {
            for shard in core.shards() {
                shard.save().await;
            }
        };
        if timeout(FOR_SAVING, saving).await.is_err() {
            tracing::warn!("the gateway session could not be saved in time");
        }
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        self.core.kill();
    }
}
