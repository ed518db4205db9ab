//! An install's settings, as the runtime asks for them.

use std::sync::Arc;

use ostler_runtime::{ServiceFuture, Settings, SettingsError, SettingsPage};
use ostler_store::{Limit, PackageName, Profile, Store, StoreError};

/// The settings of one install, in the database.
pub(crate) struct InstallSettings {
    pub(crate) store: Arc<Store>,
    pub(crate) profile: Profile,
    pub(crate) package: PackageName,
}

impl Settings for InstallSettings {
    fn get<'a>(&'a self, key: &'a str) -> ServiceFuture<'a, Result<Option<String>, SettingsError>> {
        Box::pin(async move {
            let found = self
                .store
                .settings_get_async(&self.profile, &self.package, key)
                .await;
            found.map_err(|error| failed(&error))
        })
    }

    fn set<'a>(
        &'a self,
        key: &'a str,
        value: &'a str,
    ) -> ServiceFuture<'a, Result<(), SettingsError>> {
        Box::pin(async move {
            let set = self
                .store
                .settings_set_async(&self.profile, &self.package, key, value)
                .await;
            set.map_err(|error| failed(&error))
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> ServiceFuture<'a, Result<bool, SettingsError>> {
        Box::pin(async move {
            let deleted = self
                .store
                .settings_delete_async(&self.profile, &self.package, key)
                .await;
            deleted.map_err(|error| failed(&error))
        })
    }

    fn list<'a>(
        &'a self,
        prefix: &'a str,
        cursor: Option<&'a str>,
        limit: u32,
    ) -> ServiceFuture<'a, Result<SettingsPage, SettingsError>> {
        Box::pin(async move {
            let page = self
                .store
                .settings_list_async(&self.profile, &self.package, prefix, cursor, limit)
                .await;
            page.map(|page| SettingsPage {
                keys: page.keys,
                next_cursor: page.next,
            })
            .map_err(|error| failed(&error))
        })
    }
}

fn failed(error: &StoreError) -> SettingsError {
    match error {
        StoreError::LimitReached {
            limit: Limit::SettingKeyBytes,
        } => SettingsError::Invalid(error.to_string()),
        StoreError::LimitReached { .. } => SettingsError::Limited(error.to_string()),
        // The guest learns that it failed; paths and causes stay with the operator.
        _ => {
            SettingsError::Unavailable(format!("the settings cannot be reached ({})", error.code()))
        }
    }
}
