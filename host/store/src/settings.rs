//! Settings: the strings that an install keeps between its invocations.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::error::{Fault, Limit, StoreError};
use crate::{PackageName, Profile, Store, installs};

const KEY_BYTES: usize = 256;
const VALUE_BYTES: usize = 64 * 1024;
const KEYS: u32 = 1_000;
const BYTES: usize = 1 << 20;

/// One page of an install's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsPage {
    /// The keys, sorted by their bytes.
    pub keys: Vec<String>,
    /// The cursor of the next page: this page's last key. None on the last page.
    pub next: Option<String>,
}

impl Store {
    /// Gives the value of an install's setting; none when it is not set, or without such an
    /// install.
    ///
    /// # Errors
    /// `limited` for a key that is empty or longer than 256 bytes, and those of any read.
    pub fn settings_get(
        &self,
        profile: &Profile,
        package: &PackageName,
        key: &str,
    ) -> Result<Option<String>, StoreError> {
        check_key(key)?;
        self.readers
            .read(|connection| get(connection, profile, package, key))
    }

    /// As [`Store::settings_get`], for async callers. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Store::settings_get`].
    pub async fn settings_get_async(
        &self,
        profile: &Profile,
        package: &PackageName,
        key: &str,
    ) -> Result<Option<String>, StoreError> {
        check_key(key)?;
        let (profile, package, key) = (profile.clone(), package.clone(), key.to_owned());
        self.readers
            .read_async(move |connection| get(connection, &profile, &package, &key))
            .await
    }

    /// Sets an install's setting. It is on disk when this returns.
    ///
    /// # Errors
    /// - `limited`: the key is empty or longer than 256 bytes, the value longer than 65,536 bytes,
    ///   or the install has 1,000 other keys, or would keep more than 1 MiB of keys and values;
    /// - `store-not-found`: the package is not installed in the profile;
    /// - those of any write.
    pub fn settings_set(
        &self,
        profile: &Profile,
        package: &PackageName,
        key: &str,
        value: &str,
    ) -> Result<(), StoreError> {
        self.writer.write(set(profile, package, key, value)?)
    }

    /// As [`Store::settings_set`], for async callers.
    ///
    /// # Errors
    /// As [`Store::settings_set`].
    pub async fn settings_set_async(
        &self,
        profile: &Profile,
        package: &PackageName,
        key: &str,
        value: &str,
    ) -> Result<(), StoreError> {
        self.writer
            .write_async(set(profile, package, key, value)?)
            .await
    }

    /// Deletes an install's setting and says whether it was there.
    ///
    /// # Errors
    /// `limited` for a key that is empty or longer than 256 bytes, and those of any write.
    pub fn settings_delete(
        &self,
        profile: &Profile,
        package: &PackageName,
        key: &str,
    ) -> Result<bool, StoreError> {
        self.writer.write(delete(profile, package, key)?)
    }

    /// As [`Store::settings_delete`], for async callers.
    ///
    /// # Errors
    /// As [`Store::settings_delete`].
    pub async fn settings_delete_async(
        &self,
        profile: &Profile,
        package: &PackageName,
        key: &str,
    ) -> Result<bool, StoreError> {
        self.writer
            .write_async(delete(profile, package, key)?)
            .await
    }

