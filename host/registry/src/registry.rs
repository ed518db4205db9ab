//! The registry's front: what it is made of, how packages are named and found.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ostler_config::{AllowKeys, Home};
use ostler_runtime::Runtime;
use ostler_store::{PackageName, Profile, Store, VersionRow};
use semver::Version;
use serde::Serialize;

use crate::blobs::Blobs;
use crate::error::RegistryError;
use crate::manifest::Manifest;

/// The embedded registry of one home.
pub struct Registry {
    pub(crate) home: Home,
    pub(crate) store: Arc<Store>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) blobs: Blobs,
    /// What stands in the way of installs and uninstalls that were begun.
    unfinished: Vec<Problem>,
}

/// A package, and perhaps one of its versions: `handoff` or `handoff@0.1.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRef {
    /// The package.
    pub name: PackageName,
    /// The version; the newest where there is none.
    pub version: Option<Version>,
}

impl FromStr for PackageRef {
    type Err = RegistryError;

    fn from_str(text: &str) -> Result<Self, RegistryError> {
        let invalid = |reason: String| RegistryError::PackageRef {
            text: text.to_owned(),
            reason,
        };
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => {
                let version = Version::parse(version)
                    .map_err(|error| invalid(format!("`{version}` is no version: {error}")))?;
                (name, Some(version))
            }
            None => (text, None),
        };
        let name = name
            .parse()
            .map_err(|error: ostler_store::ParseIdError| invalid(error.to_string()))?;
        Ok(Self { name, version })
    }
}

/// A package in a list.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Its name.
    pub package: String,
    /// Its newest version.
    pub version: Version,
    /// What it says of itself.
    pub description: String,
    /// How many versions it has.
    pub versions: usize,
    /// The version that is installed in the profile.
    pub installed: Option<String>,
}

/// Something that a check found wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// A stable code.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl From<&RegistryError> for Problem {
    fn from(error: &RegistryError) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
            help: error.help(),
        }
    }
}

impl Registry {
    /// Opens the registry of a home, and finishes what a killed process left half done. What
    /// cannot be finished, as when a profile's file does not parse, stays as it is and stands
    /// among the [problems](Registry::problems); everything else goes on.
    ///
    /// # Errors
    /// Those of the database.
    pub fn open(home: Home, runtime: Arc<Runtime>) -> Result<Self, RegistryError> {
        let store = Arc::new(Store::open(&home.database())?);
        let blobs = Blobs::new(&home.blobs());
        let mut registry = Self {
            home,
            store,
            runtime,
            blobs,
            unfinished: Vec::new(),
        };
        registry.unfinished = registry
            .finish_interrupted()?
            .iter()
            .map(Problem::from)
            .collect();
        Ok(registry)
    }

    /// The database that it stands on.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The runtime that loads its plugins.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Packages whose name or description holds `query`, each with its newest version and the one
    /// that is installed in the profile, by name.
    ///
    /// # Errors
    /// Those of the database.
    pub fn browse(
        &self,
        profile: &Profile,
        query: Option<&str>,
    ) -> Result<Vec<Listed>, RegistryError> {
        let installs = self.store.installs(profile)?;
        let mut versions = BTreeMap::<PackageName, Vec<Version>>::new();
        for row in self.store.packages(query)? {
            if let Ok(version) = Version::parse(&row.version) {
                versions.entry(row.package).or_default().push(version);
            }
        }
        versions
            .into_iter()
            .filter_map(|(name, versions)| {
                newest(&versions)
                    .cloned()
                    .map(|v| (name, v, versions.len()))
            })
            .map(|(name, version, versions)| {
                let row = self.version(&name, &version)?;
                let manifest: Manifest = serde_json::from_str(&row.manifest)
                    .map_err(|error| RegistryError::json(&error))?;
                Ok(Listed {
                    package: name.to_string(),
                    version,
                    description: manifest.description,
                    versions,
                    installed: installs
                        .iter()
                        .find(|install| install.package == name)
                        .map(|install| install.version.clone()),
                })
            })
            .collect()
    }

