//! `presence.members`: what a call would reach in this invocation.

use crate::bindings::presence;
use crate::members::member_id;
use crate::state::State;

impl presence::Host for State {
    fn members(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(match self.enter(member_id!("presence.members"))? {
            Ok(()) => self
                .usable()
                .iter()
                .map(|member| member.path.to_owned())
                .collect(),
            Err(_absent) => Vec::new(),
        })
    }
}
