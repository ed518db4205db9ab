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
