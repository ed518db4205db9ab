//! From gateway events to the inbox: what each event means, and in which order it is handed on.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use ostler_agent::{Change, ChannelError, InboundMessage, Place};
use ostler_store::{ChannelId, GuildId, MessageId};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::catch_up;
use crate::click;
use crate::core::Core;
use crate::gateway::{Dispatch, Flow, Ticket};
use crate::lanes::Queued;
use crate::payload::{Message, id, list};
use crate::places::place;

/// What waits in a channel's lane.
#[derive(Debug)]
pub(crate) enum Job {
    /// A message that the gateway told.
    Live(Message, Ticket),
    /// The messages after this one are read back.
    CatchUp {
        place: Place,
        after: MessageId,
        done: oneshot::Sender<Result<usize, ChannelError>>,
    },
}

/// Takes an event. Never waits.
pub(crate) fn take(core: &Arc<Core>, event: Dispatch, ticket: Ticket) -> Flow {
    match event.name.as_str() {
        "MESSAGE_CREATE" => return take_message(core, event.data, ticket),
        "INTERACTION_CREATE" => {
            click::take(core, event.data, event.arrived, ticket);
            return Flow::Continue;
        }
        _ => {}
    }
    let mut changes = changes(core, &event).unwrap_or_else(|Unreadable| {
        unreadable(core, &event.name);
        Vec::new()
    });
    match changes.pop() {
        None => ticket.done(),
        Some(last) => {
            for change in changes {
                core.tell(change, None);
            }
            core.tell(last, Some(ticket));
        }
    }
    Flow::Continue
}

fn unreadable(core: &Core, event: &str) {
    tracing::warn!(event, "a gateway event could not be read");
    core.counters.count(|health| health.unreadable_events += 1);
}

struct Unreadable;

/// What an event changes in the live world.
fn changes(core: &Core, event: &Dispatch) -> Result<Vec<Change>, Unreadable> {
    let data = &event.data;
    let guild = || id::<GuildId>(data, "guild_id").ok_or(Unreadable);
    let itself = || id::<GuildId>(data, "id").ok_or(Unreadable);
    Ok(match event.name.as_str() {
        "GUILD_CREATE" => {
            let guild = itself()?;
            core.places.learn_all(data, &guild);
            let is_news = core.guilds.came(&guild);
            is_news
                .then_some(Change::Guild(guild))
                .into_iter()
                .collect()
        }
        "GUILD_UPDATE" => vec![Change::Guild(itself()?)],
        "GUILD_DELETE" => {
            let guild = itself()?;
            // One that is unavailable for a while comes back with the same channels.
            if data.get("unavailable").and_then(Value::as_bool) == Some(true) {
                core.guilds.is_away(&guild);
            } else {
                core.places.forget_guild(&guild);
                core.guilds.went(&guild);
            }
            vec![Change::Guild(guild)]
        }
        "THREAD_LIST_SYNC" => {
            core.places.learn_all(data, &guild()?);
            Vec::new()
        }
        "CHANNEL_CREATE" | "THREAD_CREATE" => {
            core.places.learn(data, None).ok_or(Unreadable)?;
            Vec::new()
        }
        "CHANNEL_UPDATE" | "THREAD_UPDATE" => {
            let channel = core.places.learn(data, None).ok_or(Unreadable)?;
            vec![Change::Channel(channel)]
        }
        "CHANNEL_DELETE" | "THREAD_DELETE" => {
            let channel = core.places.forget(data).ok_or(Unreadable)?;
            vec![Change::Channel(channel)]
        }
        "GUILD_MEMBER_UPDATE" | "GUILD_MEMBER_REMOVE" => {
            let person = data.get("user").and_then(|user| id(user, "id"));
            vec![Change::Member(guild()?, person.ok_or(Unreadable)?)]
        }
        "GUILD_ROLE_UPDATE" => {
            let role = data.get("role").and_then(|role| id(role, "id"));
            vec![Change::Role(guild()?, role.ok_or(Unreadable)?)]
        }
        "GUILD_ROLE_DELETE" => {
            let role = id(data, "role_id").ok_or(Unreadable)?;
            vec![Change::Role(guild()?, role)]
        }
        "MESSAGE_DELETE" => {
            let message = id(data, "id").ok_or(Unreadable)?;
            vec![Change::MessageDeleted(channel_of(data)?, message)]
        }
        "MESSAGE_DELETE_BULK" => {
            let channel = channel_of(data)?;
            let deleted = list(data, "ids").iter();
            deleted
                .map(|message| message.as_str()?.parse().ok())
                .map(|message| Some(Change::MessageDeleted(channel.clone(), message?)))
                .collect::<Option<_>>()
                .ok_or(Unreadable)?
        }
        _ => Vec::new(),
    })
}

fn channel_of(data: &Value) -> Result<ChannelId, Unreadable> {
    id(data, "channel_id").ok_or(Unreadable)
}

