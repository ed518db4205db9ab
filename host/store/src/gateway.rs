//! Where a Discord gateway connection stands, so that a host that starts again continues it.

use rusqlite::{OptionalExtension as _, named_params};

use crate::error::StoreError;
use crate::{PersonId, Profile, Store};

/// A gateway session that can be resumed (Discord, *Gateway*, *Resuming*).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewaySession {
    /// Its id, from READY.
    pub session: String,
    /// Where to resume it, from READY.
    pub resume_url: String,
    /// The last event that was handed on whole.
    pub sequence: u64,
    /// The bot: after a resume there is no READY that would say.
    pub bot: PersonId,
    /// The bot's application, from READY, 1 to 64 bytes; none if it was stored before this was
    /// known.
    pub application: Option<String>,
}

impl Store {
    /// Keeps where a shard's connection stands. The last one wins.
    ///
    /// # Errors
    /// `store-invalid`: the application does not have 1 to 64 bytes; and those of any write.
    pub async fn save_gateway_session(
        &self,
        profile: &Profile,
        shard: u32,
        session: &GatewaySession,
    ) -> Result<(), StoreError> {
        let (profile, session) = (profile.clone(), session.clone());
        self.writer
            .write_async(move |connection| {
                connection
                    .prepare_cached(
                        "INSERT OR REPLACE INTO gateway_sessions
                             (profile, shard, session, resume_url, sequence, bot, application)
                         VALUES (:profile, :shard, :session, :resume_url, :sequence, :bot,
                             :application)",
                    )?
                    .execute(named_params! {
                        ":profile": profile,
                        ":shard": shard,
                        ":session": session.session,
                        ":resume_url": session.resume_url,
                        ":sequence": i64::try_from(session.sequence).unwrap_or(i64::MAX),
                        ":bot": session.bot,
                        ":application": session.application,
                    })?;
                Ok(())
            })
            .await
    }

    /// Forgets a shard's connection: it cannot be resumed.
    ///
    /// # Errors
    /// Those of any write.
    pub async fn forget_gateway_session(
        &self,
        profile: &Profile,
        shard: u32,
    ) -> Result<(), StoreError> {
        let profile = profile.clone();
        self.writer
            .write_async(move |connection| {
                connection
                    .prepare_cached(
                        "DELETE FROM gateway_sessions WHERE profile = ?1 AND shard = ?2",
                    )?
                    .execute((&profile, shard))?;
                Ok(())
            })
            .await
    }

    /// Where a shard's connection stood.
    ///
    /// # Errors
    /// Those of any read.
    pub async fn gateway_session(
        &self,
        profile: &Profile,
        shard: u32,
    ) -> Result<Option<GatewaySession>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| {
                Ok(connection
                    .prepare_cached(
                        "SELECT session, resume_url, sequence, bot, application
                         FROM gateway_sessions WHERE profile = ?1 AND shard = ?2",
                    )?
                    .query_row((&profile, shard), |row| {
                        Ok(GatewaySession {
                            session: row.get(0)?,
                            resume_url: row.get(1)?,
                            sequence: u64::try_from(row.get::<_, i64>(2)?).unwrap_or_default(),
                            bot: row.get(3)?,
                            application: row.get(4)?,
                        })
                    })
                    .optional()?)
            })
            .await
    }
}
