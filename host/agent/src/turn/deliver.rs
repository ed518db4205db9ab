//! Sends what was committed to be sent, in order, each once.

use std::sync::Arc;
use std::time::Duration;

use ostler_store::{Delivery, Epoch, MessageId, Post as StoredPost, SessionKey, SessionStore};
use tokio_util::sync::CancellationToken;

use super::split::units;
use crate::channel::{Channel, ChannelError, Post, Window};
use crate::clock::Clock;

/// Under an answer that was sent again after a crash.
pub(crate) const RECOVERED: &str = "\n-# recovered after a restart";
/// How long a post is tried before it is given up, counted from when it was written. A restart
/// tries again, at least once.
const PATIENCE_MS: i64 = 15 * 60 * 1_000;
/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What sending needs.
pub(crate) struct Outbox<'a> {
    pub(crate) channel: &'a Arc<dyn Channel>,
    pub(crate) store: &'a Arc<dyn SessionStore>,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) epoch: Epoch,
    pub(crate) cancel: &'a CancellationToken,
}

/// Sends a session's open posts. What cannot be sent before `cancel` stays open.
///
/// # Errors
/// Those of the store.
pub(crate) async fn deliver(
    outbox: &Outbox<'_>,
    session: &SessionKey,
) -> Result<(), ostler_store::StoreError> {
    for post in outbox.store.open_posts(session).await? {
        let Some(delivery) = send(outbox, &post).await else {
            return Ok(());
        };
        if let Delivery::GivenUp(code) = &delivery {
            tracing::error!(row = %post.row, part = post.part, code, "an answer was not sent");
        }
        outbox
            .store
            .delivered(post.row, post.part, delivery, outbox.clock.now())
            .await?;
    }
    Ok(())
}

/// Sends one post, however long it takes; none if `cancel` came first.
async fn send(outbox: &Outbox<'_>, post: &StoredPost) -> Option<Delivery> {
    let is_recovered = post.epoch != outbox.epoch;
    let mut pause = Duration::from_millis(500);
    loop {
        let tried = async {
            if is_recovered && let Some(message) = standing(outbox, post).await? {
                return Ok(message);
            }
            outbox.channel.post(&message(post, is_recovered)).await
        };
        // A try is not broken off: it may be on its way, and one more is bounded in time.
        match tried.await {
            Ok(message) => return Some(Delivery::Sent(message)),
            Err(error) if !error.is_transient() => {
                return Some(Delivery::GivenUp(error.code().to_owned()));
            }
            Err(error) => {
                let waited = outbox.clock.now().saturating_sub(post.created_at);
                if waited > PATIENCE_MS {
                    return Some(Delivery::GivenUp(error.code().to_owned()));
                }
                tracing::warn!(row = %post.row, code = error.code(), "an answer waits to be sent");
            }
        }
        tokio::select! {
            () = outbox.cancel.cancelled() => return None,
            () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
        }
    }
}

fn message(post: &StoredPost, is_recovered: bool) -> Post {
    let mut content = post.content.clone();
    if is_recovered {
        content.push_str(RECOVERED);
    }
    Post {
        reply_to: post.reply_to.clone(),
        ..Post::text(post.channel.clone(), content, post.nonce.clone())
    }
}

/// The message of a post that a crash left open, if it was sent: Discord remembers a nonce for
/// some minutes only, so the channel is read.
async fn standing(
    outbox: &Outbox<'_>,
    post: &StoredPost,
) -> Result<Option<MessageId>, ChannelError> {
    let Some(own) = outbox.channel.own_id() else {
        return Err(ChannelError::Unavailable(
            "the bot's account is not known yet".to_owned(),
        ));
    };
    let window = match &post.reply_to {
        Some(after) => Window::After(after),
        None => Window::Newest,
    };
    let messages = match outbox.channel.messages(&post.channel, window, 100).await {
        Ok(messages) => messages,
        // A channel that may be written to and not read: the nonce is all there is.
        Err(error) if !error.is_transient() => return Ok(None),
        Err(error) => return Err(error),
    };
    let recovered = format!("{}{RECOVERED}", post.content);
    Ok(messages
        .into_iter()
        .filter(|message| message.author == own && message.sent_at >= post.created_at - 60_000)
        .find(|message| is_same(&message.content, &post.content, &recovered))
        .map(|message| message.id))
}

/// Discord trims the white space around a message.
fn is_same(found: &str, sent: &str, recovered: &str) -> bool {
    found.trim() == sent.trim() || found.trim() == recovered.trim()
}

/// The most that a part of an answer may hold, so that the mark of a recovered one still fits.
pub(crate) fn part_limit(channel: &dyn Channel) -> usize {
    channel
        .content_limit()
        .saturating_sub(units(RECOVERED))
        .max(200)
}