fn take_message(core: &Arc<Core>, data: Value, ticket: Ticket) -> Flow {
    let Some(message) = Message::read(data) else {
        unreadable(core, "MESSAGE_CREATE");
        ticket.done();
        return Flow::Continue;
    };
    if !message.is_for(&core.identity()) {
        ticket.done();
        return Flow::Continue;
    }
    let channel = message.channel.clone();
    match queue(core, &channel, Job::Live(message, ticket)) {
        None => Flow::Continue,
        Some(Job::Live(_, ticket)) => {
            ticket.refuse();
            Flow::Full
        }
        Some(Job::CatchUp { .. }) => Flow::Full,
    }
}

/// Puts a job in its channel's lane, and starts a worker if the lane had none. Without room it gives
/// the job back.
pub(crate) fn queue(core: &Arc<Core>, channel: &ChannelId, job: Job) -> Option<Job> {
    match core.lanes.push(channel, job) {
        Queued::Behind => {}
        Queued::First => core.spawn(work(Arc::clone(core), channel.clone())),
        Queued::Full(job) => return Some(job),
    }
    None
}

/// Puts a job before whatever waits in its channel's lane, however full it is.
pub(crate) fn queue_first(core: &Arc<Core>, channel: &ChannelId, job: Job) {
    if core.lanes.push_front(channel, job) {
        core.spawn(work(Arc::clone(core), channel.clone()));
    }
}

/// Serves a lane until it is empty. After the stop no further job is begun.
async fn work(core: Arc<Core>, channel: ChannelId) {
    loop {
        tokio::select! {
            biased;
            () = core.stop.cancelled() => return,
            () = core.lanes_may_move() => {}
        }
        let Some(job) = core.lanes.next(&channel) else {
            return;
        };
        match job {
            Job::Live(message, ticket) => {
                let handed = AssertUnwindSafe(hand_on(&core, &message, None)).catch_unwind();
                match handed.await {
                    Ok(Handed::Stopped) => return,
                    Ok(Handed::Taken | Handed::Known | Handed::NotTaken) => {}
                    Err(_) => not_taken(&core, "the inbox panicked"),
                }
                ticket.done();
            }
            Job::CatchUp { place, after, done } => {
                let read = AssertUnwindSafe(catch_up::read(&core, &place, &after)).catch_unwind();
                let read = read.await.unwrap_or_else(|_| {
                    not_taken(&core, "the inbox panicked");
                    Ok(0)
                });
                // Whoever asked may have gone.
                let _ = done.send(read);
            }
        }
    }
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handed {
    /// The inbox took it.
    Taken,
    /// It was told before.
    Known,
    /// The inbox did not take it, however often it was told.
    NotTaken,
    /// The adapter stops.
    Stopped,
}

/// Hands a message on. `known_place` spares the look-up.
pub(crate) async fn hand_on(core: &Core, message: &Message, known_place: Option<&Place>) -> Handed {
    if !core.messages.is_first(message.id.as_str()) {
        return Handed::Known;
    }
    let handed = try_hand_on(core, message, known_place).await;
    if handed != Handed::Taken {
        core.messages.forget(message.id.as_str());
    }
    handed
}

async fn try_hand_on(core: &Core, message: &Message, known_place: Option<&Place>) -> Handed {
    let place = match known_place {
        Some(place) => Some(place.clone()),
        None => find_place(core, message).await,
    };
    if core.stop.is_cancelled() {
        return Handed::Stopped;
    }
    let Some(place) = place else {
        not_taken(core, "its channel cannot be read");
        return Handed::NotTaken;
    };
    let Some(inbound) = message.inbound(place, &core.identity()) else {
        unreadable(core, "MESSAGE_CREATE");
        return Handed::NotTaken;
    };
    deliver(core, inbound).await
}

async fn deliver(core: &Core, message: InboundMessage) -> Handed {
    let timings = &core.options.timings;
    let mut tries = 0;
    loop {
        let Err(error) = core.inbox.message(message.clone()).await else {
            return Handed::Taken;
        };
        tries += 1;
        if tries > timings.inbox_retries {
            not_taken(core, &error.0);
            return Handed::NotTaken;
        }
        tokio::select! {
            () = core.stop.cancelled() => return Handed::Stopped,
            () = tokio::time::sleep(timings.inbox_wait.saturating_mul(1 << (tries - 1).min(16))) => {}
        }
    }
}

pub(crate) fn not_taken(core: &Core, why: &str) {
    tracing::error!(why, "a message or click was not taken by the inbox");
    core.counters.count(|health| health.undelivered += 1);
}

/// Where a message stands: as the gateway told, else as Discord says now. Which kind of channel it
/// is decides whose session it belongs to, so it is never guessed.
async fn find_place(core: &Core, message: &Message) -> Option<Place> {
    if let Some(place) = core.places.get(&message.channel).or(message.direct_place()) {
        return Some(place);
    }
    let mut tries = 0;
    loop {
        match core.read_channel(&message.channel).await {
            Ok(facts) => {
                let place = place(facts?);
                core.places.remember(place.clone());
                return Some(place);
            }
            Err(error) if error.is_transient() && tries < core.options.timings.inbox_retries => {
                tries += 1;
            }
            Err(error) => {
                tracing::warn!(%error, channel = %message.channel, "a channel cannot be read");
                return None;
            }
        }
        tokio::select! {
            () = core.stop.cancelled() => return None,
            () = tokio::time::sleep(core.options.timings.inbox_wait) => {}
        }
    }
}
