//! Runs plugins: one engine, compiled code kept on disk, linkers built from a grant, and a fresh
//! store for every invocation.
//!
//! This crate knows invocations. It does not know Discord, sessions' queues, or who may do what:
//! whoever calls [`Runtime::invoke`] has decided that already, and hands the decision over as a
//! [`MemberSet`].
//!
//! # What it promises
//! - **Nothing survives.** A store lives for one call. After a trap nothing is reused.
//! - **Only what was granted is linked.** A component that imports a member outside its grant
//!   does not load ([`RuntimeError::NotGranted`]).
//! - **Every call ends.** Memory, tables, instances, host calls, log, CPU and wall clock are
//!   bounded before the first instruction runs, start functions included; crossing a bound ends
//!   that call alone, with an [`Outcome`] that names it.
//! - **One entrance.** [`Runtime::invoke`] is the only caller of guest code.
//!
//! # Where to start
//! [`Runtime::new`], then [`Runtime::compile`], [`Runtime::load`] and [`Runtime::invoke`].

mod bindings;
mod cache;
mod clock;
mod context;
mod engine;
mod error;
mod grant;
mod host_types;
mod invoke;
mod limits;
mod link;
mod member_set;
mod members;
mod outcome;
mod platform;
mod presence;
mod state;
mod ticker;
mod verdict;

pub use bindings::{
    Admitted, AskRequest, Author, CallVerdict, ChatInfo, ChatKind, Entry, EntryKind, EntryPage,
    ErrorCode, HostError, NewMessage, OriginKind, PendingCall, PostedMessage, SessionInfo, Thread,
    Tool, ToolError, TurnContext,
};
pub use clock::PausableClock;
pub use context::{
    HostServices, InvocationContext, InvocationKind, NoSettings, ServiceFuture, Settings,
    SettingsError, SettingsPage,
};
pub use engine::{Compiled, GuestThreads, Loaded, Runtime, RuntimeOptions, engine_config};
pub use error::RuntimeError;
pub use grant::Grant;
pub use invoke::{ExportCall, ExportResult, LifecycleEvent};
pub use limits::{LimitHit, Limits};
pub use member_set::{MemberId, MemberSet};
pub use outcome::{HostFault, Invoked, LogLevel, LogLine, Outcome, Trap, Usage};
pub use platform::{Answer, Platform};
pub use presence::present;
pub use verdict::VerdictError;
