//! `ostler show`

use ostler_registry::{CatalogueTool, Manifest};
use ostler_scanner::{Access, Scan};
use semver::Version;
use serde::Serialize;

use crate::args::{Format, Global};
use crate::commands::{package_ref, profile, registry};
use crate::failure::{Exit, Failure};
use crate::{show, terminal};

pub(crate) fn run(global: &Global, package: &str) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let package = package_ref(package)?;
    let review = registry.review(&profile(global)?, &package)?;
    let versions = registry.versions(&package.name)?;
    match global.format {
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                manifest: &'a Manifest,
                versions: &'a [Version],
                installed: Option<&'a str>,
                publisher: &'a str,
                access: &'a Access,
                access_digest: &'a str,
                tools: &'a [CatalogueTool],
                scan: &'a Scan,
            }
            terminal::print_json(&Document {
                manifest: &review.manifest,
                versions: &versions,
                installed: review.installed_version.as_deref(),
                publisher: &review.publisher,
                access: &review.access,
                access_digest: &review.access_digest,
                tools: &review.tools,
                scan: &review.scan,
            });
        }
        Format::Text => {
            let mut text = show::review(&review);
            let listed: Vec<_> = versions.iter().map(ToString::to_string).collect();
            text += &format!("versions  {}\n", listed.join(", "));
            terminal::print(&text);
        }
    }
    Ok(Exit::Done)
}
