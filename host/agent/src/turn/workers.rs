//! One worker for each session that has something to do.
//!
//! A worker runs its session's rows in order and ends when there is nothing left; sessions run
//! side by side, as many turns at once as the host allows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ostler_config::{MAIN_AGENT, ProfileConfig, TurnVerbosity};
use ostler_store::{ChatType, Ending, NewPost, Overheard, Row, RowOutcome, SessionKey, StoreError};

use super::deliver::{Outbox, deliver, part_limit};
use super::preview::Preview;
use super::run::{End, Ended, Turn, run};
use super::waiting::{Slot, Waiting};
use super::{history, prepare, prompt, split};
use crate::assistant::Inner;
use crate::channel::{Channel, Post};
use crate::failpoint;
use crate::gate::Memory;
use crate::media;
use crate::rows::{self, NativeText, RowContent, UnreadableRow};
use crate::tools::Toolbox;

/// Which sessions have a worker, and whether there is more for it.
#[derive(Default)]
pub(crate) struct Workers {
    /// The value says that something came while the worker was busy.
    running: Mutex<BTreeMap<SessionKey, bool>>,
}

impl Workers {
    /// Claims the session for a new worker; else leaves word with the one that runs.
    fn begin(&self, session: &SessionKey) -> bool {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match running.get_mut(session) {
            Some(more) => {
                *more = true;
                false
            }
            None => {
                running.insert(session.clone(), false);
                true
            }
        }
    }

    /// Ends a worker, unless something came meanwhile: whether it ended.
    fn end(&self, session: &SessionKey) -> bool {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match running.get_mut(session) {
            Some(more) if *more => {
                *more = false;
                false
            }
            _ => {
                running.remove(session);
                true
            }
        }
    }
}

/// Has a session's work done: at once, or after what its worker does now.
pub(crate) fn wake(inner: &Arc<Inner>, session: &SessionKey) {
    if inner.cancel.is_cancelled() || !inner.workers.begin(session) {
        return;
    }
    let (worker, session) = (Arc::clone(inner), session.clone());
    inner.tasks.spawn(async move {
        let mut pause = Duration::from_millis(250);
        loop {
            match serve(&worker, &session).await {
                Ok(()) if worker.workers.end(&session) => return,
                Ok(()) => pause = Duration::from_millis(250),
                Err(error) => {
                    tracing::error!(%session, code = error.code(), %error, "a session waits");
                    tokio::select! {
                        () = worker.cancel.cancelled() => {}
                        () = tokio::time::sleep(pause) => {}
                    }
                    pause = (pause * 2).min(Duration::from_secs(30));
                }
            }
            if worker.cancel.is_cancelled() {
                return;
            }
        }
    });
}

/// Runs a session's rows until none waits.
async fn serve(inner: &Arc<Inner>, session: &SessionKey) -> Result<(), StoreError> {
    loop {
        let Some(channel) = inner.live_channel() else {
            // It is served when the adapter is there.
            return Ok(());
        };
        deliver(&outbox(inner, &channel), session).await?;
        if inner.cancel.is_cancelled() {
            return Ok(());
        }
        let Some(row) = inner.services.store.head(session).await? else {
            return Ok(());
        };
        // Rows of other sessions go on meanwhile; this one stays queued and is not lost.
        let Some(slot) = Slot::take(&inner.turns).await else {
            return Ok(());
        };
        if inner.cancel.is_cancelled() {
            return Ok(());
        }
        row_turn(inner, &row, slot).await?;
    }
}

fn outbox<'a>(inner: &'a Inner, channel: &'a Arc<dyn Channel>) -> Outbox<'a> {
    Outbox {
        channel,
        store: &inner.services.store,
        clock: &inner.services.clock,
        epoch: inner.epoch,
        cancel: &inner.cancel,
    }
}

