//! An approval: what is asked, and how it ended.

use serde::Serialize;

use super::ApprovalId;
use crate::stored::stored_enum;
use crate::{ChannelId, Epoch, MessageId, PersonId, Profile, RowId, SessionKey};

/// Who may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalClass {
    /// The owner and the operators.
    Host,
    /// It came from a tool of the platform: the asker, or an administrator.
    Tool,
    /// A question: the asker, with words.
    Clarify,
    /// A question of the host's own: the owner.
    Platform,
}

/// How far an approval has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalState {
    /// Its row stands; whether its card does is not known.
    Creating,
    /// Its card stands.
    Pending,
    /// It has ended.
    Resolved,
}

/// How an approval ended. Silence is neither consent nor denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalEnding {
    /// Somebody who may said yes, once.
    Approved,
    /// Somebody who may said no.
    Denied,
    /// Nobody answered before it expired.
    Unanswered,
    /// Its card could not be shown.
    Unreachable,
    /// Nobody waits for it any more.
    Cancelled,
    /// A question was answered.
    Answered,
}

impl ApprovalEnding {
    /// Whether only a person can end it so, and only before it expires.
    #[must_use]
    pub fn is_an_answer(self) -> bool {
        matches!(self, Self::Approved | Self::Denied | Self::Answered)
    }
}

/// By what way an approval was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// A click on its card.
    Discord,
    /// The web page.
    Page,
    /// The command line.
    Cli,
    /// The host did by itself.
    Host,
}

stored_enum!(
    ApprovalClass,
    Host = "host",
    Tool = "tool",
    Clarify = "clarify",
    Platform = "platform",
);
stored_enum!(
    ApprovalState,
    Creating = "creating",
    Pending = "pending",
    Resolved = "resolved",
);
stored_enum!(
    ApprovalEnding,
    Approved = "approved",
    Denied = "denied",
    Unanswered = "unanswered",
    Unreachable = "unreachable",
    Cancelled = "cancelled",
    Answered = "answered",
);
stored_enum!(
    Via,
    Discord = "discord",
    Page = "page",
    Cli = "cli",
    Host = "host",
);

/// What is to be asked. It never changes once it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApproval {
    /// Its id.
    pub id: ApprovalId,
    /// The profile that asks.
    pub profile: Profile,
    /// The session that asks.
    pub session: SessionKey,
    /// The row whose turn asks.
    pub row: RowId,
    /// The epoch that claimed the row.
    pub epoch: Epoch,
    /// Who may answer.
    pub class: ApprovalClass,
    /// The tool that was called, 1 to 256 bytes.
    pub tool: String,
    /// The author of the row, where a person is.
    pub asker: Option<PersonId>,
    /// The turn's tier, 1 to 64 bytes.
    pub tier: String,
    /// The SHA-256 of what is asked: `sha256:` and 64 lower-case hexadecimal digits. The effect
    /// must have the same.
    pub digest: String,
    /// All that the card shows: JSON of at most 4 MiB, the caller's own.
    pub document: String,
    /// Where the card goes.
    pub channel: ChannelId,
    /// Names the card's message, so that posting it twice posts it once: 1 to 25 bytes, and no
    /// other approval's.
    pub nonce: String,
    /// From when on nobody can answer it, in milliseconds since 1970 (UTC); after `created_at`.
    pub expires_at: i64,
    /// When it is asked, likewise.
    pub created_at: i64,
}

