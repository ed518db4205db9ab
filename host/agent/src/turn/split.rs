//! Long answers, split into messages.
//!
//! Lengths are UTF-16 code units, as Discord counts them.

/// The most that a code fence's opening line may take with it into the next part.
const FENCE_LINE: usize = 64;
/// Backticks of a fence that are honoured; longer ones are shortened.
const FENCE_TICKS: usize = 16;

/// Splits `text` into parts of at most `limit` units: at a paragraph if one ends in the second
/// half, else at a line, else at a word, else anywhere between two characters. A code fence that
/// is open at a cut is closed before it and opened again after it. Parts are never empty; text of
/// nothing but white space gives none.
///
/// `limit` is at least 200.
pub(crate) fn split(text: &str, limit: usize) -> Vec<String> {
    debug_assert!(limit >= 200, "room for fences");
    let mut parts = Vec::new();
    let mut rest = text.trim_end().trim_start_matches(['\n', '\r']).to_owned();
    while units(&rest) > limit {
        // Room for a line break and the fence that may have to be closed.
        let cut = cut(&rest, limit - 1 - FENCE_TICKS);
        let (head, tail) = rest.split_at(cut);
        let mut part = head.trim_end().to_owned();
        let mut next = tail.trim_start_matches(['\n', '\r', ' ']).to_owned();
        if let Some(fence) = open_fence(&part) {
            let closing: String = fence.chars().take_while(|c| *c == '`').collect();
            let after_fence = next
                .strip_prefix(&closing)
                .filter(|after| after.is_empty() || after.starts_with(['\n', '\r']));
            next = match after_fence {
                // It closes right after the cut: it is closed here, and nothing is left of it.
                Some(after) => after.trim_start_matches(['\n', '\r', ' ']).to_owned(),
                None => format!("{fence}\n{}", tail.trim_start_matches(['\n', '\r'])),
            };
            part.push('\n');
            part.push_str(&closing);
        }
        if !part.trim().is_empty() {
            parts.push(part);
        }
        rest = next;
    }
    if !rest.trim().is_empty() {
        parts.push(rest);
    }
    parts
}

/// The length that Discord counts.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Where to cut: a byte offset, greater than 0, before which at most `limit` units stand.
fn cut(text: &str, limit: usize) -> usize {
    let mut used = 0;
    let mut end = text.len();
    for (offset, c) in text.char_indices() {
        used += c.len_utf16();
        if used > limit {
            end = offset;
            break;
        }
    }
    let window = &text[..end];
    let half = window.len() / 2;
    let after = |found: Option<usize>, width: usize| found.map(|at| at + width);
    after(window.rfind("\n\n"), 2)
        .filter(|at| *at > half)
        .or_else(|| after(window.rfind('\n'), 1).filter(|at| *at > half))
        .or_else(|| after(window.rfind(' '), 1).filter(|at| *at > half / 2))
        .unwrap_or(end)
        .max(text.chars().next().map_or(1, char::len_utf8))
}

/// The opening line of the code fence that is open at the end of `text`, if one is.
fn open_fence(text: &str) -> Option<String> {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let ticks = line.bytes().take_while(|b| *b == b'`').count();
        if ticks < 3 {
            continue;
        }
        open = match open {
            None => Some(line),
            Some(fence) => {
                let needed = fence.bytes().take_while(|b| *b == b'`').count();
                let closes = ticks >= needed && line[ticks..].trim().is_empty();
                if closes { None } else { Some(fence) }
            }
        };
    }
    open.map(|line| {
        if units(line) <= FENCE_LINE && !line.starts_with(&"`".repeat(FENCE_TICKS + 1)) {
            line.trim_end().to_owned()
        } else {
            line.chars()
                .take_while(|c| *c == '`')
                .take(FENCE_TICKS)
                .collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_fits_is_one_part_and_nothing_is_none() {
        assert_eq!(split("hello", 200), ["hello"]);
        assert!(split(" \n ", 200).is_empty());
        let exactly = "x".repeat(200);
        assert_eq!(split(&exactly, 200), [exactly]);
    }

    #[test]
    fn cuts_are_at_paragraphs_then_lines_then_words() {
        let word = "word ".repeat(30);
        let text = format!("{word}\n\n{word}");
        assert_eq!(split(&text, 200), [word.trim(), word.trim()]);
        let text = format!("{word}\n{word}");
        assert_eq!(split(&text, 200), [word.trim(), word.trim()]);
        for part in split(&"word ".repeat(100), 200) {
            assert!(part.split(' ').all(|w| w == "word"), "{part}");
        }
    }

    #[test]
    fn an_emoji_counts_twice_and_is_never_cut() {
        let text = "😀".repeat(150);
        let parts = split(&text, 200);
        assert!(parts.iter().all(|part| units(part) <= 200));
        assert_eq!(parts.concat(), text);
    }

    #[test]
    fn a_code_block_is_closed_and_opened_again() {
        let code = "let x = 1;\n".repeat(60);
        let text = format!("Here:\n```rust\n{code}```\nDone.");
        let parts = split(&text, 300);
        assert!(parts.len() > 2);
        for part in &parts {
            assert_eq!(part.matches("```").count() % 2, 0, "{part}");
            assert!(units(part) <= 300);
        }
        assert!(parts[1].starts_with("```rust\n"));
        assert!(parts.last().unwrap().ends_with("Done."));
        assert_eq!(
            parts.concat().matches("let x = 1;").count(),
            60,
            "no line of code is lost"
        );
    }

    proptest! {
        #[test]
        fn no_part_is_too_long_or_empty_and_no_character_is_lost(
            // Fences name no language: that is told again with each fence that is opened again.
            text in "([a-zé😀 ]{1,40}|\n\n|\n```\n){0,80}", limit in 200usize..400
        ) {
            let parts = split(&text, limit);
            for part in &parts {
                prop_assert!(units(part) <= limit);
                prop_assert!(!part.trim().is_empty());
            }
            let letters = |s: &str| s.chars().filter(|c| !c.is_whitespace() && *c != '`').collect::<String>();
            prop_assert_eq!(letters(&parts.concat()), letters(&text));
        }
    }
}
