//! `origin` and `gateway`: notes that wake the assistant.

use std::sync::Arc;

use crate::bindings::{Admitted, HostError, gateway, origin};
use crate::members::enter;
use crate::platform::no_host;
use crate::state::State;

impl origin::Host for State {
    async fn start(
        &mut self,
        thread: String,
        text: String,
        request: Option<String>,
    ) -> wasmtime::Result<Result<Admitted, HostError>> {
        enter!(self, "origin.start");
        let ordinal = self.ordinal();
        let Some(platform) = self.services.platform.as_ref().map(Arc::clone) else {
            return Ok(Err(no_host("origin.start")));
        };
        Ok(platform
            .start(&thread, &text, request.as_deref(), ordinal)
            .await)
    }
}

impl gateway::Host for State {
    async fn inject(
        &mut self,
        session: String,
        text: String,
        request: Option<String>,
    ) -> wasmtime::Result<Result<Admitted, HostError>> {
        enter!(self, "origin.inject");
        let ordinal = self.ordinal();
        let Some(platform) = self.services.platform.as_ref().map(Arc::clone) else {
            return Ok(Err(no_host("origin.inject")));
        };
        Ok(platform
            .inject(&session, &text, request.as_deref(), ordinal)
            .await)
    }
}
