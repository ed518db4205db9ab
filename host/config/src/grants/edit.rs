//! A grant put into a file's text, or taken out of it; every other byte stays.

use super::Grant;
use super::parse::Stated;
use crate::splice::{line_of, splice, without_line};

/// What a new file begins with.
const HEAD: &str = "\
# Standing grants of this profile: commands, shapes of commands and plugins' rules that pass
# without a question. Deny beats them: what `approvals.deny` in profile.toml or the host itself
# refuses stays refused, and a turn that a plugin or a peer caused has none of them.
# The file is read at each use; while it is not in order, no grant counts. `ostler allow list`
# shows them; take one away with `ostler allow remove ID`, or delete its [[grant]] here.
";

const BYTE_ORDER_MARK: char = '\u{feff}';

/// `text` with the grant at its end; none is a file that is not there.
pub(super) fn with_grant(text: Option<&str>, grant: &Grant) -> String {
    let mut new = text.unwrap_or(HEAD).to_owned();
    let newline = if new.contains("\r\n") { "\r\n" } else { "\n" };
    if !new.is_empty() && !new.ends_with('\n') {
        new.push_str(newline);
    }
    let last = new.lines().next_back();
    if last.is_some_and(|line| !line.trim().is_empty()) {
        new.push_str(newline);
    }
    new.push_str("[[grant]]");
    new.push_str(newline);
    let session = grant.session.as_deref().map(quoted);
    for (key, value) in [
        ("id", Some(quoted(&grant.id))),
        ("kind", Some(quoted(grant.kind.as_str()))),
        ("text", Some(quoted(&grant.text))),
        ("session", session),
        ("added_at", Some(grant.added_at.to_string())),
        ("added_by", Some(quoted(&grant.added_by))),
    ] {
        if let Some(value) = value {
            new.push_str(&format!("{key} = {value}{newline}"));
        }
    }
    new
}

/// A basic string of TOML on one line (TOML 1.0, *String*). JSON's escapes are among TOML's, and
/// the one character that TOML alone escapes, DEL, is in no grant.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `text` without the lines of one grant. Comments stay; so does the empty line above, if one of
/// them would then stand under something else.
pub(super) fn without_grant(text: &str, gone: &Stated) -> String {
    let at = line_of(text, gone.header.start).start;
    let mut spans = gone.entries.clone();
    spans.push(gone.header.clone());
    // From the end, so that the places of the others hold.
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    let mut new = text.to_owned();
    for span in spans {
        new = without_line(&new, span);
    }
    let above = new[..at].lines().next_back();
    let is_blank = above.is_some_and(|line| line.trim().is_empty());
    if is_blank && !new[at..].trim_start_matches([' ', '\t']).starts_with('#') {
        let line = line_of(&new, at - 1);
        new = splice(&new, line, "");
    }
    // It stood on the first line, and went with it.
    if text.starts_with(BYTE_ORDER_MARK) && !new.starts_with(BYTE_ORDER_MARK) {
        new.insert(0, BYTE_ORDER_MARK);
    }
    new
}
