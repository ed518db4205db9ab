//! `ostler uninstall`

use crate::args::{Format, Global};
use crate::commands::{confirm, profile, registry};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, visible};

pub(crate) async fn run(global: &Global, package: &str, yes: bool) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let profile = profile(global)?;
    let package = super::package_ref(package)?.name;
    if !yes {
        ask(global, package.as_str())?;
    }
    let uninstalled = registry.uninstall(&profile, &package).await?;
    match global.format {
        Format::Json => terminal::print_json(&uninstalled),
        Format::Text => {
            terminal::print(&format!(
                "uninstalled {} from the profile {}\n",
                uninstalled.package, uninstalled.profile
            ));
            if let Some(warning) = &uninstalled.warning {
                anstream::eprintln!("warning: {}", visible(warning));
            }
        }
    }
    Ok(Exit::Done)
}

/// What a plugin kept is gone with it, so that a person confirms.
fn ask(global: &Global, package: &str) -> Result<(), Failure> {
    let question = format!("uninstalling {package} drops its settings");
    confirm::ask(global, question, "nothing was uninstalled")
}
