//! A word of a command after expansion, with marks where its text is not plain text.
//!
//! Marks are characters of the private use areas; a command that holds one is not read at all
//! (see [`crate::bounds`]), so a mark never stands for itself.

/// An unquoted `*`.
pub(crate) const STAR: char = '\u{E000}';
/// An unquoted `?`.
pub(crate) const ANY: char = '\u{E001}';
/// An unquoted `[`: the start of a set of characters.
pub(crate) const SET: char = '\u{E002}';
/// An unquoted `{`.
pub(crate) const OPEN: char = '\u{E003}';
/// An unquoted `}`.
pub(crate) const CLOSE: char = '\u{E004}';
/// An unquoted `,`.
pub(crate) const COMMA: char = '\u{E005}';
/// Somebody's home folder: `~`, `~name`, `$HOME`.
pub(crate) const HOME: char = '\u{E006}';
/// Where an expansion parts words.
pub(crate) const SPLIT: char = '\u{E007}';
/// Something was quoted here: it keeps an empty word, and an alias from being one.
pub(crate) const QUOTED: char = '\u{E008}';
/// The first of the marks that stand for text that is not known; each has a source of its own.
const UNKNOWN: char = '\u{100000}';
const LAST_UNKNOWN: char = '\u{10FFFD}';

/// Whether a character is one of the marks.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, STAR..='\u{E00F}') || is_unknown(c)
}

/// Whether a character stands for text that is not known.
pub(crate) fn is_unknown(c: char) -> bool {
    (UNKNOWN..=LAST_UNKNOWN).contains(&c)
}

/// Whether a character stands for several file names.
pub(crate) fn is_glob(c: char) -> bool {
    matches!(c, STAR | ANY | SET)
}

/// The mark of the unknown text with this number; from some number on they share one.
pub(crate) fn unknown(number: usize) -> char {
    u32::try_from(number)
        .ok()
        .and_then(|number| char::from_u32(u32::from(UNKNOWN) + number))
        .filter(|c| is_unknown(*c))
        .unwrap_or(LAST_UNKNOWN)
}

/// The number of an unknown text's mark.
pub(crate) fn number(mark: char) -> usize {
    (u32::from(mark) - u32::from(UNKNOWN)) as usize
}

/// What a mark is in a command's text; an unknown text is `…`.
pub(crate) fn written(c: char) -> char {
    match c {
        STAR => '*',
        ANY => '?',
        SET => '[',
        OPEN => '{',
        CLOSE => '}',
        COMMA => ',',
        HOME => '~',
        SPLIT => ' ',
        c if is_unknown(c) => '…',
        c => c,
    }
}

/// A word of a simple command: marked text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    marked: String,
    /// Whether a variable, a substitution or an arithmetic expansion took part in it.
    pub(crate) computed: bool,
}

impl Word {
    /// A word of plain text.
    pub(crate) fn plain(text: &str) -> Self {
        Self::marked(text.to_owned(), false)
    }

    /// A word of marked text.
    pub(crate) fn marked(marked: String, computed: bool) -> Self {
        // A `[` that nothing closes stands for itself: `[ -f x ]`.
        let marked = match marked.rfind(SET) {
            Some(at) if !marked.get(at..).unwrap_or_default().contains(']') => {
                let closed = marked.rfind(']').unwrap_or_default();
                let (before, after) = marked.split_at(closed);
                format!("{before}{}", after.replace(SET, "["))
            }
            _ => marked,
        };
        Self { marked, computed }
    }

    /// Its text, with marks.
    pub(crate) fn text(&self) -> &str {
        &self.marked
    }

    /// Its text, if it is wholly known and no pattern.
    pub(crate) fn exact(&self) -> Option<&str> {
        (!self.marked.contains(is_mark)).then_some(self.marked.as_str())
    }

    /// Its text, if it starts with a plain character: what decides about options.
    pub(crate) fn is_option(&self) -> bool {
        self.marked.starts_with('-') && self.marked != "-"
    }

    /// Whether a part of it is not known.
    pub(crate) fn has_unknown(&self) -> bool {
        self.marked.contains(is_unknown)
    }

    /// As a person would write it, without quotes.
    pub(crate) fn shown(&self) -> String {
        shown(&self.marked)
    }
}

/// Marked text as a person would write it.
pub(crate) fn shown(marked: &str) -> String {
    marked
        .chars()
        .filter(|c| *c != QUOTED)
        .map(written)
        .collect()
}
