//! What the shared types need beside what the bindings give them.

use crate::bindings::imports::ostler::host::types::ErrorCode;

impl ErrorCode {
    /// The code as the WIT package spells it, such as `key-missing`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Forbidden => "forbidden",
            Self::Unsupported => "unsupported",
            Self::Limited => "limited",
            Self::NotFound => "not-found",
            Self::Invalid => "invalid",
            Self::Conflict => "conflict",
            Self::NoSession => "no-session",
            Self::KeyMissing => "key-missing",
            Self::NotAThread => "not-a-thread",
            Self::NotOurThread => "not-our-thread",
            Self::PerUserThreads => "per-user-threads",
            Self::OtherProfile => "other-profile",
            Self::Stopped => "stopped",
            Self::ConfigUnreadable => "config-unreadable",
            Self::DiscordUnavailable => "discord-unavailable",
            Self::ArchivedThread => "archived-thread",
            Self::NoHumanEnvelope => "no-human-envelope",
            Self::OutOfScope => "out-of-scope",
            Self::AwaitingConfirmation => "awaiting-confirmation",
            Self::SetupNeedsAccountUser => "setup-needs-account-user",
            Self::SetupNeedsDirectChat => "setup-needs-direct-chat",
            Self::NeedsTrustedTurn => "needs-trusted-turn",
            Self::QuestionTooLong => "question-too-long",
            Self::SecretMissing => "secret-missing",
            Self::Denied => "denied",
            Self::Unanswered => "unanswered",
            Self::Unreachable => "unreachable",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }
}
