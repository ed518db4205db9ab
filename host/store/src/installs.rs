//! Installs: which version a profile runs, with the access that its installer accepted.
//!
//! Accepting spans this database and the profile's file, so an install has a state:
//! `pending-keys` until the file is written, then `active`; `removing` while its uninstall runs.

use std::fmt;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, named_params};

use crate::error::{Fault, StoreError};
use crate::{Digest, PackageName, Profile, Store};

/// How far an install has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallState {
    /// Accepted; its keys are not yet in the profile's file.
    PendingKeys,
    /// Usable.
    Active,
    /// Its uninstall has begun.
    Removing,
}

impl InstallState {
    /// The state as it is stored and shown: `pending-keys`, `active`, `removing`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PendingKeys => "pending-keys",
            Self::Active => "active",
            Self::Removing => "removing",
        }
    }
}

impl fmt::Display for InstallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ToSql for InstallState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_str().to_sql()
    }
}

impl FromSql for InstallState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        [Self::PendingKeys, Self::Active, Self::Removing]
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| FromSqlError::other(UnknownState(text.to_owned())))
    }
}

/// Keys, stored as a JSON list.
struct Keys(Vec<String>);

impl ToSql for Keys {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        serde_json::to_string(&self.0)
            .map(ToSqlOutput::from)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
    }
}

impl FromSql for Keys {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?)
            .map(Self)
            .map_err(FromSqlError::other)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no state of an install")]
struct UnknownState(String);

/// What an installer accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInstall {
    /// The profile.
    pub profile: Profile,
    /// The package.
    pub package: PackageName,
    /// The version, which must be published in this database.
    pub version: String,
    /// The SHA-256 of the component's bytes.
    pub digest: Digest,
    /// The accepted access, JSON: the grant.
    pub access: String,
    /// The digest of `access`.
    pub access_digest: Digest,
    /// The publisher's key that the install pins; not empty.
    pub publisher: String,
    /// The allow-list keys that the installer accepted and that are still to be written to the
    /// profile's file. With none, the install is active at once.
    pub pending_keys: Vec<String>,
    /// The install that the installer was shown, by its [`InstallRow::updated_at`]; `None` where
    /// there was none. Another one in its place is left alone.
    pub replaces: Option<i64>,
    /// When it was accepted, in milliseconds since 1970 (UTC); not negative.
    pub accepted_at: i64,
}

/// An install, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallRow {
    /// The profile.
    pub profile: Profile,
    /// The package.
    pub package: PackageName,
    /// The version that was accepted.
    pub version: String,
    /// The SHA-256 of the component's bytes.
    pub digest: Digest,
    /// The accepted access, JSON: the grant.
    pub access: String,
    /// The digest of `access`.
    pub access_digest: Digest,
    /// The publisher's key that the install pins.
    pub publisher: String,
    /// How far it has come.
    pub state: InstallState,
    /// The keys to write before a `pending-keys` install may become active.
    pub pending_keys: Vec<String>,
    /// When the package was first installed, in milliseconds since 1970 (UTC). A later version
    /// keeps it.
    pub installed_at: i64,
    /// When the row last changed, in milliseconds since 1970 (UTC).
    pub updated_at: i64,
}

impl Store {
    /// Writes an accepted install. An earlier install of the same package in the profile is
    /// replaced and keeps its settings.
    ///
    /// # Errors
    /// - `store-not-found`: the version was never published here, or with other bytes;
    /// - `store-conflict`: an uninstall of the package has begun and must finish first, or the
    ///   install changed since the installer was shown it;
    /// - `store-invalid`: `access` is no JSON, or a field breaks its stated bound;
    /// - those of any write.
    pub fn begin_install(&self, install: &NewInstall) -> Result<(), StoreError> {
        let install = install.clone();
        self.writer
            .write(move |connection| begin(connection, &install))
    }

