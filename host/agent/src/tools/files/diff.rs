//! What a change would change, as a unified diff (POSIX `diff -u`). Never shortened: it is what a
//! person approves.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline, group_diff_ops};

/// Lines around a change.
const CONTEXT: usize = 3;
/// How long a short diff is looked for; after that a longer one has to do.
const LOOKED_FOR: Duration = Duration::from_millis(500);

/// The diff from a text to another. A file that was not there has no old text.
///
/// `path` must be one line: see [`visible_name`](super::text::visible_name). Lines end at `\n`
/// alone, so that a carriage return stays where it is: on a card it is written out.
pub(super) fn unified(path: &str, old: Option<&str>, new: &str) -> String {
    let old_lines: Vec<&str> = old.unwrap_or_default().split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let deadline = Instant::now().checked_add(LOOKED_FOR);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, deadline);
    let before = if old.is_some() { path } else { "/dev/null" };
    let mut out = format!("--- {before}\n+++ {path}\n");
    let mut is_empty = true;
    for group in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        if group.iter().all(|op| op.tag() == DiffTag::Equal) {
            continue;
        }
        is_empty = false;
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "@@ -{} +{} @@",
            range(first.old_range().start..last.old_range().end),
            range(first.new_range().start..last.new_range().end)
        );
        for op in &group {
            let (taken, put) = (old_lines.get(op.old_range()), new_lines.get(op.new_range()));
            if op.tag() == DiffTag::Equal {
                lines(&mut out, ' ', taken);
            } else {
                lines(&mut out, '-', taken);
                lines(&mut out, '+', put);
            }
        }
    }
    if is_empty {
        out.push_str("(the content stays as it is)\n");
    }
    out
}

fn range(of: Range<usize>) -> String {
    match of.len() {
        0 => format!("{},0", of.start),
        1 => (of.start + 1).to_string(),
        count => format!("{},{count}", of.start + 1),
    }
}

fn lines(out: &mut String, mark: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("10\n", "ten\n10.5\n");
        assert_eq!(
            unified("a.txt", Some(&old), &new),
            "--- a.txt\n+++ a.txt\n@@ -7,7 +7,8 @@\n 7\n 8\n 9\n-10\n+ten\n+10.5\n 11\n 12\n 13\n"
        );
    }

    #[test]
    fn new_files_ends_without_newlines_and_carriage_returns_show() {
        for (old, new, shown) in [
            (
                None,
                "a\nb",
                "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
            ),
            (Some("a\n"), "", "--- f\n+++ f\n@@ -1 +0,0 @@\n-a\n"),
            (
                Some("a"),
                "a\n",
                "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
            ),
            (
                Some("a\r\n"),
                "a\n",
                "--- f\n+++ f\n@@ -1 +1 @@\n-a\r\n+a\n",
            ),
            (
                Some("a\rb\n"),
                "a\rc\n",
                "--- f\n+++ f\n@@ -1 +1 @@\n-a\rb\n+a\rc\n",
            ),
            (
                Some("a\n"),
                "a\n",
                "--- f\n+++ f\n(the content stays as it is)\n",
            ),
            (
                None,
                "",
                "--- /dev/null\n+++ f\n(the content stays as it is)\n",
            ),
        ] {
            assert_eq!(unified("f", old, new), shown, "{old:?} {new:?}");
        }
    }

    /// Every line of both texts is there: nothing is hidden by its length.
    #[test]
    fn a_diff_of_two_large_texts_is_whole_and_quick() {
        let old: String = (0..100_000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..100_000).map(|n| format!("new {n}\n")).collect();
        let started = Instant::now();
        let diff = unified("f", Some(&old), &new);
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{:?}",
            started.elapsed()
        );
        let count = |mark: &str| {
            diff.lines()
                .skip(2)
                .filter(|line| line.starts_with(mark))
                .count()
        };
        assert_eq!((count("-old "), count("+new ")), (100_000, 100_000));
    }

    proptest::proptest! {
        /// Taking the diff's own old and new lines gives the texts back, when all are changed.
        #[test]
        fn a_diff_holds_all_that_changes(
            old in "([ab\r]{0,2}\n){0,12}[ab]{0,2}",
            new in "([ab\r]{0,2}\n){0,12}[ab]{0,2}",
        ) {
            let diff = unified("f", Some(&old), &new);
            proptest::prop_assert_eq!(applied(&old, &diff), new);
        }
    }

    /// Applies a diff as `patch` does.
    fn applied(old: &str, diff: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let mut out = String::new();
        let mut at = 0;
        let lines: Vec<&str> = diff.split_inclusive('\n').skip(2).collect();
        for (place, line) in lines.iter().enumerate() {
            let cut = lines
                .get(place + 1)
                .is_some_and(|next| next.starts_with('\\'));
            let text = if cut {
                line[1..].strip_suffix('\n').unwrap()
            } else {
                &line[1..]
            };
            match line.chars().next().unwrap() {
                '@' => {
                    let range = line.split(['-', ' ']).nth(2).unwrap();
                    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                    let start: usize = start.parse().unwrap();
                    let start = if count == "0" { start } else { start - 1 };
                    out.extend(old[at..start].iter().copied());
                    at = start;
                }
                '+' => out.push_str(text),
                ' ' => {
                    assert_eq!(old[at], text);
                    out.push_str(text);
                    at += 1;
                }
                '-' => {
                    assert_eq!(old[at], text);
                    at += 1;
                }
                _ => {}
            }
        }
        out.extend(old[at..].iter().copied());
        out
    }
}
