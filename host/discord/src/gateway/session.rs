//! A shard's session: where it stands, in memory and in the store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ostler_store::{GatewaySession, PersonId, Profile, Store, StoreError};
use tokio_util::sync::CancellationToken;
use twilight_gateway::Session;

use super::handed::Handed;

/// The session of one shard.
pub(crate) struct ShardSession {
    store: Arc<Store>,
    profile: Profile,
    shard: u32,
    pub(crate) handed: Handed,
    known: Mutex<Option<Known>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    id: String,
    resume_url: String,
    bot: PersonId,
    application: Option<String>,
    /// Whether its resume URL answered the last time.
    is_url_good: bool,
}

/// Whose session it is, as READY says.
#[derive(Clone, Debug)]
pub(crate) struct Identified {
    pub(crate) bot: PersonId,
    pub(crate) application: Option<String>,
}

impl ShardSession {
    /// Reads what an earlier process left.
    pub(crate) async fn load(
        store: Arc<Store>,
        profile: Profile,
        shard: u32,
    ) -> Result<Self, StoreError> {
        let stored = store.gateway_session(&profile, shard).await?;
        let handed = Handed::default();
        let known = stored.map(|stored| {
            handed.restart(stored.sequence);
            Known {
                id: stored.session,
                resume_url: stored.resume_url,
                bot: stored.bot,
                application: stored.application,
                is_url_good: true,
            }
        });
        Ok(Self {
            store,
            profile,
            shard,
            handed,
            known: Mutex::new(known),
        })
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Option<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bot(&self) -> Option<PersonId> {
        self.known().as_ref().map(|known| known.bot.clone())
    }

    pub(crate) fn application(&self) -> Option<String> {
        self.known().as_ref()?.application.clone()
    }

    /// The application of a session that was stored before this was kept with it.
    pub(crate) fn learn_application(&self, application: String) {
        if let Some(known) = self.known().as_mut() {
            known.application = Some(application);
        }
    }

    /// READY began a session.
    pub(crate) fn begin(&self, id: String, resume_url: String, owner: Identified, sequence: u64) {
        self.handed.restart(sequence);
        *self.known() = Some(Known {
            id,
            resume_url,
            bot: owner.bot,
            application: owner.application,
            is_url_good: true,
        });
    }

    /// What the next connection continues, and where; the URL only while it answers.
    pub(crate) fn resumable(&self) -> Option<(Session, Option<String>)> {
        let known = self.known().clone()?;
        Some((
            Session::new(self.handed.received(), known.id),
            known.is_url_good.then_some(known.resume_url),
        ))
    }

    /// The resume URL did not answer: the next try goes to the gateway itself.
    pub(crate) fn distrust_url(&self) {
        if let Some(known) = self.known().as_mut() {
            known.is_url_good = false;
        }
    }

    /// The session is gone.
    pub(crate) async fn forget(&self) {
        *self.known() = None;
        if let Err(error) = self
            .store
            .forget_gateway_session(&self.profile, self.shard)
            .await
        {
            tracing::warn!(%error, shard = self.shard, "an ended gateway session stays stored");
        }
    }

    /// Stores where another process may resume.
    pub(crate) async fn save(&self) {
        let Some(known) = self.known().clone() else {
            return;
        };
        let session = GatewaySession {
            session: known.id,
            resume_url: known.resume_url,
            sequence: self.handed.complete(),
            bot: known.bot,
            application: known.application,
        };
        if let Err(error) = self
            .store
            .save_gateway_session(&self.profile, self.shard, &session)
            .await
        {
            tracing::warn!(%error, shard = self.shard, "the gateway session cannot be stored");
        }
    }

    /// Stores it whenever it moved, at most once in `every`, until `stop`.
    pub(crate) async fn keep_saving(&self, every: Duration, stop: &CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.handed.moved() => {}
            }
            self.save().await;
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(every) => {}
            }
        }
    }
}
