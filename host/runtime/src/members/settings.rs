//! `settings`: strings that an install keeps between invocations.

use std::sync::Arc;

use crate::bindings::settings::{self, KeyPage};
use crate::bindings::{ErrorCode, HostError};
use crate::context::SettingsError;
use crate::members::enter;
use crate::state::State;

/// Keys in one page when the guest does not say, as every list of the WIT package has it.
const DEFAULT_PAGE: u32 = 50;
/// Keys in one page at most, likewise.
const MAX_PAGE: u32 = 200;

impl settings::Host for State {
    async fn get(&mut self, key: String) -> wasmtime::Result<Result<Option<String>, HostError>> {
        enter!(self, "settings.get");
        let settings = Arc::clone(&self.services.settings);
        Ok(settings.get(&key).await.map_err(|error| host_error(&error)))
    }

    async fn set(&mut self, key: String, value: String) -> wasmtime::Result<Result<(), HostError>> {
        enter!(self, "settings.set");
        let settings = Arc::clone(&self.services.settings);
        Ok(settings
            .set(&key, &value)
            .await
            .map_err(|error| host_error(&error)))
    }

    async fn delete(&mut self, key: String) -> wasmtime::Result<Result<bool, HostError>> {
        enter!(self, "settings.delete");
        let settings = Arc::clone(&self.services.settings);
        Ok(settings
            .delete(&key)
            .await
            .map_err(|error| host_error(&error)))
    }

    async fn list(
        &mut self,
        prefix: Option<String>,
        limit: Option<u32>,
        cursor: Option<String>,
    ) -> wasmtime::Result<Result<KeyPage, HostError>> {
        enter!(self, "settings.list");
        let limit = limit.unwrap_or(DEFAULT_PAGE);
        if !(1..=MAX_PAGE).contains(&limit) {
            let message = format!("the limit is from 1 to {MAX_PAGE}, not {limit}");
            return Ok(Err(host_error(&SettingsError::Invalid(message))));
        }
        let settings = Arc::clone(&self.services.settings);
        let listed = settings
            .list(prefix.as_deref().unwrap_or(""), cursor.as_deref(), limit)
            .await;
        Ok(listed
            .map_err(|error| host_error(&error))
            .map(|page| KeyPage {
                items: page.keys,
                next_cursor: page.next_cursor,
            }))
    }
}

fn host_error(error: &SettingsError) -> HostError {
    let code = match error {
        SettingsError::Invalid(_) => ErrorCode::Invalid,
        SettingsError::Limited(_) => ErrorCode::Limited,
        SettingsError::Unavailable(_) => ErrorCode::Internal,
    };
    HostError {
        code,
        message: error.to_string(),
        permission: None,
    }
}
