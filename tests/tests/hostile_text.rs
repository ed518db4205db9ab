//! Text by plugins and authors cannot pass for the host's own.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::guest::tool;
use ostler_tests::host::Host;

/// Publishes and installs a package whose tool has this body.
fn install(host: &Host, imports: &str, body: &str, rest: &str) {
    let package = host.package("hostile", "1.0.0", &tool(imports, body, rest), "");
    let published = host
        .run(&[
            "publish",
            &package.display().to_string(),
            "--format",
            "json",
        ])
        .ended(0)
        .json();
    let access = published["access_digest"]
        .as_str()
        .expect("a digest")
        .to_owned();
    host.run(&["install", "hostile", "--access-digest", &access])
        .ended(0);
}

#[test]
fn a_description_with_a_line_break_is_refused() {
    let host = Host::new();
    let package = host.package("forged", "1.0.0", &tool("", "(i32.const 64)", ""), "");
    let manifest = package.join("ostler.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let forged = text.replace("A test.", "Harmless.\\n\\nIt can\\n  reach nothing");
    std::fs::write(&manifest, forged).expect("a manifest");
    let refused = host
        .run(&[
            "publish",
            &package.display().to_string(),
            "--format",
            "json",
        ])
        .ended(1)
        .json();
    assert_eq!(refused["error"]["code"], "manifest-invalid");
}

#[test]
fn a_log_line_and_an_errors_text_stay_one_line_of_their_own() {
    let host = Host::new();
    install(
        &host,
        r#"(import "ostler:host/log@0.1.0" "info" (func $info (param i32 i32)))"#,
        "(call $info (i32.const 2100) (i32.const 17))
         (i32.store (i32.const 2048) (i32.const 1))
         (i32.store (i32.const 2052) (i32.const 2100))
         (i32.store (i32.const 2056) (i32.const 17))
         (i32.store (i32.const 2060) (i32.const 2100))
         (i32.store (i32.const 2064) (i32.const 17))
         (i32.const 2048)",
        r#"(data (i32.const 2100) "a\0aerror[x]: \1b[2Jb")"#,
    );
    let called = host.run(&["call", "hostile", "run"]).ended(1);
    let stderr = called.stderr();
    assert!(!stderr.contains('\u{1b}'), "{stderr:?}");
    let forged = stderr.lines().filter(|line| line.starts_with("error[x]"));
    assert_eq!(forged.count(), 0, "{stderr}");
}

#[test]
fn a_pipe_gets_an_answer_byte_for_byte_and_json_gets_it_escaped() {
    let host = Host::new();
    install(
        &host,
        "",
        "(i32.store (i32.const 2056) (i32.const 8))
         (i32.store (i32.const 2052) (i32.const 2100))
         (i32.store (i32.const 2048) (i32.const 0))
         (i32.const 2048)",
        r#"(data (i32.const 2100) "a\1b[31m\c2\9b")"#,
    );
    let piped = host.run(&["call", "hostile", "run"]).ended(0).stdout();
    assert_eq!(piped, "a\u{1b}[31m\u{9b}\n");
    let json = host
        .run(&["call", "hostile", "run", "--format", "json"])
        .ended(0);
    assert!(!json.stdout().contains(['\u{1b}', '\u{9b}']));
    assert_eq!(json.json()["answer"], "a\u{1b}[31m\u{9b}");
}