    /// The versions of a package, newest first.
    ///
    /// # Errors
    /// [`RegistryError::PackageUnknown`], and those of the database.
    pub fn versions(&self, name: &PackageName) -> Result<Vec<Version>, RegistryError> {
        let mut versions: Vec<Version> = self
            .store
            .versions(name)?
            .iter()
            .filter_map(|row| Version::parse(&row.version).ok())
            .collect();
        if versions.is_empty() {
            return Err(self.package_unknown(name)?);
        }
        versions.sort_by(|a, b| b.cmp(a));
        Ok(versions)
    }

    /// The allow-list keys that the profile's configuration holds for a plugin now.
    ///
    /// # Errors
    /// Those of the profile's file.
    pub fn allow_keys(
        &self,
        profile: &Profile,
        package: &PackageName,
    ) -> Result<AllowKeys, RegistryError> {
        let file = self.home.profile_file(profile.as_str())?;
        Ok(ostler_config::read_allow_keys(&file, package.as_str())?)
    }

    /// The version of the database's schema.
    ///
    /// # Errors
    /// Those of the database.
    pub fn schema_version(&self) -> Result<u32, RegistryError> {
        Ok(self.store.schema_version()?)
    }

    /// The row that a reference names.
    pub(crate) fn resolve(&self, package: &PackageRef) -> Result<VersionRow, RegistryError> {
        let version = match &package.version {
            Some(version) => version.clone(),
            None => {
                let versions = self.versions(&package.name)?;
                match newest(&versions) {
                    Some(version) => version.clone(),
                    None => return Err(self.package_unknown(&package.name)?),
                }
            }
        };
        self.version(&package.name, &version)
    }

    fn version(&self, name: &PackageName, version: &Version) -> Result<VersionRow, RegistryError> {
        match self.store.version(name, &version.to_string())? {
            Some(row) => Ok(row),
            // Tells an unknown package from an unknown version.
            None => self.versions(name).and(Err(RegistryError::VersionUnknown {
                name: name.to_string(),
                version: version.to_string(),
            })),
        }
    }

    fn package_unknown(&self, name: &PackageName) -> Result<RegistryError, RegistryError> {
        let nearest = self
            .store
            .packages(None)?
            .into_iter()
            .map(|row| row.package.to_string())
            .map(|known| (strsim::jaro_winkler(name.as_str(), &known), known))
            .filter(|(similarity, _)| *similarity > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, known)| known);
        Ok(RegistryError::PackageUnknown {
            name: name.to_string(),
            nearest,
        })
    }

    /// Checks the database, every stored component, what was left half done, and a profile's
    /// installs, for `ostler doctor`.
    ///
    /// # Errors
    /// Those of the database, when it cannot be read at all.
    pub fn problems(&self, profile: &Profile) -> Result<Vec<Problem>, RegistryError> {
        let mut problems: Vec<Problem> = self
            .store
            .integrity()?
            .into_iter()
            .map(|message| Problem {
                code: "store-corrupt",
                message,
                help: Some("restore the database from a copy".to_owned()),
            })
            .chain(self.unfinished.iter().cloned())
            .collect();
        for listed in self.store.packages(None)? {
            if let Some(row) = self.store.version(&listed.package, &listed.version)?
                && let Err(error) = self.blobs.get(&row.digest)
            {
                problems.push(Problem::from(&error));
            }
        }
        for install in self.store.installs(profile)? {
            let accepted = self.accepted_access(&install.package, &install.access);
            problems.extend(accepted.err().as_ref().map(Problem::from));
        }
        Ok(problems)
    }
}

/// The newest release; the newest pre-release where there is nothing else.
fn newest(versions: &[Version]) -> Option<&Version> {
    versions
        .iter()
        .filter(|version| version.pre.is_empty())
        .max()
        .or_else(|| versions.iter().max())
}

/// Milliseconds since 1970 (UTC).
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|elapsed| i64::try_from(elapsed.as_millis()).ok())
        .unwrap_or_default()
}
