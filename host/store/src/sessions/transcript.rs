//! What turns leave for later turns to read, each item with the origin of what it holds.

use rusqlite::Connection;

use super::row::{Json, Origin, RowId};
use crate::SessionKey;
use crate::error::Fault;
use crate::stored::stored_enum;

/// Who speaks in an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What came in.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// What an item's content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// Text, a JSON string.
    Text,
    /// Calls of tools.
    Calls,
    /// A tool's answer.
    Result,
}

stored_enum!(Role, User = "user", Assistant = "assistant", Tool = "tool",);
stored_enum!(ItemKind, Text = "text", Calls = "calls", Result = "result",);

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnItem {
    /// Who speaks.
    pub role: Role,
    /// Who caused the turn that it belongs to.
    pub origin: Origin,
    /// What its content is.
    pub kind: ItemKind,
    /// JSON; the caller's own.
    pub content: String,
}

pub(super) fn append(
    connection: &Connection,
    session: &SessionKey,
    row: RowId,
    items: &[TurnItem],
) -> Result<(), Fault> {
    for (ordinal, item) in items.iter().enumerate() {
        connection
            .prepare_cached(
                "INSERT INTO turn_items
                     (session, row, ordinal, role, origin, kind, content, generation)
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, generation FROM sessions WHERE key = ?1",
            )?
            .execute((
                session,
                row,
                i64::try_from(ordinal).unwrap_or(i64::MAX),
                item.role,
                Json(&item.origin),
                item.kind,
                &item.content,
            ))?;
    }
    Ok(())
}

/// The items of the session's newest rows, the oldest row first.
pub(super) fn recent(
    connection: &Connection,
    session: &SessionKey,
    rows: u32,
) -> Result<Vec<(RowId, TurnItem)>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT turn_items.* FROM turn_items JOIN rows ON rows.id = turn_items.row
         WHERE turn_items.session = ?1
           AND turn_items.generation = (SELECT generation FROM sessions WHERE key = ?1)
           AND turn_items.row IN (
               SELECT DISTINCT row FROM turn_items WHERE session = ?1
               ORDER BY (SELECT seq FROM rows WHERE id = row) DESC LIMIT ?2)
         ORDER BY rows.seq, ordinal",
    )?;
    Ok(statement
        .query_map((session, rows), read)?
        .collect::<Result<_, _>>()?)
}

pub(super) fn of_row(connection: &Connection, row: RowId) -> Result<Vec<TurnItem>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM turn_items WHERE row = ?1 ORDER BY ordinal")?;
    Ok(statement
        .query_map([row], |row| read(row).map(|(_, item)| item))?
        .collect::<Result<_, _>>()?)
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<(RowId, TurnItem)> {
    Ok((
        row.get("row")?,
        TurnItem {
            role: row.get("role")?,
            origin: row.get::<_, Json<_>>("origin")?.0,
            kind: row.get("kind")?,
            content: row.get("content")?,
        },
    ))
}
