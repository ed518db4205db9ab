//! What no turn does by itself: windows that are over, cards that a crash or a lost connection
//! left behind.

use std::sync::Arc;
use std::time::Duration;

use ostler_store::{ApprovalState, ChannelId, Epoch, MessageId, StoreError};
use tokio_util::sync::CancellationToken;

use super::{Answer, Approvals, post};

/// How often rows are looked through for windows that are over.
const EVERY: Duration = Duration::from_millis(500);
/// Every so many times, cards that do not show their row's state are drawn again.
const REDRAW: u32 = 20;
/// Asks that one look ends.
const AT_ONCE: u32 = 200;

impl Approvals {
    /// Looks after the asks until it is told to stop.
    pub(crate) async fn sweep(self: Arc<Self>, stop: CancellationToken) {
        let mut turn: u32 = 0;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
            turn = turn.wrapping_add(1);
            let swept = async {
                self.end_expired().await?;
                if turn.is_multiple_of(REDRAW) {
                    self.redraw_all().await?;
                }
                Ok::<_, StoreError>(())
            };
            if let Err(error) = swept.await {
                tracing::error!(code = error.code(), %error, "asks are not looked after");
            }
        }
    }

    /// Ends what nobody answered in its window.
    async fn end_expired(self: &Arc<Self>) -> Result<(), StoreError> {
        let now = self.clock.now();
        for approval in self.store.expired_approvals(now, AT_ONCE).await? {
            if approval.profile != self.profile {
                continue;
            }
            // Nobody can have seen what was never shown.
            let answer = if approval.state == ApprovalState::Creating {
                Answer::Unreachable {
                    reason: "the card could not be shown in time".to_owned(),
                    was_refused: false,
                }
            } else {
                Answer::Expired
            };
            let _ = self.resolve(approval.id, answer).await?;
        }
        Ok(())
    }

    /// Voids the asks of an earlier process: the turns that waited for them are gone.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn abandon(self: &Arc<Self>, epoch: Epoch) -> Result<(), StoreError> {
        for approval in self.store.abandoned_approvals(&self.profile, epoch).await? {
            let answer = Answer::Cancelled {
                reason: "the host was restarted".to_owned(),
            };
            let _ = self.resolve(approval.id, answer).await?;
        }
        Ok(())
    }

    /// After a new connection: cards show what their rows say, and open ones stand.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn reconcile(self: &Arc<Self>) -> Result<(), StoreError> {
        self.redraw_all().await?;
        for approval in self.store.open_approvals(&self.profile).await? {
            match self.still_stands(&approval).await {
                Ok(true) => {}
                Ok(false) => self.show_again(approval.id).await?,
                Err(error) => {
                    tracing::warn!(approval = %approval.id, code = error.code(), %error, "whether a card stands is not known");
                }
            }
        }
        Ok(())
    }

    /// A message was deleted: if it was an open ask's card, the card is posted again.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn message_deleted(
        self: &Arc<Self>,
        channel: &ChannelId,
        message: &MessageId,
    ) -> Result<(), StoreError> {
        for approval in self.store.open_approvals(&self.profile).await? {
            if approval.channel == *channel && approval.message.as_ref() == Some(message) {
                self.show_again(approval.id).await?;
            }
        }
        Ok(())
    }

    async fn show_again(self: &Arc<Self>, id: ostler_store::ApprovalId) -> Result<(), StoreError> {
        // A fresh nonce: under the old one Discord would give the message that is gone.
        let nonce = match ostler_store::ApprovalId::random() {
            Ok(random) => post::nonce(random),
            Err(error) => {
                tracing::error!(%error, "a card is not posted again");
                return Ok(());
            }
        };
        self.store.forget_card(id, &nonce, self.clock.now()).await?;
        tracing::info!(approval = %id, "a card was lost and is posted again");
        let approvals = Arc::clone(self);
        self.tasks
            .spawn(async move { approvals.show_until_it_stands(id).await });
        Ok(())
    }

    async fn redraw_all(self: &Arc<Self>) -> Result<(), StoreError> {
        for approval in self.store.undrawn_approvals(&self.profile).await? {
            self.redraw_soon(approval.id);
        }
        Ok(())
    }
}
