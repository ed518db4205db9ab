//! The scanner and the runtime read the same bytes the same way.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

use harness::{compile, runtime};
use ostler_runtime::{GuestThreads, engine_config};
use ostler_scanner::{scan_component, wasm_features};

#[test]
fn the_scanner_takes_exactly_the_features_of_the_engine() {
    let engine = wasmtime::Engine::new(&engine_config()).unwrap();
    assert_eq!(engine.get_wasm_features(), wasm_features());
}

#[test]
fn both_list_the_same_imports() {
    let runtime = runtime(None, GuestThreads::Caller);
    for text in [
        "(component)",
        r#"(component
            (import "ostler:host/threads@0.1.0" (instance (export "create" (func))))
            (import "ostler:host/threads@0.1.7" (instance (export "create" (func))))
            (import "acme:other/thing@1.0.0" (instance (export "go" (func))))
            (import "alone" (func)))"#,
        r#"(component
            (import "wasi:io/error@0.2.6" (instance
                (export "error" (type $error (sub resource)))
                (export "[method]error.to-debug-string"
                    (func (param "self" (borrow $error)) (result string))))))"#,
        r#"(component
            (import "ostler:host/log@0.1.0" (instance $log
                (export "info" (func (param "message" string)))))
            (component $inner
                (import "innocent" (instance (export "info" (func (param "message" string))))))
            (instance (instantiate $inner (with "innocent" (instance $log)))))"#,
    ] {
        let bytes = wat::parse_str(text).unwrap();
        let compiled = compile(&runtime, &bytes);
        let scanned = scan_component(&bytes);
        assert_eq!(
            runtime.imported_functions(&compiled),
            scanned.imports,
            "{text}"
        );
    }
}

#[test]
fn an_export_of_another_type_does_not_compile() {
    let runtime = runtime(None, GuestThreads::Caller);
    for (interface, functions, part) in [
        (
            "hook-pre-tool-call",
            r#"(export "handle" (func $f))"#,
            "hook-pre-tool-call@0.1.0#handle has another type",
        ),
        ("hook-pre-tool-call", "", "has no function `handle`"),
        (
            "lifecycle",
            r#"(export "installed" (func $f))"#,
            "ostler:host/lifecycle@0.1.0",
        ),
        (
            "tools",
            r#"(export "list" (func $f)) (export "call" (func $f))"#,
            "ostler:host/tools@0.1.0#",
        ),
    ] {
        let bytes = wat::parse_str(format!(
            r#"(component
                (core module $m (func (export "f") (param i32) (result i32) (local.get 0)))
                (core instance $i (instantiate $m))
                (func $f (param "call" u32) (result u32) (canon lift (core func $i "f")))
                (instance $exports {functions})
                (export "ostler:host/{interface}@0.1.0" (instance $exports)))"#
        ))
        .unwrap();
        let error = runtime.compile(&"0".repeat(64), &bytes).err().unwrap();
        assert_eq!(error.code(), "signature-mismatch", "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}
