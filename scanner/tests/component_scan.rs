//! What the component scan makes of one component each, written as text.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ostler_scanner::{Code, Evidence, Scan, Severity, scan_component};

/// Scans the binary form of a component written as text.
fn scan(wat: &str) -> Scan {
    scan_component(&wat::parse_str(wat).unwrap())
}

/// Members by path, in the scan's order.
fn members(scan: &Scan) -> Vec<&'static str> {
    scan.members.iter().map(|used| used.member.path).collect()
}

/// Codes of the findings that are errors.
fn errors(scan: &Scan) -> Vec<Code> {
    let errors = scan
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.code).collect()
}

fn permissions(scan: &Scan) -> Vec<&'static str> {
    scan.permissions
        .iter()
        .map(|permission| permission.as_str())
        .collect()
}

#[test]
fn exactly_the_imported_functions_become_members() {
    let scan = scan(
        r#"(component
            (import "ostler:host/todo-read@0.1.0" (instance (export "list" (func))))
            (import "ostler:host/log@0.1.0" (instance
                (export "info" (func (param "message" string))))))"#,
    );
    assert_eq!(members(&scan), ["log.info", "session.todo.list"]);
    assert_eq!(permissions(&scan), ["agentApi:todo.read"]);
    assert_eq!(errors(&scan), []);
    assert!(!scan.needs_egress);
}

#[test]
fn a_component_that_imports_nothing_reaches_nothing() {
    let scan = scan("(component)");
    assert_eq!(members(&scan), [""; 0]);
    assert_eq!(permissions(&scan), [""; 0]);
    assert!(!scan.has_errors());
}

#[test]
fn a_later_version_on_the_same_track_is_the_same_member() {
    for version in ["0.1.0", "0.1.99", "0.1.0+build.3"] {
        let scan = scan(&format!(
            r#"(component (import "ostler:host/threads@{version}"
                (instance (export "create" (func)))))"#
        ));
        assert_eq!(members(&scan), ["threads.create"], "{version}");
        assert!(!scan.has_errors(), "{version}");
    }
}

#[test]
fn two_versions_of_one_interface_are_one_member_with_two_pieces_of_evidence() {
    let scan = scan(
        r#"(component
            (import "ostler:host/threads@0.1.0" (instance (export "create" (func))))
            (import "ostler:host/threads@0.1.1" (instance (export "create" (func)))))"#,
    );
    assert_eq!(members(&scan), ["threads.create"]);
    let interfaces: Vec<_> = scan.members[0]
        .evidence
        .iter()
        .map(|Evidence::Import { interface, .. }| interface.as_str())
        .collect();
    assert_eq!(
        interfaces,
        ["ostler:host/threads@0.1.0", "ostler:host/threads@0.1.1"]
    );
}

#[test]
fn an_import_that_is_no_member_is_an_error() {
    for import in [
        r#""ostler:host/threads@0.2.0" (instance (export "create" (func)))"#,
        r#""ostler:host/threads@1.0.0" (instance (export "create" (func)))"#,
        r#""ostler:host/threads@0.1.0-rc.1" (instance (export "create" (func)))"#,
        r#""ostler:host/threads" (instance (export "create" (func)))"#,
        r#""ostler:host/threads@0.1.0" (instance (export "destroy" (func)))"#,
        r#""ostler:host/thread@0.1.0" (instance (export "create" (func)))"#,
        r#""ostler:host/types@0.1.0" (instance (export "create" (func)))"#,
        r#""ostler:host/tools@0.1.0" (instance (export "list" (func)))"#,
        r#""ostler:hosts/threads@0.1.0" (instance (export "create" (func)))"#,
        r#""other:host/threads@0.1.0" (instance (export "create" (func)))"#,
        r#""threads" (instance (export "create" (func)))"#,
        r#""create" (func)"#,
        r#""ostler:host/log@0.1.0" (instance (export "sink" (type (sub resource))))"#,
        r#""sink" (type (sub resource))"#,
    ] {
        let scan = scan(&format!("(component (import {import}))"));
        assert_eq!(errors(&scan), [Code::UnknownImport], "{import}");
        assert_eq!(members(&scan), [""; 0], "{import}");
        assert!(scan.diagnostics[0].offset.is_some(), "{import}");
    }
}

