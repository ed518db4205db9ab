//! What files and their names hold, as a model may read it: data in which nothing is hidden and
//! which cannot leave its line.

use crate::approvals::in_code;

/// How much of a file is looked at to tell whether it is text, in bytes.
pub(super) const HEAD: usize = 8 * 1024;

/// One line of a file, without its end. It stays one line whatever it holds, and what a reader
/// cannot see is written out as `⟨U+202E⟩`. All else stands as it is: a patch must find it again.
pub(super) fn visible_line(line: &str) -> String {
    written_out(line, |c| c == '\t')
}

/// A path on one line. Names may hold anything but `/` and NUL.
pub(super) fn visible_name(name: &str) -> String {
    written_out(name, |_| false)
}

fn written_out(text: &str, keeps: impl Fn(char) -> bool) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' | '⟨' => out.push(c),
            c if keeps(c) => out.push(c),
            // The two that `in_code` leaves as they are.
            '\n' | '\t' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => out.push_str(&in_code(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

/// The beginning of a text of at most `most` bytes, cut between characters.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Whether the beginning of a file shows that it is no text: a NUL, or more than a tenth of it
/// neither UTF-8 nor printed.
pub(super) fn is_binary(head: &[u8]) -> bool {
    let head = head.get(..HEAD).unwrap_or(head);
    if head.contains(&0) {
        return true;
    }
    let odd: usize = head
        .utf8_chunks()
        .map(|chunk| {
            let controls = chunk
                .valid()
                .chars()
                .filter(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}'))
                .count();
            controls + chunk.invalid().len()
        })
        .sum();
    odd * 10 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line_and_code_stays_code() {
        for (line, shown) in [
            ("\tlet x = `a`; // ⟨é⟩ 日本", "\tlet x = `a`; // ⟨é⟩ 日本"),
            ("a\r", "a⟨U+000D⟩"),
            ("a\u{2028}b\u{85}c\u{b}d", "a⟨U+2028⟩b⟨U+0085⟩c⟨U+000B⟩d"),
            ("\u{202e}evil\u{200b}", "⟨U+202E⟩evil⟨U+200B⟩"),
            ("\u{1b}[31m", "⟨U+001B⟩[31m"),
        ] {
            assert_eq!(visible_line(line), shown, "{line:?}");
        }
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(visible_name("a\nb\tc\u{0}"), "a⟨U+000A⟩b⟨U+0009⟩c⟨U+0000⟩");
        assert_eq!(visible_name("src/é b.rs"), "src/é b.rs");
    }

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(beginning("aéb", 2), "a");
        assert_eq!(beginning("aéb", 3), "aé");
        assert_eq!(beginning("aéb", 30), "aéb");
        assert_eq!(beginning("日", 0), "");
    }

    #[test]
    fn text_and_other_data_are_told_apart() {
        let mut cut = "x".repeat(HEAD - 1).into_bytes();
        cut.extend("é".bytes());
        for (head, binary) in [
            (b"".to_vec(), false),
            (b"fn main() {}\r\n".to_vec(), false),
            ("é日本".as_bytes().to_vec(), false),
            (cut, false),
            (
                b"a lot of plain text, and one byte of Latin-1: \xe9".to_vec(),
                false,
            ),
            (b"text\0".to_vec(), true),
            (vec![0xff, 0xfe, b'a', 0], true),
            (vec![0xff; 64], true),
            ((1..=8).collect(), true),
        ] {
            assert_eq!(
                is_binary(&head),
                binary,
                "{:?}",
                &head[..head.len().min(16)]
            );
        }
    }
}
