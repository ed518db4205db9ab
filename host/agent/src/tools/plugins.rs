//! The plugins of a profile, loaded when they are first needed and again when their install
//! changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ostler_registry::{LoadedInstall, Registry};
use ostler_store::{PackageName, Profile};

use super::hooks::Rule;
use super::plugin::PluginTool;
use super::{Tool, Toolbox};

/// Loaded installs, by package.
pub(crate) struct Plugins {
    registry: Arc<Registry>,
    profile: Profile,
    loaded: Mutex<BTreeMap<PackageName, Loaded>>,
}

/// What came of loading an install, at the version of its row that was read.
#[derive(Clone)]
struct Loaded {
    updated_at: i64,
    /// None if it does not load. It is not tried again until its row changes.
    install: Option<Arc<LoadedInstall>>,
}

impl Plugins {
    pub(crate) fn new(registry: Arc<Registry>, profile: Profile) -> Self {
        Self {
            registry,
            profile,
            loaded: Mutex::default(),
        }
    }

    /// The tools of all active installs, added to `toolbox`. An install that does not load is
    /// left out and told; an unreadable database leaves all out.
    ///
    /// Blocks: it reads the database and may compile.
    pub(crate) fn add_to(&self, toolbox: &mut Toolbox) {
        let rows = match self.registry.installs_in_order(&self.profile) {
            Ok(rows) => rows,
            Err(error) => {
                tracing::error!(code = error.code(), %error, "the plugins cannot be listed");
                return;
            }
        };
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.retain(|package, _| rows.iter().any(|row| row.package == *package));
        for row in rows {
            let is_current = loaded
                .get(&row.package)
                .is_some_and(|known| known.updated_at == row.updated_at);
            if !is_current {
                let install = match self.registry.load(&self.profile, &row.package) {
                    Ok(install) => Some(Arc::new(install)),
                    Err(error) => {
                        tracing::error!(
                            plugin = %row.package, code = error.code(), %error,
                            "a plugin does not load; its tools are left out"
                        );
                        None
                    }
                };
                let updated_at = row.updated_at;
                loaded.insert(
                    row.package.clone(),
                    Loaded {
                        updated_at,
                        install,
                    },
                );
            }
            let plugin = row.package.as_str();
            let Some(install) = loaded.get(&row.package).and_then(|l| l.install.as_ref()) else {
                // What it was to guard stays guarded.
                match self.registry.granted(&row) {
                    Ok(accepted) => {
                        if let Some(rule) = Rule::broken(plugin, &accepted) {
                            toolbox.add_rule(rule);
                        }
                    }
                    Err(error) => {
                        tracing::error!(plugin, code = error.code(), %error, "a grant cannot be read");
                    }
                }
                continue;
            };
            if let Some(rule) = Rule::of(plugin, install) {
                toolbox.add_rule(rule);
            }
            let tools = install
                .tools
                .iter()
                .map(|tool| Arc::new(PluginTool::new(plugin, install, tool)) as Arc<dyn Tool>)
                .collect();
            toolbox.add_plugin(plugin, tools);
        }
    }
}
