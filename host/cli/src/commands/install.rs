//! `ostler install`

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use ostler_registry::{Acceptance, Package, PackageRef, Registry, RegistryError, Review};

use crate::args::{Format, Global, Install};
use crate::commands::{package_ref, profile, registry};
use crate::failure::{Exit, Failure};
use crate::terminal::visible;
use crate::{show, terminal};

pub(crate) async fn run(global: &Global, arguments: &Install) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let package = resolve(&registry, &arguments.package).await?;
    let review = registry.review(&profile(global)?, &package)?;
    let acceptance = match (&arguments.accept[..], &arguments.access_digest) {
        (_, Some(digest)) => Acceptance::AccessDigest(digest.clone()),
        ([], None) => ask(global, &review)?,
        (parts, None) => {
            let parts = parts.iter().map(|part| part.trim().to_owned());
            Acceptance::Parts(
                parts
                    .filter(|part| !part.is_empty())
                    .collect::<BTreeSet<_>>(),
            )
        }
    };
    let installed = registry.install(&review.accept(&acceptance)?).await?;
    match global.format {
        Format::Json => terminal::print_json(&installed),
        Format::Text => {
            let mut text = format!(
                "installed {} {} in the profile {}\n",
                installed.package, installed.version, installed.profile
            );
            for key in &installed.keys_written {
                text += &format!("  wrote {key} = true to the profile's configuration\n");
            }
            terminal::print(&text);
            if let Some(warning) = &installed.warning {
                anstream::eprintln!("warning: {}", visible(warning));
            }
        }
    }
    Ok(Exit::Done)
}

/// The package that the text names. A folder is published first, unless its version is there
/// already with the same component.
async fn resolve(registry: &Registry, text: &str) -> Result<PackageRef, Failure> {
    let path = Path::new(text);
    let is_path = text.contains(std::path::MAIN_SEPARATOR) || text == "." || text == "..";
    if !is_path {
        let package = package_ref(text)?;
        return match registry.versions(&package.name) {
            // A name without a separator is a package, whatever stands in the folder.
            Err(error @ RegistryError::PackageUnknown { .. }) if path.is_dir() => {
                Err(Failure::from(error).with_help(format!("for the folder, write ./{text}")))
            }
            _ => Ok(package),
        };
    }
    let package = Package::open(path)?;
    match registry.publish(&package).await {
        Ok(_) | Err(RegistryError::VersionExists { same: true, .. }) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(PackageRef {
        name: package.manifest.name.clone(),
        version: Some(package.manifest.version.clone()),
    })
}

/// Shows the review and asks, where a person can answer.
fn ask(global: &Global, review: &Review) -> Result<Acceptance, Failure> {
    let is_interactive = global.format == Format::Text
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal();
    if review.asks.is_empty() || !is_interactive {
        return Ok(Acceptance::Nobody);
    }
    terminal::print(&show::review(review));
    anstream::eprint!("\nInstall it with this access? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::io("the answer cannot be read", &error))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(Acceptance::AccessDigest(review.access_digest.clone()));
    }
    Err(Failure::new(
        Exit::NotFine,
        "declined",
        "nothing was installed",
    ))
}
