//! From a command's text to its commands: tokens, grammar, parts of words.
//!
//! The tokenizer is `brush-parser`'s. The grammar is this crate's own: `brush-parser`'s tries
//! alternatives again at every level, which takes exponential time on nested input, and it
//! panics on some numbers. Every word is scanned a second time here, by other code
//! ([`parts`]): a text on whose words the two disagree is not read.

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
