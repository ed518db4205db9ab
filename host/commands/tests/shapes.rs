//! Grants.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod common;

use common::judged;
use ostler_commands::{Shape, is_exact};

#[test]
fn a_shape_is_one_command_with_holes() {
    for (shape, command, fits) in [
        ("cargo test", "cargo test", true),
        ("cargo test", "  cargo   test ", true),
        ("cargo test", "cargo 'test'", true),
        ("cargo test", "cargo test x", false),
        ("cargo test", "cargo", false),
        ("cargo test -p <package>", "cargo test -p x", true),
        ("cargo test -p <package>", "cargo test -p 'x y'", true),
        ("cargo test -p <package>", "cargo test -p", false),
        ("cargo test -p <package>", "cargo test -p x y", false),
        ("cargo test -p <package>", "cargo test -p -x", false),
        ("cargo test -p <package>", "cargo test -p ''", false),
        ("cargo test -p <package>", "cargo test -p $x", false),
        ("cargo test -p <package>", "cargo test -p \"$(ls)\"", false),
        ("cargo test -p <package>", "cargo test -p x*", false),
        ("cargo test -p <package>", "cargo test -p {a,b}", false),
        ("cargo test -p <package>", "cargo test -p ~", false),
        ("cargo test -p <package>", "cargo test -p x; ls", false),
        ("cargo test -p <package>", "cargo test -p x;", false),
        ("cargo test -p <package>", "cargo test -p x && ls", false),
        ("cargo test -p <package>", "cargo test -p x | sh", false),
        ("cargo test -p <package>", "cargo test -p x > y", false),
        (
            "cargo test -p <package>",
            "cargo test -p x 2>/dev/null",
            false,
        ),
        ("cargo test -p <package>", "cargo test -p x &", false),
        ("cargo test -p <package>", "cargo test -p x\nls", false),
        ("cargo test -p <package>", "A=b cargo test -p x", false),
        ("cargo test -p <package>", "sh -c 'cargo test -p x'", false),
        ("cargo test -p <package>", "cargo test -p 'a\nb'", false),
        ("cargo test -p <package>", "cargo test -p x\u{1b}", false),
        ("cargo test -p <package>", "(cargo test -p x)", false),
        ("cargo test -p <package>", "/tmp/cargo test -p x", false),
        ("cat <file>", "cat a/b.md", true),
        ("cat <file>", "cat ../x", false),
        ("cat <file>", "cat a/../../x", false),
        ("cat <file>", "cat a/..", false),
        ("cat <file>", "cat a..b", true),
        ("cat <file>", "cat /etc/passwd", false),
        ("cat </file>", "cat /etc/passwd", true),
        ("cat </file>", "cat a", true),
        ("cat </file>", "cat /x/../etc/passwd", false),
        ("cp <from> <to>", "cp a b", true),
        ("cp <from> <to>", "cp a /b", false),
        (
            "git commit -m <message>",
            "git commit -m 'it is <done>; really'",
            true,
        ),
        ("make <setting>", "make A=/etc/x", false),
        ("make <setting>", "make A=../x", false),
        ("make <setting>", "make A=x", true),
        ("echo 'a b' <x>", "echo \"a b\" c", true),
        ("echo ostler-hole-r", "echo ostler-hole-r", true),
        ("echo ostler-hole-r <x>", "echo y z", false),
    ] {
        let parsed = Shape::parse(shape).unwrap_or_else(|error| panic!("{shape:?}: {error}"));
        assert_eq!(parsed.matches(command), fits, "{shape:?} {command:?}");
        assert_eq!(parsed.as_str(), shape);
    }
}

#[test]
fn what_is_no_shape_is_refused() {
    for (text, code) in [
        ("", "shape-not-plain"),
        ("ls; ls", "shape-not-plain"),
        ("ls | cat", "shape-not-plain"),
        ("ls > /dev/null", "shape-not-plain"),
        ("ls $x", "shape-not-plain"),
        ("ls *", "shape-not-plain"),
        ("ls \"", "shape-not-plain"),
        ("ls\nls", "shape-not-plain"),
        ("A=b ls", "shape-not-plain"),
        ("ls <", "shape-hole"),
        ("ls <x", "shape-hole"),
        ("ls <>", "shape-hole"),
        ("ls < x>", "shape-hole"),
        ("ls <X>", "shape-hole"),
        ("ls a<x>", "shape-hole"),
        ("ls <x>b", "shape-hole"),
        ("ls --a=<x>", "shape-hole"),
        ("ls <<x>>", "shape-hole"),
        ("<x>", "shape-runs-words"),
        ("<x> y", "shape-runs-words"),
        ("sh -c <x>", "shape-runs-words"),
        ("bash <x>", "shape-runs-words"),
        ("env <x>", "shape-runs-words"),
        ("/usr/bin/env <x>", "shape-runs-words"),
        ("sudo <x>", "shape-runs-words"),
        ("timeout 5 <x>", "shape-runs-words"),
        ("xargs <x>", "shape-runs-words"),
        ("ssh host <x>", "shape-runs-words"),
        ("python3 <x>", "shape-runs-words"),
        ("python3 -c <x>", "shape-runs-words"),
        ("find . -exec <x>", "shape-runs-words"),
        ("eval <x>", "shape-runs-words"),
    ] {
        assert_eq!(
            Shape::parse(text).map_err(|error| error.code()),
            Err(code),
            "{text:?}"
        );
    }
    assert!(Shape::parse("sh -c 'ls x'").is_ok());
}

#[test]
fn hermes_113315_90217_a_grant_covers_the_command_and_not_its_kind() {
    let shape = Shape::parse("rm -r build").expect("a shape");
    for other in [
        "rm -r src",
        "rm -r build src",
        "rm -rf build",
        "rm -r .",
        "rm -r build/../src",
    ] {
        assert!(!shape.matches(other), "{other:?}");
        assert!(!is_exact("rm -r build", other), "{other:?}");
    }
    assert!(shape.matches("rm -r build"));
    assert!(is_exact("rm -r build", " rm -r build\n"));
    assert!(!is_exact("rm -r build", "rm  -r build"));
    assert!(!is_exact("", " "));
}

#[test]
fn hermes_60505_92405_a_grant_never_lifts_a_floor() {
    // The caller tests floors first; that a command fits a grant changes no judgement.
    let shape = Shape::parse("rm -rf </folder>").expect("a shape");
    assert!(shape.matches("rm -rf /usr"));
    assert!(judged("rm -rf /usr").floor.is_some());
    let denied = common::judged_with("git push origin", common::WORKSPACE, &["git push*"], &[]);
    assert!(is_exact("git push origin", "git push origin") && denied.floor.is_some());
}

#[test]
fn hermes_101741_109888_a_pattern_is_one_text_and_not_its_characters() {
    // A list of one text was once read as a list of its characters, `*` among them.
    let judged = common::judged_with("ls", common::WORKSPACE, &["rm *"], &[]);
    assert!(judged.floor.is_none() && judged.read_only.is_ok());
}
