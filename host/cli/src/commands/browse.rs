//! `ostler browse`

use crate::args::{Format, Global};
use crate::commands::{profile, registry};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible};

pub(crate) fn run(global: &Global, query: Option<&str>) -> Result<Exit, Failure> {
    let packages = registry(global)?.browse(&profile(global)?, query)?;
    match global.format {
        Format::Json => terminal::print_json(&packages),
        Format::Text if packages.is_empty() => terminal::print(match query {
            Some(_) => "No package matches.\n",
            None => "The registry is empty; `ostler publish` adds a package.\n",
        }),
        Format::Text => {
            let width = packages
                .iter()
                .map(|listed| listed.package.len())
                .max()
                .unwrap_or(0);
            for listed in packages {
                let version = listed.version.to_string();
                let installed = match &listed.installed {
                    Some(version) => format!("  [installed {version}]"),
                    None => String::new(),
                };
                terminal::print(&format!(
                    "{title}{:width$}{title:#}  {version:8}  {}{installed}
",
                    listed.package,
                    visible(&listed.description),
                    title = styles::TITLE,
                ));
            }
        }
    }
    Ok(Exit::Done)
}