#[test]
fn a_misspelled_name_gets_the_nearest_known_one() {
    let cases = [
        (
            r#""ostler:host/thread@0.1.0" (instance (export "create" (func)))"#,
            "`threads`",
        ),
        (
            r#""ostler:host/threads@0.1.0" (instance (export "craete" (func)))"#,
            "`create`",
        ),
        (
            r#""ostler:host/log@0.9.0" (instance (export "info" (func)))"#,
            "ostler:host@0.1.0",
        ),
    ];
    for (import, part) in cases {
        let scan = scan(&format!("(component (import {import}))"));
        let help = scan.diagnostics[0].help.as_deref().unwrap();
        assert!(help.contains(part), "{import}: {help}");
    }
}

#[test]
fn import_forms_that_a_name_cannot_vouch_for_are_refused() {
    for import in [
        r#""ostler:host/threads@0.1.0" (core module)"#,
        r#""child" (component)"#,
        r#""url=<https://example.com/a.wasm>" (instance (export "create" (func)))"#,
        r#""integrity=<sha256-2jmj7l5rSw0yVb/vlWAYkK/YBwk=>" (instance (export "create" (func)))"#,
        r#""locked-dep=<a:b@1.0.0>" (instance (export "create" (func)))"#,
        r#""unlocked-dep=<a:b>" (instance (export "create" (func)))"#,
        r#""ostler:host/threads@0.1.0" (instance (export "m" (core module)))"#,
        r#""ostler:host/threads@0.1.0" (instance (export "i" (instance)))"#,
    ] {
        let scan = scan(&format!("(component (import {import}))"));
        assert_eq!(errors(&scan), [Code::UnsupportedImport], "{import}");
        assert_eq!(members(&scan), [""; 0], "{import}");
    }
}

#[test]
fn an_implements_import_is_refused_whatever_it_is_called() {
    let scan = scan(
        r#"(component (import "harmless" (implements "ostler:host/threads@0.1.0")
            (instance (export "create" (func)))))"#,
    );
    assert_eq!(errors(&scan), [Code::UnsupportedImport]);
    assert_eq!(members(&scan), [""; 0]);
}

#[test]
fn a_nested_component_that_renames_an_import_hides_nothing() {
    let scan = scan(
        r#"(component
            (import "ostler:host/threads@0.1.0" (instance $threads (export "create" (func))))
            (component $inner
                (import "innocent" (instance (export "create" (func)))))
            (instance (instantiate $inner (with "innocent" (instance $threads)))))"#,
    );
    assert_eq!(members(&scan), ["threads.create"]);
    assert!(!scan.has_errors());
}

#[test]
fn an_import_that_is_satisfied_from_inside_adds_nothing() {
    let scan = scan(
        r#"(component
            (component $fake
                (core module $m (func (export "f")))
                (core instance $i (instantiate $m))
                (func $f (canon lift (core func $i "f")))
                (instance $api (export "create" (func $f)))
                (export "ostler:host/threads@0.1.0" (instance $api)))
            (component $user
                (import "ostler:host/threads@0.1.0" (instance (export "create" (func)))))
            (instance $provider (instantiate $fake))
            (alias export $provider "ostler:host/threads@0.1.0" (instance $api))
            (instance (instantiate $user
                (with "ostler:host/threads@0.1.0" (instance $api)))))"#,
    );
    assert_eq!(members(&scan), [""; 0]);
    assert!(!scan.has_errors());
}

#[test]
fn shared_types_are_inert() {
    let scan = scan(
        r#"(component (import "ostler:host/types@0.1.0" (instance
            (type (record (field "id" string)))
            (export "thread" (type (eq 0))))))"#,
    );
    assert_eq!(members(&scan), [""; 0]);
    assert!(!scan.has_errors());
}

#[test]
fn wasi_that_language_runtimes_import_derives_nothing() {
    let scan = scan(
        r#"(component
            (import "wasi:io/error@0.2.6" (instance (export "error" (type (sub resource)))))
            (import "wasi:cli/environment@0.2.6" (instance (export "get-arguments" (func))))
            (import "wasi:random/insecure-seed@0.2.6" (instance (export "insecure-seed" (func))))
            (import "wasi:filesystem/preopens@0.2.6" (instance
                (export "get-directories" (func)))))"#,
    );
    assert_eq!(members(&scan), [""; 0]);
    assert_eq!(scan.diagnostics, []);
}

#[test]
fn wasi_http_is_fetch_and_needs_egress() {
    let scan = scan(
        r#"(component (import "wasi:http/outgoing-handler@0.2.4" (instance
            (export "handle" (func)))))"#,
    );
    assert_eq!(members(&scan), ["fetch"]);
    assert!(scan.needs_egress);
    assert_eq!(permissions(&scan), [""; 0]);
}

