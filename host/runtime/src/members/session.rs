//! `session`, `conversation` and `message`: the session of the invocation, what was said in it,
//! and messages into its chat.

use std::sync::Arc;

use crate::bindings::{
    ChatInfo, EntryPage, HostError, NewMessage, PostedMessage, SessionInfo, conversation, message,
    session,
};
use crate::members::enter;
use crate::platform::no_session;
use crate::state::State;

impl session::Host for State {
    async fn get(&mut self) -> wasmtime::Result<Result<SessionInfo, HostError>> {
        enter!(self, "session.get");
        let Some(platform) = self.services.platform.as_ref().map(Arc::clone) else {
            return Ok(Err(no_session("session.get")));
        };
        Ok(platform.session().await)
    }

    async fn channel_chat(&mut self) -> wasmtime::Result<Result<ChatInfo, HostError>> {
        enter!(self, "session.channelChat");
        let Some(platform) = self.services.platform.as_ref().map(Arc::clone) else {
            return Ok(Err(no_session("session.channelChat")));
        };
        Ok(platform.chat().await)
    }
}

impl conversation::Host for State {
    async fn read(
        &mut self,
        session: Option<String>,
        limit: Option<u32>,
        cursor: Option<String>,
    ) -> wasmtime::Result<Result<EntryPage, HostError>> {
        enter!(self, "session.conversation.read");
        let Some(platform) = self.services.platform.as_ref().map(Arc::clone) else {
            return Ok(Err(no_session("session.conversation.read")));
        };
        Ok(platform
            .conversation(session.as_deref(), limit, cursor.as_deref())
            .await)
    }
}

impl message::Host for State {
    async fn post(
        &mut self,
        message: NewMessage,
    ) -> wasmtime::Result<Result<PostedMessage, HostError>> {
        enter!(self, "session.message.post");
        let ordinal = self.ordinal();
        let Some(platform) = self.services.platform.as_ref().map(Arc::clone) else {
            return Ok(Err(no_session("session.message.post")));
        };
        Ok(platform.post(message, ordinal).await)
    }
}
