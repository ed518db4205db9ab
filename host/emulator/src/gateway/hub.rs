//! Sessions of bots, and who is connected to them.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::faults::{Action, Faults};
use crate::options::RateLimits;
use crate::snowflake::Id;
use crate::world::World;
use crate::world::event::{Event, intent};
use crate::world::message::strip;

/// How long a session without a connection can be resumed.
const RESUMABLE: Duration = Duration::from_secs(180);
/// Events that a session keeps for a resume.
const BUFFER: usize = 2_000;
/// Frames that may wait for a slow client before it is cut off.
pub(super) const BACKLOG: usize = 4_096;

/// What a connection is told to do.
#[derive(Debug)]
pub(super) enum Command {
    /// A dispatch.
    Send(String),
    Fault(Action),
    /// Another connection took the session.
    Displaced,
}

/// A bot's session.
pub(super) struct Session {
    pub(super) bot: Id,
    pub(super) intents: u64,
    /// The shard and the number of shards.
    pub(super) shard: (u64, u64),
    pub(super) sequence: u64,
    buffer: VecDeque<(u64, String)>,
    connection: Option<u64>,
    detached: Instant,
    started: u64,
}

impl Session {
    pub(super) fn has(&self, guild: Option<Id>) -> bool {
        guild.map_or(self.shard.0 == 0, |guild| {
            guild.shard(self.shard.1) == self.shard.0
        })
    }
}

/// Identifies of one bot.
#[derive(Default)]
struct Identifies {
    day: Option<Instant>,
    count: u32,
    last: HashMap<u64, Instant>,
}

/// All sessions and connections.
pub(crate) struct Hub {
    pub(super) sessions: HashMap<String, Session>,
    connections: HashMap<u64, mpsc::Sender<Command>>,
    pub(crate) faults: Faults,
    identifies: HashMap<Id, Identifies>,
    limits: RateLimits,
    next: u64,
}

/// Why a session cannot be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoResume {
    /// It is not there any more, or too much happened: op 9.
    Gone,
    /// The token is another's: close 4004.
    WrongToken,
    /// The client knows events that were never sent: close 4007.
    AheadOfSession,
}

fn payload(name: &str, sequence: u64, data: &Value) -> String {
    json!({"op": 0, "t": name, "s": sequence, "d": data}).to_string()
}

