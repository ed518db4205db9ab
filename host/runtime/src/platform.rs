//! The members that need a running host: threads, notes, the session and its chat.
//!
//! This crate knows how they look to a guest; whoever runs the host implements [`Platform`] for one
//! invocation at a time, with everything closed over that decides what may be done: the plugin, the
//! turn, its session. Nothing of that is an argument.

use std::sync::Arc;

use crate::bindings::{
    Admitted, ChatInfo, EntryPage, ErrorCode, HostError, NewMessage, PostedMessage, SessionInfo,
    Thread,
};
use crate::clock::PausableClock;
use crate::context::ServiceFuture;

/// What a member gives: its value, or why it was refused.
pub type Answer<'a, T> = ServiceFuture<'a, Result<T, HostError>>;

/// What a running host does for one invocation. `ordinal` counts the invocation's host calls and
/// names a call that gives no `request-id`.
pub trait Platform: Send + Sync {
    /// The invocation's clock: it stands still while somebody is waited for.
    fn clock(&self) -> &Arc<PausableClock>;

    /// `threads.create`
    fn create_thread<'a>(
        &'a self,
        channel: &'a str,
        title: &'a str,
        message: Option<&'a str>,
        ordinal: u32,
    ) -> Answer<'a, Thread>;

    /// `origin.start`
    fn start<'a>(
        &'a self,
        thread: &'a str,
        text: &'a str,
        request: Option<&'a str>,
        ordinal: u32,
    ) -> Answer<'a, Admitted>;

    /// `gateway.inject`
    fn inject<'a>(
        &'a self,
        session: &'a str,
        text: &'a str,
        request: Option<&'a str>,
        ordinal: u32,
    ) -> Answer<'a, Admitted>;

    /// `session.get`
    fn session(&self) -> Answer<'_, SessionInfo>;

    /// `session.channel-chat`
    fn chat(&self) -> Answer<'_, ChatInfo>;

    /// `conversation.read`
    fn conversation<'a>(
        &'a self,
        session: Option<&'a str>,
        limit: Option<u32>,
        cursor: Option<&'a str>,
    ) -> Answer<'a, EntryPage>;

    /// `message.post`
    fn post(&self, message: NewMessage, ordinal: u32) -> Answer<'_, PostedMessage>;
}

/// The answer where no host runs: nothing can be reached from here.
pub(crate) fn no_host(member: &str) -> HostError {
    HostError {
        code: ErrorCode::DiscordUnavailable,
        message: format!(
            "`{member}` needs a running host; none serves this call. Start one with `ostler serve` \
             or `ostler dev`"
        ),
        permission: None,
    }
}

/// The answer to whoever asks for "your session" where there is none.
pub(crate) fn no_session(member: &str) -> HostError {
    HostError {
        code: ErrorCode::NoSession,
        message: format!("`{member}` acts on a session, and this invocation has none"),
        permission: None,
    }
}
