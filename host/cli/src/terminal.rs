//! Printing: styles, JSON, and text that may be hostile.

use std::fmt::Write as _;
use std::io::Write as _;

use serde::Serialize;

/// Styles; they reach a terminal only, and only without `NO_COLOR`.
pub(crate) mod styles {
    use anstyle::{AnsiColor, Style};

    pub(crate) const TITLE: Style = Style::new().bold();
    pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default().bold();
    pub(crate) const HELP: Style = AnsiColor::Green.on_default();
    pub(crate) const FAINT: Style = Style::new().dimmed();
}

/// Prints to stdout. A closed pipe is the reader's choice, and no error.
pub(crate) fn print(text: &str) {
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
}

/// Prints one JSON document to stdout.
pub(crate) fn print_json(document: &impl Serialize) {
    match serde_json::to_string_pretty(document) {
        Ok(text) => print(&format!("{text}\n")),
        // Every document is made of strings, numbers, lists and maps with string keys.
        Err(error) => anstream::eprintln!("error[internal]: {error}"),
    }
}

/// Text by plugins and authors with every character made visible that could move the cursor,
/// colour the screen, hide itself or turn the reading direction. Line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            _ if character.is_control() || is_invisible(character) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// Zero-width and bidirectional formatting characters, and tags (Unicode 16, general category Cf,
/// as far as they can deceive a reader).
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_deceive_is_made_visible() {
        assert_eq!(visible("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(visible("safe\u{202e}exe.txt"), "safe\\u{202e}exe.txt");
        assert_eq!(visible("zero\u{200b}width"), "zero\\u{200b}width");
        assert_eq!(visible("über\n\t✓"), "über\n\t✓");
    }
}
