//! Asks: what waits for a person's answer, from its row to its end.
//!
//! # How an ask goes
//! 1. [`Approvals::ask`] commits the row, then posts the card, then keeps the message's id: a
//!    crash between them leaves something that the next start can tell apart.
//! 2. Somebody presses. The click names the row; who pressed is judged from the click's own
//!    payload and the configuration as it reads now ([`press`]).
//! 3. [`Approvals::resolve`] ends it by one conditional update: the first valid answer wins. Every
//!    ending passes there, also the sweep's over rows whose window is over ([`sweep`]).
//! 4. The card is drawn again, and whoever waits in the turn is woken.
//!
//! An ending is no permission by itself: the gate asks the row again when the effect begins.

mod card;
mod click;
mod codec;
mod document;
mod post;
mod press;
mod sweep;
mod visible;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ostler_config::ProfileConfig;
use ostler_store::{
    Approval, ApprovalClass, ApprovalEnding, ApprovalId, ApprovalStore, AuditLog, Epoch,
    NewApproval, NewAuditEntry, PersonId, Profile, Row, Settled, Settlement, StoreError, Via,
};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio_util::task::TaskTracker;

pub(crate) use card::{APPROVE, DENY};
pub(crate) use click::acknowledge;
pub use document::{AskDocument, Reason, ReasonBy, Subject};
use press::{Operators, may_press};
pub use press::{PressRefusal, Presser};
pub use visible::in_code;
pub(crate) use visible::in_line;

use crate::channel::Channel;
use crate::clock::Clock;
use crate::failpoint;

/// What a person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may happen, once.
    Approve,
    /// It may not.
    Deny,
    /// A question's answer, at most 4,000 characters.
    Answer(String),
}

/// What ends an ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Somebody answered.
    Pressed {
        /// Who.
        by: Presser,
        /// What they decided.
        decision: Decision,
        /// Why, in their words: at most 500 characters.
        reason: Option<String>,
        /// The click's id; the same one twice is one answer.
        event: Option<String>,
    },
    /// Its window is over.
    Expired,
    /// Its card could not be shown.
    Unreachable {
        /// Why.
        reason: String,
        /// Whether the platform refused the card, so that surely none stands.
        was_refused: bool,
    },
    /// Nobody waits for it any more.
    Cancelled {
        /// Why.
        reason: String,
    },
}

/// What became of an answer.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// It ended the ask.
    Settled(Box<Approval>),
    /// Something else had: this stands.
    AlreadySettled(Box<Approval>),
    /// Its window is over; nothing was decided.
    TooLate,
    /// This person may not answer it.
    NotAllowed(PressRefusal),
    /// There is no such ask, or nobody can read what it says.
    Unknown,
}

/// What is to be asked.
pub(crate) struct Ask<'a> {
    pub(crate) row: &'a Row,
    pub(crate) epoch: Epoch,
    pub(crate) class: ApprovalClass,
    /// The author of the row, where a person is.
    pub(crate) asker: Option<PersonId>,
    pub(crate) tier: &'static str,
    /// Names what is asked, to the byte.
    pub(crate) digest: String,
    pub(crate) document: AskDocument,
}

/// Why nobody can be asked. Nothing was posted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    /// A question must be shown whole.
    #[error("the question does not fit into one message")]
    QuestionTooLong,
    /// No random bits, or no JSON.
    #[error("the question cannot be put: {0}")]
    Internal(String),
    /// The row cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The asks of one profile.
pub(crate) struct Approvals {
    profile: Profile,
    profile_file: PathBuf,
    store: Arc<dyn ApprovalStore>,
    audit: Arc<dyn AuditLog>,
    clock: Arc<dyn Clock>,
    config: watch::Receiver<Arc<ProfileConfig>>,
    channel: watch::Receiver<Option<Arc<dyn Channel>>>,
    waiting: Mutex<BTreeMap<ApprovalId, oneshot::Sender<Approval>>>,
    drawing: post::Drawing,
    /// Cards that are being posted or drawn.
    tasks: TaskTracker,
}

/// What the asks of a profile work with.
pub(crate) struct Parts {
    pub(crate) profile: Profile,
    pub(crate) profile_file: PathBuf,
    pub(crate) store: Arc<dyn ApprovalStore>,
    pub(crate) audit: Arc<dyn AuditLog>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) config: watch::Receiver<Arc<ProfileConfig>>,
    pub(crate) channel: watch::Receiver<Option<Arc<dyn Channel>>>,
}

