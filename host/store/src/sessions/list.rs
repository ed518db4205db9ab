//! Sessions as they are listed and shown.

use rusqlite::{Connection, OptionalExtension as _};

use super::queue::{read_row, unsigned};
use super::row::{HumanEnvelope, Json, Route, Row, RowId};
use crate::error::Fault;
use crate::{Profile, SessionKey};

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its key.
    pub key: SessionKey,
    /// Its agent.
    pub agent: String,
    /// Where its answers go.
    pub route: Route,
    /// Who vouches for it.
    pub human_envelope: Option<HumanEnvelope>,
    /// Why nothing of it runs, if so.
    pub paused: Option<String>,
    /// How often it was reset.
    pub generation: u64,
    /// Rows that wait.
    pub queued: u64,
    /// Rows whose turns were lost and that nobody has resolved.
    pub unknown: u64,
    /// All its rows.
    pub rows: u64,
    /// When it was made, in milliseconds since 1970 (UTC).
    pub created_at: i64,
    /// When a row last came, likewise.
    pub updated_at: i64,
}

const SESSION: &str = "SELECT sessions.*,
    (SELECT count(*) FROM rows WHERE session = key AND status = 'queued') AS queued,
    (SELECT count(*) FROM rows WHERE session = key AND status = 'unknown') AS unknown,
    (SELECT count(*) FROM rows WHERE session = key) AS row_count
    FROM sessions";

pub(super) fn sessions(
    connection: &Connection,
    profile: &Profile,
    limit: u32,
) -> Result<Vec<Session>, Fault> {
    let mut statement = connection.prepare_cached(&format!(
        "{SESSION} WHERE profile = ?1 ORDER BY updated_at DESC, key LIMIT ?2"
    ))?;
    Ok(statement
        .query_map((profile, limit), read)?
        .collect::<Result<_, _>>()?)
}

pub(super) fn session(connection: &Connection, key: &SessionKey) -> Result<Option<Session>, Fault> {
    Ok(connection
        .prepare_cached(&format!("{SESSION} WHERE key = ?1"))?
        .query_row([key], read)
        .optional()?)
}

/// The newest rows, the oldest of them first.
pub(super) fn rows(
    connection: &Connection,
    session: &SessionKey,
    limit: u32,
) -> Result<Vec<Row>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM (SELECT * FROM rows WHERE session = ?1 ORDER BY seq DESC LIMIT ?2)
         ORDER BY seq",
    )?;
    Ok(statement
        .query_map((session, limit), read_row)?
        .collect::<Result<_, _>>()?)
}

pub(super) fn row_before(
    connection: &Connection,
    session: &SessionKey,
    seq: u64,
) -> Result<Option<Row>, Fault> {
    Ok(connection
        .prepare_cached(
            "SELECT * FROM rows WHERE session = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row((session, i64::try_from(seq).unwrap_or(i64::MAX)), read_row)
        .optional()?)
}

pub(super) fn row(connection: &Connection, id: RowId) -> Result<Option<Row>, Fault> {
    Ok(connection
        .prepare_cached("SELECT * FROM rows WHERE id = ?1")?
        .query_row([id], read_row)
        .optional()?)
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        key: row.get("key")?,
        agent: row.get("agent")?,
        route: row.get::<_, Json<_>>("route")?.0,
        human_envelope: row
            .get::<_, Option<Json<_>>>("human_envelope")?
            .map(|json| json.0),
        paused: row.get("paused")?,
        generation: unsigned(row.get("generation")?),
        queued: unsigned(row.get("queued")?),
        unknown: unsigned(row.get("unknown")?),
        rows: unsigned(row.get("row_count")?),
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
