//! An ask, with all that a person reads before they answer, and what became of it.

use ostler_agent::{AskDocument, Reason, Subject};
use ostler_store::{
    Approval, ApprovalClass, ApprovalEnding, ApprovalId, ApprovalState, AuditLog, ChannelId,
    MessageId, PersonId, Profile, RowId, SessionKey, StoreError, Via,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::audit::{AuditView, steps_of};

/// An ask. Text in it is as it was stored: whoever shows it makes it harmless.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApprovalView {
    /// Its id.
    pub id: ApprovalId,
    /// The profile that asks.
    pub profile: Profile,
    /// The session that asks.
    pub session: SessionKey,
    /// The row whose turn asks.
    pub row: RowId,
    /// Who may answer.
    pub class: ApprovalClass,
    /// The tool that waits.
    pub tool: String,
    /// The account of the row's author, where a person is.
    pub asker: Option<PersonId>,
    /// Who the turn belongs to, for people.
    pub asker_name: Option<String>,
    /// The turn's tier.
    pub tier: String,
    /// The SHA-256 that the effect must have: `sha256:` and 64 hexadecimal digits. It covers more
    /// than the text, such as the folder and the scripts that a command names.
    pub digest: String,
    /// What is asked, whole; none if what is stored cannot be read, and then nothing may be decided
    /// by it.
    pub subject: Option<Subject>,
    /// The SHA-256 of the subject's text, as the card shows it, in the same form.
    pub text_digest: Option<String>,
    /// Why somebody is asked, each with whose words they are.
    pub reasons: Vec<Reason>,
    /// The chain of causes, the first cause first.
    pub causes: Vec<String>,
    /// Whether only the owner may answer.
    pub is_for_owner: bool,
    /// How far it has come.
    pub state: ApprovalState,
    /// How it ended, once it has.
    pub ending: Option<ApprovalEnding>,
    /// Why it ended so, in the words of whoever ended it.
    pub reason: Option<String>,
    /// A question's answer.
    pub answer: Option<String>,
    /// Who ended it: `discord:<account>`, `local:cli`, `local:page`, `host`.
    pub decided_by: Option<String>,
    /// By what way.
    pub decided_via: Option<Via>,
    /// When, in milliseconds since 1970 (UTC), as all times here.
    pub decided_at: Option<i64>,
    /// When it was asked.
    pub created_at: i64,
    /// From when on nobody can answer it.
    pub expires_at: i64,
    /// Where its card stands.
    pub channel: ChannelId,
    /// The card's message, as far as it is known.
    pub message: Option<MessageId>,
    /// When its effect began.
    pub effect_started_at: Option<i64>,
    /// When its effect ended. Begun and not ended after a crash means that what it did is not known.
    pub effect_ended_at: Option<i64>,
    /// How its effect went: `done` or `failed`.
    pub effect_outcome: Option<String>,
}

/// An ask with what happened to it, step by step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApprovalDetail {
    /// The ask.
    #[serde(flatten)]
    pub approval: ApprovalView,
    /// Its entries of the audit log, the oldest first.
    pub steps: Vec<AuditView>,
}

/// An ask with its steps.
///
/// # Errors
/// Those of the store.
pub async fn approval_detail(
    log: &dyn AuditLog,
    approval: Approval,
) -> Result<ApprovalDetail, StoreError> {
    let steps = steps_of(log, &approval).await?;
    Ok(ApprovalDetail {
        approval: approval.into(),
        steps: steps.into_iter().map(Into::into).collect(),
    })
}

impl From<Approval> for ApprovalView {
    fn from(approval: Approval) -> Self {
        let document = AskDocument::of(&approval).ok();
        let text_digest = document.as_ref().map(|document| {
            let digest = Sha256::digest(document.subject.text().as_bytes());
            format!("sha256:{}", hex::encode(digest))
        });
        let (asker_name, subject, reasons, causes, is_for_owner) = match document {
            Some(document) => (
                Some(document.asker),
                Some(document.subject),
                document.reasons,
                document.causes,
                document.is_for_owner,
            ),
            None => (None, None, Vec::new(), Vec::new(), false),
        };
        Self {
            id: approval.id,
            profile: approval.profile,
            session: approval.session,
            row: approval.row,
            class: approval.class,
            tool: approval.tool,
            asker: approval.asker,
            asker_name,
            tier: approval.tier,
            digest: approval.digest,
            subject,
            text_digest,
            reasons,
            causes,
            is_for_owner,
            state: approval.state,
            ending: approval.ending,
            reason: approval.reason,
            answer: approval.answer,
            decided_by: approval.decided_by,
            decided_via: approval.decided_via,
            decided_at: approval.decided_at,
            created_at: approval.created_at,
            expires_at: approval.expires_at,
            channel: approval.channel,
            message: approval.message,
            effect_started_at: approval.effect_started_at,
            effect_ended_at: approval.effect_ended_at,
            effect_outcome: approval.effect_outcome,
        }
    }
}

