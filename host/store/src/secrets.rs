//! Secrets: sealed values by profile and name. What is in them, and the key, the store never sees.

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::{Fault, StoreError};
use crate::{Profile, Store};

/// A secret in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRow {
    /// Its name.
    pub name: String,
    /// When it was last set, in milliseconds since 1970 (UTC).
    pub updated_at: i64,
}

impl Store {
    /// Sets a profile's secret to a sealed value, in place of an older one. It is on disk when
    /// this returns.
    ///
    /// # Errors
    /// `store-invalid`: the name does not have 1 to 64 bytes, or the time is negative; and those of
    /// any write.
    pub fn set_secret(
        &self,
        profile: &Profile,
        name: &str,
        sealed: &[u8],
        now: i64,
    ) -> Result<(), StoreError> {
        self.writer.write(set(profile, name, sealed, now))
    }

    /// As [`Store::set_secret`], for async callers.
    ///
    /// # Errors
    /// As [`Store::set_secret`].
    pub async fn set_secret_async(
        &self,
        profile: &Profile,
        name: &str,
        sealed: &[u8],
        now: i64,
    ) -> Result<(), StoreError> {
        self.writer
            .write_async(set(profile, name, sealed, now))
            .await
    }

    /// Gives the sealed value of a profile's secret; none when it is not set.
    ///
    /// # Errors
    /// Those of any read.
    pub fn secret(&self, profile: &Profile, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers
            .read(|connection| get(connection, profile, name))
    }

    /// As [`Store::secret`], for async callers. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Store::secret`].
    pub async fn secret_async(
        &self,
        profile: &Profile,
        name: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (profile, name) = (profile.clone(), name.to_owned());
        self.readers
            .read_async(move |connection| get(connection, &profile, &name))
            .await
    }

    /// Lists a profile's secrets by name, without their values.
    ///
    /// # Errors
    /// Those of any read.
    pub fn secrets(&self, profile: &Profile) -> Result<Vec<SecretRow>, StoreError> {
        self.readers.read(|connection| list(connection, profile))
    }

    /// As [`Store::secrets`], for async callers. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Store::secrets`].
    pub async fn secrets_async(&self, profile: &Profile) -> Result<Vec<SecretRow>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| list(connection, &profile))
            .await
    }

    /// Removes a profile's secret and says whether it was there.
    ///
    /// # Errors
    /// Those of any write.
    pub fn remove_secret(&self, profile: &Profile, name: &str) -> Result<bool, StoreError> {
        self.writer.write(remove(profile, name))
    }

    /// As [`Store::remove_secret`], for async callers.
    ///
    /// # Errors
    /// As [`Store::remove_secret`].
    pub async fn remove_secret_async(
        &self,
        profile: &Profile,
        name: &str,
    ) -> Result<bool, StoreError> {
        self.writer.write_async(remove(profile, name)).await
    }
}

fn set(
    profile: &Profile,
    name: &str,
    sealed: &[u8],
    now: i64,
) -> impl FnOnce(&Connection) -> Result<(), Fault> + Send + use<> {
    let (profile, name, sealed) = (profile.clone(), name.to_owned(), sealed.to_owned());
    move |connection| {
        connection
            .prepare_cached(
                "INSERT INTO secrets (profile, name, sealed, updated_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (profile, name)
                 DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at",
            )?
            .execute((&profile, &name, &sealed, now))?;
        Ok(())
    }
}

fn get(connection: &Connection, profile: &Profile, name: &str) -> Result<Option<Vec<u8>>, Fault> {
    Ok(connection
        .prepare_cached("SELECT sealed FROM secrets WHERE profile = ?1 AND name = ?2")?
        .query_row((profile, name), |row| row.get(0))
        .optional()?)
}

fn list(connection: &Connection, profile: &Profile) -> Result<Vec<SecretRow>, Fault> {
    let mut statement = connection
        .prepare_cached("SELECT name, updated_at FROM secrets WHERE profile = ?1 ORDER BY name")?;
    let rows = statement.query_map((profile,), |row| {
        Ok(SecretRow {
            name: row.get(0)?,
            updated_at: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn remove(
    profile: &Profile,
    name: &str,
) -> impl FnOnce(&Connection) -> Result<bool, Fault> + Send + use<> {
    let (profile, name) = (profile.clone(), name.to_owned());
    move |connection| {
        let removed = connection
            .prepare_cached("DELETE FROM secrets WHERE profile = ?1 AND name = ?2")?
            .execute((&profile, &name))?;
        Ok(removed > 0)
    }
}
