//! Foreign text on a card: what a reader cannot see is written out, and what would break out of
//! its frame cannot.

use std::fmt::Write as _;

/// A text with its invisible and deceiving characters written out as `⟨U+202E⟩`: control
/// characters (but line breaks and tabs), bidirectional controls, zero-width characters, other
/// spaces than the plain one, variation selectors, tags, backticks, and the bracket that this
/// notation itself begins with. It can stand in a code block of Discord.
#[must_use]
pub fn in_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '`' || c == '⟨' || is_hidden(c) {
            // Writing to a String cannot fail.
            let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// The same on one line, within a sentence and `most` characters: line breaks and Markdown lose
/// their meaning. Mentions are off in the whole message, so nobody is called.
pub(crate) fn in_line(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == most {
            out.push('…');
            break;
        }
        match c {
            '\n' | '\t' => out.push(' '),
            '`' | '⟨' => {
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
            }
            c if is_hidden(c) => {
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
            }
            // What means something within a line; the rest does at its beginning alone.
            '*' | '_' | '~' | '|' | '[' | '\\' | '<' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a character shows as nothing, or changes how others show.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        '\u{00a0}'
        | '\u{00ad}'
        | '\u{034f}'
        | '\u{061c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{1680}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3000}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_hidden_and_nothing_leaves_its_frame() {
        assert_eq!(
            in_code("rm \u{202e}x\u{200b} ```\u{1b}[0m"),
            "rm ⟨U+202E⟩x⟨U+200B⟩ ⟨U+0060⟩⟨U+0060⟩⟨U+0060⟩⟨U+001B⟩[0m"
        );
        assert_eq!(in_code("a\n\tb"), "a\n\tb");
        assert_eq!(in_code("⟨U+0041⟩"), "⟨U+27E8⟩U+0041⟩");
        assert_eq!(
            in_code("tag\u{e0041}\u{3164}\u{a0}"),
            "tag⟨U+E0041⟩⟨U+3164⟩⟨U+00A0⟩"
        );
    }

    #[test]
    fn a_line_is_one_line_without_meaning() {
        assert_eq!(
            in_line("**hi**\n> @everyone `x`", 100),
            "\\*\\*hi\\*\\* > @everyone ⟨U+0060⟩x⟨U+0060⟩"
        );
        assert_eq!(in_line("abcdef", 3), "abc…");
        assert_eq!(in_line("abc", 3), "abc");
    }
}
