//! Published versions: written once, never changed.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::error::{Fault, StoreError};
use crate::{Digest, PackageName, Store};

/// A published version, as it is written and as it reads back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRow {
    /// The package.
    pub package: PackageName,
    /// The version, as the manifest spells it: 1 to 256 bytes. The store does not compare versions.
    pub version: String,
    /// The SHA-256 of the component's bytes.
    pub digest: Digest,
    /// The manifest, JSON. Its `description` is searched by [`Store::packages`].
    pub manifest: String,
    /// What the scan found, JSON.
    pub scan: String,
    /// The access that the version asks for, JSON.
    pub access: String,
    /// The digest of `access`.
    pub access_digest: Digest,
    /// What the component said that it offers (its tools and the like), JSON.
    pub catalogue: String,
    /// The readme, Markdown, if the package has one.
    pub readme: Option<String>,
    /// The statement that the publisher signed, JSON, byte for byte.
    pub statement: String,
    /// The publisher's Ed25519 signature of the statement.
    pub signature: [u8; 64],
    /// The publisher's key; not empty.
    pub publisher: String,
    /// When it was published, in milliseconds since 1970 (UTC); not negative.
    pub published_at: i64,
}

/// A version's place in the list of packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageVersion {
    /// The package.
    pub package: PackageName,
    /// One of its versions.
    pub version: String,
    /// When it was published, in milliseconds since 1970 (UTC).
    pub published_at: i64,
}

/// How a publish ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum PublishOutcome {
    /// The version is stored.
    Published,
    /// The package has this version already, and it stays as it was.
    VersionConflict {
        /// Whether the stored component has the same bytes.
        same_digest: bool,
    },
}

impl Store {
    /// Stores a new version. A version that is there already is left as it is, whatever differs.
    ///
    /// # Errors
    /// `store-invalid` when a JSON field is no JSON or a field breaks its stated bound, and those
    /// of any write: `store-busy`, `store-full`, `store-corrupt`, `store-unreadable`.
    pub fn publish_version(&self, version: &VersionRow) -> Result<PublishOutcome, StoreError> {
        let version = version.clone();
        self.writer
            .write(move |connection| publish(connection, &version))
    }

    /// Gives one version of a package, if it was published.
    ///
    /// # Errors
    /// Those of any read.
    pub fn version(
        &self,
        package: &PackageName,
        version: &str,
    ) -> Result<Option<VersionRow>, StoreError> {
        self.readers.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT * FROM versions WHERE package = ?1 AND version = ?2")?
                .query_row((package, version), read_version)
                .optional()?)
        })
    }

    /// Gives all versions of a package, the newest publish first. Empty for an unknown package.
    ///
    /// # Errors
    /// Those of any read.
    pub fn versions(&self, package: &PackageName) -> Result<Vec<VersionRow>, StoreError> {
        self.readers.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT * FROM versions WHERE package = ?1 ORDER BY published_at DESC, rowid DESC",
            )?;
            Ok(statement
                .query_map([package], read_version)?
                .collect::<Result<_, _>>()?)
        })
    }

    /// Gives every version of every package, by name, the newest publish of each first. With a
    /// `query`, only packages where it occurs in the name or in a version's description; the case
    /// of ASCII letters does not count.
    ///
    /// # Errors
    /// Those of any read.
    pub fn packages(&self, query: Option<&str>) -> Result<Vec<PackageVersion>, StoreError> {
        self.readers.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT package, version, published_at FROM versions
                 WHERE ?1 IS NULL OR package IN (
                     SELECT package FROM versions
                     WHERE instr(package, lower(?1))
                        OR instr(lower(manifest ->> '$.description'), lower(?1)))
                 ORDER BY package, published_at DESC, rowid DESC",
            )?;
            let rows = statement.query_map([query], |row| {
                Ok(PackageVersion {
                    package: row.get(0)?,
                    version: row.get(1)?,
                    published_at: row.get(2)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

fn publish(connection: &Connection, version: &VersionRow) -> Result<PublishOutcome, Fault> {
    let stored: Option<Digest> = connection
        .prepare_cached("SELECT digest FROM versions WHERE package = ?1 AND version = ?2")?
        .query_row((&version.package, &version.version), |row| row.get(0))
        .optional()?;
    if let Some(digest) = stored {
        return Ok(PublishOutcome::VersionConflict {
            same_digest: digest == version.digest,
        });
    }
    connection
        .prepare_cached(
            "INSERT INTO versions (package, version, digest, manifest, scan, access, access_digest,
                 catalogue, readme, statement, signature, publisher, published_at)
             VALUES (:package, :version, :digest, :manifest, :scan, :access, :access_digest,
                 :catalogue, :readme, :statement, :signature, :publisher, :published_at)",
        )?
        .execute(named_params! {
            ":package": version.package,
            ":version": version.version,
            ":digest": version.digest,
            ":manifest": version.manifest,
            ":scan": version.scan,
            ":access": version.access,
            ":access_digest": version.access_digest,
            ":catalogue": version.catalogue,
            ":readme": version.readme,
            ":statement": version.statement,
            ":signature": version.signature,
            ":publisher": version.publisher,
            ":published_at": version.published_at,
        })?;
    Ok(PublishOutcome::Published)
}

fn read_version(row: &Row<'_>) -> rusqlite::Result<VersionRow> {
    Ok(VersionRow {
        package: row.get("package")?,
        version: row.get("version")?,
        digest: row.get("digest")?,
        manifest: row.get("manifest")?,
        scan: row.get("scan")?,
        access: row.get("access")?,
        access_digest: row.get("access_digest")?,
        catalogue: row.get("catalogue")?,
        readme: row.get("readme")?,
        statement: row.get("statement")?,
        signature: row.get("signature")?,
        publisher: row.get("publisher")?,
        published_at: row.get("published_at")?,
    })
}
