//! What never runs, whoever approves it.

mod deletion;
mod devices;
mod processes;

use crate::walk::Walk;
use crate::word::Word;

pub(crate) use deletion::{deletes, find_is_narrow, find_roots};
pub(crate) use devices::writes;
pub(crate) use processes::kills_everything;

/// Looks for floors in a simple command.
pub(crate) fn check(walk: &mut Walk<'_>, program: &str, words: &[Word]) {
    deletion::check(walk, program, words);
    devices::check(walk, program, words);
    processes::check(walk, program, words);
}
