//! What was said where the assistant could hear it.

use rusqlite::{Connection, OptionalExtension as _, named_params};

use super::row::Heard;
use crate::error::Fault;
use crate::{ChannelId, MessageId, PersonId, Profile};

/// A message that did not wake the assistant: context for the next turn there, and only as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overheard {
    /// The message.
    pub message: MessageId,
    /// Who wrote it.
    pub author: PersonId,
    /// Their name.
    pub author_name: String,
    /// Whether they are a bot.
    pub is_bot: bool,
    /// What it says.
    pub text: String,
    /// When, in milliseconds since 1970 (UTC).
    pub sent_at: i64,
}

/// Messages that are kept of each channel: the newest.
const KEPT: u32 = 50;

/// A thread of the bot's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotThread {
    /// The thread.
    pub thread: ChannelId,
    /// Its channel.
    pub parent: Option<ChannelId>,
    /// Who had it opened: a person's id, or `plugin:<id>`.
    pub created_by: String,
}

pub(super) fn overhear(
    connection: &Connection,
    heard: &Heard,
    overheard: &Overheard,
) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO overheard
                 (profile, channel, message, author, author_name, is_bot, text, sent_at)
             VALUES (:profile, :channel, :message, :author, :name, :is_bot, :text, :at)
             ON CONFLICT DO NOTHING",
        )?
        .execute(named_params! {
            ":profile": heard.profile,
            ":channel": heard.channel,
            ":message": overheard.message,
            ":author": overheard.author,
            ":name": overheard.author_name,
            ":is_bot": overheard.is_bot,
            ":text": overheard.text,
            ":at": overheard.sent_at,
        })?;
    connection
        .prepare_cached(
            "DELETE FROM overheard WHERE profile = ?1 AND channel = ?2 AND message IN (
                 SELECT message FROM overheard WHERE profile = ?1 AND channel = ?2
                 ORDER BY sent_at DESC, message DESC LIMIT -1 OFFSET ?3)",
        )?
        .execute((&heard.profile, &heard.channel, KEPT))?;
    super::queue::hear(connection, heard)
}

pub(super) fn overheard(
    connection: &Connection,
    profile: &Profile,
    channel: &ChannelId,
    since: i64,
    until: i64,
) -> Result<Vec<Overheard>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM overheard
         WHERE profile = ?1 AND channel = ?2 AND sent_at > ?3 AND sent_at <= ?4
         ORDER BY sent_at, message",
    )?;
    Ok(statement
        .query_map((profile, channel, since, until), |row| {
            Ok(Overheard {
                message: row.get("message")?,
                author: row.get("author")?,
                author_name: row.get("author_name")?,
                is_bot: row.get("is_bot")?,
                text: row.get("text")?,
                sent_at: row.get("sent_at")?,
            })
        })?
        .collect::<Result<_, _>>()?)
}

pub(super) fn last_heard(
    connection: &Connection,
    profile: &Profile,
    channel: &ChannelId,
) -> Result<Option<Heard>, Fault> {
    Ok(connection
        .prepare_cached("SELECT * FROM channels_heard WHERE profile = ?1 AND channel = ?2")?
        .query_row((profile, channel), read_heard)
        .optional()?)
}

pub(super) fn all_heard(connection: &Connection, profile: &Profile) -> Result<Vec<Heard>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM channels_heard WHERE profile = ?1 ORDER BY heard_at DESC LIMIT 500",
    )?;
    Ok(statement
        .query_map([profile], read_heard)?
        .collect::<Result<_, _>>()?)
}

fn read_heard(row: &rusqlite::Row<'_>) -> rusqlite::Result<Heard> {
    Ok(Heard {
        profile: row.get("profile")?,
        channel: row.get("channel")?,
        place: row.get("place")?,
        message: row.get("message")?,
        author: row.get("author")?,
        addressed_at: row.get("addressed_at")?,
        heard_at: row.get("heard_at")?,
    })
}

pub(super) fn mark_thread(
    connection: &Connection,
    profile: &Profile,
    thread: &BotThread,
    row: Option<super::RowId>,
    now: i64,
) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO bot_threads (profile, thread, parent, created_by, row, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        )?
        .execute((
            profile,
            &thread.thread,
            &thread.parent,
            &thread.created_by,
            row,
            now,
        ))?;
    Ok(())
}

pub(super) fn bot_thread(
    connection: &Connection,
    profile: &Profile,
    thread: &ChannelId,
) -> Result<Option<BotThread>, Fault> {
    Ok(connection
        .prepare_cached(
            "SELECT thread, parent, created_by FROM bot_threads
             WHERE profile = ?1 AND thread = ?2",
        )?
        .query_row((profile, thread), |row| {
            Ok(BotThread {
                thread: row.get(0)?,
                parent: row.get(1)?,
                created_by: row.get(2)?,
            })
        })
        .optional()?)
}

/// Notes that a profile was connected; the last call wins, also when the clock was set back.
pub(super) fn keep_connected_at(
    connection: &Connection,
    profile: &Profile,
    at: i64,
) -> Result<(), Fault> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO connection_marks (profile, at) VALUES (?1, ?2)")?
        .execute((profile, at))?;
    Ok(())
}

pub(super) fn connected_at(
    connection: &Connection,
    profile: &Profile,
) -> Result<Option<i64>, Fault> {
    Ok(connection
        .prepare_cached("SELECT at FROM connection_marks WHERE profile = ?1")?
        .query_row([profile], |row| row.get(0))
        .optional()?)
}
