//! What the operator set for a session.

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::Fault;
use crate::{NewAuditEntry, Profile, SessionKey, audit};

/// Sets or takes away that nothing of a session asks: whether there is such a session. Who set it
/// first stays noted; each call is in the audit log.
pub(super) fn set_yolo(
    connection: &Connection,
    session: &SessionKey,
    on: bool,
    by: &str,
    now: i64,
) -> Result<bool, Fault> {
    let profile: Option<Profile> = connection
        .prepare_cached("SELECT profile FROM sessions WHERE key = ?1")?
        .query_row([session], |row| row.get(0))
        .optional()?;
    if profile.is_none() {
        return Ok(false);
    }
    let kind = if on {
        connection
            .prepare_cached(
                "INSERT INTO session_flags (session, yolo_since, yolo_by) VALUES (?1, ?2, ?3)
                 ON CONFLICT (session) DO UPDATE SET
                     yolo_since = excluded.yolo_since, yolo_by = excluded.yolo_by
                 WHERE yolo_since IS NULL",
            )?
            .execute((session, now, by))?;
        "yolo-on"
    } else {
        connection
            .prepare_cached(
                "UPDATE session_flags SET yolo_since = NULL, yolo_by = NULL WHERE session = ?1",
            )?
            .execute([session])?;
        "yolo-off"
    };
    audit::append(
        connection,
        &NewAuditEntry {
            at: now,
            profile,
            kind: kind.to_owned(),
            actor: by.to_owned(),
            subject: Some(session.to_string()),
            place: None,
            digest: None,
            detail: "{}".to_owned(),
        },
    )?;
    Ok(true)
}

pub(super) fn is_yolo(connection: &Connection, session: &SessionKey) -> Result<bool, Fault> {
    Ok(connection
        .prepare_cached(
            "SELECT EXISTS (
                 SELECT 1 FROM session_flags WHERE session = ?1 AND yolo_since IS NOT NULL)",
        )?
        .query_row([session], |row| row.get(0))?)
}
