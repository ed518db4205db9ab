//! The queue of each session: admission, claims, endings, and what a restart does to them.

use rusqlite::{Connection, OptionalExtension as _, named_params};

use super::outbox::{self, NewPost};
use super::row::{
    Admitted, Epoch, Heard, HumanEnvelope, Json, NewRow, Row, RowId, RowOutcome, RowStatus,
};
use super::transcript::{self, TurnItem};
use crate::error::{Fault, StoreError};
use crate::{Profile, SessionKey};

/// How a claimed row ends, with all that its turn leaves. It is written in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How.
    pub outcome: RowOutcome,
    /// Why: a stable code.
    pub reason: Option<String>,
    /// The same for people.
    pub detail: Option<String>,
    /// What later turns read of it.
    pub items: Vec<TurnItem>,
    /// What is to be sent.
    pub posts: Vec<NewPost>,
    /// When, in milliseconds since 1970 (UTC).
    pub settled_at: i64,
}

pub(super) fn begin_epoch(connection: &Connection, now: i64) -> Result<Epoch, Fault> {
    connection.execute("INSERT INTO epochs (began_at) VALUES (?1)", [now])?;
    Ok(Epoch(connection.last_insert_rowid()))
}

/// Two statements for a row that is new; the third and fourth only for a message of a channel.
pub(super) fn admit(connection: &Connection, row: &NewRow) -> Result<Admitted, Fault> {
    let envelope = row.envelope.as_ref().map(|person| {
        Json(HumanEnvelope {
            person: person.clone(),
            row: row.id,
        })
    });
    let (seq, generation): (i64, i64) = connection
        .prepare_cached(
            "INSERT INTO sessions
                 (key, profile, route, human_envelope, next_seq, created_at, updated_at)
             VALUES (:key, :profile, :route, :envelope, 2, :now, :now)
             ON CONFLICT (key) DO UPDATE SET
                 next_seq = next_seq + 1, route = excluded.route, updated_at = excluded.updated_at,
                 human_envelope = coalesce(excluded.human_envelope, human_envelope)
             RETURNING next_seq - 1, generation",
        )?
        .query_row(
            named_params! {
                ":key": row.session,
                ":profile": row.profile,
                ":route": Json(&row.route),
                ":envelope": envelope,
                ":now": row.admitted_at,
            },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
    let inserted = connection
        .prepare_cached(
            "INSERT INTO rows (id, session, seq, principal, request, kind, payload, origin,
                 causes, route, status, generation, admitted_at)
             VALUES (:id, :session, :seq, :principal, :request, :kind, :payload, :origin,
                 :causes, :route, 'queued', :generation, :now)
             ON CONFLICT (principal, session, request) DO NOTHING",
        )?
        .execute(named_params! {
            ":id": row.id,
            ":session": row.session,
            ":seq": seq,
            ":principal": row.principal.0,
            ":request": row.request,
            ":kind": row.descriptor.kind,
            ":payload": row.descriptor.payload,
            ":origin": Json(&row.origin),
            ":causes": Json(&row.causes),
            ":route": Json(&row.route),
            ":generation": generation,
            ":now": row.admitted_at,
        })?;
    if inserted == 0 {
        return admitted_before(connection, row);
    }
    if let Some(heard) = &row.heard {
        hear(connection, heard)?;
    }
    Ok(Admitted {
        row: row.id,
        seq: unsigned(seq),
        is_duplicate: false,
    })
}

