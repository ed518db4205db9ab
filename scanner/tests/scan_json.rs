//! The JSON of a scan has exactly the shape that tools rely on.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ostler_scanner::scan_component;
use serde_json::{Value, json};

fn scan(wat: &str) -> Value {
    serde_json::to_value(scan_component(&wat::parse_str(wat).unwrap())).unwrap()
}

#[test]
fn a_scan_has_the_documented_shape() {
    let mut document = scan(
        r#"(component
            (instance $empty)
            (export "ostler:host/tools@0.1.0" (instance $empty))
            (import "ostler:host/origin@0.1.0" (instance (export "start" (func))))
            (import "ostler:host/log@0.1.0" (instance (export "info" (func)))))"#,
    );
    let digest = document["digest"].take();
    assert!(digest.as_str().unwrap().starts_with("sha256:"));
    assert_eq!(digest.as_str().unwrap().len(), 71);
    assert_eq!(
        document,
        json!({
            "kind": "component",
            "digest": null,
            "wit": "ostler:host@0.1.0",
            "capabilities": ["tools"],
            "members": [
                {
                    "member": "log.info",
                    "permissions": [],
                    "granted": true,
                    "evidence": [{
                        "kind": "import",
                        "interface": "ostler:host/log@0.1.0",
                        "function": "info",
                        "path": [],
                    }],
                },
                {
                    "member": "origin.start",
                    "permissions": ["allow_gateway_injection", "allow_origin_sessions"],
                    "granted": true,
                    "evidence": [{
                        "kind": "import",
                        "interface": "ostler:host/origin@0.1.0",
                        "function": "start",
                        "path": [],
                    }],
                },
            ],
            "permissions": ["allow_gateway_injection", "allow_origin_sessions"],
            "declared_permissions": [],
            "hooks": [],
            "serves": [],
            "needs_egress": false,
            "diagnostics": [],
        })
    );
}

#[test]
fn a_finding_has_every_field_also_those_without_a_value() {
    let document = scan(r#"(component (import "threads" (instance (export "create" (func)))))"#);
    let finding = document["diagnostics"][0].as_object().unwrap();
    let mut fields: Vec<_> = finding.keys().map(String::as_str).collect();
    fields.sort_unstable();
    let documented = [
        "code", "column", "file", "help", "line", "message", "offset", "severity",
    ];
    assert_eq!(fields, documented);
    assert_eq!(finding["code"], "unknown-import");
    assert_eq!(finding["severity"], "error");
    assert!(finding["offset"].is_u64());
    assert!(finding["line"].is_null());
}
