//! Scripts that are none: what is said, and of which line.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use ostler_agent::model::{Model, Scripted};

fn refused(text: &str) -> (&'static str, usize, String) {
    let error = Scripted::parse(text).unwrap_err();
    (error.code, error.line, error.to_string())
}

#[test]
fn each_mistake_names_its_line_and_what_to_do() {
    let turn = "[[turn]]\nmatch = 'x'\n";
    let step = "[[turn.step]]\n";
    let cases = [
        ("[[turn]\n".to_owned(), "script-syntax", 1, ""),
        (
            "stirct = true\n".to_owned(),
            "script-unknown-key",
            1,
            "did you mean `strict`?",
        ),
        (
            format!("{turn}stpe = 1\n"),
            "script-unknown-key",
            3,
            "did you mean `step`?",
        ),
        (
            format!("{turn}{step}tol = 'x'\n"),
            "script-unknown-key",
            4,
            "did you mean `tool`?",
        ),
        (
            format!("{turn}{step}say = 'x'\ndelay = 1\n"),
            "script-unknown-key",
            5,
            "`delay_ms`",
        ),
        (
            "turn = 3\n".to_owned(),
            "script-wrong-value",
            1,
            "`turn` is of type integer",
        ),
        (
            "strict = 'yes'\n".to_owned(),
            "script-wrong-value",
            1,
            "true or false",
        ),
        (
            format!("[[turn]]\n{step}say = 'x'\n"),
            "script-missing-key",
            1,
            "`match`",
        ),
        (turn.to_owned(), "script-missing-key", 1, "at least one"),
        (
            format!("{turn}{step}"),
            "script-wrong-value",
            3,
            "exactly one of",
        ),
        (
            format!("{turn}{step}say = 'x'\ntool = 'y'\n"),
            "script-wrong-value",
            3,
            "exactly one of",
        ),
        (
            format!("{turn}{step}say = 1\n"),
            "script-wrong-value",
            4,
            "must be a string",
        ),
        (
            format!("{turn}{step}say = 'x'\nargs = {{}}\n"),
            "script-wrong-value",
            5,
            "`tool`",
        ),
        (
            format!("{turn}{step}tool = 'x'\nargs = 1\n"),
            "script-wrong-value",
            5,
            "a table",
        ),
        (
            format!("{turn}{step}tool = 'x'\nargs = {{ n = inf }}\n"),
            "script-wrong-value",
            5,
            "inf",
        ),
        (
            format!("{turn}{step}say = 'x'\ndelay_ms = 60001\n"),
            "script-wrong-value",
            5,
            "60000",
        ),
        (
            format!("{turn}{step}say = 'x'\ndelay_ms = -1\n"),
            "script-wrong-value",
            5,
            "60000",
        ),
        (
            "[[turn]]\n\nmatch = '('\n".to_owned(),
            "script-match-invalid",
            3,
            "unclosed group",
        ),
        (
            "[[turn]]\nmatch = '(?<result>x)'\n".to_owned(),
            "script-match-invalid",
            2,
            "`result`",
        ),
    ];
    for (text, code, line, part) in cases {
        let (found, at, message) = refused(&text);
        assert_eq!((found, at), (code, line), "{text}\n{message}");
        assert!(message.contains(part), "{text}\n{message}");
    }
}

#[test]
fn a_file_is_named_with_its_line_and_by_the_model_that_follows_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.toml");

    let missing = Scripted::load(&path).unwrap_err();
    assert_eq!((missing.code, missing.line), ("script-unreadable", 0));

    std::fs::write(&path, "strict = true\nturns = []\n").unwrap();
    let error = Scripted::load(&path).unwrap_err();
    assert_eq!(error.code, "script-unknown-key");
    assert!(
        error
            .to_string()
            .starts_with(&format!("{}:2: ", path.display())),
        "{error}"
    );

    std::fs::write(&path, "[[turn]]\nmatch = 'x'\n[[turn.step]]\nsay = 'x'\n").unwrap();
    let name = Scripted::load(&path).unwrap().name();
    assert_eq!(
        name,
        format!("scripted model (no model: it follows {})", path.display())
    );
}

#[test]
fn a_folder_is_no_script() {
    assert_eq!(
        Scripted::load(Path::new("/")).unwrap_err().code,
        "script-unreadable"
    );
}
