//! What people read, word for word. `INSTA_UPDATE=always` writes the files anew.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::guest::binary;
use ostler_tests::host::{Host, workspace};

/// Text with what differs from machine to machine and build to build put out of the way.
fn stable(text: &str, host: &Host) -> String {
    let mut stable = text
        .replace(&host.outside().display().to_string(), "…")
        .replace(&workspace().display().to_string(), "…");
    for scheme in ["sha256:", "ed25519:"] {
        let mut parts = stable.split(scheme);
        let mut joined = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.chars().take_while(char::is_ascii_hexdigit).count();
            joined += &format!("{scheme}…{}", &part[digits..]);
        }
        stable = joined;
    }
    // The size of a component differs with the compiler.
    let size = stable
        .find(" KiB")
        .map(|end| (stable[..end].rfind(' ').map_or(0, |space| space + 1), end));
    if let Some((start, end)) = size {
        stable.replace_range(start..end, "…");
    }
    stable
}

#[test]
fn the_scan_of_the_handoff_example() {
    let host = Host::new();
    let path = workspace().join("examples/handoff").display().to_string();
    let text = host.run(&["scan", &path]).ended(0).stdout();
    insta::assert_snapshot!(stable(&text, &host));
}

#[test]
fn the_scan_of_a_component_with_every_kind_of_finding() {
    let host = Host::new();
    let bytes = binary(
        r#"(component
            (import "ostler:host/agents-write@0.1.0" (instance (export "delete" (func))))
            (import "ostler:host/http@0.1.0" (instance (export "fetch" (func))))
            (import "ostler:host/log@0.1.0" (instance (export "info" (func))))
            (import "ostler:host/thread@0.1.0" (instance (export "create" (func))))
            (import "wasi:keyvalue/store@0.2.0" (instance (export "open" (func))))
            (import "wasi:sockets/tcp@0.2.0" (instance (export "connect" (func))))
            (import "child" (component)))"#,
    );
    let file = host.outside().join("odd.wasm");
    std::fs::write(&file, bytes).expect("a file");
    let text = host
        .run(&["scan", &file.display().to_string()])
        .ended(1)
        .stdout();
    insta::assert_snapshot!(stable(&text, &host));
}

#[test]
fn the_review_of_the_handoff_example() {
    let host = Host::new();
    let path = workspace().join("examples/handoff").display().to_string();
    host.run(&["publish", &path]).ended(0);
    let text = host.run(&["show", "handoff"]).ended(0).stdout();
    insta::assert_snapshot!(stable(&text, &host));
}

#[test]
fn the_refusal_of_an_install_that_nobody_accepted() {
    let host = Host::new();
    let path = workspace().join("examples/handoff").display().to_string();
    let text = host.run(&["install", &path]).ended(3).stderr();
    insta::assert_snapshot!(stable(&text, &host));
}

#[test]
fn the_help() {
    let host = Host::new();
    insta::assert_snapshot!(host.run(&["--help"]).ended(0).stdout());
}
