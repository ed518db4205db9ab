//! Flags and operands of a simple command's words.

use crate::word::Word;

/// Whether a command has a short flag: `-x`, also among others, as in `-axb`.
pub(crate) fn short(words: &[Word], letter: char) -> bool {
    before_operands(words).any(|word| {
        let text = word.text();
        text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
    })
}

/// Whether a command has a long flag, whole or shortened, with or without a value.
pub(crate) fn long(words: &[Word], name: &str) -> bool {
    before_operands(words).any(|word| {
        word.text().strip_prefix("--").is_some_and(|flag| {
            let flag = flag.split('=').next().unwrap_or_default();
            !flag.is_empty() && name.starts_with(flag)
        })
    })
}

/// Whether a command has a word.
pub(crate) fn has(words: &[Word], text: &str) -> bool {
    words.iter().skip(1).any(|word| word.text() == text)
}

/// A command's operands: no flags, and all that follows `--`.
pub(crate) fn operands(words: &[Word]) -> impl Iterator<Item = &Word> {
    let end = words
        .iter()
        .position(|word| word.text() == "--")
        .unwrap_or(words.len());
    words
        .iter()
        .enumerate()
        .skip(1)
        .filter(move |(at, word)| *at > end || (*at < end && !word.is_option()))
        .map(|(_, word)| word)
}

fn before_operands(words: &[Word]) -> impl Iterator<Item = &Word> {
    words.iter().skip(1).take_while(|word| word.text() != "--")
}