/// The request is there already: the same row, or a conflict. Gives the place in the queue back.
fn admitted_before(connection: &Connection, row: &NewRow) -> Result<Admitted, Fault> {
    connection
        .prepare_cached("UPDATE sessions SET next_seq = next_seq - 1 WHERE key = ?1")?
        .execute([&row.session])?;
    let (id, seq, kind, payload): (RowId, i64, String, String) = connection
        .prepare_cached(
            "SELECT id, seq, kind, payload FROM rows
             WHERE principal = ?1 AND session = ?2 AND request = ?3",
        )?
        .query_row((&row.principal.0, &row.session, &row.request), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
    if kind != row.descriptor.kind || payload != row.descriptor.payload {
        return Err(StoreError::AdmissionConflict {
            session: row.session.clone(),
            request: row.request.clone(),
        }
        .into());
    }
    Ok(Admitted {
        row: id,
        seq: unsigned(seq),
        is_duplicate: true,
    })
}

pub(super) fn hear(connection: &Connection, heard: &Heard) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO channels_heard
                 (profile, channel, place, message, author, addressed_at, heard_at)
             VALUES (:profile, :channel, :place, :message, :author, :addressed_at, :at)
             ON CONFLICT (profile, channel) DO UPDATE SET
                 place = excluded.place, message = excluded.message, author = excluded.author,
                 addressed_at = excluded.addressed_at, heard_at = excluded.heard_at
             WHERE excluded.heard_at >= heard_at",
        )?
        .execute(named_params! {
            ":profile": heard.profile,
            ":channel": heard.channel,
            ":place": heard.place,
            ":message": heard.message,
            ":author": heard.author,
            ":addressed_at": heard.addressed_at,
            ":at": heard.heard_at,
        })?;
    Ok(())
}

/// The first row that waits, if the session may run one now.
pub(super) fn head(connection: &Connection, session: &SessionKey) -> Result<Option<Row>, Fault> {
    Ok(connection
        .prepare_cached(
            "SELECT rows.* FROM rows JOIN sessions ON sessions.key = rows.session
             WHERE session = ?1 AND status = 'queued' AND paused IS NULL
               AND NOT EXISTS (
                   SELECT 1 FROM rows AS other
                   WHERE other.session = ?1 AND other.status = 'started')
             ORDER BY seq LIMIT 1",
        )?
        .query_row([session], read_row)
        .optional()?)
}

pub(super) fn claim(
    connection: &Connection,
    row: RowId,
    epoch: Epoch,
    now: i64,
) -> Result<bool, Fault> {
    let claimed = connection
        .prepare_cached(
            "UPDATE rows SET status = 'started', epoch = ?2, started_at = ?3
             WHERE id = ?1 AND status = 'queued'
               AND NOT EXISTS (
                   SELECT 1 FROM rows AS other
                   WHERE other.session = rows.session
                     AND (other.status = 'started'
                          OR (other.status = 'queued' AND other.seq < rows.seq)))
               AND EXISTS (
                   SELECT 1 FROM sessions
                   WHERE key = rows.session AND paused IS NULL
                     AND sessions.generation = rows.generation)",
        )?
        .execute((row, epoch, now))?;
    Ok(claimed == 1)
}

pub(super) fn finish(
    connection: &Connection,
    row: RowId,
    epoch: Epoch,
    ending: &Ending,
) -> Result<(), Fault> {
    let settled: Option<SessionKey> = connection
        .prepare_cached(
            "UPDATE rows SET status = 'settled', outcome = ?3, reason = ?4, detail = ?5,
                 settled_at = ?6
             WHERE id = ?1 AND status = 'started' AND epoch = ?2
               AND generation = (SELECT generation FROM sessions WHERE key = rows.session)
             RETURNING session",
        )?
        .query_row(
            (
                row,
                epoch,
                ending.outcome,
                &ending.reason,
                &ending.detail,
                ending.settled_at,
            ),
            |row| row.get(0),
        )
        .optional()?;
    let Some(session) = settled else {
        return Err(StoreError::ClaimLost { row }.into());
    };
    transcript::append(connection, &session, row, &ending.items)?;
    outbox::add(
        connection,
        &session,
        row,
        epoch,
        &ending.posts,
        ending.settled_at,
    )
}

