//! Commands that only read, and only what they may: they run unasked on every turn.
//!
//! What this promises, and how:
//! - **A fixed table.** A program that is not in [`table`], a flag that its row does not name, or
//!   an operand that it obeys and does not read is refused. Long flags must be written out.
//! - **Two readers must agree.** The text is read by [`strict`], which knows only words, quotes
//!   and four operators, and as any other command; where the two see different words, it is
//!   refused.
//! - **Inside of the workspace.** Every operand that is a path must lead there by its text. Links
//!   are not followed: that a link leads out is for the confinement to stop.
//! - **No secrets, no protected paths.** Neither named nor possibly meant by a pattern. Contents
//!   may be read by patterns and through folders only where they stand for files of code or prose
//!   (`*.rs`, `rg -t rust`), because any other pattern (`*`, `*.json`)
//!   could mean `credentials.json`. Programs that show only names and sizes (`ls`, `find`, `tree`,
//!   `du`, `stat`) may look at any folder of the workspace.
//! - **Off the network, no other programs, nothing that waits without end** (`tail -f`).

mod commands;
mod special;
mod strict;
mod table;

use std::path::Path;

pub(crate) use strict::{Connector, Line, parse};

use crate::NotReadOnly;
use crate::place::Place;
use crate::protected::Protected;

/// Whether a text is one of the commands that run unasked.
pub(crate) fn check(
    text: &str,
    workspace: &Place,
    folder: &Path,
    protected: &Protected<'_>,
) -> Result<(), NotReadOnly> {
    let lines = parse(text)?;
    let reader = commands::Reader {
        workspace,
        folder: Place::of_path(folder),
        protected,
    };
    for (at, line) in lines.iter().enumerate() {
        // In a pipeline, a program without files reads what the one before it writes.
        let piped = at > 0
            && lines
                .get(at - 1)
                .is_some_and(|before| before.then == Connector::Pipe);
        reader.command(line, piped)?;
    }
    Ok(())
}
