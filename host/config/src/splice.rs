//! Cutting entries out of a TOML text and putting lines in, given where they stand.

use std::ops::Range;

/// Takes an entry of an inline table out, with the comma that is then too many.
pub(crate) fn out_of_braces(text: &str, entry: Range<usize>) -> String {
    // The key may be the end of a dotted path, which holds no more than these.
    let path = |c: char| c.is_ascii_alphanumeric() || "-_.'\" \t".contains(c);
    let before = text[..entry.start].trim_end_matches(path);
    let start = entry.start - text[before.len()..entry.start].trim_start().len();
    let after = text[entry.end..].trim_start();
    if let Some(rest) = after.strip_prefix(',') {
        let rest = rest.trim_start_matches([' ', '\t']);
        return splice(text, start..text.len() - rest.len(), "");
    }
    match before.trim_end().strip_suffix(',') {
        Some(before) => splice(text, before.len()..entry.end, ""),
        None => splice(text, start..entry.end, ""),
    }
}

/// Takes the lines of an entry out; a comment behind it stays as a line of its own.
pub(crate) fn without_line(text: &str, entry: Range<usize>) -> String {
    let lines = line_of(text, entry.start).start..line_of(text, entry.end).end;
    let rest = &text[entry.end..lines.end];
    if rest.trim_start().starts_with('#') {
        let path = &text[lines.start..entry.start];
        let indent = &path[..path.len() - path.trim_start().len()];
        return splice(text, lines, &format!("{indent}{}", rest.trim_start()));
    }
    splice(text, lines, "")
}

/// Takes a header's line out, with the empty line above it, unless a comment stands on it or right
/// above or below it.
pub(crate) fn without_header(text: &str, line: Range<usize>) -> String {
    let above = text[..line.start].lines().next_back();
    let below = text[line.end..].lines().next();
    let is_comment = |line: Option<&str>| line.is_some_and(|l| l.trim_start().starts_with('#'));
    if text[line.clone()].contains('#') || is_comment(above) || is_comment(below) {
        return text.to_owned();
    }
    let start = match above {
        Some(blank) if blank.trim().is_empty() => line_of(text, line.start - 1).start,
        _ => line.start,
    };
    splice(text, start..line.end, "")
}

/// Puts `line` after the line that holds the byte `at`.
pub(crate) fn after_line(text: &str, at: usize, line: &str, newline: &str) -> String {
    let end = line_of(text, at).end;
    let missing = if text[..end].ends_with('\n') {
        ""
    } else {
        newline
    };
    splice(text, end..end, &format!("{missing}{line}"))
}

/// The line that holds the byte `at`, with its ending.
pub(crate) fn line_of(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
    start..end
}

/// `text` with `new` in place of the bytes of `span`.
pub(crate) fn splice(text: &str, span: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..span.start], &text[span.end..])
}