/// One row: read, judged, claimed, run and ended.
async fn row_turn(inner: &Arc<Inner>, row: &Row, slot: Slot) -> Result<(), StoreError> {
    let store = &inner.services.store;
    let message = match rows::read(&row.descriptor) {
        Ok(RowContent::NativeText(message)) => message,
        Err(error) => return pause(inner, row, &error).await,
    };
    let Some(channel) = inner.live_channel() else {
        return Ok(());
    };
    let config = inner.services.config.borrow().clone();
    let toolbox = toolbox(inner).await;
    let judged = prepare::authority(row, &config, &channel, toolbox.catalog()).await;
    let (authority, speaker) = match judged {
        Ok(judged) => judged,
        Err(refusal) => {
            let text = format!("I did not begin: {refusal}.");
            let ending = Ending {
                detail: Some(refusal.to_string()),
                ..inner.ending(
                    RowOutcome::Cancelled,
                    Some(refusal.code()),
                    posts(row, &message, &text, part_limit(channel.as_ref())),
                )
            };
            store.refuse(row.id, inner.epoch, ending).await?;
            return Ok(());
        }
    };
    let overheard = overheard(inner, row, &message).await?;
    let items = store.recent_items(&row.session, history::ROWS).await?;
    if !store
        .claim(row.id, inner.epoch, inner.services.clock.now())
        .await?
    {
        return Ok(());
    }
    failpoint::pass("claimed");

    let mut preview = Preview::open(
        &channel,
        store,
        &row.route.chat,
        row.id,
        is_verbose(&config, row.route.chat_type),
    );
    let (services, cancel) = (&inner.services, &inner.cancel);
    let files = media::receive(services, &config, &channel, &message, &authority, cancel).await;
    let own = channel.own_id();
    let agent = config.agent(MAIN_AGENT).unwrap_or_default();
    let model = inner.services.models.of(&config, &agent).await;
    let waiting = Waiting::new(slot, preview.waiting_flag());
    let memory = Memory::default();
    let turn = Turn {
        row,
        authority: &authority,
        system: prompt::system(
            inner.services.profile.as_str(),
            agent.instructions.as_deref(),
            &authority,
            speaker,
        ),
        history: history::messages(&items),
        incoming: prompt::incoming(&message, speaker, own.as_ref(), &overheard, &files),
        model: model.as_ref(),
        max_tokens: config
            .agent_model(&agent)
            .and_then(|model| model.max_tokens)
            .map(ostler_config::Bounded::get),
        toolbox: &toolbox,
        channel: &channel,
        services: &inner.services,
        epoch: inner.epoch,
        waiting: &waiting,
        memory: &memory,
        cancel: &inner.cancel,
    };
    let ended = run(&turn, &mut preview).await;
    if memory.has_asked() {
        let approvals = &inner.services.approvals;
        approvals.cancel_row(row.id, "the turn has ended").await?;
    }
    let ending = ending(inner, row, &message, &ended, part_limit(channel.as_ref()));
    failpoint::pass("answered");
    let finished = store.finish(row.id, inner.epoch, ending).await;
    if let Err(error) = finished {
        preview.close().await;
        return Err(error);
    }
    failpoint::pass("committed");
    deliver(&outbox(inner, &channel), &row.session).await?;
    failpoint::pass("posted");
    preview.close().await;
    Ok(())
}

/// How far back a turn hears what was said in its channel: a day.
const OVERHEARD_MS: i64 = 24 * 60 * 60 * 1_000;

/// What was said in the channel between the session's last message and this one. What an earlier
/// turn heard stands in its own transcript, and is not told again.
async fn overheard(
    inner: &Inner,
    row: &Row,
    message: &NativeText,
) -> Result<Vec<Overheard>, StoreError> {
    let store = &inner.services.store;
    let before = store.row_before(&row.session, row.seq).await?;
    let heard_until = before
        .and_then(|before| rows::read(&before.descriptor).ok())
        .map_or(i64::MIN, |RowContent::NativeText(before)| before.sent_at);
    let since = heard_until.max(message.sent_at.saturating_sub(OVERHEARD_MS));
    let (profile, chat) = (&inner.services.profile, &row.route.chat);
    store.overheard(profile, chat, since, message.sent_at).await
}

