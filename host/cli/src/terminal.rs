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
        Ok(text) => print(&format!("{}\n", escaped_json(&text))),
        // Every document is made of strings, numbers, lists and maps with string keys.
        Err(error) => anstream::eprintln!("error[internal]: {error}"),
    }
}

/// JSON says the same with characters escaped that a terminal would act on or hide. Outside of
/// strings there are none, but for line breaks.
fn escaped_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && (character.is_control() || is_invisible(character)) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
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

/// The same on one line: a line break would let the text forge the lines that follow.
pub(crate) fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\\n")
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
        assert_eq!(visible_line("[info] a\n[error] b"), "[info] a\\n[error] b");
    }

    #[test]
    fn json_keeps_its_meaning_and_moves_no_cursor() {
        let text = serde_json::to_string("a\u{9b}31mb\u{202e}c\u{e0041}").unwrap();
        let escaped = escaped_json(&text);
        assert_eq!(escaped, r#""a\u009b31mb\u202ec\udb40\udc41""#);
        let back: String = serde_json::from_str(&escaped).unwrap();
        assert_eq!(back, "a\u{9b}31mb\u{202e}c\u{e0041}");
    }
}