/// An approval as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// The profile that asks.
    pub profile: Profile,
    /// The session that asks.
    pub session: SessionKey,
    /// The row whose turn asks.
    pub row: RowId,
    /// The epoch that claimed the row.
    pub epoch: Epoch,
    /// Who may answer.
    pub class: ApprovalClass,
    /// The tool that was called.
    pub tool: String,
    /// The author of the row, where a person is.
    pub asker: Option<PersonId>,
    /// The turn's tier.
    pub tier: String,
    /// The SHA-256 of what is asked.
    pub digest: String,
    /// All that the card shows, JSON.
    pub document: String,
    /// Where the card goes.
    pub channel: ChannelId,
    /// Names the card's message.
    pub nonce: String,
    /// From when on nobody can answer it, in milliseconds since 1970 (UTC).
    pub expires_at: i64,
    /// When it was asked, likewise.
    pub created_at: i64,
    /// How far it has come.
    pub state: ApprovalState,
    /// How it ended, once it has.
    pub ending: Option<ApprovalEnding>,
    /// Why it ended so, in the words of whoever ended it: at most 500 characters.
    pub reason: Option<String>,
    /// A question's answer, at most 4,000 characters.
    pub answer: Option<String>,
    /// Who ended it: `discord:<account>`, `local:cli`, `local:page`, `host`.
    pub decided_by: Option<String>,
    /// By what way.
    pub decided_via: Option<Via>,
    /// When, in milliseconds since 1970 (UTC).
    pub decided_at: Option<i64>,
    /// The platform's id of the click that ended it.
    pub event: Option<String>,
    /// The card's message, as far as it is known and was not deleted.
    pub message: Option<MessageId>,
    /// When its effect began, in milliseconds since 1970 (UTC). Begun and not ended after a crash
    /// means that what it did is not known.
    pub effect_started_at: Option<i64>,
    /// When its effect ended, likewise.
    pub effect_ended_at: Option<i64>,
    /// How its effect went: `done` or `failed`.
    pub effect_outcome: Option<String>,
    /// Grows with each change that a card shows, from 1.
    pub revision: u32,
    /// The revision that its message shows; 0 for none.
    pub drawn: u32,
    /// When anything of it last changed, in milliseconds since 1970 (UTC).
    pub updated_at: i64,
}

/// As it stands once it is stored.
impl From<NewApproval> for Approval {
    fn from(new: NewApproval) -> Self {
        Self {
            id: new.id,
            profile: new.profile,
            session: new.session,
            row: new.row,
            epoch: new.epoch,
            class: new.class,
            tool: new.tool,
            asker: new.asker,
            tier: new.tier,
            digest: new.digest,
            document: new.document,
            channel: new.channel,
            nonce: new.nonce,
            expires_at: new.expires_at,
            created_at: new.created_at,
            state: ApprovalState::Creating,
            ending: None,
            reason: None,
            answer: None,
            decided_by: None,
            decided_via: None,
            decided_at: None,
            event: None,
            message: None,
            effect_started_at: None,
            effect_ended_at: None,
            effect_outcome: None,
            revision: 1,
            drawn: 0,
            updated_at: new.created_at,
        }
    }
}

pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Approval> {
    Ok(Approval {
        id: row.get("id")?,
        profile: row.get("profile")?,
        session: row.get("session")?,
        row: row.get("row")?,
        epoch: row.get("epoch")?,
        class: row.get("class")?,
        tool: row.get("tool")?,
        asker: row.get("asker")?,
        tier: row.get("tier")?,
        digest: row.get("digest")?,
        document: row.get("document")?,
        channel: row.get("channel")?,
        nonce: row.get("nonce")?,
        expires_at: row.get("expires_at")?,
        created_at: row.get("created_at")?,
        state: row.get("state")?,
        ending: row.get("ending")?,
        reason: row.get("reason")?,
        answer: row.get("answer")?,
        decided_by: row.get("decided_by")?,
        decided_via: row.get("decided_via")?,
        decided_at: row.get("decided_at")?,
        event: row.get("event")?,
        message: row.get("message")?,
        effect_started_at: row.get("effect_started_at")?,
        effect_ended_at: row.get("effect_ended_at")?,
        effect_outcome: row.get("effect_outcome")?,
        revision: row.get("revision")?,
        drawn: row.get("drawn")?,
        updated_at: row.get("updated_at")?,
    })
}
