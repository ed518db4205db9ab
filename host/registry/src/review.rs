//! What an installer reads, and what becomes of the answer.

use std::collections::BTreeSet;

use ostler_scanner::access::{AccessChange, Part};
use ostler_scanner::{Access, SCANNER_VERSION, Scan, rules, scan_component};
use ostler_store::{Digest, InstallRow, PackageName, Profile, VersionRow};

use crate::error::RegistryError;
use crate::manifest::Manifest;
use crate::publish::CatalogueTool;
use crate::registry::{PackageRef, Registry};
use crate::statement::Statement;

/// A version as an installer sees it: its statement verified, its access derived again here.
#[derive(Clone, Debug)]
pub struct Review {
    /// The profile that the review is for.
    pub profile: Profile,
    /// What the author says.
    pub manifest: Manifest,
    /// What the code says, with its evidence.
    pub scan: Scan,
    /// What the version asks for.
    pub access: Access,
    /// The digest of the access.
    pub access_digest: String,
    /// The tools that it offers.
    pub tools: Vec<CatalogueTool>,
    /// The key that signed it.
    pub publisher: String,
    /// The author's own words about it, Markdown.
    pub readme: Option<String>,
    /// The installed version, if there is one.
    pub installed_version: Option<String>,
    /// What the version asks beyond what was accepted.
    pub asks: Vec<Part>,
    pub(crate) change: AccessChange,
    /// When the install that was looked at last changed; `None` where there was none.
    pub(crate) replaces: Option<i64>,
    /// Keys that were accepted before and are still to be written.
    pub(crate) pending_keys: Vec<String>,
    pub(crate) row: VersionRow,
    pub(crate) component: Vec<u8>,
}

/// A person's answer.
#[derive(Clone, Debug)]
pub enum Acceptance {
    /// Nobody was asked.
    Nobody,
    /// Each part by its id.
    Parts(BTreeSet<String>),
    /// The whole access by its digest: also what a person at a terminal accepts who has read the
    /// review.
    AccessDigest(String),
}

/// An access that somebody accepted. Only [`Review::accept`] makes one.
#[derive(Clone, Debug)]
pub struct Accepted {
    pub(crate) review: Review,
    /// Whether the answer names anything: an answer to nothing writes no key.
    pub(crate) is_explicit: bool,
}

impl Registry {
    /// Reviews a version for a profile: the newest one where `package` names none.
    ///
    /// # Errors
    /// [`RegistryError::PackageUnknown`], [`RegistryError::VersionUnknown`];
    /// [`RegistryError::Statement`] if signature, digest or derivation do not hold;
    /// [`RegistryError::BlobCorrupt`] if the component was damaged.
    pub fn review(&self, profile: &Profile, package: &PackageRef) -> Result<Review, RegistryError> {
        let row = self.resolve(package)?;
        let manifest: Manifest =
            serde_json::from_str(&row.manifest).map_err(|error| RegistryError::Statement {
                reason: format!("its manifest cannot be read: {error}"),
            })?;
        let statement = Statement::verify(&row.statement, &row.signature, &row.publisher)?;
        let mismatch = |what: &str| RegistryError::Statement {
            reason: format!(
                "{what} of {} {} is not the one that was signed",
                row.package, row.version
            ),
        };
        if statement.name != row.package || statement.version.to_string() != row.version {
            return Err(mismatch("the name"));
        }
        if statement.digest != row.digest.to_string() {
            return Err(mismatch("the component"));
        }
        let component = self.blobs.get(&row.digest)?;

        // The publisher's word is not taken for it: what counts is derived here and now.
        let scan = scan_component(&component);
        let (access, mut findings) =
            rules::check(&scan, &manifest.declared(), Some(row.publisher.clone()));
        findings.extend(scan.diagnostics.iter().cloned());
        if findings
            .iter()
            .any(|d| d.severity == ostler_scanner::Severity::Error)
        {
            return Err(RegistryError::Refused {
                package: format!("{} {}", row.package, row.version),
                diagnostics: findings,
            });
        }
        // Equal rules derive an equal access. A later scanner may see more: what it sees is what
        // the installer is asked, and an install that was accepted before waits for the answer.
        if statement.scanner == SCANNER_VERSION && !statement.access.covers(&access) {
            return Err(mismatch("the derived access"));
        }

        let installed = self.store.install(profile, &row.package)?;
        // An access that cannot be read grants nothing: all of it is asked again.
        let accepted = installed
            .as_ref()
            .and_then(|install| self.accepted_access(&install.package, &install.access).ok())
            .unwrap_or_default();
        let change = accepted.missing_for(&access);
        Ok(Review {
            profile: profile.clone(),
            asks: change.parts(&access.declared_permissions),
            change,
            pending_keys: installed
                .as_ref()
                .map(|install| install.pending_keys.clone())
                .unwrap_or_default(),
            access_digest: access
                .digest()
                .map_err(|error| RegistryError::json(&error))?,
            access,
            tools: serde_json::from_str(&row.catalogue)
                .map_err(|error| RegistryError::json(&error))?,
            publisher: row.publisher.clone(),
            readme: row.readme.clone(),
            replaces: installed.as_ref().map(|install| install.updated_at),
            installed_version: installed.map(|install| install.version),
            manifest,
            scan,
            row,
            component,
        })
    }

