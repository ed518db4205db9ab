//! `ostler uninstall`

use std::io::{IsTerminal as _, Write as _};

use crate::args::{Format, Global};
use crate::commands::{profile, registry};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, visible};

pub(crate) async fn run(global: &Global, package: &str, yes: bool) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let profile = profile(global)?;
    let package = super::package_ref(package)?.name;
    if !yes {
        confirm(global, package.as_str())?;
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
fn confirm(global: &Global, package: &str) -> Result<(), Failure> {
    let question = format!("uninstalling {package} drops its settings");
    let is_interactive = global.format == Format::Text
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal();
    if !is_interactive {
        return Err(
            Failure::new(Exit::ConsentNeeded, "confirmation-needed", question)
                .with_help("give `--yes`"),
        );
    }
    anstream::eprint!("{question}. Go on? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::io("the answer cannot be read", &error))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(Failure::new(
        Exit::NotFine,
        "declined",
        "nothing was uninstalled",
    ))
}