/// The tools that there are now. Loading a plugin compiles: not on this thread.
async fn toolbox(inner: &Arc<Inner>) -> Toolbox {
    let loading = Arc::clone(inner);
    let loaded = tokio::task::spawn_blocking(move || {
        let mut toolbox = loading.tools.clone();
        loading.plugins.add_to(&mut toolbox);
        toolbox
    });
    loaded.await.unwrap_or_else(|error| {
        tracing::error!(%error, "the plugins' tools are left out");
        inner.tools.clone()
    })
}

/// A row that cannot be read stops its session, and the operator is told.
async fn pause(inner: &Arc<Inner>, row: &Row, error: &UnreadableRow) -> Result<(), StoreError> {
    tracing::error!(
        session = %row.session, row = %row.id, code = "permission_denied", %error,
        "the session is paused"
    );
    let now = inner.services.clock.now();
    inner
        .services
        .store
        .pause(&row.session, "permission_denied", now)
        .await?;
    tell_of_pause(inner, row, error).await;
    Ok(())
}

/// Tells the operator where they look: in the profile's `home_channel`, else in the session's own
/// place. Under the row's own nonce, so that it is told once.
async fn tell_of_pause(inner: &Arc<Inner>, row: &Row, error: &UnreadableRow) {
    let Some(channel) = inner.live_channel() else {
        return;
    };
    let home = {
        let config = inner.services.config.borrow();
        let home = config.home_channel.as_ref();
        home.and_then(|id| id.as_str().parse().ok())
    };
    let text = format!(
        "I paused a session (`permission_denied`): a row of it cannot be read ({error}), so nothing \
         of it runs. `ostler sessions show {}` shows it.\n-# row {}",
        row.session, row.id
    );
    let nonce = format!("p{}", hex::encode(&row.id.as_bytes()[6..]));
    let post = Post::text(home.unwrap_or_else(|| row.route.chat.clone()), text, nonce);
    if let Err(error) = channel.post(&post).await {
        tracing::error!(code = error.code(), %error, "the operator is not told of a paused session");
    }
}

fn is_verbose(config: &ProfileConfig, chat: ChatType) -> bool {
    match config.turn_verbosity {
        TurnVerbosity::Verbose => true,
        TurnVerbosity::Quiet => false,
        TurnVerbosity::Auto => chat == ChatType::Direct,
    }
}

fn ending(inner: &Inner, row: &Row, message: &NativeText, ended: &Ended, limit: usize) -> Ending {
    let post = |text: &str| posts(row, message, text, limit);
    let ending = match &ended.end {
        End::Answer(text) => inner.ending(RowOutcome::Completed, None, post(text)),
        End::Silence => inner.ending(RowOutcome::Completed, Some("no-reply"), Vec::new()),
        End::Failed { code, message } => Ending {
            detail: Some(message.clone()),
            ..inner.ending(
                RowOutcome::Failed,
                Some(code),
                post(&format!("I could not finish this ({code}): {message}.")),
            )
        },
        End::Interrupted => inner.ending(
            RowOutcome::Interrupted,
            Some("host-stopped"),
            post("I was stopped before I was done. Ask again if you still want it."),
        ),
    };
    let items = ended
        .messages
        .iter()
        .filter_map(|message| history::item(message, &row.origin).ok())
        .collect();
    Ending { items, ..ending }
}

/// An answer as messages: the first one replies to what woke the turn.
fn posts(row: &Row, message: &NativeText, text: &str, limit: usize) -> Vec<NewPost> {
    split::split(text, limit)
        .into_iter()
        .enumerate()
        .map(|(part, content)| NewPost {
            channel: row.route.chat.clone(),
            reply_to: (part == 0).then(|| message.message.clone()),
            content,
        })
        .collect()
}