    /// Lists an install's keys that begin with `prefix` (all when it is empty) and come after
    /// `cursor`, the last key seen. Gives at most `limit` keys, and at least one if there is one.
    /// A prefix is plain text: `%`, `_`, `*` and the like stand for themselves.
    ///
    /// # Errors
    /// Those of any read.
    pub fn settings_list(
        &self,
        profile: &Profile,
        package: &PackageName,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<SettingsPage, StoreError> {
        self.readers
            .read(|connection| list(connection, profile, package, prefix, cursor, limit))
    }

    /// As [`Store::settings_list`], for async callers. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Store::settings_list`].
    pub async fn settings_list_async(
        &self,
        profile: &Profile,
        package: &PackageName,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<SettingsPage, StoreError> {
        let (profile, package, prefix) = (profile.clone(), package.clone(), prefix.to_owned());
        let cursor = cursor.map(str::to_owned);
        self.readers
            .read_async(move |connection| {
                list(
                    connection,
                    &profile,
                    &package,
                    &prefix,
                    cursor.as_deref(),
                    limit,
                )
            })
            .await
    }
}

fn check_key(key: &str) -> Result<(), StoreError> {
    if key.is_empty() || key.len() > KEY_BYTES {
        return Err(StoreError::LimitReached {
            limit: Limit::SettingKeyBytes,
        });
    }
    Ok(())
}

fn get(
    connection: &Connection,
    profile: &Profile,
    package: &PackageName,
    key: &str,
) -> Result<Option<String>, Fault> {
    Ok(connection
        .prepare_cached(
            "SELECT value FROM settings WHERE profile = ?1 AND package = ?2 AND key = ?3",
        )?
        .query_row((profile, package, key), |row| row.get(0))
        .optional()?)
}

fn set(
    profile: &Profile,
    package: &PackageName,
    key: &str,
    value: &str,
) -> Result<impl FnOnce(&Connection) -> Result<(), Fault> + Send + use<>, StoreError> {
    check_key(key)?;
    if value.len() > VALUE_BYTES {
        return Err(StoreError::LimitReached {
            limit: Limit::SettingValueBytes,
        });
    }
    let (profile, package) = (profile.clone(), package.clone());
    let (key, value) = (key.to_owned(), value.to_owned());
    Ok(move |connection: &Connection| {
        installs::state(connection, &profile, &package)?;
        let (others, bytes): (u32, u32) = connection
            .prepare_cached(
                "SELECT count(*), coalesce(sum(octet_length(key) + octet_length(value)), 0)
                 FROM settings WHERE profile = ?1 AND package = ?2 AND key <> ?3",
            )?
            .query_row((&profile, &package, &key), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        if others >= KEYS {
            return Err(StoreError::LimitReached {
                limit: Limit::SettingKeys,
            }
            .into());
        }
        if bytes as usize + key.len() + value.len() > BYTES {
            return Err(StoreError::LimitReached {
                limit: Limit::SettingBytes,
            }
            .into());
        }
        connection
            .prepare_cached(
                "INSERT INTO settings (profile, package, key, value) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (profile, package, key) DO UPDATE SET value = excluded.value",
            )?
            .execute((&profile, &package, &key, &value))?;
        Ok(())
    })
}

fn delete(
    profile: &Profile,
    package: &PackageName,
    key: &str,
) -> Result<impl FnOnce(&Connection) -> Result<bool, Fault> + Send + use<>, StoreError> {
    check_key(key)?;
    let (profile, package, key) = (profile.clone(), package.clone(), key.to_owned());
    Ok(move |connection: &Connection| {
        let deleted = connection
            .prepare_cached(
                "DELETE FROM settings WHERE profile = ?1 AND package = ?2 AND key = ?3",
            )?
            .execute((&profile, &package, &key))?;
        Ok(deleted > 0)
    })
}

fn list(
    connection: &Connection,
    profile: &Profile,
    package: &PackageName,
    prefix: &str,
    cursor: Option<&str>,
    limit: u32,
) -> Result<SettingsPage, Fault> {
    let limit = limit.clamp(1, KEYS);
    let mut statement = connection.prepare_cached(
        "SELECT key FROM settings
         WHERE profile = :profile AND package = :package AND key > :cursor
           AND key >= :prefix AND (:end IS NULL OR key < :end)
         ORDER BY key LIMIT :rows",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":profile": profile,
            ":package": package,
            // No key is empty, so all come after the empty one.
            ":cursor": cursor.unwrap_or_default(),
            ":prefix": prefix,
            ":end": end_of_prefix(prefix),
            // One more than asked tells whether there is a next page.
            ":rows": limit + 1,
        },
        |row| row.get(0),
    )?;
    let mut keys: Vec<String> = rows.collect::<Result<_, _>>()?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = keys.len() > limit;
    keys.truncate(limit);
    let next = if more { keys.last().cloned() } else { None };
    Ok(SettingsPage { keys, next })
}

/// The first text after all that begin with `prefix`; none when nothing comes after them. UTF-8
/// sorts by code point, so it is the prefix with its last character raised by one.
fn end_of_prefix(prefix: &str) -> Option<String> {
    let mut end = prefix.to_owned();
    while let Some(last) = end.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::end_of_prefix;

    #[test]
    fn a_prefix_ends_at_its_last_character_raised_by_one() {
        assert_eq!(end_of_prefix("a_"), Some("a`".to_owned()));
        assert_eq!(end_of_prefix("\u{d7ff}"), Some("\u{e000}".to_owned()));
        assert_eq!(end_of_prefix("a\u{10ffff}"), Some("b".to_owned()));
        assert_eq!(end_of_prefix("\u{10ffff}"), None);
        assert_eq!(end_of_prefix(""), None);
    }
}