    /// What an install's row says was accepted: the grant, also of an install that does not load.
    ///
    /// # Errors
    /// [`RegistryError::GrantUnreadable`]; such an install is granted nothing.
    pub fn granted(&self, install: &InstallRow) -> Result<Access, RegistryError> {
        self.accepted_access(&install.package, &install.access)
    }

    /// The access that an install's row records; one that cannot be read grants nothing.
    pub(crate) fn accepted_access(
        &self,
        package: &PackageName,
        text: &str,
    ) -> Result<Access, RegistryError> {
        serde_json::from_str(text).map_err(|error| RegistryError::GrantUnreadable {
            package: package.to_string(),
            reason: error.to_string(),
        })
    }
}

impl Review {
    /// Takes an answer. It must name everything that is asked beyond what was accepted before;
    /// there is no answer that accepts whatever comes.
    ///
    /// # Errors
    /// [`RegistryError::ConsentNeeded`] with what is missing;
    /// [`RegistryError::Acceptance`] if a part is not among what is asked, or the digest is none.
    pub fn accept(self, acceptance: &Acceptance) -> Result<Accepted, RegistryError> {
        let missing: Vec<Part> = match acceptance {
            Acceptance::Nobody => self.asks.clone(),
            Acceptance::Parts(parts) => {
                let known: BTreeSet<String> = self
                    .access
                    .parts()
                    .into_iter()
                    .map(|part| part.id)
                    .collect();
                if let Some(part) = parts.iter().find(|part| !known.contains(*part)) {
                    return Err(RegistryError::Acceptance(format!(
                        "`{part}` is not among what {} {} asks for",
                        self.manifest.name, self.manifest.version
                    )));
                }
                self.asks
                    .iter()
                    .filter(|part| !parts.contains(&part.id))
                    .cloned()
                    .collect()
            }
            Acceptance::AccessDigest(digest) if *digest == self.access_digest => Vec::new(),
            Acceptance::AccessDigest(digest) if digest.parse::<Digest>().is_ok() => {
                self.asks.clone()
            }
            Acceptance::AccessDigest(digest) => {
                return Err(RegistryError::Acceptance(format!(
                    "`{digest}` is no digest"
                )));
            }
        };
        if missing.is_empty() {
            let is_explicit = !matches!(acceptance, Acceptance::Nobody);
            return Ok(Accepted {
                review: self,
                is_explicit,
            });
        }
        Err(RegistryError::ConsentNeeded {
            package: format!("{} {}", self.manifest.name, self.manifest.version),
            asks: missing,
        })
    }
}
