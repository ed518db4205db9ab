//! `ostler scan`

use std::path::Path;

use crate::args::{Format, Global};
use crate::commands::source;
use crate::failure::{Exit, Failure};
use crate::{show, terminal};

pub(crate) fn run(global: &Global, path: &Path) -> Result<Exit, Failure> {
    let scanned = source::scan(path)?;
    match global.format {
        Format::Json => terminal::print_json(&scanned.scan),
        Format::Text => {
            terminal::print(&show::scan(&scanned.file, scanned.bytes, &scanned.scan));
        }
    }
    Ok(if scanned.scan.has_errors() {
        Exit::NotFine
    } else {
        Exit::Done
    })
}
