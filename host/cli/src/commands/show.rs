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
    let profile = profile(global)?;
    let review = registry.review(&profile, &package)?;
    let versions = registry.versions(&package.name)?;
    // Read afresh: the operator may have taken a key away since it was accepted.
    let keys = registry.allow_keys(&profile, &package.name)?;
    match global.format {
        Format::Json => {
            #[derive(Serialize)]
            struct Keys {
                allow_gateway_injection: bool,
                allow_origin_sessions: bool,
            }
            #[derive(Serialize)]
            struct Document<'a> {
                manifest: &'a Manifest,
                versions: &'a [Version],
                installed: Option<&'a str>,
                allow_keys: Keys,
                publisher: &'a str,
                access: &'a Access,
                access_digest: &'a str,
                tools: &'a [CatalogueTool],
                scan: &'a Scan,
                readme: Option<&'a str>,
            }
            terminal::print_json(&Document {
                manifest: &review.manifest,
                versions: &versions,
                installed: review.installed_version.as_deref(),
                allow_keys: Keys {
                    allow_gateway_injection: keys.allow_gateway_injection,
                    allow_origin_sessions: keys.allow_origin_sessions,
                },
                publisher: &review.publisher,
                access: &review.access,
                access_digest: &review.access_digest,
                tools: &review.tools,
                scan: &review.scan,
                readme: review.readme.as_deref(),
            });
        }
        Format::Text => {
            let mut text = show::review(&review);
            let listed: Vec<_> = versions.iter().map(ToString::to_string).collect();
            text += &format!("versions  {}\n", listed.join(", "));
            if review.installed_version.is_some() {
                for (key, is_set) in [
                    ("allow_gateway_injection", keys.allow_gateway_injection),
                    ("allow_origin_sessions", keys.allow_origin_sessions),
                ] {
                    if is_set {
                        text += &format!("profile   {profile} sets {key}\n");
                    }
                }
            }
            if let Some(readme) = &review.readme {
                text += &show::readme(readme);
            }
            terminal::print(&text);
        }
    }
    Ok(Exit::Done)
}
