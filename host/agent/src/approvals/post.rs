//! Cards on their way to Discord: posted once, drawn again when they change.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ostler_store::{
    Approval, ApprovalClass, ApprovalId, ApprovalState, MessageId, NewApproval, PersonId,
    StoreError,
};

use super::document::AskDocument;
use super::{Answer, Approvals, AskError, card};
use crate::channel::{Channel, ChannelError, Edit, Post};
use crate::failpoint;

/// Between two tries to show a card, at first; doubled up to [`SLOWEST`].
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const SLOWEST: Duration = Duration::from_secs(8);

/// Cards that are being drawn again, so that each is drawn by one task.
#[derive(Default)]
pub(super) struct Drawing(Mutex<BTreeSet<ApprovalId>>);

impl Drawing {
    fn begin(&self, id: ApprovalId) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id)
    }

    fn end(&self, id: ApprovalId) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&id);
    }
}

/// Names a card's message, so that a repeated post is the same message for Discord: 25 of the
/// 32 digits of its id.
pub(super) fn nonce(id: ApprovalId) -> String {
    id.to_string().chars().take(25).collect()
}

impl Approvals {
    /// Refuses a question that no message can hold, before anything is written.
    pub(super) fn check_fits(
        &self,
        new: &NewApproval,
        document: &AskDocument,
    ) -> Result<(), AskError> {
        let limit = self
            .live_channel()
            .map_or(2_000, |channel| channel.content_limit());
        let open = Approval::from(new.clone());
        card::draw(&open, document, &[], limit)
            .map(|_| ())
            .map_err(|card::TooLong| AskError::QuestionTooLong)
    }

    /// Posts a card, and goes on trying while its window is open. What Discord refuses for good
    /// ends the ask as unreachable.
    pub(super) async fn show_until_it_stands(self: &Arc<Self>, id: ApprovalId) {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.show(id).await {
                Ok(Shown::Stands) => return,
                Ok(Shown::Never(reason)) => {
                    let answer = Answer::Unreachable {
                        reason,
                        was_refused: true,
                    };
                    if let Err(error) = self.resolve(id, answer).await {
                        tracing::error!(approval = %id, code = error.code(), %error, "an ask stays open");
                    }
                    return;
                }
                Ok(Shown::NotNow) => {}
                Err(error) => {
                    tracing::error!(approval = %id, code = error.code(), %error, "a card waits");
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(SLOWEST);
        }
    }

    /// Posts an open ask's card, if none stands.
    async fn show(&self, id: ApprovalId) -> Result<Shown, StoreError> {
        let Some(approval) = self.store.approval(id).await? else {
            return Ok(Shown::Stands);
        };
        if approval.state != ApprovalState::Creating {
            return Ok(Shown::Stands);
        }
        let Ok(document) = AskDocument::of(&approval) else {
            return Ok(Shown::Never("what is asked cannot be read".to_owned()));
        };
        let Some(channel) = self.live_channel() else {
            return Ok(Shown::NotNow);
        };
        let mentions = self.mentions(&approval, &document);
        let drawn = match card::draw(&approval, &document, &mentions, channel.content_limit()) {
            Ok(drawn) => drawn,
            Err(card::TooLong) => return Ok(Shown::Never("it cannot be shown whole".to_owned())),
        };
        let post = Post {
            components: Some(drawn.components),
            files: drawn.files,
            mentions,
            ..Post::text(
                approval.channel.clone(),
                drawn.content,
                approval.nonce.clone(),
            )
        };
        match channel.post(&post).await {
            Ok(message) => {
                failpoint::pass("card-posted");
                self.stands(&approval, message).await?;
                failpoint::pass("card-kept");
                Ok(Shown::Stands)
            }
            Err(error) if error.is_transient() => {
                tracing::warn!(approval = %id, code = error.code(), %error, "a card is not shown yet");
                Ok(Shown::NotNow)
            }
            Err(error) => {
                tracing::warn!(approval = %id, code = error.code(), %error, "a card cannot be shown");
                Ok(Shown::Never(format!("{}: {error}", error.code())))
            }
        }
    }

    async fn stands(&self, approval: &Approval, message: MessageId) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.store
            .approval_posted(approval.id, message, now)
            .await?;
        Ok(())
    }

