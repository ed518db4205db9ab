//! The to-dos of a session.

use rusqlite::{Connection, OptionalExtension as _};

use super::row::RowId;
use crate::SessionKey;
use crate::error::{Fault, Limit, StoreError};
use crate::stored::stored_enum;

/// Whether a to-do is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TodoState {
    /// It is to be done.
    Open,
    /// It is done.
    Done,
}

stored_enum!(TodoState, Open = "open", Done = "done");

/// A to-do.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Todo {
    /// Its number in the session, from 1. Numbers are never used again while later ones stand.
    pub id: u32,
    /// What is to be done: 1 to 2,000 bytes.
    pub title: String,
    /// Whether it is done.
    pub state: TodoState,
    /// Who had it written down: a person's id, or `plugin:<id>`.
    pub created_by: String,
}

/// To-dos of a session at most.
const MOST: u32 = 500;

pub(super) fn add(
    connection: &Connection,
    session: &SessionKey,
    title: &str,
    created_by: &str,
    row: Option<RowId>,
    now: i64,
) -> Result<Todo, Fault> {
    let (count, last): (u32, u32) = connection
        .prepare_cached("SELECT count(*), coalesce(max(id), 0) FROM todos WHERE session = ?1")?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if count >= MOST {
        return Err(StoreError::LimitReached {
            limit: Limit::Todos,
        }
        .into());
    }
    if title.is_empty() || title.len() > 2_000 {
        return Err(StoreError::LimitReached {
            limit: Limit::TodoTitleBytes,
        }
        .into());
    }
    let id = last + 1;
    connection
        .prepare_cached(
            "INSERT INTO todos (session, id, title, state, created_by, row, created_at, updated_at)
             VALUES (?1, ?2, ?3, 'open', ?4, ?5, ?6, ?6)",
        )?
        .execute((session, id, title, created_by, row, now))?;
    Ok(Todo {
        id,
        title: title.to_owned(),
        state: TodoState::Open,
        created_by: created_by.to_owned(),
    })
}

pub(super) fn list(connection: &Connection, session: &SessionKey) -> Result<Vec<Todo>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM todos WHERE session = ?1 ORDER BY id")?;
    Ok(statement
        .query_map([session], read)?
        .collect::<Result<_, _>>()?)
}

pub(super) fn change(
    connection: &Connection,
    session: &SessionKey,
    id: u32,
    title: Option<&str>,
    state: Option<TodoState>,
    now: i64,
) -> Result<Option<Todo>, Fault> {
    if title.is_some_and(|title| title.is_empty() || title.len() > 2_000) {
        return Err(StoreError::LimitReached {
            limit: Limit::TodoTitleBytes,
        }
        .into());
    }
    Ok(connection
        .prepare_cached(
            "UPDATE todos SET title = coalesce(?3, title), state = coalesce(?4, state),
                 updated_at = ?5
             WHERE session = ?1 AND id = ?2 RETURNING *",
        )?
        .query_row((session, id, title, state, now), read)
        .optional()?)
}

pub(super) fn delete(
    connection: &Connection,
    session: &SessionKey,
    id: u32,
) -> Result<bool, Fault> {
    let deleted = connection
        .prepare_cached("DELETE FROM todos WHERE session = ?1 AND id = ?2")?
        .execute((session, id))?;
    Ok(deleted == 1)
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Todo> {
    Ok(Todo {
        id: row.get("id")?,
        title: row.get("title")?,
        state: row.get("state")?,
        created_by: row.get("created_by")?,
    })
}
