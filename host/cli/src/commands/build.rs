//! `ostler build`

use std::path::{Path, PathBuf};

use ostler_build::{RustBuild, build_rust};
use ostler_registry::{Language, Package};
use serde::Serialize;

use crate::args::{Format, Global};
use crate::failure::{Exit, Failure};
use crate::{show, terminal};

pub(crate) fn run(
    global: &Global,
    folder: &Path,
    output: Option<PathBuf>,
) -> Result<Exit, Failure> {
    let package = Package::open(folder)?;
    let built = match package.manifest.build.language {
        Some(Language::Rust) => build_rust(&RustBuild {
            package: folder.to_owned(),
            component: output.unwrap_or_else(|| package.component_path()),
        })?,
        None => {
            let message = "the manifest names no `language` under [build]";
            return Err(Failure::new(Exit::Usage, "language-missing", message)
                .with_help("add `language = \"rust\"`, or build the component by other means"));
        }
    };
    match global.format {
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                component: &'a Path,
                bytes: u64,
                digest: String,
                rustc: &'a str,
            }
            let bytes = std::fs::read(&built.component)
                .map_err(|error| Failure::io("the component cannot be read", &error))?;
            terminal::print_json(&Document {
                component: &built.component,
                bytes: built.bytes,
                digest: ostler_scanner::scan_component(&bytes).digest,
                rustc: &built.rustc,
            });
        }
        Format::Text => terminal::print(&format!(
            "built {} ({}) with {}\n",
            built.component.display(),
            show::size(usize::try_from(built.bytes).unwrap_or(usize::MAX)),
            built.rustc
        )),
    }
    Ok(Exit::Done)
}
