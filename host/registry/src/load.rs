//! From an install to a plugin that can be called.

use std::collections::BTreeSet;
use std::sync::Arc;

use ostler_runtime::{
    Grant, HostServices, InvocationContext, InvocationKind, Limits, Loaded, MemberSet, Runtime,
};
use ostler_scanner::{Access, Permission, Scan};
use ostler_store::{PackageName, Profile};

use crate::error::RegistryError;
use crate::publish::CatalogueTool;
use crate::registry::{PackageRef, Registry};
use crate::settings::InstallSettings;

/// An install, linked with exactly what was accepted.
pub struct LoadedInstall {
    /// The linked component.
    pub plugin: Arc<Loaded>,
    /// What its code says, derived at this load.
    pub scan: Scan,
    /// The version.
    pub version: String,
    /// The tools that it offers.
    pub tools: Vec<CatalogueTool>,
    /// What was accepted: the grant.
    pub(crate) accepted: Access,
    pub(crate) runtime: Arc<Runtime>,
    grant: Arc<Grant>,
    services: HostServices,
}

impl Registry {
    /// Loads an install of a profile: verifies its component and statement, derives its access
    /// again, and links the accepted members.
    ///
    /// # Errors
    /// [`RegistryError::NotInstalled`]; [`RegistryError::GrantUnreadable`] if the accepted access
    /// cannot be read; [`RegistryError::ConsentNeeded`] if the code asks for more than was
    /// accepted, as after a better scanner; those of verifying and linking.
    pub fn load(
        &self,
        profile: &Profile,
        package: &PackageName,
    ) -> Result<LoadedInstall, RegistryError> {
        let row = self.install_row(profile, package)?;
        // Read before anything else: an access that cannot be read links nothing.
        let accepted = self.accepted_access(package, &row.access)?;
        let version = semver::Version::parse(&row.version)
            .map_err(|error| RegistryError::Internal(error.to_string()))?;
        let review = self.review(
            profile,
            &PackageRef {
                name: package.clone(),
                version: Some(version),
            },
        )?;
        if !review.asks.is_empty() {
            return Err(RegistryError::ConsentNeeded {
                package: format!("{package} {}", row.version),
                asks: review.asks,
            });
        }
        let compiled = self.runtime.compile(row.digest.hex(), &review.component)?;
        let granted = MemberSet::granted(&accepted.all_permissions().collect());
        let plugin = Arc::new(self.runtime.load(&compiled, granted)?);
        let grant = Arc::new(Grant::new(granted));
        Ok(LoadedInstall {
            plugin,
            scan: review.scan,
            version: row.version,
            tools: review.tools,
            accepted,
            runtime: Arc::clone(&self.runtime),
            services: HostServices {
                grant: Some(Arc::clone(&grant)),
                ..HostServices::alone(Arc::new(InstallSettings {
                    store: Arc::clone(&self.store),
                    profile: profile.clone(),
                    package: package.clone(),
                }))
            },
            grant,
        })
    }
}

impl LoadedInstall {
    /// The circumstances of a tool call that a person makes from the command line: no session,
    /// no agent, all that was accepted.
    #[must_use]
    pub fn tool_context(&self) -> InvocationContext {
        self.context(InvocationKind::Tool)
    }

    /// Takes away all but the members that `permissions` grant, in calls that run as well.
    pub fn narrow(&self, permissions: &BTreeSet<Permission>) {
        self.grant.narrow(MemberSet::granted(permissions));
    }

    /// Takes everything away: the install was suspended or is gone.
    pub fn revoke(&self) {
        self.grant.narrow(MemberSet::EMPTY);
    }

    pub(crate) fn lifecycle_context(&self) -> InvocationContext {
        self.context(InvocationKind::Lifecycle)
    }

    pub(crate) fn context(&self, kind: InvocationKind) -> InvocationContext {
        InvocationContext {
            kind,
            has_session: false,
            has_agent: false,
            depth: 0,
            members: self.grant.members(),
            limits: Limits::for_kind(kind),
            services: self.services.clone(),
        }
    }
}