impl ApprovalView {
    /// What the assistant wants to do, as it goes on after *May I*. It may hold foreign text: a
    /// tool's name, a file's path.
    #[must_use]
    pub fn wish(&self) -> String {
        match &self.subject {
            Some(Subject::Command { .. }) => "run a shell command".to_owned(),
            Some(Subject::Call { .. }) | None => format!("call the tool {}", self.tool),
            Some(Subject::Write { path, .. }) => format!("write the file {path}"),
            Some(Subject::Changes { changes }) if changes.len() == 1 => {
                "change the server".to_owned()
            }
            Some(Subject::Changes { changes }) => {
                format!("make {} changes to the server", changes.len())
            }
            Some(Subject::Question { .. }) => "have a question answered".to_owned(),
        }
    }

    /// Whether it can be answered at `now`, in milliseconds since 1970 (UTC).
    #[must_use]
    pub fn is_open(&self, now: i64) -> bool {
        self.ending.is_none() && now < self.expires_at
    }

    /// How it stands at `now`, in one clause. It may hold foreign text: who decided.
    #[must_use]
    pub fn standing(&self, now: i64) -> String {
        let Some(ending) = self.ending else {
            return if now < self.expires_at {
                format!(
                    "open until {}, for another {}",
                    utc(self.expires_at),
                    left(self.expires_at - now)
                )
            } else {
                "its window is over, nothing ran".to_owned()
            };
        };
        let by = self.decider();
        match ending {
            ApprovalEnding::Approved => format!("approved once by {by}"),
            ApprovalEnding::Denied => format!("denied by {by}, nothing ran"),
            ApprovalEnding::Answered => format!("answered by {by}"),
            ApprovalEnding::Unanswered => "nobody answered in time, nothing ran".to_owned(),
            ApprovalEnding::Unreachable => "its card could not be shown, nothing ran".to_owned(),
            ApprovalEnding::Cancelled => "the turn that asked has ended, nothing ran".to_owned(),
        }
    }

    /// What became of what was approved, in one clause; none unless it was approved.
    #[must_use]
    pub fn effect(&self) -> Option<String> {
        if self.ending != Some(ApprovalEnding::Approved) {
            return None;
        }
        Some(match (self.effect_started_at, self.effect_ended_at) {
            (None, _) => "it has not begun".to_owned(),
            (Some(began), None) => format!(
                "it began at {} and has not ended; after a crash of the host, what it did is not \
                 known",
                utc(began)
            ),
            (Some(_), Some(ended)) => {
                let went = match self.effect_outcome.as_deref() {
                    Some("done") => "it was done",
                    _ => "it failed",
                };
                format!("{went} at {}", utc(ended))
            }
        })
    }

    fn decider(&self) -> String {
        let by = self.decided_by.as_deref().unwrap_or("nobody");
        match (self.decided_via, by.strip_prefix("discord:")) {
            (Some(Via::Page), _) => "the owner on the web page".to_owned(),
            (Some(Via::Cli), _) => "the owner on the command line".to_owned(),
            (Some(Via::Discord), Some(account)) => format!("the Discord account {account}"),
            (Some(Via::Host), _) => "the host".to_owned(),
            _ => by.to_owned(),
        }
    }
}

/// A span of milliseconds, for people: `2 min 57 s`.
fn left(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1_000).max(0);
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

/// A time, given in milliseconds since 1970 (UTC), to the second: `2026-01-31T12:00:00Z`.
#[must_use]
pub fn utc(milliseconds: i64) -> String {
    OffsetDateTime::from_unix_timestamp(milliseconds.div_euclid(1_000))
        .ok()
        .and_then(|time| time.format(&Rfc3339).ok())
        .unwrap_or_else(|| format!("{milliseconds} ms after 1970"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_spans_are_read_by_people() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(1_800_000_000_999), "2027-01-15T08:00:00Z");
        assert_eq!(utc(i64::MAX), "9223372036854775807 ms after 1970");
        for (milliseconds, expected) in [
            (-1, "0 s"),
            (999, "0 s"),
            (59_000, "59 s"),
            (60_000, "1 min 0 s"),
            (177_500, "2 min 57 s"),
        ] {
            assert_eq!(left(milliseconds), expected);
        }
    }
}