impl Hub {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            sessions: HashMap::new(),
            connections: HashMap::new(),
            faults: Faults::default(),
            identifies: HashMap::new(),
            limits,
            next: 0,
        }
    }

    pub(super) fn connect(&mut self, sender: mpsc::Sender<Command>) -> u64 {
        self.next += 1;
        self.connections.insert(self.next, sender);
        self.next
    }

    /// A connection ended. Its session waits for a resume, unless it was ended too.
    pub(super) fn disconnect(&mut self, connection: u64, end_session: bool) {
        self.connections.remove(&connection);
        self.detach(connection, end_session);
    }

    /// Takes the session from a connection that stays open.
    pub(super) fn detach(&mut self, connection: u64, end_session: bool) {
        if end_session {
            self.sessions
                .retain(|_, session| session.connection != Some(connection));
        }
        for session in self.sessions.values_mut() {
            if session.connection == Some(connection) {
                session.connection = None;
                session.detached = Instant::now();
            }
        }
        self.sessions.retain(|_, session| {
            session.connection.is_some() || session.detached.elapsed() < RESUMABLE
        });
    }

    /// Whether a bot may identify now on a shard; if so, it is counted.
    pub(super) fn may_identify(&mut self, bot: Id, shard: u64) -> bool {
        let identifies = self.identifies.entry(bot).or_default();
        let now = Instant::now();
        let day = Duration::from_secs(24 * 3_600);
        if identifies
            .day
            .is_none_or(|since| now.duration_since(since) > day)
        {
            identifies.day = Some(now);
            identifies.count = 0;
        }
        // Every shard has the same concurrency key, as `max_concurrency` is 1.
        let soon = identifies
            .last
            .values()
            .any(|last| now.duration_since(*last) < self.limits.identify_every);
        if soon || identifies.count >= self.limits.identifies_per_day {
            return false;
        }
        identifies.count += 1;
        identifies.last.insert(shard, now);
        true
    }

    /// What `GET /gateway/bot` says of identifies.
    pub(crate) fn identify_limit(&self, bot: Id) -> Value {
        let used = self.identifies.get(&bot);
        let total = self.limits.identifies_per_day.min(1_000_000);
        let count = used.map_or(0, |used| used.count);
        let age = used
            .and_then(|used| used.day)
            .map_or(0, |since| since.elapsed().as_secs());
        json!({
            "total": total,
            "remaining": total.saturating_sub(count),
            "reset_after": 86_400_u64.saturating_sub(age) * 1_000,
            "max_concurrency": 1,
        })
    }

    /// Starts a session on a connection.
    pub(super) fn start(
        &mut self,
        id: String,
        connection: u64,
        bot: Id,
        intents: u64,
        shard: (u64, u64),
    ) {
        self.next += 1;
        let session = Session {
            bot,
            intents,
            shard,
            sequence: 0,
            buffer: VecDeque::new(),
            connection: Some(connection),
            detached: Instant::now(),
            started: self.next,
        };
        self.sessions.insert(id, session);
    }

    /// Gives a session an event, and its connection if it has one.
    pub(super) fn push(&mut self, id: &str, name: &str, data: &Value) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        session.sequence += 1;
        let text = payload(name, session.sequence, data);
        session.buffer.push_back((session.sequence, text.clone()));
        if session.buffer.len() > BUFFER {
            session.buffer.pop_front();
        }
        let Some(connection) = session.connection else {
            return;
        };
        let sent = self
            .connections
            .get(&connection)
            .is_some_and(|sender| sender.try_send(Command::Send(text)).is_ok());
        if !sent {
            // Too slow, or gone: its channel ends with the sender, and the client resumes.
            self.disconnect(connection, false);
        }
    }

    /// Gives a session to a connection. Answers the events that the client missed, and the number
    /// of the last one.
    pub(super) fn resume(
        &mut self,
        id: &str,
        bot: Option<Id>,
        sequence: u64,
        connection: u64,
    ) -> Result<(Vec<String>, u64), NoResume> {
        let session = self.sessions.get_mut(id).ok_or(NoResume::Gone)?;
        if bot != Some(session.bot) {
            return Err(NoResume::WrongToken);
        }
        if session.connection.is_none() && session.detached.elapsed() >= RESUMABLE {
            self.sessions.remove(id);
            return Err(NoResume::Gone);
        }
        if sequence > session.sequence {
            self.sessions.remove(id);
            return Err(NoResume::AheadOfSession);
        }
        let oldest = session
            .buffer
            .front()
            .map_or(session.sequence + 1, |(first, _)| *first);
        if sequence + 1 < oldest {
            self.sessions.remove(id);
            return Err(NoResume::Gone);
        }
        let displaced = session.connection.replace(connection);
        let missed = session
            .buffer
            .iter()
            .filter(|(number, _)| *number > sequence);
        let missed = missed.map(|(_, text)| text.clone()).collect();
        let last = session.sequence;
        if let Some(sender) = displaced.and_then(|old| self.connections.get(&old)) {
            let _ = sender.try_send(Command::Displaced);
        }
        Ok((missed, last))
    }

    /// Gives an event to every session that hears it.
    pub(crate) fn dispatch(&mut self, world: &World, event: &Event) {
        let hears = |session: &Session| {
            event.bots.contains(&session.bot)
                && (event.intents == 0 || session.intents & event.intents != 0)
                && session.has(event.guild)
        };
        let mut ids: Vec<(bool, u64, String)> = self
            .sessions
            .iter()
            .filter(|(_, session)| hears(session))
            .map(|(id, session)| (session.connection.is_some(), session.started, id.clone()))
            .collect();
        ids.sort();
        if event.name == "INTERACTION_CREATE" {
            // Only one session gets an interaction: the newest that is connected.
            ids = ids.pop().into_iter().collect();
        }
        for (_, _, id) in ids {
            let Some(session) = self.sessions.get(&id) else {
                continue;
            };
            let data = for_session(world, event, session);
            self.push(&id, event.name, &data);
        }
    }

    /// Applies a fault to all open connections. Gives their number.
    pub(crate) fn fault_now(&mut self, action: Action) -> usize {
        self.connections
            .values()
            .filter(|sender| sender.try_send(Command::Fault(action)).is_ok())
            .count()
    }

    /// Applies a fault to one connection, after what already waits for it.
    pub(super) fn fault_one(&mut self, connection: u64, action: Action) {
        if let Some(sender) = self.connections.get(&connection) {
            let _ = sender.try_send(Command::Fault(action));
        }
    }

    /// The session that a connection has.
    pub(super) fn session_of(&self, connection: u64) -> Option<(&str, &Session)> {
        self.sessions
            .iter()
            .find(|(_, session)| session.connection == Some(connection))
            .map(|(id, session)| (id.as_str(), session))
    }

    /// The sessions, for the control API.
    pub(crate) fn describe(&self) -> Value {
        let mut sessions: Vec<(u64, Value)> = self
            .sessions
            .values()
            .map(|session| {
                let described = json!({
                    "user": session.bot,
                    "connected": session.connection.is_some(),
                    "intents": session.intents,
                    "shard": [session.shard.0, session.shard.1],
                    "sequence": session.sequence,
                });
                (session.started, described)
            })
            .collect();
        sessions.sort_by_key(|(started, _)| *started);
        let sessions: Vec<Value> = sessions.into_iter().map(|(_, session)| session).collect();
        json!({"connections": self.connections.len(), "sessions": sessions})
    }

    /// Ends all sessions and forgets all faults; clients must identify again.
    pub(crate) fn reset(&mut self) {
        self.fault_now(Action::InvalidSession(false));
        self.sessions.clear();
        self.faults.clear();
        self.identifies.clear();
    }
}

/// The event as one session gets it.
fn for_session(world: &World, event: &Event, session: &Session) -> Value {
    if event.name == "GUILD_CREATE"
        && let Some(guild) = event.guild.and_then(|id| world.guilds.get(&id))
    {
        let all = session.intents & intent::GUILD_MEMBERS != 0;
        return world.render_guild_create(guild, session.bot, all);
    }
    let mut data = event.data.clone();
    if session.intents & intent::MESSAGE_CONTENT == 0
        && event
            .content
            .as_ref()
            .is_some_and(|rule| !rule.shows(session.bot))
    {
        strip(&mut data);
    }
    data
}
