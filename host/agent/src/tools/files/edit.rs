//! Edits of a text: each replaces one piece by another, in their order.

use std::borrow::Cow;

use serde::Deserialize;

use super::content::MOST;
use super::error::FileError;
use super::text::{beginning, visible_line, visible_name};

/// The most edits of one call.
pub(super) const EDITS: usize = 200;
/// The most lines that an ambiguous edit is told.
const TOLD: usize = 10;

/// One replacement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// What is replaced, to the letter. There must be exactly one, unless `all`.
    pub(super) old: String,
    /// What takes its place.
    pub(super) new: String,
    /// Whether each one is replaced.
    #[serde(default)]
    pub(super) all: bool,
}

/// Makes edits, each on what the one before it left. In a text whose lines all end with `\r\n`, a
/// bare `\n` of an edit stands for that.
///
/// # Errors
/// `invalid`, `no-match`, `ambiguous`, `too-large`.
pub(super) fn apply(path: &str, text: &str, edits: &[Edit]) -> Result<String, FileError> {
    if edits.is_empty() || edits.len() > EDITS {
        return Err(FileError::Invalid(format!("give 1 to {EDITS} edits")));
    }
    let is_crlf = is_crlf(text);
    let mut text = text.to_owned();
    for (at, edit) in edits.iter().enumerate() {
        let (old, new) = (ends(&edit.old, is_crlf), ends(&edit.new, is_crlf));
        text = replace(path, &text, at + 1, (&old, &new), edit.all)?;
    }
    Ok(text)
}

fn replace(
    path: &str,
    text: &str,
    number: usize,
    (old, new): (&str, &str),
    all: bool,
) -> Result<String, FileError> {
    if old.is_empty() {
        return Err(FileError::Invalid(format!(
            "edit {number}: `old` is empty. Give text that is in the file; `write_file` writes a \
             whole one"
        )));
    }
    if old == new {
        return Err(FileError::Invalid(format!(
            "edit {number}: `old` and `new` are the same"
        )));
    }
    let places = places(text, old, all);
    if places.is_empty() {
        return Err(FileError::NoMatch {
            edit: number,
            hint: hint(text, old),
        });
    }
    if places.len() > 1 && !all {
        return Err(FileError::Ambiguous {
            edit: number,
            lines: line_numbers(text, &places),
        });
    }
    let kept = text.len() - places.len() * old.len();
    let length = new.len().checked_mul(places.len()).map(|put| put + kept);
    if length.is_none_or(|length| length as u64 > MOST) {
        return Err(FileError::TooLarge {
            path: visible_name(path),
            what: format!("would be larger than a file may be after edit {number}"),
            most: MOST,
            advice: "Write less, or several files",
        });
    }
    Ok(if all {
        text.replace(old, new)
    } else {
        text.replacen(old, new, 1)
    })
}

/// Where a piece begins: with `all`, one behind the other; else also where two of them overlap,
/// because then it is not clear which one is meant.
fn places(text: &str, piece: &str, all: bool) -> Vec<usize> {
    if all {
        return text.match_indices(piece).map(|(at, _)| at).collect();
    }
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(piece)) {
        places.push(from + at);
        if places.len() > TOLD {
            break;
        }
        let step = text.get(from + at..).and_then(|rest| rest.chars().next());
        from += at + step.map_or(1, char::len_utf8);
    }
    places
}

fn line_numbers(text: &str, places: &[usize]) -> String {
    let mut lines: Vec<String> = places
        .iter()
        .take(TOLD)
        .filter_map(|at| text.get(..*at))
        .map(|before| (before.matches('\n').count() + 1).to_string())
        .collect();
    lines.dedup();
    if places.len() > TOLD {
        lines.push("and more".to_owned());
    }
    lines.join(", ")
}

/// Where something like it stands: its first line, whatever the space around it.
fn hint(text: &str, old: &str) -> String {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty());
    let like = wanted.and_then(|wanted| {
        text.lines()
            .enumerate()
            .find(|(_, line)| line.trim() == wanted)
    });
    match like {
        Some((at, line)) => format!(
            "Line {} is like its first line: `{}`. White space counts; read the file again from \
             there",
            at + 1,
            beginning(&visible_line(line), 200)
        ),
        None => "Read the file again, and copy the text without the line numbers".to_owned(),
    }
}

