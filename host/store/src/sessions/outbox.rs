//! Posts: what is to be sent, committed before it is.
//!
//! A post is open until its message's id is known or it is given up. One that is open after a
//! crash is sent again under the same nonce, and the adapter's caller looks first whether it
//! stands already.

use rusqlite::Connection;

use super::row::{Epoch, RowId};
use crate::error::Fault;
use crate::{ChannelId, MessageId, SessionKey};

/// A message to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPost {
    /// Where to.
    pub channel: ChannelId,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// Its text.
    pub content: String,
}

/// A post that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// The row that it belongs to.
    pub row: RowId,
    /// Which part of that row's answer, from 0.
    pub part: u16,
    /// Where to.
    pub channel: ChannelId,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// Names it, so that sending it twice sends it once: at most 25 characters.
    pub nonce: String,
    /// Its text.
    pub content: String,
    /// The epoch that wrote it.
    pub epoch: Epoch,
    /// When it was written, in milliseconds since 1970 (UTC).
    pub created_at: i64,
}

/// How sending a post ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It stands as this message.
    Sent(MessageId),
    /// It cannot be sent: a stable code.
    GivenUp(String),
}

/// Parts of one answer at most: the nonce has room for three digits.
const PARTS: usize = 1_000;

pub(super) fn add(
    connection: &Connection,
    session: &SessionKey,
    row: RowId,
    epoch: Epoch,
    posts: &[NewPost],
    now: i64,
) -> Result<(), Fault> {
    for (part, post) in posts.iter().take(PARTS).enumerate() {
        connection
            .prepare_cached(
                "INSERT INTO posts
                     (row, part, session, channel, reply_to, nonce, content, epoch, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute((
                row,
                i64::try_from(part).unwrap_or_default(),
                session,
                &post.channel,
                &post.reply_to,
                nonce(row, part),
                &post.content,
                epoch,
                now,
            ))?;
    }
    Ok(())
}

/// 22 characters of the row's id, and the part's number.
fn nonce(row: RowId, part: usize) -> String {
    use base64::Engine as _;
    let id = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(row.as_bytes());
    format!("{id}{part}")
}

pub(super) fn open(connection: &Connection, session: &SessionKey) -> Result<Vec<Post>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT posts.* FROM posts JOIN rows ON rows.id = posts.row
         WHERE posts.session = ?1 AND message IS NULL AND failed IS NULL
         ORDER BY rows.seq, part",
    )?;
    Ok(statement
        .query_map([session], |row| {
            Ok(Post {
                row: row.get("row")?,
                part: row.get("part")?,
                channel: row.get("channel")?,
                reply_to: row.get("reply_to")?,
                nonce: row.get("nonce")?,
                content: row.get("content")?,
                epoch: row.get("epoch")?,
                created_at: row.get("created_at")?,
            })
        })?
        .collect::<Result<_, _>>()?)
}

pub(super) fn delivered(
    connection: &Connection,
    row: RowId,
    part: u16,
    delivery: &Delivery,
    now: i64,
) -> Result<(), Fault> {
    let (message, failed) = match delivery {
        Delivery::Sent(message) => (Some(message), None),
        Delivery::GivenUp(reason) => (None, Some(reason)),
    };
    connection
        .prepare_cached(
            "UPDATE posts SET message = ?3, failed = ?4, sent_at = ?5
             WHERE row = ?1 AND part = ?2 AND message IS NULL AND failed IS NULL",
        )?
        .execute((row, part, message, failed, now))?;
    Ok(())
}

/// A message that shows a running turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The turn's row.
    pub row: RowId,
    /// Where it stands.
    pub channel: ChannelId,
    /// Which message it is; not known before it was posted.
    pub message: Option<MessageId>,
}

pub(super) fn keep_preview(connection: &Connection, preview: &Preview) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO previews (row, channel, message) VALUES (?1, ?2, ?3)",
        )?
        .execute((preview.row, &preview.channel, &preview.message))?;
    Ok(())
}

pub(super) fn drop_preview(connection: &Connection, row: RowId) -> Result<(), Fault> {
    connection
        .prepare_cached("DELETE FROM previews WHERE row = ?1")?
        .execute([row])?;
    Ok(())
}

/// Previews of turns that run no more.
pub(super) fn stale_previews(
    connection: &Connection,
    profile: &crate::Profile,
) -> Result<Vec<Preview>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT previews.* FROM previews JOIN rows ON rows.id = previews.row
         JOIN sessions ON sessions.key = rows.session
         WHERE sessions.profile = ?1 AND rows.status <> 'started'",
    )?;
    Ok(statement
        .query_map([profile], |row| {
            Ok(Preview {
                row: row.get("row")?,
                channel: row.get("channel")?,
                message: row.get("message")?,
            })
        })?
        .collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_fits_discords_25_characters_and_names_row_and_part() {
        let row = RowId::new();
        assert!(nonce(row, 999).len() <= 25);
        assert_ne!(nonce(row, 0), nonce(row, 1));
        assert_ne!(nonce(row, 0), nonce(RowId::new(), 0));
    }
}
