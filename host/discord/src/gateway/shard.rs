//! The life of one shard: one connection after the other.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use ostler_agent::Change;
use ostler_store::PersonId;
use tokio::time::Instant;
use twilight_gateway::{Intents, ShardId};

use super::brake::{Brake, IdentifyBudget};
use super::close::{AfterClose, after};
use super::connection::{Dispatch, Ending, Flow, Listener, Opening, hold};
use super::session::{Identified, ShardSession};
use super::supervisor::{Gateway, gateway};
use crate::core::Core;
use crate::error::Fatal;
use crate::handover;
use crate::health::PRIVILEGED;
use crate::payload::{id, list, text};
use crate::snowflake::snowflake;

/// What the adapter listens to. Buttons need none of them.
const PLAIN: Intents = Intents::GUILDS
    .union(Intents::GUILD_MESSAGES)
    .union(Intents::DIRECT_MESSAGES);
const ALL: Intents = PLAIN
    .union(Intents::GUILD_MEMBERS)
    .union(Intents::MESSAGE_CONTENT);

/// Resumes that may end without RESUMED before the session is given up.
const RESUMES: u32 = 3;
/// Sockets that may fail to open before the gateway's address is asked for again.
const OPENINGS: u32 = 3;

/// Holds connections until the adapter ends.
pub(super) async fn run(
    core: Arc<Core>,
    session: Arc<ShardSession>,
    (number, count): (u32, u32),
    mut gateway_now: Gateway,
    budget: Arc<IdentifyBudget>,
) {
    let mut brake = Brake::new(&core.options.timings);
    let mut intents = ALL;
    let (mut failed_resumes, mut failed_openings) = (0, 0);
    while !core.stop.is_cancelled() {
        let resume = session.resumable();
        let is_resume = resume.is_some();
        if !is_resume {
            let at = budget.reserve();
            tokio::select! {
                () = core.stop.cancelled() => return,
                () = tokio::time::sleep_until(at) => {}
            }
        }
        let listener = ShardListener {
            core: &core,
            session: &session,
            number,
            count,
            is_live: AtomicBool::new(false),
        };
        core.counters.count(|health| health.connections += 1);
        let opened = Instant::now();
        let opening = Opening {
            token: core.options.token.expose(),
            intents,
            shard: ShardId::new_checked(number, count).unwrap_or(ShardId::ONE),
            gateway: &gateway_now.url,
            resume,
            timings: &core.options.timings,
        };
        // What the server sends must not end the shard's task, also where the library panics on it
        // (a resume URL that is none, a heartbeat of no length).
        let ending = AssertUnwindSafe(hold(opening, &listener, &core.stop))
            .catch_unwind()
            .await
            .unwrap_or_else(|_| Ending::Dropped("the gateway library panicked".to_owned()));
        let was_live = listener.is_live.into_inner();
        core.counters
            .lost(number, matches!(ending, Ending::Silent(_)));
        if was_live {
            core.tell(Change::Lost, None);
        }
        if ending == Ending::Stopped {
            return;
        }
        tracing::warn!(
            shard = number,
            was_live,
            ?ending,
            "the gateway connection ended"
        );

        failed_openings = match ending {
            Ending::NotOpened(_) => failed_openings + 1,
            _ => 0,
        };
        failed_resumes = if was_live || !is_resume || ending == Ending::Full {
            0
        } else {
            failed_resumes + 1
        };
        let mut is_session_over = false;
        match &ending {
            Ending::Closed(code) => match after(*code) {
                AfterClose::Resume => {}
                AfterClose::Identify => is_session_over = true,
                AfterClose::WithoutPrivileged if intents == ALL => {
                    intents = PLAIN;
                    is_session_over = true;
                    report_missing(&core);
                }
                AfterClose::WithoutPrivileged => return core.end(Fatal::IntentsRefused),
                AfterClose::End(fatal) => return core.end(fatal),
            },
            Ending::InvalidSession { is_resumable } => is_session_over = !is_resumable,
            Ending::NotOpened(_) if is_resume => session.distrust_url(),
            Ending::NotOpened(_) => budget.give_back(),
            _ => {}
        }
        // A socket that does not open says nothing about the session.
        if failed_resumes >= RESUMES && failed_openings == 0 {
            is_session_over = true;
        }
        if is_session_over {
            session.forget().await;
            failed_resumes = 0;
        }
        let wait = brake.after(opened.elapsed());
        tokio::select! {
            () = core.stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        if ending == Ending::Full {
            tracing::warn!("the inbox does not keep up: Discord holds further events meanwhile");
            tokio::select! {
                () = core.stop.cancelled() => return,
                () = core.lanes.room() => {}
            }
        }
        if failed_openings >= OPENINGS {
            failed_openings = 0;
            let Some(answer) = gateway(&core).await else {
                return;
            };
            gateway_now = answer;
        }
    }
}

fn report_missing(core: &Core) {
    for missing in PRIVILEGED {
        tracing::warn!(
            intent = missing.name,
            "Discord refuses a privileged intent: {}",
            missing.consequence
        );
    }
    core.counters
        .count(|health| health.missing_intents = PRIVILEGED.to_vec());
}

/// Takes what a connection hears.
struct ShardListener<'a> {
    core: &'a Arc<Core>,
    session: &'a ShardSession,
    number: u32,
    count: u32,
    is_live: AtomicBool,
}

