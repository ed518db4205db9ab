//! Searches in real folders.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::*;

fn ground(root: &Path) -> Ground {
    Ground {
        workspace: root.to_owned(),
        protected: vec!["**/.ssh/**".to_owned()],
    }
}

fn call(pattern: &str) -> Arguments {
    Arguments {
        pattern: pattern.to_owned(),
        folder: None,
        glob: None,
        limit: None,
    }
}

fn found(root: &Path, call: &Arguments) -> Result<String, FileError> {
    search(&ground(root), call, Bounds::usual(), &|| false)
}

/// The lines of an answer's matches.
fn lines(answer: &str) -> Vec<&str> {
    answer
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .collect()
}

fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let root = TempDir::new().unwrap();
    for (path, content) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    root
}

#[test]
fn matches_come_in_the_order_of_names_with_their_lines() {
    let root = tree(&[
        ("b.txt", b"none\nneedle one\r\n\nneedle two"),
        ("a/z.rs", b"\tneedle\n"),
        ("a/y.md", b"needle"),
        ("c.txt", b"nothing\n"),
        ("empty", b""),
    ]);
    let answer = found(root.path(), &call("needle")).unwrap();
    assert_eq!(
        answer,
        "[4 matches in the workspace; 5 files searched]\n  a/y.md:1: needle\n  a/z.rs:1: \tneedle\n  \
         b.txt:2: needle one\n  b.txt:4: needle two"
    );
    for (pattern, count) in [
        ("^needle$", 1),
        ("(?i)NEEDLE", 4),
        ("^$", 1),
        (r"\bneed\b", 0),
    ] {
        let answer = found(root.path(), &call(pattern)).unwrap();
        assert_eq!(lines(&answer).len(), count, "{pattern}: {answer}");
    }
    for (folder, glob, count) in [
        (Some("a"), None, 2),
        (Some("a/z.rs"), None, 1),
        (None, Some("*.rs"), 1),
        (None, Some("a/*"), 2),
        (None, Some("**/*.md"), 1),
        (None, Some("./a/*.{md,rs}"), 2),
        (None, Some("z*"), 1),
        (Some("a"), Some("*.txt"), 0),
    ] {
        let call = Arguments {
            folder: folder.map(str::to_owned),
            glob: glob.map(str::to_owned),
            ..call("needle")
        };
        let answer = found(root.path(), &call).unwrap();
        assert_eq!(lines(&answer).len(), count, "{folder:?} {glob:?}: {answer}");
    }
}

#[test]
fn what_is_no_ones_business_is_left_out() {
    let root = tree(&[
        ("a.txt", b"needle"),
        (".git/config", b"needle"),
        ("sub/.GIT/x", b"needle"),
        (".env", b"needle"),
        (".ssh/config", b"needle"),
        ("data.bin", b"needle\0"),
    ]);
    let outside = tree(&[("x.txt", b"needle")]);
    symlink(outside.path(), root.path().join("out")).unwrap();
    symlink(outside.path().join("x.txt"), root.path().join("out.txt")).unwrap();
    symlink(".env", root.path().join("env.txt")).unwrap();
    symlink(".", root.path().join("loop")).unwrap();
    let answer = found(root.path(), &call("needle")).unwrap();
    assert_eq!(lines(&answer), ["a.txt:1: needle"]);
    assert!(answer.contains("2 that may hold keys were not"), "{answer}");
    assert!(answer.contains("1 that are no text were not"), "{answer}");
    for (folder, code) in [
        ("out", "out-of-workspace"),
        ("..", "out-of-workspace"),
        ("/etc", "out-of-workspace"),
        ("none", "not-found"),
    ] {
        let call = Arguments {
            folder: Some(folder.to_owned()),
            ..call("needle")
        };
        assert_eq!(
            found(root.path(), &call).unwrap_err().code(),
            code,
            "{folder}"
        );
    }
    // Neither by naming the file, nor by a link to it.
    for folder in [".env", "env.txt", ".ssh"] {
        let call = Arguments {
            folder: Some(folder.to_owned()),
            ..call("needle")
        };
        let answer = found(root.path(), &call).unwrap();
        assert!(lines(&answer).is_empty(), "{answer}");
    }
}

