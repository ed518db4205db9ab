//! A profile's secrets: sealed with the home's key, kept in the database.

use ostler_config::{Secret, SecretName, SecretsKey};
use ostler_store::Profile;
use serde::Serialize;

use crate::error::RegistryError;
use crate::registry::{Registry, now};

/// A secret in a list. Its value is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedSecret {
    /// Its name.
    pub name: String,
    /// When it was last set, in milliseconds since 1970 (UTC).
    pub updated_at: i64,
}

impl Registry {
    /// Sets a profile's secret, in place of an older value. It is on disk when this returns. The
    /// first one makes the home's key.
    ///
    /// # Errors
    /// `secrets-key-exposed` and `secrets-key-unusable`: the home's key; and those of the database.
    pub async fn set_secret(
        &self,
        profile: &Profile,
        name: &SecretName,
        secret: Secret,
    ) -> Result<(), RegistryError> {
        let key = SecretsKey::open_or_create(&self.home)?;
        let sealed = key.seal(profile.as_str(), name, &secret)?;
        // The value is needed no longer than this.
        drop(secret);
        self.store
            .set_secret_async(profile, name.as_str(), &sealed, now())
            .await?;
        Ok(())
    }

    /// Opens a profile's secret; none when it is not set.
    ///
    /// # Errors
    /// - `secrets-key-missing`, `secrets-key-exposed`, `secrets-key-unusable`: the home's key;
    /// - `secret-damaged`: the value does not open with it in this place;
    /// - those of the database.
    pub async fn secret(
        &self,
        profile: &Profile,
        name: &SecretName,
    ) -> Result<Option<Secret>, RegistryError> {
        let Some(sealed) = self.store.secret_async(profile, name.as_str()).await? else {
            return Ok(None);
        };
        let key = SecretsKey::open(&self.home)?;
        Ok(Some(key.unseal(profile.as_str(), name, &sealed)?))
    }

    /// A profile's secrets by name, without their values.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn secrets(&self, profile: &Profile) -> Result<Vec<ListedSecret>, RegistryError> {
        let rows = self.store.secrets_async(profile).await?;
        Ok(rows
            .into_iter()
            .map(|row| ListedSecret {
                name: row.name,
                updated_at: row.updated_at,
            })
            .collect())
    }

    /// Removes a profile's secret and says whether it was there. It needs no key, so that one that
    /// does not open can be removed.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn remove_secret(
        &self,
        profile: &Profile,
        name: &SecretName,
    ) -> Result<bool, RegistryError> {
        Ok(self
            .store
            .remove_secret_async(profile, name.as_str())
            .await?)
    }
}