/// Settles a row that waits, without a turn.
pub(super) fn refuse(
    connection: &Connection,
    row: RowId,
    epoch: Epoch,
    ending: &Ending,
) -> Result<bool, Fault> {
    let settled: Option<SessionKey> = connection
        .prepare_cached(
            "UPDATE rows SET status = 'settled', outcome = ?2, reason = ?3, detail = ?4,
                 settled_at = ?5
             WHERE id = ?1 AND status = 'queued' RETURNING session",
        )?
        .query_row(
            (
                row,
                ending.outcome,
                &ending.reason,
                &ending.detail,
                ending.settled_at,
            ),
            |row| row.get(0),
        )
        .optional()?;
    if let Some(session) = &settled {
        transcript::append(connection, session, row, &ending.items)?;
        outbox::add(
            connection,
            session,
            row,
            epoch,
            &ending.posts,
            ending.settled_at,
        )?;
    }
    Ok(settled.is_some())
}

pub(super) fn pause(
    connection: &Connection,
    session: &SessionKey,
    reason: &str,
    now: i64,
) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "UPDATE sessions SET paused = ?2, updated_at = ?3 WHERE key = ?1 AND paused IS NULL",
        )?
        .execute((session, reason, now))?;
    Ok(())
}

/// Started rows of older epochs have no turn any more.
pub(super) fn lose_older(
    connection: &Connection,
    profile: &Profile,
    epoch: Epoch,
) -> Result<usize, Fault> {
    Ok(connection
        .prepare_cached(
            "UPDATE rows SET status = 'unknown'
             WHERE status = 'started' AND epoch < ?2
               AND session IN (SELECT key FROM sessions WHERE profile = ?1)",
        )?
        .execute((profile, epoch))?)
}

pub(super) fn untold(connection: &Connection, profile: &Profile) -> Result<Vec<Row>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT rows.* FROM rows JOIN sessions ON sessions.key = rows.session
         WHERE profile = ?1 AND status = 'unknown' AND told = 0 ORDER BY rows.id",
    )?;
    Ok(statement
        .query_map([profile], read_row)?
        .collect::<Result<_, _>>()?)
}

pub(super) fn tell(
    connection: &Connection,
    row: RowId,
    epoch: Epoch,
    posts: &[NewPost],
    now: i64,
) -> Result<(), Fault> {
    let session: Option<SessionKey> = connection
        .prepare_cached(
            "UPDATE rows SET told = 1 WHERE id = ?1 AND status = 'unknown' AND told = 0
             RETURNING session",
        )?
        .query_row([row], |row| row.get(0))
        .optional()?;
    match session {
        Some(session) => outbox::add(connection, &session, row, epoch, posts, now),
        None => Ok(()),
    }
}

/// Sessions that have something to do: rows that wait, or posts that are open.
pub(super) fn with_work(
    connection: &Connection,
    profile: &Profile,
) -> Result<Vec<SessionKey>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT key FROM sessions WHERE profile = ?1 AND (
             (paused IS NULL AND EXISTS (
                 SELECT 1 FROM rows WHERE session = key AND status = 'queued'))
             OR EXISTS (
                 SELECT 1 FROM posts
                 WHERE session = key AND message IS NULL AND failed IS NULL))
         ORDER BY updated_at",
    )?;
    Ok(statement
        .query_map([profile], |row| row.get(0))?
        .collect::<Result<_, _>>()?)
}

pub(super) fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        id: row.get("id")?,
        session: row.get("session")?,
        seq: unsigned(row.get("seq")?),
        principal: super::row::Principal(row.get("principal")?),
        request: row.get("request")?,
        descriptor: super::row::Descriptor {
            kind: row.get("kind")?,
            payload: row.get("payload")?,
        },
        origin: row.get::<_, Json<_>>("origin")?.0,
        causes: row.get::<_, Json<_>>("causes")?.0,
        route: row.get::<_, Json<_>>("route")?.0,
        status: row.get::<_, RowStatus>("status")?,
        outcome: row.get("outcome")?,
        reason: row.get("reason")?,
        detail: row.get("detail")?,
        epoch: row.get("epoch")?,
        generation: unsigned(row.get("generation")?),
        admitted_at: row.get("admitted_at")?,
        started_at: row.get("started_at")?,
        settled_at: row.get("settled_at")?,
    })
}

/// Columns with a `CHECK` that they are not negative.
pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}