#[test]
fn wasi_sockets_are_reported_and_other_wasi_is_refused() {
    let sockets = scan(
        r#"(component (import "wasi:sockets/tcp-create-socket@0.2.0" (instance
            (export "create-tcp-socket" (func)))))"#,
    );
    assert!(!sockets.has_errors());
    assert_eq!(sockets.diagnostics[0].severity, Severity::Note);

    let store = scan(
        r#"(component (import "wasi:keyvalue/store@0.2.0" (instance (export "open" (func)))))"#,
    );
    assert_eq!(errors(&store), [Code::UnsupportedImport]);
}

#[test]
fn exports_tell_capabilities_and_hooks() {
    let scan = scan(
        r#"(component
            (instance $empty)
            (export "ostler:host/tools@0.1.0" (instance $empty))
            (export "ostler:host/hook-pre-tool-call@0.1.7" (instance $empty))
            (export "ostler:host/hook-message-sending@0.1.0" (instance $empty))
            (export "ostler:host/lifecycle@0.2.0" (instance $empty))
            (export "acme:other/thing@1.0.0" (instance $empty)))"#,
    );
    let capabilities: Vec<_> = scan.capabilities.iter().map(ToString::to_string).collect();
    assert_eq!(capabilities, ["tools", "middleware"]);
    assert_eq!(
        Vec::from_iter(&scan.hooks),
        ["message-sending", "pre-tool-call"]
    );
    assert!(!scan.has_errors());
}

#[test]
fn what_is_no_component_is_told_apart() {
    let module = wat::parse_str("(module)").unwrap();
    assert_eq!(errors(&scan_component(&module)), [Code::NotAComponent]);
    assert_eq!(
        errors(&scan_component(b"#!/bin/sh\n")),
        [Code::NotAComponent]
    );
    assert_eq!(errors(&scan_component(b"")), [Code::NotAComponent]);
    assert_eq!(errors(&scan_component(b"\0as")), [Code::MalformedComponent]);
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let mut large = wat::parse_str("(component)").unwrap();
    large.resize(ostler_scanner::MAX_COMPONENT_BYTES + 1, 0);
    assert_eq!(errors(&scan_component(&large)), [Code::TooLarge]);
}

#[test]
fn a_broken_nested_module_is_found_at_its_offset() {
    let good = wat::parse_str("(component (core module (func (result i32) i32.const 7)))").unwrap();
    let place = good.windows(2).position(|pair| pair == [0x41, 7]).unwrap();
    let mut broken = good.clone();
    broken[place] = 0xff;
    assert!(!scan_component(&good).has_errors());
    let scan = scan_component(&broken);
    assert_eq!(errors(&scan), [Code::MalformedComponent]);
    assert_eq!(scan.diagnostics[0].offset, Some(place as u64));
}

#[test]
fn a_component_cut_off_anywhere_is_refused_with_an_offset() {
    let whole = wat::parse_str(
        r#"(component
            (import "ostler:host/threads@0.1.0" (instance (export "create" (func))))
            (core module (memory 1) (func (export "f") (result i32) i32.const 7)))"#,
    )
    .unwrap();
    assert!(!scan_component(&whole).has_errors());
    for length in 1..whole.len() {
        let scan = scan_component(&whole[..length]);
        // A cut between two top-level sections leaves a smaller, whole component.
        if scan.has_errors() {
            assert_eq!(errors(&scan), [Code::MalformedComponent], "{length} bytes");
            assert!(scan.diagnostics[0].offset.is_some(), "{length} bytes");
        }
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_scan_panic(bytes in proptest::collection::vec(0_u8.., 0..512)) {
        let _ = scan_component(&bytes);
        let headed: Vec<u8> = b"\0asm\x0d\0\x01\0".iter().copied().chain(bytes).collect();
        let _ = scan_component(&headed);
    }

    #[test]
    fn a_changed_byte_never_adds_a_member_that_the_bytes_do_not_name(
        place in 8_usize..200, byte in 0_u8..
    ) {
        let mut bytes = wat::parse_str(
            r#"(component
                (import "ostler:host/threads@0.1.0" (instance (export "create" (func))))
                (import "ostler:host/log@0.1.0" (instance
                    (export "info" (func (param "message" string))))))"#,
        ).unwrap();
        let place = place % bytes.len();
        bytes[place] = byte;
        let scan = scan_component(&bytes);
        for used in &scan.members {
            let name = used.member.function.as_bytes();
            proptest::prop_assert!(bytes.windows(name.len()).any(|window| window == name));
        }
    }
}