impl Approvals {
    pub(crate) fn new(parts: Parts) -> Self {
        Self {
            profile: parts.profile,
            profile_file: parts.profile_file,
            store: parts.store,
            audit: parts.audit,
            clock: parts.clock,
            config: parts.config,
            channel: parts.channel,
            waiting: Mutex::default(),
            drawing: post::Drawing::default(),
            tasks: TaskTracker::new(),
        }
    }

    /// Waits for cards that are being drawn, for two seconds at most. What is not drawn by then is
    /// drawn at the next start.
    pub(crate) async fn settle_down(&self) {
        self.tasks.close();
        if tokio::time::timeout(SETTLING, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some cards are drawn again at the next start");
        }
    }

    /// The time.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// The rows.
    pub(crate) fn store(&self) -> &Arc<dyn ApprovalStore> {
        &self.store
    }

    /// Asks, and waits for the end. Whoever drops the future must call [`Approvals::cancel_row`].
    ///
    /// # Errors
    /// Nobody could be asked.
    pub(crate) async fn ask(self: &Arc<Self>, ask: Ask<'_>) -> Result<Approval, AskError> {
        let id = ApprovalId::random().map_err(|error| AskError::Internal(error.to_string()))?;
        let now = self.clock.now();
        let window = i64::from(self.config.borrow().approvals.window_seconds.get()) * 1_000;
        let document = serde_json::to_string(&ask.document)
            .map_err(|error| AskError::Internal(error.to_string()))?;
        let new = NewApproval {
            id,
            profile: self.profile.clone(),
            session: ask.row.session.clone(),
            row: ask.row.id,
            epoch: ask.epoch,
            class: ask.class,
            tool: ask.document.tool.clone(),
            asker: ask.asker,
            tier: ask.tier.to_owned(),
            digest: ask.digest,
            document,
            channel: ask.row.route.chat.clone(),
            nonce: post::nonce(id),
            expires_at: now + window,
            created_at: now,
        };
        self.check_fits(&new, &ask.document)?;
        let (answered, mut answer) = oneshot::channel();
        self.waiters().insert(id, answered);
        if let Err(error) = self.store.create_approval(new).await {
            self.waiters().remove(&id);
            return Err(error.into());
        }
        tracing::info!(row = %ask.row.id, approval = %id, tool = ask.document.tool, "asked");
        failpoint::pass("asked");
        let showing = self.show_until_it_stands(id);
        tokio::pin!(showing);
        let ended = tokio::select! {
            biased;
            ended = &mut answer => ended,
            () = &mut showing => answer.await,
        };
        match ended {
            Ok(approval) => Ok(approval),
            // The sender is kept until it has sent: what stands in the row is the end.
            Err(_) => match self.store.approval(id).await? {
                Some(approval) => Ok(approval),
                None => Err(AskError::Internal("the ask is gone".to_owned())),
            },
        }
    }

    /// Ends an ask, if this answer may and is the first.
    ///
    /// # Errors
    /// Those of the store; then nothing was decided.
    pub(crate) async fn resolve(
        self: &Arc<Self>,
        id: ApprovalId,
        answer: Answer,
    ) -> Result<Resolution, StoreError> {
        let Some(approval) = self.store.approval(id).await? else {
            return Ok(Resolution::Unknown);
        };
        if approval.profile != self.profile {
            return Ok(Resolution::Unknown);
        }
        if approval.ending.is_some() {
            return Ok(Resolution::AlreadySettled(Box::new(approval)));
        }
        let has_no_card = matches!(
            answer,
            Answer::Unreachable {
                was_refused: true,
                ..
            }
        );
        let settlement = match self.judged(&approval, answer).await? {
            Ok(settlement) => settlement,
            Err(resolution) => return Ok(resolution),
        };
        let settled = self.store.settle_approval(id, settlement).await?;
        Ok(match settled {
            Settled::Now(approval) => {
                tracing::info!(
                    approval = %id, ending = approval.ending.map(ApprovalEnding::as_str),
                    by = approval.decided_by, "an ask has ended"
                );
                failpoint::pass("settled");
                if let Some(waiter) = self.waiters().remove(&id) {
                    // Nobody may be waiting any more: the turn was stopped.
                    let _ = waiter.send(approval.clone());
                }
                if has_no_card {
                    let now = self.clock.now();
                    let revision = approval.revision;
                    self.store.approval_drawn(id, revision, now).await?;
                } else {
                    self.redraw_soon(id);
                }
                Resolution::Settled(Box::new(approval))
            }
            Settled::Before(approval) => Resolution::AlreadySettled(Box::new(approval)),
            Settled::Expired(_) => Resolution::TooLate,
            Settled::Unknown => Resolution::Unknown,
        })
    }