    /// Makes a `pending-keys` install `active` at `now` (milliseconds since 1970, UTC). An
    /// `active` one is left as it is, so that a start-up may repeat the step.
    ///
    /// # Errors
    /// `store-not-found` without such an install, `store-conflict` when its uninstall has begun,
    /// and those of any write.
    pub fn activate_install(
        &self,
        profile: &Profile,
        package: &PackageName,
        now: i64,
    ) -> Result<(), StoreError> {
        let (profile, package) = (profile.clone(), package.clone());
        self.writer.write(
            move |connection| match state(connection, &profile, &package)? {
                InstallState::PendingKeys => {
                    set_state(connection, &profile, &package, InstallState::Active, now)
                }
                InstallState::Active => Ok(()),
                found @ InstallState::Removing => Err(StoreError::WrongState {
                    profile,
                    package,
                    step: "activate",
                    found,
                    remedy: "finish its uninstall, then install it again",
                }
                .into()),
            },
        )
    }

    /// Begins an uninstall at `now` (milliseconds since 1970, UTC): the install is `removing`
    /// until [`Store::finish_removal`]. One that is `removing` already is left as it is.
    ///
    /// # Errors
    /// `store-not-found` without such an install, and those of any write.
    pub fn begin_removal(
        &self,
        profile: &Profile,
        package: &PackageName,
        now: i64,
    ) -> Result<(), StoreError> {
        let (profile, package) = (profile.clone(), package.clone());
        self.writer.write(
            move |connection| match state(connection, &profile, &package)? {
                InstallState::PendingKeys | InstallState::Active => {
                    set_state(connection, &profile, &package, InstallState::Removing, now)
                }
                InstallState::Removing => Ok(()),
            },
        )
    }

    /// Deletes a `removing` install and all its settings, in one transaction.
    ///
    /// # Errors
    /// `store-not-found` without such an install, `store-conflict` when its uninstall has not
    /// begun, and those of any write.
    pub fn finish_removal(
        &self,
        profile: &Profile,
        package: &PackageName,
    ) -> Result<(), StoreError> {
        let (profile, package) = (profile.clone(), package.clone());
        self.writer.write(
            move |connection| match state(connection, &profile, &package)? {
                InstallState::Removing => {
                    // The settings go with it, by their foreign key.
                    connection
                        .prepare_cached("DELETE FROM installs WHERE profile = ?1 AND package = ?2")?
                        .execute((&profile, &package))?;
                    Ok(())
                }
                found @ (InstallState::PendingKeys | InstallState::Active) => {
                    Err(StoreError::WrongState {
                        profile,
                        package,
                        step: "delete",
                        found,
                        remedy: "begin its uninstall first",
                    }
                    .into())
                }
            },
        )
    }

    /// Gives a profile's install of a package, in whatever state.
    ///
    /// # Errors
    /// Those of any read.
    pub fn install(
        &self,
        profile: &Profile,
        package: &PackageName,
    ) -> Result<Option<InstallRow>, StoreError> {
        self.readers.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT * FROM installs WHERE profile = ?1 AND package = ?2")?
                .query_row((profile, package), read_install)
                .optional()?)
        })
    }

    /// Gives all installs of a profile, in whatever state, by package name.
    ///
    /// # Errors
    /// Those of any read.
    pub fn installs(&self, profile: &Profile) -> Result<Vec<InstallRow>, StoreError> {
        self.readers.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT * FROM installs WHERE profile = ?1 ORDER BY package")?;
            Ok(statement
                .query_map([profile], read_install)?
                .collect::<Result<_, _>>()?)
        })
    }

    /// Gives the installs of all profiles that are `pending-keys` or `removing`, by profile and
    /// package: what a start-up has to finish.
    ///
    /// # Errors
    /// Those of any read.
    pub fn unfinished_installs(&self) -> Result<Vec<InstallRow>, StoreError> {
        self.readers.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT * FROM installs WHERE state <> 'active' ORDER BY profile, package",
            )?;
            Ok(statement
                .query_map([], read_install)?
                .collect::<Result<_, _>>()?)
        })
    }
}