    /// Whom a card calls: with `approval_mentions`, those who may answer it.
    fn mentions(&self, approval: &Approval, document: &AskDocument) -> Vec<PersonId> {
        let config = self.config.borrow();
        let called: Vec<PersonId> = match approval.class {
            ApprovalClass::Clarify => approval.asker.iter().cloned().collect(),
            ApprovalClass::Tool => Vec::new(),
            ApprovalClass::Host | ApprovalClass::Platform if !config.discord.approval_mentions => {
                Vec::new()
            }
            ApprovalClass::Host | ApprovalClass::Platform => config
                .owner_id
                .iter()
                .chain(
                    config
                        .discord
                        .allowed_users
                        .iter()
                        .filter(|_| !document.is_for_owner),
                )
                .filter_map(|id| id.as_str().parse().ok())
                .collect(),
        };
        let mut once = Vec::new();
        for person in called {
            if !once.contains(&person) && once.len() < MENTIONS {
                once.push(person);
            }
        }
        once
    }

    /// Has a card drawn again as its row says, in the background.
    pub(super) fn redraw_soon(self: &Arc<Self>, id: ApprovalId) {
        let approvals = Arc::clone(self);
        self.tasks.spawn(async move {
            if !approvals.drawing.begin(id) {
                return;
            }
            let drawn = approvals.redraw(id).await;
            approvals.drawing.end(id);
            if let Err(error) = drawn {
                // It is found again by the sweep.
                tracing::warn!(approval = %id, %error, "a card is not drawn again yet");
            }
        });
    }

    /// Draws a card again until it shows what its row says.
    async fn redraw(&self, id: ApprovalId) -> Result<(), RedrawError> {
        while let Some(approval) = self.store.approval(id).await? {
            if approval.drawn >= approval.revision {
                return Ok(());
            }
            let Some(channel) = self.live_channel() else {
                return Ok(());
            };
            let message = match &approval.message {
                Some(message) => message.clone(),
                None => match self.find(&approval, channel.as_ref()).await? {
                    Some(message) => message,
                    None => return Ok(()),
                },
            };
            match self.edit(&approval, &message, channel.as_ref()).await {
                // A card that is gone shows nothing wrong.
                Ok(()) | Err(ChannelError::NotFound(_)) => {}
                Err(error) => return Err(error.into()),
            }
            self.store
                .approval_drawn(id, approval.revision, self.clock.now())
                .await?;
        }
        Ok(())
    }

    /// The message of an ask that ended before its id was kept. Posting under the same nonce gives
    /// the one that stands, or a new one, which then tells how it ended.
    async fn find(
        &self,
        approval: &Approval,
        channel: &dyn Channel,
    ) -> Result<Option<MessageId>, RedrawError> {
        let Ok(document) = AskDocument::of(approval) else {
            return Ok(None);
        };
        let Ok(drawn) = card::draw(approval, &document, &[], channel.content_limit()) else {
            return Ok(None);
        };
        let post = Post {
            components: Some(drawn.components),
            is_silent: true,
            ..Post::text(
                approval.channel.clone(),
                drawn.content,
                approval.nonce.clone(),
            )
        };
        match channel.post(&post).await {
            Ok(message) => {
                self.stands(approval, message.clone()).await?;
                Ok(Some(message))
            }
            Err(error) if error.is_transient() => Err(error.into()),
            Err(error) => {
                // It was never shown, and cannot be.
                tracing::info!(approval = %approval.id, code = error.code(), "an ask has no card");
                self.store
                    .approval_drawn(approval.id, approval.revision, self.clock.now())
                    .await?;
                Ok(None)
            }
        }
    }

    async fn edit(
        &self,
        approval: &Approval,
        message: &MessageId,
        channel: &dyn Channel,
    ) -> Result<(), ChannelError> {
        let invalid = || ChannelError::Invalid("what is asked cannot be read".to_owned());
        let document = AskDocument::of(approval).map_err(|_| invalid())?;
        let drawn = card::draw(approval, &document, &[], channel.content_limit())
            .map_err(|card::TooLong| invalid())?;
        channel
            .edit(&Edit {
                channel: approval.channel.clone(),
                message: message.clone(),
                content: Some(drawn.content),
                components: Some(drawn.components),
            })
            .await
    }

    /// Checks after a new connection that an open ask's card still stands: whether it does.
    pub(super) async fn still_stands(&self, approval: &Approval) -> Result<bool, ChannelError> {
        let (Some(channel), Some(message)) = (self.live_channel(), &approval.message) else {
            return Ok(true);
        };
        match self.edit(approval, message, channel.as_ref()).await {
            Ok(()) => Ok(true),
            Err(ChannelError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// People that a card calls at most.
const MENTIONS: usize = 20;

/// What came of a try to show a card.
enum Shown {
    /// It stands, or is no longer to be shown.
    Stands,
    /// Discord is not there.
    NotNow,
    /// It will never stand, and why.
    Never(String),
}

#[derive(Debug, thiserror::Error)]
enum RedrawError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Channel(#[from] ChannelError),
}
