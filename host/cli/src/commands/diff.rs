//! `ostler diff`

use std::collections::BTreeSet;
use std::path::Path;

use ostler_scanner::Access;
use ostler_scanner::access::AccessDiff;

use crate::args::{Format, Global};
use crate::commands::{package_ref, profile, registry, source};
use crate::failure::{Exit, Failure};
use crate::{show, terminal};

pub(crate) fn run(global: &Global, from: &str, to: &str) -> Result<Exit, Failure> {
    let diff: AccessDiff = access(global, from)?.diff(&access(global, to)?);
    match global.format {
        Format::Json => terminal::print_json(&diff),
        Format::Text => {
            let added = show::parts(&diff.added.parts(&BTreeSet::new()));
            let removed = show::parts(&diff.removed.parts(&BTreeSet::new()));
            let mut text = if diff.covered {
                format!("{to} asks for nothing beyond {from}.\n")
            } else {
                format!("{to} asks beyond {from}:\n{added}")
            };
            if !removed.is_empty() {
                text += &format!("It no longer asks for:\n{removed}");
            }
            terminal::print(&text);
        }
    }
    Ok(if diff.covered {
        Exit::Done
    } else {
        Exit::NotFine
    })
}

/// The access of what the text names: a path where there is one, else a published package.
fn access(global: &Global, text: &str) -> Result<Access, Failure> {
    let path = Path::new(text);
    if !path.exists() {
        return Ok(registry(global)?
            .review(&profile(global)?, &package_ref(text)?)?
            .access);
    }
    let scanned = source::scan(path)?;
    if scanned.scan.has_errors() {
        return Err(Failure {
            diagnostics: scanned.scan.diagnostics,
            ..Failure::new(
                Exit::NotFine,
                "scan-failed",
                format!("{text} does not scan"),
            )
        });
    }
    Ok(scanned.access)
}