fn begin(connection: &Connection, install: &NewInstall) -> Result<(), Fault> {
    let published: bool = connection
        .prepare_cached(
            "SELECT EXISTS (
                 SELECT 1 FROM versions WHERE package = ?1 AND version = ?2 AND digest = ?3)",
        )?
        .query_row(
            (&install.package, &install.version, &install.digest),
            |row| row.get(0),
        )?;
    if !published {
        return Err(StoreError::NoSuchVersion {
            package: install.package.clone(),
            version: install.version.clone(),
        }
        .into());
    }
    if let Some(found @ InstallState::Removing) =
        find_state(connection, &install.profile, &install.package)?
    {
        return Err(StoreError::WrongState {
            profile: install.profile.clone(),
            package: install.package.clone(),
            step: "install",
            found,
            remedy: "finish its uninstall first",
        }
        .into());
    }
    let present: Option<i64> = connection
        .prepare_cached("SELECT updated_at FROM installs WHERE profile = ?1 AND package = ?2")?
        .query_row((&install.profile, &install.package), |row| row.get(0))
        .optional()?;
    if present != install.replaces {
        return Err(StoreError::Overtaken {
            profile: install.profile.clone(),
            package: install.package.clone(),
        }
        .into());
    }
    let state = if install.pending_keys.is_empty() {
        InstallState::Active
    } else {
        InstallState::PendingKeys
    };
    // An update, not a replacement: deleting the row would take its settings along.
    connection
        .prepare_cached(
            "INSERT INTO installs (profile, package, version, digest, access, access_digest,
                 publisher, state, pending_keys, installed_at, updated_at)
             VALUES (:profile, :package, :version, :digest, :access, :access_digest,
                 :publisher, :state, :pending_keys, :now, :now)
             ON CONFLICT (profile, package) DO UPDATE SET
                 version = excluded.version, digest = excluded.digest, access = excluded.access,
                 access_digest = excluded.access_digest, publisher = excluded.publisher,
                 state = excluded.state, pending_keys = excluded.pending_keys,
                 updated_at = excluded.updated_at",
        )?
        .execute(named_params! {
            ":profile": install.profile,
            ":package": install.package,
            ":version": install.version,
            ":digest": install.digest,
            ":access": install.access,
            ":access_digest": install.access_digest,
            ":publisher": install.publisher,
            ":state": state,
            ":pending_keys": Keys(install.pending_keys.clone()),
            ":now": install.accepted_at,
        })?;
    Ok(())
}

fn find_state(
    connection: &Connection,
    profile: &Profile,
    package: &PackageName,
) -> Result<Option<InstallState>, Fault> {
    Ok(connection
        .prepare_cached("SELECT state FROM installs WHERE profile = ?1 AND package = ?2")?
        .query_row((profile, package), |row| row.get(0))
        .optional()?)
}

/// The state of an install that must be there.
pub(crate) fn state(
    connection: &Connection,
    profile: &Profile,
    package: &PackageName,
) -> Result<InstallState, Fault> {
    find_state(connection, profile, package)?.ok_or_else(|| {
        StoreError::NoSuchInstall {
            profile: profile.clone(),
            package: package.clone(),
        }
        .into()
    })
}

fn set_state(
    connection: &Connection,
    profile: &Profile,
    package: &PackageName,
    state: InstallState,
    now: i64,
) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "UPDATE installs SET state = ?3, updated_at = ?4,
                 pending_keys = CASE WHEN ?3 = 'active' THEN '[]' ELSE pending_keys END
             WHERE profile = ?1 AND package = ?2",
        )?
        .execute((profile, package, state, now))?;
    Ok(())
}

fn read_install(row: &Row<'_>) -> rusqlite::Result<InstallRow> {
    Ok(InstallRow {
        profile: row.get("profile")?,
        package: row.get("package")?,
        version: row.get("version")?,
        digest: row.get("digest")?,
        access: row.get("access")?,
        access_digest: row.get("access_digest")?,
        publisher: row.get("publisher")?,
        state: row.get("state")?,
        pending_keys: row.get::<_, Keys>("pending_keys")?.0,
        installed_at: row.get("installed_at")?,
        updated_at: row.get("updated_at")?,
    })
}
