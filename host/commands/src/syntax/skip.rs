//! Where a nested construct ends: `$( … )`, `${ … }`, `$[ … ]`, quotes, within a word.

use crate::bounds::{DEEPEST, Unreadable};

const OPEN: Unreadable = Unreadable("a quote or bracket in it does not end");

/// The place after the quote that ends the text that starts at `at`.
pub(super) fn single_quoted(text: &[char], at: usize) -> Result<usize, Unreadable> {
    find(text, at, '\'').map(|end| end + 1)
}

/// The place after the quote that ends the `$'` text that starts at `at`.
pub(super) fn ansi_quoted(text: &[char], at: usize) -> Result<usize, Unreadable> {
    escaped(text, at, '\'')
}

/// The place after the backquote that ends the command that starts at `at`.
pub(super) fn backquoted(text: &[char], at: usize) -> Result<usize, Unreadable> {
    escaped(text, at, '`')
}

fn find(text: &[char], at: usize, end: char) -> Result<usize, Unreadable> {
    (at..text.len())
        .find(|place| text.get(*place) == Some(&end))
        .ok_or(OPEN)
}

fn escaped(text: &[char], mut at: usize, end: char) -> Result<usize, Unreadable> {
    loop {
        match text.get(at) {
            None => return Err(OPEN),
            Some('\\') => at += 2,
            Some(c) if *c == end => return Ok(at + 1),
            Some(_) => at += 1,
        }
    }
}

/// The place after the quote that ends the double-quoted text that starts at `at`.
pub(super) fn double_quoted(
    text: &[char],
    mut at: usize,
    depth: usize,
) -> Result<usize, Unreadable> {
    loop {
        match text.get(at) {
            None => return Err(OPEN),
            Some('"') => return Ok(at + 1),
            _ => at = step_in_quotes(text, at, depth)?,
        }
    }
}

fn step_in_quotes(text: &[char], at: usize, depth: usize) -> Result<usize, Unreadable> {
    match text.get(at) {
        Some('\\') => Ok(at + 2),
        Some('`') => backquoted(text, at + 1),
        Some('$') => dollar(text, at, depth),
        _ => Ok(at + 1),
    }
}

/// The place after the expansion that starts with the `$` at `at`, or after the `$`.
pub(super) fn dollar(text: &[char], at: usize, depth: usize) -> Result<usize, Unreadable> {
    match text.get(at + 1) {
        Some('(') => script(text, at + 2, depth + 1),
        Some('{') => bracketed(text, at + 2, '}', depth + 1),
        Some('[') => bracketed(text, at + 2, ']', depth + 1),
        _ => Ok(at + 1),
    }
}

/// The place after the bracket that ends the `${` or `$[` expansion that starts at `at`.
pub(super) fn bracketed(
    text: &[char],
    mut at: usize,
    end: char,
    depth: usize,
) -> Result<usize, Unreadable> {
    if depth > DEEPEST {
        return Err(Unreadable("its expansions nest too deep"));
    }
    loop {
        match text.get(at) {
            None => return Err(OPEN),
            Some(c) if *c == end => return Ok(at + 1),
            Some('\'') => at = single_quoted(text, at + 1)?,
            Some('"') => at = double_quoted(text, at + 1, depth)?,
            _ => at = step_in_quotes(text, at, depth)?,
        }
    }
}

/// The place after the bracket that ends the script that starts at `at`. A bracket that closes a
/// `case` pattern ends it too early; the script before it is then no well-formed one.
pub(super) fn script(text: &[char], mut at: usize, depth: usize) -> Result<usize, Unreadable> {
    if depth > DEEPEST {
        return Err(Unreadable("its expansions nest too deep"));
    }
    let mut open = 1_usize;
    let mut documents: Vec<(String, bool)> = Vec::new();
    // Whether a `#` here starts a comment.
    let mut word_starts = true;
    loop {
        let Some(c) = text.get(at) else {
            return Err(OPEN);
        };
        let starts = word_starts;
        word_starts = matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')');
        match c {
            '(' => {
                open += 1;
                at += 1;
            }
            ')' => {
                open -= 1;
                at += 1;
                if open == 0 {
                    return Ok(at);
                }
            }
            '\'' => at = single_quoted(text, at + 1)?,
            '"' => at = double_quoted(text, at + 1, depth)?,
            '$' if text.get(at + 1) == Some(&'\'') => at = ansi_quoted(text, at + 2)?,
            '#' if starts => {
                while text.get(at).is_some_and(|c| *c != '\n') {
                    at += 1;
                }
            }
            '<' if text.get(at + 1) == Some(&'<') => {
                if text.get(at + 2) == Some(&'<') {
                    at += 3;
                } else {
                    at = tag(text, at + 2, &mut documents)?;
                }
            }
            '\n' => {
                at += 1;
                for (tag, tabs) in documents.drain(..) {
                    (_, at) = document(text, at, &tag, tabs)?;
                }
            }
            _ => at = step_in_quotes(text, at, depth)?,
        }
    }
}

/// Reads a here-document's tag after its `<<`.
fn tag(
    text: &[char],
    mut at: usize,
    documents: &mut Vec<(String, bool)>,
) -> Result<usize, Unreadable> {
    let tabs = text.get(at) == Some(&'-');
    at += usize::from(tabs);
    while matches!(text.get(at), Some(' ' | '\t')) {
        at += 1;
    }
    let mut tag = String::new();
    while let Some(c) = text.get(at) {
        match c {
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
            '\'' | '"' => {
                let end = find(text, at + 1, *c)?;
                tag.extend(text.get(at + 1..end).unwrap_or_default());
                at = end + 1;
            }
            '\\' => {
                tag.extend(text.get(at + 1));
                at += 2;
            }
            c => {
                tag.push(*c);
                at += 1;
            }
        }
    }
    // `$((1 << 2))` gives a tag too; nothing ends it, and so the text is not read.
    documents.push((tag, tabs));
    Ok(at)
}

/// The body of a here-document that starts at `at`, and the place after the line that ends it.
pub(super) fn document(
    text: &[char],
    mut at: usize,
    tag: &str,
    tabs: bool,
) -> Result<(String, usize), Unreadable> {
    let mut body = String::new();
    while at < text.len() {
        let end = find(text, at, '\n').unwrap_or(text.len());
        let line: String = text.get(at..end).unwrap_or_default().iter().collect();
        let line = if tabs {
            line.trim_start_matches('\t')
        } else {
            line.as_str()
        };
        if line == tag {
            return Ok((body, (end + 1).min(text.len())));
        }
        body.push_str(line);
        body.push('\n');
        at = end + 1;
    }
    Err(OPEN)
}
