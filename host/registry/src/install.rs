//! Installs: an accepted access, recorded with the keys that it stands for.
//!
//! Accepting spans the database and the profile's file. The row comes first, as *pending*, with
//! the keys to write; then the file; then the row becomes *active*. A process killed between
//! leaves a pending row, and the next start does the rest. Only such rows are finished: anything
//! else would undo an operator who took a key away.

use std::sync::Arc;

use ostler_config::AllowKeys;
use ostler_runtime::{ExportCall, ExportResult, LifecycleEvent, Outcome};
use ostler_scanner::members::Capability;
use ostler_scanner::{Access, Permission};
use ostler_store::{InstallRow, InstallState, NewInstall, PackageName, Profile};
use serde::Serialize;

use crate::error::RegistryError;
use crate::registry::{Registry, now};
use crate::review::Accepted;

/// A finished install.
#[derive(Clone, Debug, Serialize)]
pub struct Installed {
    /// The package.
    pub package: String,
    /// The version.
    pub version: String,
    /// The profile.
    pub profile: String,
    /// The accepted access: the grant.
    pub access: Access,
    /// The digest of the access.
    pub access_digest: String,
    /// The allow-list keys that were written to the profile's configuration.
    pub keys_written: Vec<Permission>,
    /// What the package's own handler said, where it failed.
    pub warning: Option<String>,
}

/// A finished uninstall.
#[derive(Clone, Debug, Serialize)]
pub struct Uninstalled {
    /// The package.
    pub package: String,
    /// The profile.
    pub profile: String,
    /// What the package's own handler said, where it failed.
    pub warning: Option<String>,
}

/// The permissions that are keys of the profile's configuration as well.
const KEYS: [Permission; 2] = [
    Permission::ALLOW_GATEWAY_INJECTION,
    Permission::ALLOW_ORIGIN_SESSIONS,
];

impl Registry {
    /// Records an accepted access and writes the keys that it stands for.
    ///
    /// Only keys that this answer accepted are written, and those of an earlier answer that could
    /// not be written then: an update never restores a key that the operator took away.
    ///
    /// # Errors
    /// Those of the database and of the profile's file. If the file cannot be written, the
    /// install stays pending: it cannot be used, and the next start tries again.
    pub async fn install(&self, accepted: &Accepted) -> Result<Installed, RegistryError> {
        let review = &accepted.review;
        let row = &review.row;
        let is_to_write = |key: &Permission| {
            let is_asked = review.access.all_permissions().any(|asked| asked == *key);
            let is_accepted_now = accepted.is_explicit && review.change.permissions.contains(key);
            let was_accepted = review.pending_keys.iter().any(|k| k == key.as_str());
            is_asked && (is_accepted_now || was_accepted)
        };
        let keys: Vec<Permission> = KEYS.into_iter().filter(is_to_write).collect();
        self.store.begin_install(&NewInstall {
            profile: review.profile.clone(),
            package: row.package.clone(),
            version: row.version.clone(),
            digest: row.digest.clone(),
            access: review
                .access
                .canonical_json()
                .map_err(|error| RegistryError::json(&error))?,
            access_digest: review
                .access_digest
                .parse()
                .map_err(|error| RegistryError::id(&error))?,
            publisher: row.publisher.clone(),
            pending_keys: keys.iter().map(ToString::to_string).collect(),
            replaces: review.replaces,
            accepted_at: now(),
        })?;
        if !keys.is_empty() {
            self.write_keys_and_activate(&review.profile, &row.package, &keys)?;
        }
        let warning = match &review.installed_version {
            None => {
                let event = LifecycleEvent::Installed;
                self.tell(&review.profile, &row.package, event).await
            }
            Some(from) if *from != row.version => {
                let event = LifecycleEvent::Updated { from: from.clone() };
                self.tell(&review.profile, &row.package, event).await
            }
            Some(_the_same_version) => None,
        };
        Ok(Installed {
            package: row.package.to_string(),
            version: row.version.clone(),
            profile: review.profile.to_string(),
            access: review.access.clone(),
            access_digest: review.access_digest.clone(),
            keys_written: keys,
            warning,
        })
    }

    fn write_keys_and_activate(
        &self,
        profile: &Profile,
        package: &PackageName,
        keys: &[Permission],
    ) -> Result<(), RegistryError> {
        ostler_config::write_allow_keys(
            &self.home.profile_file(profile.as_str())?,
            package.as_str(),
            AllowKeys {
                allow_gateway_injection: keys.contains(&Permission::ALLOW_GATEWAY_INJECTION),
                allow_origin_sessions: keys.contains(&Permission::ALLOW_ORIGIN_SESSIONS),
            },
        )?;
        Ok(self.store.activate_install(profile, package, now())?)
    }

