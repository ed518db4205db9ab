//! `ostler browse`

use crate::args::{Format, Global};
use crate::commands::registry;
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible};

pub(crate) fn run(global: &Global, query: Option<&str>) -> Result<Exit, Failure> {
    let packages = registry(global)?.browse(query)?;
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
                terminal::print(&format!(
                    "{title}{:width$}{title:#}  {version:8}  {}\n",
                    listed.package,
                    visible(&listed.description),
                    title = styles::TITLE,
                ));
            }
        }
    }
    Ok(Exit::Done)
}
