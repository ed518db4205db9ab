//! What a person sees while a turn runs: typing, and where the profile wants it one message that
//! grows and shows the tools that were called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ostler_store::{ChannelId, MessageId, Preview as StoredPreview, RowId, SessionStore};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::split::units;
use crate::channel::{Channel, Edit, Post};

/// Edits are at least this far apart.
const BETWEEN_EDITS: Duration = Duration::from_millis(1_200);
/// Discord shows typing for ten seconds.
const TYPING: Duration = Duration::from_secs(8);
/// How soon typing goes on after a person has answered.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// Steps of the trail at most; older ones are counted.
const STEPS: usize = 20;
/// Bytes of the trail at most.
const TRAIL: usize = 2_500;

/// The view on a running turn. Dropping it stops the view; [`Preview::close`] takes it away.
pub(crate) struct Preview {
    shown: watch::Sender<String>,
    steps: Vec<String>,
    text: String,
    limit: usize,
    is_verbose: bool,
    task: JoinHandle<Option<MessageId>>,
    channel: Arc<dyn Channel>,
    store: Arc<dyn SessionStore>,
    place: ChannelId,
    row: RowId,
    is_waiting: Arc<AtomicBool>,
}

impl Preview {
    /// Begins to show a turn. Without `is_verbose` only typing is shown.
    pub(crate) fn open(
        channel: &Arc<dyn Channel>,
        store: &Arc<dyn SessionStore>,
        place: &ChannelId,
        row: RowId,
        is_verbose: bool,
    ) -> Self {
        let (shown, changes) = watch::channel(String::new());
        let is_waiting = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(show(
            Arc::clone(channel),
            Arc::clone(store),
            place.clone(),
            row,
            changes,
            Arc::clone(&is_waiting),
        ));
        Self {
            shown,
            steps: Vec::new(),
            text: String::new(),
            limit: channel.content_limit(),
            is_verbose,
            task,
            channel: Arc::clone(channel),
            store: Arc::clone(store),
            place: place.clone(),
            row,
            is_waiting,
        }
    }

    /// Set while the turn waits for a person: typing pauses.
    pub(crate) fn waiting_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_waiting)
    }

    /// The answer so far.
    pub(crate) fn text(&mut self, said: &[String], more: &str) {
        if self.is_verbose {
            self.text = said.join("\n\n");
            if !self.text.is_empty() && !more.is_empty() {
                self.text.push_str("\n\n");
            }
            self.text.push_str(more);
            self.render();
        }
    }

    /// A tool was called.
    pub(crate) fn step(&mut self, tool: &str) {
        if self.is_verbose {
            let name: String = tool
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
                .take(64)
                .collect();
            self.steps.push(name);
            self.render();
        }
    }

    fn render(&self) {
        let content = rendered(&self.steps, &self.text, self.limit);
        if !content.is_empty() {
            self.shown.send_replace(content);
        }
    }

    /// Stops showing, and deletes what was shown. The answer stands by then.
    pub(crate) async fn close(self) {
        drop(self.shown);
        let message = match self.task.await {
            Ok(message) => message,
            Err(error) => {
                tracing::error!(%error, "the view on a turn broke off");
                return;
            }
        };
        if let Some(message) = message {
            remove(&self.channel, &self.store, &self.place, &message, self.row).await;
        }
    }
}

/// Deletes a preview. One that cannot be deleted now is found again at the next start.
pub(crate) async fn remove(
    channel: &Arc<dyn Channel>,
    store: &Arc<dyn SessionStore>,
    place: &ChannelId,
    message: &MessageId,
    row: RowId,
) {
    match channel.delete(place, message).await {
        Ok(()) | Err(crate::channel::ChannelError::NotFound(_)) => {
            if let Err(error) = store.drop_preview(row).await {
                tracing::warn!(code = error.code(), %error, "a preview is not forgotten");
            }
        }
        Err(error) => tracing::warn!(code = error.code(), %error, "a preview is not deleted"),
    }
}

/// Deletes the preview of a turn that was lost.
pub(crate) async fn remove_stale(
    channel: &Arc<dyn Channel>,
    store: &Arc<dyn SessionStore>,
    stale: StoredPreview,
) {
    let message = match stale.message {
        Some(message) => message,
        // Whether it was posted is not known. Under the same nonce Discord gives the one that
        // stands, as long as it remembers it; else one stands for a moment, and notifies nobody.
        None => {
            let again = post(&stale.channel, stale.row, "…".to_owned());
            match channel.post(&again).await {
                Ok(message) => message,
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, "a preview is not found again");
                    return;
                }
            }
        }
    };
    remove(channel, store, &stale.channel, &message, stale.row).await;
}

