//! `threads`: threads on Discord.

use std::sync::Arc;

use crate::bindings::{HostError, Thread, threads};
use crate::members::enter;
use crate::platform::no_host;
use crate::state::State;

impl threads::Host for State {
    async fn create(
        &mut self,
        channel: String,
        title: String,
        message: Option<String>,
    ) -> wasmtime::Result<Result<Thread, HostError>> {
        enter!(self, "threads.create");
        let ordinal = self.ordinal();
        let Some(platform) = self.services.platform.as_ref().map(Arc::clone) else {
            return Ok(Err(no_host("threads.create")));
        };
        Ok(platform
            .create_thread(&channel, &title, message.as_deref(), ordinal)
            .await)
    }
}
