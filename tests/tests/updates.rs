//! What an installer accepted holds until they accept more.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::guest::{DONE, tool};
use ostler_tests::host::Host;
use serde_json::json;

/// The access digest of a freshly published package.
fn publish(host: &Host, name: &str, version: &str, component: &[u8], more: &str) -> String {
    let package = host.package(name, version, component, more);
    let published = host
        .run(&[
            "publish",
            &package.display().to_string(),
            "--format",
            "json",
        ])
        .ended(0)
        .json();
    published["access_digest"]
        .as_str()
        .expect("a digest")
        .to_owned()
}

#[test]
fn a_version_that_asks_for_no_more_installs_without_a_question() {
    let host = Host::new();
    let access = publish(&host, "tidy", "1.0.0", &tool("", DONE, ""), "");
    host.run(&["install", "tidy", "--access-digest", &access])
        .ended(0);
    publish(&host, "tidy", "1.1.0", &tool("", DONE, "(func $more)"), "");
    let installed = host
        .run(&["install", "tidy", "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(installed["version"], "1.1.0");
}

#[test]
fn a_version_that_asks_for_more_lists_the_additions_alone_and_the_old_one_still_runs() {
    let host = Host::new();
    let access = publish(
        &host,
        "grows",
        "1.0.0",
        &tool("", DONE, ""),
        "egress = [\"a.example.com\"]",
    );
    host.run(&["install", "grows", "--access-digest", &access])
        .ended(0);
    publish(
        &host,
        "grows",
        "2.0.0",
        &tool("", DONE, ""),
        "egress = [\"*.example.com\"]\npermissions = [\"agentApi:todo.read\"]",
    );
    let refused = host
        .run(&["install", "grows", "--format", "json"])
        .ended(3)
        .json();
    let asks: Vec<_> = refused["asks"]
        .as_array()
        .expect("parts")
        .iter()
        .map(|part| &part["id"])
        .collect();
    assert_eq!(
        asks,
        [&json!("agentApi:todo.read"), &json!("egress:*.example.com")]
    );
    let declared = refused["asks"][0]["sentence"].as_str().expect("a sentence");
    assert!(declared.contains("declared by the author"), "{declared}");

    let shown = host
        .run(&["show", "grows", "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(shown["installed"], "1.0.0");
    host.run(&["call", "grows", "run"]).ended(0);

    let parts = "agentApi:todo.read,egress:*.example.com";
    host.run(&["install", "grows", "--accept", parts]).ended(0);
    let shown = host
        .run(&["show", "grows", "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(shown["installed"], "2.0.0");
}

#[test]
fn an_update_never_restores_a_key_that_the_operator_took_away() {
    let host = Host::new();
    let keys = "permissions = [\"allow_gateway_injection\", \"allow_origin_sessions\"]";
    let access = publish(&host, "waker", "1.0.0", &tool("", DONE, ""), keys);
    host.run(&["install", "waker", "--access-digest", &access])
        .ended(0);
    let profile = host.home().join("profiles/main/profile.toml");
    let written = std::fs::read_to_string(&profile).expect("the file");
    let narrowed = written.replace("allow_origin_sessions = true\n", "");
    assert_ne!(narrowed, written);
    std::fs::write(&profile, &narrowed).expect("the file");
    let shown = host
        .run(&["show", "waker", "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(
        shown["allow_keys"],
        json!({"allow_gateway_injection": true, "allow_origin_sessions": false})
    );

    // Covered: nothing is asked, nothing is written.
    publish(
        &host,
        "waker",
        "1.1.0",
        &tool("", DONE, "(func $more)"),
        keys,
    );
    host.run(&["install", "waker"]).ended(0);
    assert_eq!(
        std::fs::read_to_string(&profile).expect("the file"),
        narrowed
    );

    // Asking for something else: the answer is about that alone.
    let more = format!("{keys}\negress = [\"a.example.com\"]");
    publish(&host, "waker", "1.2.0", &tool("", DONE, ""), &more);
    host.run(&["install", "waker", "--accept", "egress:a.example.com"])
        .ended(0);
    assert_eq!(
        std::fs::read_to_string(&profile).expect("the file"),
        narrowed
    );

    // The keys go with the install.
    host.run(&["uninstall", "waker", "--yes"]).ended(0);
    let left = std::fs::read_to_string(&profile).expect("the file");
    assert!(!left.contains("allow_gateway_injection"), "{left}");
}

#[test]
fn another_publishers_version_waits_for_the_owner() {
    let host = Host::new();
    let access = publish(&host, "signed", "1.0.0", &tool("", DONE, ""), "");
    host.run(&["install", "signed", "--access-digest", &access])
        .ended(0);
    std::fs::remove_file(host.home().join("keys/publisher.ed25519")).expect("removed");
    publish(&host, "signed", "1.0.1", &tool("", DONE, ""), "");
    let refused = host
        .run(&["install", "signed", "--format", "json"])
        .ended(3)
        .json();
    let asked = refused["asks"][0]["id"].as_str().expect("an id");
    assert!(asked.starts_with("publisher:ed25519:"), "{asked}");
}

#[test]
fn a_folder_whose_manifest_changed_under_the_same_version_is_not_taken_for_the_published_one() {
    let host = Host::new();
    publish(&host, "sly", "1.0.0", &tool("", DONE, ""), "");
    let folder = host.package(
        "sly",
        "1.0.0",
        &tool("", DONE, ""),
        "egress = [\"evil.example\"]",
    );
    let refused = host
        .run(&["install", &folder.display().to_string(), "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(refused["error"]["code"], "version-exists");
}

#[test]
fn an_answer_to_something_that_is_not_asked_is_refused() {
    let host = Host::new();
    publish(&host, "modest", "1.0.0", &tool("", DONE, ""), "");
    let refused = host
        .run(&[
            "install",
            "modest",
            "--accept",
            "agentApi:todo.write",
            "--format",
            "json",
        ])
        .ended(2)
        .json();
    assert_eq!(refused["error"]["code"], "accept-invalid");
}

#[test]
fn a_component_whose_function_has_another_type_is_not_published() {
    let host = Host::new();
    let bytes = ostler_tests::guest::binary(
        r#"(component (import "ostler:host/threads@0.1.0" (instance
            (export "create" (func (param "channel" u32))))))"#,
    );
    let package = host.package("mistyped", "1.0.0", &bytes, "");
    std::fs::write(
        package.join("ostler.toml"),
        "name = \"mistyped\"\nversion = \"1.0.0\"\ndescription = \"A test.\"\nlicense = \"MIT\"\n\
         capabilities = []\n[build]\ncomponent = \"plugin.wasm\"\n",
    )
    .expect("a manifest");
    let refused = host
        .run(&[
            "publish",
            &package.display().to_string(),
            "--format",
            "json",
        ])
        .ended(1)
        .json();
    assert_eq!(refused["error"]["code"], "signature-mismatch");
}
