//! Rust types of the WIT interfaces that the host serves itself or calls.
//!
//! Interfaces that are derived and reviewed but not served yet are not named here: they are
//! linked to one untyped stub (see [`crate::link`]).

wasmtime::component::bindgen!({
    path: "../../wit",
    inline: "
        package ostler:runtime-host;
        world served {
            import ostler:host/conversation@0.1.0;
            import ostler:host/crypto@0.1.0;
            import ostler:host/gateway@0.1.0;
            import ostler:host/log@0.1.0;
            import ostler:host/message@0.1.0;
            import ostler:host/origin@0.1.0;
            import ostler:host/presence@0.1.0;
            import ostler:host/session@0.1.0;
            import ostler:host/settings@0.1.0;
            import ostler:host/threads@0.1.0;
            export ostler:host/tools@0.1.0;
            export ostler:host/lifecycle@0.1.0;
            export ostler:host/hook-pre-tool-call@0.1.0;
        }
    ",
    world: "ostler:runtime-host/served",
    imports: {
        // SQLite, Discord or a person is behind them.
        "ostler:host/conversation": async | trappable,
        "ostler:host/gateway": async | trappable,
        "ostler:host/message": async | trappable,
        "ostler:host/origin": async | trappable,
        "ostler:host/session": async | trappable,
        "ostler:host/settings": async | trappable,
        "ostler:host/threads": async | trappable,
        default: trappable,
    },
    exports: { default: async },
    // Callers compare verdicts, and hand calls around.
    additional_derives: [PartialEq],
});

pub(crate) use exports::ostler::host::{hook_pre_tool_call, lifecycle, tools};
pub(crate) use ostler::host::{
    conversation, crypto, gateway, log, message, origin, presence, session, settings, threads,
};

pub use exports::ostler::host::hook_pre_tool_call::{AskRequest, CallVerdict, PendingCall};
pub use exports::ostler::host::tools::{Tool, ToolError};
pub use ostler::host::conversation::{Entry, EntryKind, EntryPage};
pub use ostler::host::message::{NewMessage, PostedMessage};
pub use ostler::host::session::ChatInfo;
pub use ostler::host::threads::Thread;
pub use ostler::host::types::{
    Admitted, Author, ChatKind, ErrorCode, HostError, OriginKind, SessionInfo, TurnContext,
};

impl ErrorCode {
    /// The code as WIT spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
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
