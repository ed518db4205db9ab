//! Every mistake on the way is one clear message with a code, and loses nothing.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ostler_tests::guest::{DONE, tool};
use ostler_tests::host::Host;

/// Runs a command that must fail, in JSON and as text, and gives the code.
fn fails(host: &Host, arguments: &[&str], exit: i32) -> String {
    let text = host.run(arguments).ended(exit);
    let json = host
        .run(&[arguments, &["--format", "json"]].concat())
        .ended(exit)
        .json();
    let code = json["error"]["code"].as_str().expect("a code").to_owned();
    assert!(
        !json["error"]["message"]
            .as_str()
            .expect("a message")
            .is_empty()
    );
    assert!(text.stderr().contains(&format!("error[{code}]")), "{text}");
    assert_eq!(text.stdout(), "", "a failed command prints to stderr");
    code
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_path_that_is_not_there() {
    let host = Host::new();
    assert_eq!(fails(&host, &["scan", "/no/such/file.wasm"], 2), "io");
    assert_eq!(
        fails(&host, &["publish", "/no/such/folder"], 2),
        "not-a-package"
    );
}

#[test]
fn a_broken_manifest_says_where() {
    let host = Host::new();
    let package = host.package("broken", "1.0.0", &tool("", DONE, ""), "licence = \"MIT\"");
    assert_eq!(
        fails(&host, &["publish", &path(&package)], 1),
        "manifest-invalid"
    );
    let text = host.run(&["publish", &path(&package)]).stderr();
    assert!(text.contains("ostler.toml:6:1"), "{text}");
    assert!(text.contains("did you mean `license`?"), "{text}");
}

#[test]
fn something_that_is_no_component() {
    let host = Host::new();
    let file = host.outside().join("script.wasm");
    fs::write(&file, "#!/bin/sh\n").expect("a file");
    let scan = host
        .run(&["scan", &path(&file), "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(scan["diagnostics"][0]["code"], "not-a-component");
    assert_eq!(scan["diagnostics"][0]["file"], path(&file));

    let package = host.package("fake", "1.0.0", b"#!/bin/sh\n", "");
    assert_eq!(
        fails(&host, &["publish", &path(&package)], 1),
        "publish-refused"
    );
    assert_eq!(fails(&host, &["show", "fake"], 2), "package-unknown");
}

#[test]
fn text_that_does_not_parse_has_a_line_and_a_column() {
    let host = Host::new();
    let file = host.outside().join("broken.wat");
    fs::write(&file, "(component\n  (import oops))\n").expect("a file");
    let scan = host
        .run(&["scan", &path(&file), "--format", "json"])
        .ended(1)
        .json();
    let finding = &scan["diagnostics"][0];
    assert_eq!(finding["code"], "syntax-error");
    assert_eq!(
        (finding["line"].as_u64(), finding["column"].as_u64()),
        (Some(2), Some(11))
    );
}

#[test]
fn a_manifest_that_claims_other_capabilities_than_the_component_has() {
    let host = Host::new();
    let empty = ostler_tests::guest::component("imports", "(module)");
    let package = host.package("claims", "1.0.0", &empty, "");
    let refused = host
        .run(&["publish", &path(&package), "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(refused["diagnostics"][0]["code"], "capability-mismatch");
}

#[test]
fn egress_that_is_no_host() {
    let host = Host::new();
    let package = host.package(
        "greedy",
        "1.0.0",
        &tool("", DONE, ""),
        "egress = [\"*\", \"*.com\"]",
    );
    let refused = host
        .run(&["publish", &path(&package), "--format", "json"])
        .ended(1)
        .json();
    let codes: Vec<_> = refused["diagnostics"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| finding["code"].as_str().expect("a code"))
        .collect();
    assert_eq!(codes, ["egress-invalid", "egress-invalid"]);
}

#[test]
fn a_second_publish_of_a_version_changes_nothing() {
    let host = Host::new();
    let package = host.package("once", "1.0.0", &tool("", DONE, ""), "");
    host.run(&["publish", &path(&package)]).ended(0);
    let before = host
        .run(&["show", "once", "--format", "json"])
        .ended(0)
        .json();
    assert_eq!(
        fails(&host, &["publish", &path(&package)], 1),
        "version-exists"
    );

    // Other bytes under the same version are refused as well.
    let other = tool("", "unreachable", "");
    fs::write(package.join("plugin.wasm"), other).expect("a file");
    let message = host.run(&["publish", &path(&package)]).ended(1).stderr();
    assert!(message.contains("with other contents"), "{message}");
    assert_eq!(
        host.run(&["show", "once", "--format", "json"])
            .ended(0)
            .json(),
        before
    );
}

#[test]
fn a_damaged_component_is_refused_and_doctor_names_it() {
    let host = Host::new();
    let package = host.package("frail", "1.0.0", &tool("", DONE, ""), "");
    let digest = host
        .run(&["publish", &path(&package), "--format", "json"])
        .ended(0)
        .json();
    let access = digest["access_digest"]
        .as_str()
        .expect("a digest")
        .to_owned();
    host.run(&["install", "frail", "--access-digest", &access])
        .ended(0);
    host.run(&["call", "frail", "run"]).ended(0);

    let blob = fs::read_dir(host.home().join("blobs"))
        .expect("blobs")
        .next()
        .expect("one blob")
        .expect("readable")
        .path();
    let good = fs::read(&blob).expect("the component");
    let mut bad = good.clone();
    *bad.last_mut().expect("not empty") ^= 1;
    fs::write(&blob, bad).expect("a file");
    assert_eq!(fails(&host, &["call", "frail", "run"], 1), "blob-corrupt");
    let checks = host.run(&["doctor", "--format", "json"]).ended(1).json();
    let broken = checks
        .as_array()
        .expect("checks")
        .iter()
        .find(|check| check["ok"] == false);
    assert_eq!(broken.expect("a broken check")["code"], "blob-corrupt");

    fs::write(&blob, good).expect("a file");
    host.run(&["call", "frail", "run"]).ended(0);
}

#[test]
fn a_damaged_cache_is_one_line_in_the_log_and_nothing_else() {
    let host = Host::new();
    let package = host.package("cached", "1.0.0", &tool("", DONE, ""), "");
    let published = host
        .run(&["publish", &path(&package), "--format", "json"])
        .ended(0)
        .json();
    let access = published["access_digest"]
        .as_str()
        .expect("a digest")
        .to_owned();
    host.run(&["install", "cached", "--access-digest", &access])
        .ended(0);
    let engine = fs::read_dir(host.home().join("cache"))
        .expect("a cache")
        .next()
        .expect("one engine")
        .expect("readable")
        .path();
    for entry in fs::read_dir(engine).expect("entries") {
        let entry = entry.expect("readable").path();
        if entry
            .extension()
            .is_some_and(|extension| extension == "cwasm")
        {
            fs::write(entry, "junk").expect("a file");
        }
    }
    let called = host.run(&["call", "cached", "run"]).ended(0);
    assert_eq!(called.stdout(), "done\n");
    assert_eq!(
        called.stderr().matches("compiling again").count(),
        1,
        "{called}"
    );
    assert_eq!(host.run(&["call", "cached", "run"]).ended(0).stderr(), "");
}

#[test]
fn a_home_that_cannot_be_used() {
    let host = Host::new();
    fs::write(host.home(), "a file").expect("a file");
    assert_eq!(fails(&host, &["browse"], 2), "home-not-a-folder");
    fs::remove_file(host.home()).expect("removed");
    fs::create_dir(host.home()).expect("a folder");
    fs::set_permissions(host.home(), fs::Permissions::from_mode(0o777)).expect("permissions");
    assert_eq!(fails(&host, &["browse"], 2), "home-exposed");
    let checks = host.run(&["doctor", "--format", "json"]).ended(1).json();
    assert!(
        checks
            .as_array()
            .expect("checks")
            .iter()
            .any(|c| c["code"] == "home-exposed")
    );
}

#[test]
fn a_database_that_is_none_is_refused_and_left_as_it_is() {
    let host = Host::new();
    host.run(&["browse"]).ended(0);
    let database = host.home().join("ostler.db");
    for leftover in ["ostler.db-wal", "ostler.db-shm"] {
        let _ = fs::remove_file(host.home().join(leftover));
    }
    fs::write(&database, "not a database, but the operator's own bytes").expect("a file");
    assert_eq!(fails(&host, &["browse"], 2), "store-corrupt");
    let kept = fs::read_to_string(&database).expect("the file");
    assert_eq!(kept, "not a database, but the operator's own bytes");
}

#[test]
fn a_signing_key_that_others_can_read_signs_nothing() {
    let host = Host::new();
    let package = host.package("keyed", "1.0.0", &tool("", DONE, ""), "");
    host.run(&["publish", &path(&package)]).ended(0);
    let key = host.home().join("keys/publisher.ed25519");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("permissions");
    let next = host.package("keyed", "1.1.0", &tool("", DONE, ""), "");
    assert_eq!(fails(&host, &["publish", &path(&next)], 2), "key-unusable");
}

#[test]
fn mistakes_on_the_command_line_are_usage() {
    let host = Host::new();
    let usage = host
        .run(&["instal", "x", "--format", "json"])
        .ended(2)
        .json();
    assert_eq!(usage["error"]["code"], "usage");
    assert_eq!(
        fails(&host, &["install", "Not A Name"], 2),
        "package-invalid"
    );
    assert_eq!(fails(&host, &["show", "a@one"], 2), "package-invalid");
    assert_eq!(fails(&host, &["show", "nobody"], 2), "package-unknown");
    assert_eq!(
        fails(
            &host,
            &["browse", "--profile", "../x", "--home", "/dev/null/x"],
            2
        ),
        "home-unreadable"
    );
    assert_eq!(fails(&host, &["call", "nobody", "run"], 2), "not-installed");
    assert_eq!(
        fails(&host, &["call", "nobody", "run", "--args", "[1]"], 2),
        "arguments-invalid"
    );
}

#[test]
fn a_profile_that_does_not_parse_keeps_its_bytes_and_the_install_waits() {
    let host = Host::new();
    let example = ostler_tests::host::workspace().join("examples/handoff");
    let published = host
        .run(&["publish", &path(&example), "--format", "json"])
        .ended(0)
        .json();
    let access = published["access_digest"]
        .as_str()
        .expect("a digest")
        .to_owned();
    let profile = host.home().join("profiles/main/profile.toml");
    fs::create_dir_all(profile.parent().expect("a folder")).expect("a folder");
    fs::write(&profile, "owner_id = \"1\n").expect("a file");
    let code = fails(
        &host,
        &["install", "handoff", "--access-digest", &access],
        2,
    );
    assert_eq!(code, "config-unreadable");
    assert_eq!(
        fs::read_to_string(&profile).expect("the file"),
        "owner_id = \"1\n"
    );

    // Nothing else stops: the plugin alone waits, and doctor says for what.
    host.run(&["browse"]).ended(0);
    assert_eq!(
        fails(&host, &["call", "handoff", "hand_off"], 2),
        "install-unfinished"
    );
    let checks = host.run(&["doctor", "--format", "json"]).ended(1).json();
    let broken: Vec<_> = checks
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["ok"] == false)
        .collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0]["code"], "config-unreadable");

    // Mended, the install that was accepted is finished by itself.
    fs::write(&profile, "owner_id = \"1\" # me\n").expect("a file");
    let checks = host.run(&["doctor"]).ended(0);
    assert!(checks.stdout().contains("registry"), "{checks}");
    let written = fs::read_to_string(&profile).expect("the file");
    assert!(written.starts_with("owner_id = \"1\" # me\n"), "{written}");
    assert!(
        written.contains("allow_origin_sessions = true"),
        "{written}"
    );
    let call = host
        .run(&["call", "handoff", "hand_off", "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(call["error"]["code"], "invalid");
}
