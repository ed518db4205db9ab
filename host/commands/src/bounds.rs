//! What is refused before any parser sees it, and how much work one judgement may be.
//!
//! The parsers are recursive: an input that nests without end would overflow the stack, which no
//! process survives. So nesting, length and the total of the text that is parsed are bounded.

use crate::word;

/// The longest command, in bytes. A longer one is not judged but asks.
pub(crate) const LONGEST: usize = 16 * 1024;
/// How deep scripts and compound commands may nest in one another, all together.
pub(crate) const DEEPEST: usize = 24;
/// How many bytes one judgement may parse, all layers of quoting together.
pub(crate) const WORK: usize = 8 * LONGEST;
/// How many words one word may expand to.
pub(crate) const ALTERNATIVES: usize = 64;

/// Why a text cannot be judged: one plain sentence without its full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) &'static str);

/// Refuses what the parsers must not see.
pub(crate) fn check(text: &str) -> Result<(), Unreadable> {
    if text.len() > LONGEST {
        return Err(Unreadable("it is longer than 16 KiB"));
    }
    for c in text.chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            return Err(Unreadable("it holds control characters"));
        }
        // They make a person read something else than what the shell reads.
        if matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}') {
            return Err(Unreadable(
                "it holds characters that turn the writing direction",
            ));
        }
        // Stand for parts of words in this crate, and for nothing anywhere else.
        if word::is_mark(c) {
            return Err(Unreadable("it holds characters of a private use area"));
        }
    }
    Ok(())
}