    /// What is to be written, if whoever answers may.
    async fn judged(
        &self,
        approval: &Approval,
        answer: Answer,
    ) -> Result<Result<Settlement, Resolution>, StoreError> {
        let at = self.clock.now();
        let by_host = |ending, reason| {
            Ok(Settlement {
                ending,
                reason,
                answer: None,
                by: "host".to_owned(),
                via: Via::Host,
                event: None,
                at,
            })
        };
        Ok(match answer {
            Answer::Expired => by_host(ApprovalEnding::Unanswered, None),
            Answer::Unreachable { reason, .. } => {
                by_host(ApprovalEnding::Unreachable, Some(bounded(&reason, REASON)))
            }
            Answer::Cancelled { reason } => {
                by_host(ApprovalEnding::Cancelled, Some(bounded(&reason, REASON)))
            }
            Answer::Pressed {
                by,
                decision,
                reason,
                event,
            } => {
                let Ok(document) = AskDocument::of(approval) else {
                    return Ok(Err(Resolution::Unknown));
                };
                if let Err(refusal) = may_press(approval, &document, &by, &self.operators()) {
                    self.note_refusal(approval, &by, refusal).await?;
                    return Ok(Err(Resolution::NotAllowed(refusal)));
                }
                let is_question = approval.class == ApprovalClass::Clarify;
                let (ending, answer) = match decision {
                    Decision::Approve if !is_question => (ApprovalEnding::Approved, None),
                    Decision::Deny if !is_question => (ApprovalEnding::Denied, None),
                    Decision::Answer(text) if is_question => {
                        (ApprovalEnding::Answered, Some(bounded(&text, ANSWER)))
                    }
                    Decision::Approve | Decision::Deny | Decision::Answer(_) => {
                        return Ok(Err(Resolution::Unknown));
                    }
                };
                let reason = reason
                    .map(|reason| bounded(reason.trim(), REASON))
                    .filter(|reason| !reason.is_empty());
                Ok(Settlement {
                    ending,
                    reason,
                    answer,
                    by: by.principal(),
                    via: by.via(),
                    event,
                    at,
                })
            }
        })
    }

    /// The operators as the profile's file says now.
    fn operators(&self) -> Operators {
        match ostler_config::read_profile(&self.profile_file) {
            Ok(config) => Operators::of(&config),
            Err(error) => {
                tracing::error!(code = error.code(), %error, "who may answer is not known");
                Operators::owner_alone(&self.config.borrow())
            }
        }
    }

    /// The open asks of a row are void: its turn has ended, or is about to.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn cancel_row(
        self: &Arc<Self>,
        row: ostler_store::RowId,
        reason: &str,
    ) -> Result<(), StoreError> {
        for approval in self.store.approvals_of_row(row).await? {
            if approval.ending.is_none() {
                let reason = reason.to_owned();
                let _ = self
                    .resolve(approval.id, Answer::Cancelled { reason })
                    .await?;
            }
        }
        Ok(())
    }

    async fn note_refusal(
        &self,
        approval: &Approval,
        by: &Presser,
        refusal: PressRefusal,
    ) -> Result<(), StoreError> {
        self.note(
            "press-refused",
            by.principal(),
            Some(approval.id.to_string()),
            Some(approval.digest.clone()),
            json!({"code": refusal.code(), "tool": approval.tool}),
            Some(approval.channel.to_string()),
        )
        .await
    }

    /// Writes into the audit log.
    pub(crate) async fn note(
        &self,
        kind: &str,
        actor: String,
        subject: Option<String>,
        digest: Option<String>,
        detail: Value,
        place: Option<String>,
    ) -> Result<(), StoreError> {
        self.audit
            .audit(NewAuditEntry {
                at: self.clock.now(),
                profile: Some(self.profile.clone()),
                kind: kind.to_owned(),
                actor,
                subject,
                place,
                digest,
                detail: detail.to_string(),
            })
            .await?;
        Ok(())
    }

    fn waiters(
        &self,
    ) -> std::sync::MutexGuard<'_, BTreeMap<ApprovalId, oneshot::Sender<Approval>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live_channel(&self) -> Option<Arc<dyn Channel>> {
        self.channel.borrow().clone()
    }
}

/// How long a host that stops waits for its cards.
const SETTLING: std::time::Duration = std::time::Duration::from_secs(2);
/// The longest reason, in characters.
const REASON: usize = 500;
/// The longest answer to a question, in characters.
const ANSWER: usize = 4_000;

fn bounded(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
