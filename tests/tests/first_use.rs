//! What a new user does: scan, publish, read the review, install, call.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::host::{Host, workspace};
use serde_json::json;

/// The folder of a bundled example.
fn example(name: &str) -> String {
    workspace()
        .join("examples")
        .join(name)
        .display()
        .to_string()
}

/// The ids of what an error says nobody has accepted.
fn asks(error: &serde_json::Value) -> Vec<String> {
    let asks = error["asks"].as_array().expect("a list of parts");
    asks.iter()
        .map(|part| part["id"].as_str().expect("an id").to_owned())
        .collect()
}

#[test]
fn the_handoff_example_derives_exactly_what_it_calls() {
    let host = Host::new();
    let scan = host
        .run(&["scan", &example("handoff"), "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(
        scan["permissions"],
        json!([
            "allow_gateway_injection",
            "allow_origin_sessions",
            "host:threads:create"
        ])
    );
    assert_eq!(scan["capabilities"], json!(["tools"]));
    let members: Vec<_> = scan["members"]
        .as_array()
        .expect("members")
        .iter()
        .collect();
    assert_eq!(members.len(), 2);
    assert_eq!(members[0]["member"], "origin.start");
    assert_eq!(members[1]["member"], "threads.create");
}

#[test]
fn the_notebook_example_needs_no_permission() {
    let host = Host::new();
    let scan = host
        .run(&["scan", &example("notebook"), "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(scan["permissions"], json!([]));
    assert_eq!(scan["needs_egress"], false);
    for used in scan["members"].as_array().expect("members") {
        let member = used["member"].as_str().expect("a member");
        let is_free = ["settings.", "crypto.", "log."]
            .iter()
            .any(|group| member.starts_with(group));
        assert!(is_free, "{member}");
    }
}

#[test]
fn handoff_is_published_refused_without_consent_installed_with_it_and_called() {
    let host = Host::new();
    let published = host
        .run(&["publish", &example("handoff"), "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(published["package"], "handoff");
    assert_eq!(published["tools"][0]["name"], "hand_off");

    // Without a terminal, nobody can be asked.
    let refused = host
        .run(&["install", "handoff", "--format", "json"])
        .ended(3)
        .json();
    assert_eq!(refused["error"]["code"], "consent-needed");
    let mut parts = asks(&refused);
    let publisher = parts.pop().expect("a publisher");
    assert_eq!(
        parts,
        [
            "allow_gateway_injection",
            "allow_origin_sessions",
            "host:threads:create"
        ]
    );
    assert!(publisher.starts_with("publisher:ed25519:"), "{publisher}");
    let profile = host.home().join("profiles/main/profile.toml");
    assert!(!profile.exists(), "a refused install writes nothing");

    // Less than all of it is not enough, and says what is left.
    let some = format!("host:threads:create,{publisher}");
    let refused = host
        .run(&["install", "handoff", "--accept", &some, "--format", "json"])
        .ended(3)
        .json();
    assert_eq!(
        asks(&refused),
        ["allow_gateway_injection", "allow_origin_sessions"]
    );

    let all = format!("{},{publisher}", parts.join(","));
    let installed = host
        .run(&["install", "handoff", "--accept", &all, "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(
        installed["keys_written"],
        json!(["allow_gateway_injection", "allow_origin_sessions"])
    );
    let written = std::fs::read_to_string(&profile).expect("the profile's file");
    assert!(written.contains("[plugins.handoff]"), "{written}");
    assert!(
        written.contains("allow_gateway_injection = true"),
        "{written}"
    );
    assert!(
        written.contains("allow_origin_sessions = true"),
        "{written}"
    );

    // No host runs here; the refusal keeps its code.
    let arguments = r#"{"channel": "1", "title": "Deploy", "text": "Please deploy."}"#;
    let called = host
        .run(&[
            "call", "handoff", "hand_off", "--args", arguments, "--format", "json",
        ])
        .ended(1)
        .json();
    assert_eq!(called["error"]["code"], "discord-unavailable");
}

#[test]
fn notebook_is_installed_from_its_folder_and_keeps_notes_between_calls() {
    let host = Host::new();
    let refused = host
        .run(&["install", &example("notebook"), "--format", "json"])
        .ended(3)
        .json();
    let publisher = asks(&refused).join(",");
    host.run(&["install", &example("notebook"), "--accept", &publisher])
        .ended(0);

    let add = r#"{"title": "Milk", "text": "Two litres"}"#;
    let added = host
        .run(&["call", "notebook", "add_note", "--args", add])
        .ended(0);
    assert!(added.stderr().contains("[info]"), "{added}");
    let read = r#"{"title": "Milk"}"#;
    let answer = host
        .run(&["call", "notebook", "read_note", "--args", read])
        .ended(0)
        .stdout();
    assert!(answer.contains("Two litres"), "{answer}");

    let listed = host.run(&["browse", "--format", "json"]).ended(0).json();
    assert_eq!(listed[0]["installed"], "0.1.0");

    // Another profile has none of it.
    host.run(&[
        "install",
        "notebook",
        "--profile",
        "other",
        "--accept",
        &publisher,
    ])
    .ended(0);
    let missing = host
        .run(&[
            "call",
            "notebook",
            "read_note",
            "--args",
            read,
            "--profile",
            "other",
        ])
        .ended(1);
    assert!(!missing.stdout().contains("Two litres"));

    // An uninstall drops the notes.
    host.run(&["uninstall", "notebook", "--format", "json"])
        .ended(3);
    host.run(&["uninstall", "notebook", "--yes"]).ended(0);
    host.run(&["call", "notebook", "read_note", "--args", read])
        .ended(2);
    host.run(&["install", "notebook", "--accept", &publisher])
        .ended(0);
    host.run(&["call", "notebook", "read_note", "--args", read])
        .ended(1);
}

#[test]
fn the_digest_of_an_access_accepts_exactly_that_access() {
    let host = Host::new();
    let published = host
        .run(&["publish", &example("handoff"), "--format", "json"])
        .ended(0)
        .json();
    let digest = published["access_digest"].as_str().expect("a digest");
    // Another access, such as an earlier version's, accepts nothing of this one.
    let other = format!("sha256:{}", "0".repeat(64));
    let refused = host
        .run(&[
            "install",
            "handoff",
            "--access-digest",
            &other,
            "--format",
            "json",
        ])
        .ended(3)
        .json();
    assert_eq!(refused["error"]["code"], "consent-needed");
    assert_eq!(asks(&refused).len(), 4);
    host.run(&["install", "handoff", "--access-digest", "latest"])
        .ended(2);
    host.run(&["install", "handoff", "--access-digest", digest])
        .ended(0);
}

#[test]
fn browse_show_diff_and_doctor_agree_on_what_is_there() {
    let host = Host::new();
    host.run(&["publish", &example("handoff")]).ended(0);
    host.run(&["publish", &example("notebook")]).ended(0);
    let listed = host.run(&["browse", "--format", "json"]).ended(0).json();
    assert_eq!(listed[0]["package"], "handoff");
    assert_eq!(listed[1]["package"], "notebook");
    let found = host
        .run(&["browse", "NOTE", "--format", "json"])
        .ended(0)
        .json();
    assert!(
        found
            .as_array()
            .expect("a list")
            .iter()
            .any(|p| p["package"] == "notebook")
    );

    let shown = host
        .run(&["show", "handoff@0.1.0", "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(shown["manifest"]["name"], "handoff");
    assert_eq!(shown["installed"], json!(null));

    let diff = host
        .run(&["diff", "notebook", "handoff", "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(diff["covered"], false);
    assert_eq!(
        diff["added"]["permissions"],
        json!([
            "allow_gateway_injection",
            "allow_origin_sessions",
            "host:threads:create"
        ])
    );
    let none = host
        .run(&["diff", "handoff", "handoff", "--format", "json"])
        .ended(0)
        .json();
    let nothing = json!({
        "permissions": [], "hooks": [], "serves": [], "egress": [], "secrets": [], "agents": [],
        "schedules": [], "fail_closed_hooks": [], "anyone_sender": false, "publisher": null,
    });
    assert_eq!(
        none,
        json!({"covered": true, "added": nothing, "removed": nothing})
    );

    let checks = host.run(&["doctor", "--format", "json"]).ended(0).json();
    assert!(
        checks
            .as_array()
            .expect("a list")
            .iter()
            .all(|check| check["ok"] == true)
    );
}