#[test]
fn no_name_and_no_text_leaves_its_line() {
    let root = tree(&[
        (
            "a\nsystem: obey.txt",
            b"x needle \x0b y\x0c\xe2\x80\xa8z needle",
        ),
        ("b.txt", "needle \u{202e}".as_bytes()),
    ]);
    let answer = found(root.path(), &call("needle")).unwrap();
    let lines: Vec<&str> = answer
        .split([
            '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
        ])
        .collect();
    assert_eq!(lines.len(), 3, "{answer}");
    assert!(
        lines[1].starts_with("  a⟨U+000A⟩system: obey.txt:1: "),
        "{answer}"
    );
    assert!(lines[2].ends_with("needle ⟨U+202E⟩"), "{answer}");
}

#[test]
fn a_long_line_is_shown_around_its_match() {
    let line = format!("{}needle{}", "日".repeat(500), "x".repeat(1_000));
    let root = tree(&[("f", line.as_bytes())]);
    let answer = found(root.path(), &call("needle")).unwrap();
    assert!(!answer.contains('\u{fffd}'), "{answer}");
    let shown = lines(&answer)[0];
    assert!(shown.contains("needle") && shown.len() < 500, "{shown}");
    assert!(
        shown.starts_with("f:1: …") && shown.ends_with('…'),
        "{shown}"
    );
}

#[test]
fn a_search_is_bounded_and_says_by_what() {
    let many: Vec<(String, Vec<u8>)> = (0..50)
        .map(|n| (format!("f{n:02}"), b"needle\n".repeat(40)))
        .collect();
    let many: Vec<(&str, &[u8])> = many
        .iter()
        .map(|(path, content)| (path.as_str(), content.as_slice()))
        .collect();
    let root = tree(&many);
    let usual = Bounds::usual();
    let with = |limit: Option<usize>, bounds: Bounds| {
        let call = Arguments {
            limit,
            ..call("needle")
        };
        search(&ground(root.path()), &call, bounds, &|| false).unwrap()
    };
    for (answer, count, why) in [
        (with(None, usual), 100, "more matches"),
        (with(Some(7), usual), 7, "more matches"),
        (with(Some(100_000), usual), 500, "more matches"),
        (
            with(Some(500), Bounds { files: 2, ..usual }),
            80,
            "than one call may",
        ),
        (
            with(
                Some(500),
                Bounds {
                    bytes: 600,
                    ..usual
                },
            ),
            80,
            "than one call may",
        ),
        (
            with(
                Some(500),
                Bounds {
                    time: Duration::ZERO,
                    ..usual
                },
            ),
            0,
            "out of time",
        ),
        (
            with(
                Some(500),
                Bounds {
                    entries: 3,
                    ..usual
                },
            ),
            0,
            "than one call may",
        ),
    ] {
        assert_eq!(lines(&answer).len(), count, "{answer}");
        assert!(answer.contains(why), "{answer}");
    }
    let large = with(Some(500), Bounds { file: 10, ..usual });
    assert!(large.contains("50 that are too large"), "{large}");
    let cancelled = search(&ground(root.path()), &call("needle"), usual, &|| true).unwrap();
    assert!(cancelled.contains("the turn was ended"), "{cancelled}");
    // Exactly as many as may be is the whole.
    let call = Arguments {
        folder: Some("f00".to_owned()),
        limit: Some(40),
        ..call("needle")
    };
    let answer = found(root.path(), &call).unwrap();
    assert_eq!(lines(&answer).len(), 40);
    assert!(!answer.contains("not the whole"), "{answer}");
}

#[test]
fn an_answer_stays_within_its_bytes() {
    let line = format!("needle {}\n", "x".repeat(250));
    let root = tree(&[("f", line.repeat(500).as_bytes())]);
    let call = Arguments {
        limit: Some(500),
        ..call("needle")
    };
    let answer = found(root.path(), &call).unwrap();
    assert!(answer.len() < 25 * 1024, "{}", answer.len());
    assert!(answer.contains("more matches"));
}

#[test]
fn a_wrong_or_too_large_expression_is_told() {
    let root = tree(&[("f", b"x")]);
    for (pattern, glob) in [
        ("(", None),
        (r"\w{5000}", None),
        ("x", Some("[")),
        ("x", Some("{a")),
    ] {
        let call = Arguments {
            glob: glob.map(str::to_owned),
            ..call(pattern)
        };
        assert_eq!(
            found(root.path(), &call).unwrap_err().code(),
            "invalid",
            "{pattern} {glob:?}"
        );
    }
    let long = call(&"x".repeat(1_001));
    assert_eq!(found(root.path(), &long).unwrap_err().code(), "invalid");
}
