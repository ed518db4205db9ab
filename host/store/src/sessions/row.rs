//! Rows: admitted messages, with all that their turns will be judged by.

use std::fmt;
use std::str::FromStr;

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::key::{ChatType, SessionKey};
use crate::stored::stored_enum;
use crate::{ChannelId, GuildId, MessageId, PersonId, Profile};

/// A row's id: a UUIDv7, so that ids sort by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RowId(Uuid);

impl RowId {
    /// A new one.
    #[must_use]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// Its 16 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl Default for RowId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for RowId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::parse_str(text).map(Self)
    }
}

impl ToSql for RowId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.to_string()))
    }
}

impl FromSql for RowId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

/// Who caused a row. Typed data of the row, and read from nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Origin {
    /// A person, on the row's platform.
    Person {
        /// Their account.
        id: PersonId,
    },
    /// A peer of the mesh.
    Peer {
        /// Its principal, `<owner>.<actor>`.
        principal: String,
    },
    /// A plugin.
    Plugin {
        /// Its id, which is its package's name.
        id: String,
    },
    /// A schedule.
    Schedule {
        /// Who made it.
        created_by: String,
    },
    /// The host itself.
    System,
}

/// Under whom a row was admitted: `discord:<account>`, `plugin:<id>`, `automation:<route>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Principal(pub String);

/// One link of a row's chain of causes. It names a principal and holds no authority: each link is
/// judged again whenever it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// What caused.
    pub origin: Origin,
    /// A plugin's version, where a plugin caused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The row whose turn caused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowId>,
}

/// Where a session lives, and where its answers and cards go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// `discord`.
    pub platform: String,
    /// What the chat is.
    pub chat_type: ChatType,
    /// The server; none in a direct chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild: Option<GuildId>,
    /// The channel, thread or direct chat.
    pub chat: ChannelId,
    /// A thread's channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ChannelId>,
}

/// How far a row has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowStatus {
    /// It waits.
    Queued,
    /// Its turn runs.
    Started,
    /// It has an outcome.
    Settled,
    /// Its turn was lost with the host that ran it: what it did is not known.
    Unknown,
}

/// How a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowOutcome {
    /// Its turn ran to its end.
    Completed,
    /// Its turn was stopped.
    Interrupted,
    /// It may not run here.
    Rejected,
    /// Its turn could not go on.
    Failed,
    /// It was taken back before its turn.
    Cancelled,
}

stored_enum!(
    RowStatus,
    Queued = "queued",
    Started = "started",
    Settled = "settled",
    Unknown = "unknown",
);
stored_enum!(
    RowOutcome,
    Completed = "completed",
    Interrupted = "interrupted",
    Rejected = "rejected",
    Failed = "failed",
    Cancelled = "cancelled",
);

/// What a row says: its kind, such as `native_text_v1`, and its payload. The store takes any kind;
/// whoever runs rows must know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The kind, 1 to 64 bytes.
    pub kind: String,
    /// The payload, JSON.
    pub payload: String,
}

/// Who vouches for a session: a person of its platform who wrote in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanEnvelope {
    /// Who.
    pub person: PersonId,
    /// With which row.
    pub row: RowId,
}

/// A row that asks to be admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRow {
    /// Its id, made by the caller, so that what it causes may name it.
    pub id: RowId,
    /// The session; it is made if there is none.
    pub session: SessionKey,
    /// The session's profile.
    pub profile: Profile,
    /// Under whom it is admitted.
    pub principal: Principal,
    /// Names the request: a second one by the same principal in the same session is the same row.
    pub request: String,
    /// What it says.
    pub descriptor: Descriptor,
    /// Who caused it.
    pub origin: Origin,
    /// What led to it, the first cause first; its own origin last.
    pub causes: Vec<Cause>,
    /// Where its answer goes.
    pub route: Route,
    /// Whether its author becomes the session's human envelope.
    pub envelope: Option<PersonId>,
    /// What was heard with it, if it is a message of a channel.
    pub heard: Option<Heard>,
    /// When, in milliseconds since 1970 (UTC).
    pub admitted_at: i64,
}

/// The newest message that was taken in a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The profile whose bot heard it.
    pub profile: Profile,
    /// The channel.
    pub channel: ChannelId,
    /// Where that is, JSON; the caller's own.
    pub place: String,
    /// The message.
    pub message: MessageId,
    /// Who wrote it.
    pub author: PersonId,
    /// When that author last spoke to the assistant, if nobody else has spoken since; in
    /// milliseconds since 1970 (UTC).
    pub addressed_at: Option<i64>,
    /// When it was written, in milliseconds since 1970 (UTC).
    pub heard_at: i64,
}

/// An admitted row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Its id; the earlier one's, if it is a duplicate.
    pub row: RowId,
    /// Its place in the session, from 1.
    pub seq: u64,
    /// Whether the same request was admitted before. Then nothing was written.
    pub is_duplicate: bool,
}

/// A row as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: RowId,
    /// Its session.
    pub session: SessionKey,
    /// Its place in the session, from 1, without gaps.
    pub seq: u64,
    /// Under whom it was admitted.
    pub principal: Principal,
    /// The request that it is.
    pub request: String,
    /// What it says.
    pub descriptor: Descriptor,
    /// Who caused it.
    pub origin: Origin,
    /// What led to it.
    pub causes: Vec<Cause>,
    /// Where its answer goes.
    pub route: Route,
    /// How far it has come.
    pub status: RowStatus,
    /// How it ended, once it is settled.
    pub outcome: Option<RowOutcome>,
    /// Why it ended so: a stable code.
    pub reason: Option<String>,
    /// The same for people.
    pub detail: Option<String>,
    /// The epoch that claimed it.
    pub epoch: Option<Epoch>,
    /// The session's generation when it was admitted.
    pub generation: u64,
    /// When it was admitted, in milliseconds since 1970 (UTC).
    pub admitted_at: i64,
    /// When it was claimed, likewise.
    pub started_at: Option<i64>,
    /// When it settled, likewise.
    pub settled_at: Option<i64>,
}

/// One start of a host: later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Epoch(pub(crate) i64);

impl ToSql for Epoch {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for Epoch {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self)
    }
}

/// A value that is stored as JSON text.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        serde_json::to_string(&self.0)
            .map(ToSqlOutput::from)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
    }
}

impl<T: serde::de::DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?)
            .map(Self)
            .map_err(FromSqlError::other)
    }
}