    /// Runs the package's `uninstalling` handler, takes its keys out of the profile's
    /// configuration, and drops the install with its settings.
    ///
    /// The keys go with the install: whatever is installed under the name later starts without.
    ///
    /// # Errors
    /// [`RegistryError::NotInstalled`], and those of the database and of the profile's file; an
    /// uninstall that has begun is finished at the next start.
    pub async fn uninstall(
        &self,
        profile: &Profile,
        package: &PackageName,
    ) -> Result<Uninstalled, RegistryError> {
        self.install_row(profile, package)?;
        let warning = self
            .tell(profile, package, LifecycleEvent::Uninstalling)
            .await;
        self.store.begin_removal(profile, package, now())?;
        self.finish_removal(profile, package)?;
        Ok(Uninstalled {
            package: package.to_string(),
            profile: profile.to_string(),
            warning,
        })
    }

    fn finish_removal(
        &self,
        profile: &Profile,
        package: &PackageName,
    ) -> Result<(), RegistryError> {
        let file = self.home.profile_file(profile.as_str())?;
        ostler_config::remove_allow_keys(&file, package.as_str())?;
        Ok(self.store.finish_removal(profile, package)?)
    }

    /// Finishes installs and uninstalls that a killed process left half done, and gives what
    /// stands in the way of the others.
    pub(crate) fn finish_interrupted(&self) -> Result<Vec<RegistryError>, RegistryError> {
        let mut failed = Vec::new();
        for row in self.store.unfinished_installs()? {
            let finished = match row.state {
                InstallState::PendingKeys => {
                    let is_pending =
                        |key: &Permission| row.pending_keys.iter().any(|k| k == key.as_str());
                    let keys: Vec<Permission> = KEYS.into_iter().filter(is_pending).collect();
                    self.write_keys_and_activate(&row.profile, &row.package, &keys)
                }
                InstallState::Removing => self.finish_removal(&row.profile, &row.package),
                InstallState::Active => Ok(()),
            };
            failed.extend(finished.err());
        }
        Ok(failed)
    }

    /// The active installs of a profile in the order of installation, in which their hooks are
    /// asked. An update keeps an install's place; those of one millisecond stand by name.
    ///
    /// # Errors
    /// Those of the database.
    pub fn installs_in_order(&self, profile: &Profile) -> Result<Vec<InstallRow>, RegistryError> {
        let mut installs = self.store.installs(profile)?;
        installs.retain(|install| install.state == InstallState::Active);
        // They come by name, and the sort is stable.
        installs.sort_by_key(|install| install.installed_at);
        Ok(installs)
    }

    /// The row of an active install.
    pub(crate) fn install_row(
        &self,
        profile: &Profile,
        package: &PackageName,
    ) -> Result<InstallRow, RegistryError> {
        let (package_name, profile_name) = (package.to_string(), profile.to_string());
        match self.store.install(profile, package)? {
            Some(row) if row.state == InstallState::Active => Ok(row),
            Some(row) => Err(RegistryError::Unfinished {
                package: package_name,
                profile: profile_name,
                state: row.state.as_str(),
            }),
            None => Err(RegistryError::NotInstalled {
                package: package_name,
                profile: profile_name,
            }),
        }
    }

    /// Tells the package's lifecycle handler; what it answers is worth a word, and never stops
    /// what the person asked for.
    async fn tell(
        &self,
        profile: &Profile,
        package: &PackageName,
        event: LifecycleEvent,
    ) -> Option<String> {
        let loaded = match self.load(profile, package) {
            Ok(loaded) => loaded,
            Err(error) => return Some(format!("its lifecycle handler did not run: {error}")),
        };
        if !loaded.scan.capabilities.contains(&Capability::Lifecycle) {
            return None;
        }
        let invoked = self
            .runtime
            .invoke(
                &Arc::clone(&loaded.plugin),
                ExportCall::Lifecycle(event),
                loaded.lifecycle_context(),
            )
            .await;
        match invoked.outcome {
            Outcome::Returned(ExportResult::Handled(Err(message))) => {
                Some(format!("its lifecycle handler says: {message}"))
            }
            Outcome::Returned(_) => None,
            Outcome::Trap(trap) => Some(format!("its lifecycle handler trapped: {trap}")),
            Outcome::Limit(hit) => Some(format!("its lifecycle handler crossed a limit: {hit}")),
            Outcome::BadOutput(what) => Some(format!("its lifecycle handler gave {what}")),
            Outcome::HostError(fault) => {
                Some(format!("its lifecycle handler did not run: {fault}"))
            }
        }
    }
}
