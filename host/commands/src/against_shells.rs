//! The words that this crate sees, held against those that real shells see.

use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use crate::word::{self, Word};
use crate::{Category, Circumstances, judge, read_only};

/// What a shell's `printf` gets as its words. The texts hold no operator that would run anything
/// else, or are plain by this crate's account, which is what is tested: so they run in an empty
/// folder, with one-letter words.
fn words_of(shell: &str, text: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().ok()?;
    let output = Command::new(shell)
        .arg("-c")
        .arg(format!("set -f; {text}"))
        .current_dir(folder.path())
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    assert_eq!(
        std::fs::read_dir(folder.path()).ok()?.count(),
        0,
        "{text:?} wrote a file"
    );
    let printed = String::from_utf8(output.stdout).ok()?;
    let words = printed.strip_suffix('\0')?;
    output
        .status
        .success()
        .then(|| words.split('\0').map(str::to_owned).collect())
}

const QUOTES: [&str; 26] = [
    "a", "b", "a", " ", " ", "\t", "'", "'", "\"", "\"", "\\", "\\", "$", "`", "*", "?", "[", "]",
    "=", ",", ":", "-", ";", "|", "\n", "#",
];

const EXPANSIONS: [&str; 28] = [
    "a", "b", "a", " ", " ", "'", "'", "\"", "\"", "\\", "$'", "$\"", "\\x61", "\\141", "\\u0062",
    "\\n", "\\'", "{", "}", "{a,b}", "{1..3}", "{b..a}", ",", "..", "x", "$IFS", "${IFS}", "$@",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_strict_reader_sees_what_the_shells_see(
        soup in proptest::collection::vec(0..QUOTES.len(), 0..14),
    ) {
        let soup: String = soup.iter().map(|at| QUOTES[*at]).collect();
        let text = format!("printf '%s\\0' {soup} end");
        if let Ok([line]) = read_only::parse(&text).as_deref() {
            let seen: Vec<String> = line.words.iter().skip(2).map(Word::shown).collect();
            for shell in ["bash", "sh"] {
                prop_assert_eq!(words_of(shell, &text), Some(seen.clone()), "{} {:?}", shell, text);
            }
        }
    }

    #[test]
    fn the_walk_sees_what_bash_sees(
        soup in proptest::collection::vec(0..EXPANSIONS.len(), 0..10),
    ) {
        let soup: String = soup.iter().map(|at| EXPANSIONS[*at]).collect();
        let text = format!("printf '%s\\0' {soup} end");
        let judged = judge(&text, &Circumstances {
            workspace: Path::new("/work/ws"),
            folder: Path::new("/work/ws"),
            protected: &[],
            deny: &[],
        });
        let readable = judged.findings.iter().all(|found| found.category != Category::Unreadable);
        // What a variable holds that the text does not set, this crate does not know.
        if readable && !judged.equivalence.0.contains("$IFS") {
            let seen: Vec<String> = judged.equivalence.0.split('\u{1f}').skip(2).map(str::to_owned).collect();
            prop_assert_eq!(words_of("bash", &text), Some(seen), "{:?}", text);
        }
    }
}

#[test]
fn the_readers_and_the_shells_agree_on_these() {
    for soup in [
        "a 'b c' \"d e\" f\\ g",
        "'' \"\" a''b",
        "\"a\\\"b\\\\c\\d\" 'a\\b'",
        "\"a$\" 'a$b' a=b,c:d -e",
        "\"it's\" 'say \"x\"' a#b",
        "  a\tb   c ",
    ] {
        let text = format!("printf '%s\\0' {soup} end");
        let lines = read_only::parse(&text).unwrap_or_default();
        let words = lines
            .first()
            .map(|line| line.words.as_slice())
            .unwrap_or_default();
        let seen: Vec<String> = words.iter().skip(2).map(Word::shown).collect();
        assert!(seen.len() > 2, "{text:?}");
        for shell in ["bash", "sh"] {
            assert_eq!(
                words_of(shell, &text).as_ref(),
                Some(&seen),
                "{shell} {text:?}"
            );
        }
    }
}

#[test]
fn a_mark_is_never_printed_as_a_character_of_its_own() {
    for mark in [
        word::STAR,
        word::ANY,
        word::SET,
        word::OPEN,
        word::CLOSE,
        word::COMMA,
        word::HOME,
        word::SPLIT,
    ] {
        assert!(!word::is_mark(word::written(mark)));
    }
}