/// Whether a text has lines, and all end with `\r\n`.
fn is_crlf(text: &str) -> bool {
    let mut ends = text.match_indices('\n').peekable();
    ends.peek().is_some()
        && ends.all(|(at, _)| text.get(..at).is_some_and(|before| before.ends_with('\r')))
}

/// A piece with the line ends of the text that it is for.
fn ends(piece: &str, is_crlf: bool) -> Cow<'_, str> {
    if is_crlf && piece.contains('\n') {
        Cow::Owned(piece.replace("\r\n", "\n").replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str, all: bool) -> Edit {
        Edit {
            old: old.to_owned(),
            new: new.to_owned(),
            all,
        }
    }

    #[test]
    fn edits_change_what_they_name_and_nothing_else() {
        for (text, edits, changed) in [
            ("a b c", vec![edit("b", "x", false)], "a x c"),
            ("a b c", vec![edit("b", "", false)], "a  c"),
            ("a a", vec![edit("a", "aa", true)], "aa aa"),
            ("aaa", vec![edit("aa", "b", true)], "ba"),
            ("a", vec![edit("a", "b", false), edit("b", "c", false)], "c"),
            // Ends of lines and of the file stay.
            (
                "a\r\nb\r\n",
                vec![edit("a\nb", "a\nx\nb", false)],
                "a\r\nx\r\nb\r\n",
            ),
            (
                "a\r\nb\r\n",
                vec![edit("a\r\nb", "c\r\nd", false)],
                "c\r\nd\r\n",
            ),
            ("a\r\nb", vec![edit("b", "c", false)], "a\r\nc"),
            ("a\r\nb\nc", vec![edit("b\nc", "d\ne", false)], "a\r\nd\ne"),
            ("a\nb", vec![edit("b", "c", false)], "a\nc"),
            ("\u{feff}é日", vec![edit("é", "e", false)], "\u{feff}e日"),
            ("$1 \\n", vec![edit("$1", "$0${x}", false)], "$0${x} \\n"),
        ] {
            assert_eq!(apply("f", text, &edits).unwrap(), changed, "{text:?}");
        }
    }

    #[test]
    fn an_edit_that_could_mean_two_things_or_none_changes_nothing() {
        for (text, edits, code, says) in [
            (
                "a\nb\na",
                vec![edit("a", "x", false)],
                "ambiguous",
                "lines 1, 3",
            ),
            ("aaa", vec![edit("aa", "x", false)], "ambiguous", "lines 1"),
            ("ééé", vec![edit("éé", "x", false)], "ambiguous", "lines 1"),
            ("a", vec![edit("b", "x", false)], "no-match", "edit 1"),
            ("a", vec![edit("b", "x", true)], "no-match", "edit 1"),
            (
                "x\n\tfoo  \n",
                vec![edit("  foo\n", "x", false)],
                "no-match",
                "Line 2",
            ),
            (
                "a b",
                vec![edit("a", "x", false), edit("a", "y", false)],
                "no-match",
                "edit 2",
            ),
            ("a", vec![edit("", "x", false)], "invalid", "empty"),
            ("a", vec![edit("a", "a", false)], "invalid", "the same"),
            ("a", vec![], "invalid", "1 to 200"),
            ("a", vec![edit("a", "b", false); 201], "invalid", "1 to 200"),
        ] {
            let error = apply("f", text, &edits).unwrap_err();
            assert_eq!(error.code(), code, "{text:?} {edits:?}");
            assert!(error.to_string().contains(says), "{error}");
        }
    }

    #[test]
    fn an_edit_that_would_blow_a_file_up_is_refused_before_it_does() {
        let text = "a".repeat(1024 * 1024);
        let error = apply("f", &text, &[edit("a", &text, true)]).unwrap_err();
        assert_eq!(error.code(), "too-large");
    }
}
