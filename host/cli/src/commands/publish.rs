//! `ostler publish`

use std::path::Path;

use ostler_registry::Package;

use crate::args::{Format, Global};
use crate::commands::registry;
use crate::failure::{Exit, Failure};
use crate::{show, terminal};

pub(crate) async fn run(global: &Global, folder: &Path) -> Result<Exit, Failure> {
    let package = Package::open(folder)?;
    let published = registry(global)?.publish(&package).await?;
    match global.format {
        Format::Json => terminal::print_json(&published),
        Format::Text => {
            for finding in &published.diagnostics {
                anstream::eprint!("{}", show::diagnostic(finding));
            }
            let mut text = format!(
                "published {} {}\n  component {}\n  access    {}\n",
                published.package, published.version, published.digest, published.access_digest
            );
            text += "Installers are asked to accept:\n";
            text += &show::parts(&published.access.parts());
            terminal::print(&text);
        }
    }
    Ok(Exit::Done)
}
