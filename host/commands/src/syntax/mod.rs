//! From a command's text to its commands: tokens, grammar, parts of words.
//!
//! All of it is this crate's own. `brush-parser`, the parser that is maintained, cannot stand in a
//! gate: its grammar takes exponential time on nested input (`case` in `case`), it panics on large
//! numbers before a redirection, and its tokenizer never ends, and takes all memory, on some
//! here-documents within expansions (version 0.4.0).
//!
//! Every step here reads forward and counts its depth. Where a construct ends is worked out by
//! [`skip`]; what is within is parsed again by itself, and must be whole.

mod ansi_c;
pub(crate) mod ast;
pub(crate) mod brace;
mod grammar;
pub(crate) mod parts;
mod skip;
mod tokens;

use crate::bounds::{self, Unreadable};

/// The commands of a text. `depth` is how many scripts and compound commands it stands in.
pub(crate) fn parse(text: &str, depth: usize) -> Result<ast::List, Unreadable> {
    bounds::check(text)?;
    grammar::parse(&tokens::tokens(text)?, depth)
}