impl ShardListener<'_> {
    /// A new session (Discord, *Ready*).
    fn ready(&self, event: &Dispatch) -> Option<()> {
        let user = event.data.get("user")?;
        let bot: PersonId = id(user, "id")?;
        let session = text(&event.data, "session_id")?.to_owned();
        let url = text(&event.data, "resume_gateway_url").unwrap_or_default();
        let application = event
            .data
            .get("application")
            .and_then(|application| text(application, "id"))
            .filter(|application| snowflake(application, "application").is_ok())
            .map(str::to_owned);
        let owner = Identified {
            bot: bot.clone(),
            application: application.clone(),
        };
        self.session
            .begin(session, url.to_owned(), owner, event.sequence);
        if !self.core.rest.base().accepts_gateway(url) {
            tracing::warn!(url, "the resume URL is not used: it is not this gateway's");
            self.session.distrust_url();
        }
        self.core.learn_identity(bot.clone(), application);
        let guilds = list(&event.data, "guilds").iter();
        let guilds = guilds.filter_map(|guild| id(guild, "id")).collect();
        self.core.guilds.begin(self.number, self.count, guilds);
        self.live(bot, false, event.sequence);
        Some(())
    }

    fn live(&self, own_id: PersonId, is_resumed: bool, sequence: u64) {
        self.is_live.store(true, Ordering::Relaxed);
        self.core.counters.connected(self.number);
        tracing::info!(shard = self.number, is_resumed, "the gateway is connected");
        if !is_resumed {
            self.core.hold_lanes();
        }
        let ready = Change::Ready { own_id, is_resumed };
        let ticket = self.session.handed.begin(sequence);
        self.core.tell(ready, Some(ticket));
    }
}

impl Listener for ShardListener<'_> {
    fn heard(&self, latency: Option<Duration>) {
        self.core.counters.heard(self.number, latency);
    }

    fn unreadable(&self) {
        tracing::warn!(shard = self.number, "a gateway payload could not be read");
        self.core
            .counters
            .count(|health| health.unreadable_events += 1);
    }

    fn dispatched(&self, event: Dispatch) -> Flow {
        match event.name.as_str() {
            "READY" => {
                if self.ready(&event).is_none() {
                    self.unreadable();
                }
                Flow::Continue
            }
            "RESUMED" => {
                if let Some(bot) = self.session.bot() {
                    self.live(bot, true, event.sequence);
                }
                Flow::Continue
            }
            _ => {
                let ticket = self.session.handed.begin(event.sequence);
                handover::take(self.core, event, ticket)
            }
        }
    }
}
