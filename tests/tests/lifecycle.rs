//! Code that runs when a package is installed, updated and uninstalled. What it answers is worth
//! a word, and never stops what the person asked for.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::guest::component;
use ostler_tests::host::Host;

/// A component whose handlers log their own name, and whose `installed` ends as `ending` says.
fn handlers(ending: &str) -> Vec<u8> {
    component(
        "lifecycle-plugin",
        &format!(
            r#"(module
                (memory (export "memory") 1)
                (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                    (i32.const 8192))
                (func (export "ostler:host/lifecycle@0.1.0#installed") (result i32) {ending})
                (func (export "ostler:host/lifecycle@0.1.0#updated") (param i32 i32) (result i32)
                    ;; an error that says which version it came from
                    (i32.store (i32.const 64) (i32.const 1))
                    (i32.store (i32.const 68) (local.get 0))
                    (i32.store (i32.const 72) (local.get 1))
                    (i32.const 64))
                (func (export "ostler:host/lifecycle@0.1.0#uninstalling") (result i32)
                    unreachable)
                (func (export "ostler:host/lifecycle@0.1.0#session-started")
                    (param i32) (result i32) (i32.const 16))
                (func (export "ostler:host/lifecycle@0.1.0#session-ended")
                    (param i32) (result i32) (i32.const 16))
                (data (i32.const 1024) "no room"))"#
        ),
    )
}

/// The handler is content.
const FINE: &str = "(i32.const 16)";

/// Publishes and installs; the installed package's `warning`.
fn install(host: &Host, version: &str, component: &[u8]) -> Option<String> {
    let package = host.package("handlers", version, component, "");
    let manifest = package.join("ostler.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let text = text.replace("[\"tools\"]", "[\"lifecycle\"]");
    std::fs::write(&manifest, text).expect("a manifest");
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
    let installed = host
        .run(&[
            "install",
            "handlers",
            "--access-digest",
            &access,
            "--format",
            "json",
        ])
        .ended(0)
        .json();
    installed["warning"].as_str().map(str::to_owned)
}

#[test]
fn a_handler_that_is_content_says_nothing() {
    let host = Host::new();
    assert_eq!(install(&host, "1.0.0", &handlers(FINE)), None);
}

#[test]
fn a_handler_that_fails_traps_or_spins_does_not_undo_the_install() {
    for (ending, part) in [
        (
            "(i32.store (i32.const 64) (i32.const 1))
             (i32.store (i32.const 68) (i32.const 1024))
             (i32.store (i32.const 72) (i32.const 7))
             (i32.const 64)",
            "says: no room",
        ),
        ("unreachable", "trapped"),
        ("(i32.const 3)", "not aligned"),
        ("(loop $on (br $on)) unreachable", "crossed a limit"),
    ] {
        let host = Host::new();
        let warning = install(&host, "1.0.0", &handlers(ending)).expect("a warning");
        assert!(warning.contains(part), "{ending}: {warning}");
        let shown = host
            .run(&["show", "handlers", "--format", "json"])
            .ended(0)
            .json();
        assert_eq!(shown["installed"], "1.0.0");
    }
}

#[test]
fn an_update_tells_the_version_before_and_a_repeated_install_tells_nothing() {
    let host = Host::new();
    assert_eq!(install(&host, "1.0.0", &handlers(FINE)), None);
    let again = host
        .run(&["install", "handlers", "--format", "json"])
        .ended(0)
        .json();
    assert!(again["warning"].is_null());
    let warning = install(&host, "1.1.0", &handlers("unreachable")).expect("a warning");
    assert!(warning.ends_with("says: 1.0.0"), "{warning}");
}

#[test]
fn a_handler_that_traps_at_the_end_does_not_keep_the_plugin_installed() {
    let host = Host::new();
    install(&host, "1.0.0", &handlers(FINE));
    let gone = host
        .run(&["uninstall", "handlers", "--yes", "--format", "json"])
        .ended(0)
        .json();
    let warning = gone["warning"].as_str().expect("a warning");
    assert!(warning.contains("trapped"), "{warning}");
    let shown = host
        .run(&["show", "handlers", "--format", "json"])
        .ended(0)
        .json();
    assert!(shown["installed"].is_null());
}