/// Types and edits until the sender goes. Gives the message, if there is one.
async fn show(
    channel: Arc<dyn Channel>,
    store: Arc<dyn SessionStore>,
    place: ChannelId,
    row: RowId,
    mut changes: watch::Receiver<String>,
    is_waiting: Arc<AtomicBool>,
) -> Option<MessageId> {
    let end = changes.clone();
    let mut message: Option<MessageId> = None;
    let mut next_typing = Instant::now();
    // The first one comes late: a turn that is short needs no preview.
    let mut next_edit = Instant::now() + BETWEEN_EDITS;
    loop {
        tokio::select! {
            changed = async {
                tokio::time::sleep_until(next_edit).await;
                changes.changed().await
            } => {
                if changed.is_err() {
                    return message;
                }
                let content = changes.borrow_and_update().clone();
                match &message {
                    None => message = begin(&channel, &store, &place, row, content).await,
                    Some(message) => {
                        // A lost edit is made good by the next one.
                        let _ = channel.edit(&Edit {
                            channel: place.clone(),
                            message: message.clone(),
                            content: Some(content),
                            components: None,
                        }).await;
                    }
                }
                next_edit = Instant::now() + BETWEEN_EDITS;
            }
            () = tokio::time::sleep_until(next_typing) => {
                if is_waiting.load(Ordering::Relaxed) {
                    next_typing = Instant::now() + LOOK_AGAIN;
                } else {
                    let _ = channel.typing(&place).await;
                    next_typing = Instant::now() + TYPING;
                }
            }
            () = closed(end.clone()) => return message,
        }
    }
}

/// Posts the preview. That it will be posted is kept first, so that one is never left behind.
async fn begin(
    channel: &Arc<dyn Channel>,
    store: &Arc<dyn SessionStore>,
    place: &ChannelId,
    row: RowId,
    content: String,
) -> Option<MessageId> {
    let mut stored = StoredPreview {
        row,
        channel: place.clone(),
        message: None,
    };
    if let Err(error) = store.keep_preview(stored.clone()).await {
        tracing::warn!(code = error.code(), %error, "a preview is not shown");
        return None;
    }
    // One that failed may stand all the same: it is looked for at the next start.
    let message = channel.post(&post(place, row, content)).await.ok()?;
    stored.message = Some(message.clone());
    if let Err(error) = store.keep_preview(stored).await {
        tracing::warn!(code = error.code(), %error, "a preview is not kept");
    }
    Some(message)
}

/// A preview notifies nobody.
fn post(place: &ChannelId, row: RowId, content: String) -> Post {
    Post {
        is_silent: true,
        ..Post::text(place.clone(), content, nonce(row))
    }
}

/// Ends when the sender is gone.
async fn closed(mut changes: watch::Receiver<String>) {
    while changes.changed().await.is_ok() {}
}

fn nonce(row: RowId) -> String {
    format!("v{}", hex::encode(&row.as_bytes()[6..]))
}

/// The trail, then the end of the text that fits.
fn rendered(steps: &[String], text: &str, limit: usize) -> String {
    let mut trail = String::new();
    let hidden = steps.len().saturating_sub(STEPS);
    if hidden > 0 {
        trail.push_str(&format!("-# … {hidden} more\n"));
    }
    for step in &steps[hidden..] {
        let line = format!("-# `{step}`\n");
        if trail.len() + line.len() > TRAIL.min(limit / 2) {
            break;
        }
        trail.push_str(&line);
    }
    let room = limit.saturating_sub(units(&trail) + 2);
    let mut tail: Vec<char> = Vec::new();
    let mut used = 0;
    for c in text.chars().rev() {
        used += c.len_utf16();
        if used > room {
            tail.push('…');
            break;
        }
        tail.push(c);
    }
    trail.extend(tail.into_iter().rev());
    trail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_never_outgrows_a_message() {
        let steps: Vec<String> = (0..100).map(|n| format!("{n}{}", "x".repeat(60))).collect();
        for text in ["", "short", &"😀".repeat(3_000)] {
            let shown = rendered(&steps, text, 2_000);
            assert!(units(&shown) <= 2_000);
            assert!(shown.matches("-# `").count() <= STEPS);
            assert!(shown.starts_with("-# … 80 more\n"));
        }
    }
}
