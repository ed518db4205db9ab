//! A home with a registry, in which rules are published and installed.

use std::path::Path;
use std::sync::Arc;

use ostler_config::Home;
use ostler_registry::{Acceptance, LoadedInstall, Package, PackageRef, Registry, RegistryError};
use ostler_runtime::{GuestThreads, OriginKind, PendingCall, Runtime, RuntimeOptions, TurnContext};
use ostler_scanner::Access;
use ostler_store::{InstallRow, NewInstall, PackageName, Profile};
use tempfile::TempDir;

/// A registry and the folders that it stands on.
pub(crate) struct TestHome {
    pub(crate) registry: Registry,
    folder: TempDir,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().join("home")), None).unwrap();
        home.create().unwrap();
        let runtime = Runtime::new(RuntimeOptions {
            cache: None,
            guest_threads: GuestThreads::Own(1),
        })
        .unwrap();
        Self {
            registry: Registry::open(home, Arc::new(runtime)).unwrap(),
            folder,
        }
    }

    /// A folder outside the home.
    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Publishes the package in a folder and installs it with all that it asks for.
    pub(crate) async fn install(&self, folder: &Path) {
        let package = Package::open(folder).unwrap();
        let published = self.registry.publish(&package).await.unwrap();
        let reference = PackageRef {
            name: package.manifest.name,
            version: Some(package.manifest.version),
        };
        let answer = Acceptance::AccessDigest(published.access_digest);
        let review = self.registry.review(&profile(), &reference).unwrap();
        let accepted = review.accept(&answer).unwrap();
        let installed = self.registry.install(&accepted).await.unwrap();
        assert_eq!(installed.warning, None);
    }

    pub(crate) fn load(&self, package: &str) -> Result<LoadedInstall, RegistryError> {
        self.registry.load(&profile(), &name(package))
    }

    /// The row of an install.
    pub(crate) fn row(&self, package: &str) -> InstallRow {
        let row = self.registry.store().install(&profile(), &name(package));
        row.unwrap().unwrap()
    }

    /// Changes what an install's row says was accepted, as another answer of the installer would
    /// have made it.
    pub(crate) fn change_accepted(&self, package: &str, change: impl FnOnce(&mut Access)) {
        let row = self.row(package);
        let mut access = self.registry.granted(&row).unwrap();
        change(&mut access);
        self.registry
            .store()
            .begin_install(&NewInstall {
                profile: row.profile,
                package: row.package,
                version: row.version,
                digest: row.digest,
                access: access.canonical_json().unwrap(),
                access_digest: access.digest().unwrap().parse().unwrap(),
                publisher: row.publisher,
                pending_keys: Vec::new(),
                replaces: Some(row.updated_at),
                accepted_at: row.updated_at + 1,
            })
            .unwrap();
    }
}

/// The profile of all these tests.
pub(crate) fn profile() -> Profile {
    "main".parse().unwrap()
}

/// A package's name.
pub(crate) fn name(package: &str) -> PackageName {
    package.parse().unwrap()
}

/// A call of a tool, in a turn without a session.
pub(crate) fn pending(tool: &str) -> PendingCall {
    PendingCall {
        context: TurnContext {
            session: None,
            row_id: None,
            agent: None,
            origin: OriginKind::Person,
            depth: 0,
        },
        id: "call-1".to_owned(),
        tool: tool.to_owned(),
        family: "shell".to_owned(),
        args_json: r#"{"command":"ls"}"#.to_owned(),
    }
}
