//! The leave to do one thing once.

use std::sync::Arc;

use ostler_store::{ApprovalId, EffectStart, Epoch};

use super::digest::CallDigest;
use crate::approvals::Approvals;
use crate::failpoint;
use crate::tools::ToolFailure;

/// The leave to bring about what has this digest, once. Only the gate makes one; it cannot be
/// cloned, and beginning the effect consumes it.
#[must_use]
pub(crate) struct Permit {
    /// The ask that was approved; none if nobody had to be asked.
    approval: Option<ApprovalId>,
    digest: CallDigest,
    approvals: Arc<Approvals>,
    epoch: Epoch,
}

/// An effect that has begun. It says how it went, once.
#[must_use]
pub(crate) struct Begun {
    approval: Option<ApprovalId>,
    approvals: Arc<Approvals>,
}

/// The stable code of a call that is no longer what was approved: the gate is asked again.
pub(crate) const CHANGED: &str = "changed";

impl Permit {
    pub(super) fn new(
        approval: Option<ApprovalId>,
        digest: CallDigest,
        approvals: &Arc<Approvals>,
        epoch: Epoch,
    ) -> Self {
        Self {
            approval,
            digest,
            approvals: Arc::clone(approvals),
            epoch,
        }
    }

    /// Begins the effect, which has this digest now. With an ask, the row says that it began
    /// before it does: at most once, whatever happens after.
    ///
    /// # Errors
    /// `changed`: what would be done is not what was approved. Others: the row says no. Nothing
    /// was done.
    pub(crate) async fn begin(self, now: &CallDigest) -> Result<Begun, ToolFailure> {
        if *now != self.digest {
            return Err(ToolFailure::new(
                CHANGED,
                "what this depends on was changed since it was judged",
            ));
        }
        if let Some(id) = self.approval {
            let at = self.approvals.now();
            let started = self
                .approvals
                .store()
                .start_effect(id, self.digest.as_str(), self.epoch, at)
                .await?;
            match started {
                EffectStart::Started => failpoint::pass("effect-started"),
                EffectStart::NotApproved => {
                    return Err(ToolFailure::new("denied", "this was not approved"));
                }
                EffectStart::AlreadyStarted => {
                    return Err(ToolFailure::new(
                        "approval-used",
                        "this approval was used already, and one approval is for one effect",
                    ));
                }
                EffectStart::DigestDiffers => {
                    return Err(ToolFailure::new(CHANGED, "something else was approved"));
                }
                EffectStart::ClaimLost => {
                    return Err(ToolFailure::new(
                        "claim-lost",
                        "this turn is no longer the one that asked",
                    ));
                }
            }
        }
        Ok(Begun {
            approval: self.approval,
            approvals: self.approvals,
        })
    }
}

impl Begun {
    /// Records how the effect went.
    pub(crate) async fn end(self, is_done: bool) {
        failpoint::pass("effect-done");
        let Some(id) = self.approval else {
            return;
        };
        let outcome = if is_done { "done" } else { "failed" };
        let at = self.approvals.now();
        let ended = self.approvals.store().end_effect(id, outcome, at).await;
        if let Err(error) = ended {
            // The row then says that it began and not how it ended, which is true.
            tracing::error!(approval = %id, code = error.code(), %error, "an effect's end is not recorded");
        }
    }
}
