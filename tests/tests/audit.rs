//! The audit log on the command line and by the API, and what stands in it: grants, yolo, answers.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod elsewhere_support;

use elsewhere_support::Scene;
use ostler_tests::host::Host;
use serde_json::{Value, json};

fn code(body: &Value) -> &str {
    body["error"]["code"].as_str().unwrap_or_default()
}

fn json_of(host: &Host, arguments: &[&str], exit: i32) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    host.run(&arguments).ended(exit).json()
}

fn kinds(entries: &Value) -> Vec<&str> {
    entries["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| entry["kind"].as_str().expect("a kind"))
        .collect()
}

#[test]
fn a_grant_says_what_it_means_and_is_on_record() {
    let host = Host::new();
    let added = host
        .run(&["allow", "add", "--command", "cargo test"])
        .ended(0)
        .stdout();
    for part in [
        "added",
        "Exactly this command runs unasked, in every session of the profile main",
        "cargo test",
        "no turn that a plugin or a peer caused",
        "ostler allow remove",
    ] {
        assert!(added.contains(part), "{part}: {added}");
    }
    let again = json_of(&host, &["allow", "add", "--command", " cargo test "], 0);
    assert_eq!(again["added"], false, "it stands already");
    let session = "agent:main:discord:direct:123";
    let shape = [
        "allow",
        "add",
        "--shape",
        "git show <name>",
        "--session",
        session,
    ];
    let shaped = json_of(&host, &shape, 0);
    assert_eq!(shaped["added"], true);
    assert_eq!(shaped["grant"]["session"], session);
    let ruled = json_of(&host, &["allow", "add", "--rule", "guardrail/prod"], 0);
    let note = ruled["notes"][0].as_str().expect("a note");
    assert!(note.contains("No plugin guardrail is installed"), "{note}");

    let listed = json_of(&host, &["allow", "list"], 0);
    let listed = listed["grants"].as_array().expect("grants");
    let texts: Vec<&Value> = listed.iter().map(|grant| &grant["text"]).collect();
    assert_eq!(texts, ["cargo test", "git show <name>", "guardrail/prod"]);
    let id = shaped["grant"]["id"].as_str().expect("an id");
    host.run(&["allow", "remove", id]).ended(0);
    let gone = json_of(&host, &["allow", "remove", id], 2);
    assert_eq!(code(&gone), "grant-unknown");
    assert!(
        !host
            .run(&["allow", "list"])
            .ended(0)
            .stdout()
            .contains("git show")
    );

    let log = json_of(&host, &["audit"], 0);
    assert_eq!(
        kinds(&log),
        ["grant-added", "grant-added", "grant-added", "grant-removed"]
    );
    let last = &log["entries"][3];
    assert_eq!(last["actor"], "local:cli");
    assert_eq!(last["subject"], id);
    assert_eq!(
        last["detail"],
        json!({"kind": "shape", "text": "git show <name>", "session": session})
    );
}

#[test]
fn floors_and_shapes_that_allow_anything_are_no_grants() {
    let host = Host::new();
    let folder = host.home().join("profiles/main");
    std::fs::create_dir_all(&folder).expect("a folder");
    let profile = "[approvals]\ndeny = [\"*deploy*\"]\n";
    std::fs::write(folder.join("profile.toml"), profile).expect("a profile");
    for (kind, text, exit, expected) in [
        ("--command", "rm -rf /", 1, "floor"),
        ("--command", "sudo sh -c 'mkfs.ext4 /dev/sda1'", 1, "floor"),
        ("--command", "./deploy production", 1, "floor"),
        ("--shape", "deploy <name>", 1, "floor"),
        ("--shape", "sh -c <name>", 2, "shape-runs-words"),
        ("--shape", "<name> test", 2, "shape-runs-words"),
        ("--shape", "cargo test | tee <name>", 2, "shape-not-plain"),
        ("--shape", "cargo test <>", 2, "shape-hole"),
        ("--command", " ", 2, "grant-invalid"),
        ("--rule", "nobody", 2, "grant-invalid"),
    ] {
        let refused = json_of(&host, &["allow", "add", kind, text], exit);
        assert_eq!(code(&refused), expected, "{text}: {refused}");
    }
    let other = ["--session", "agent:other:discord:direct:123"];
    let refused = [&["allow", "add", "--command", "ls"], &other[..]].concat();
    assert_eq!(code(&json_of(&host, &refused, 2)), "other-profile");
    host.run(&["allow", "add"]).ended(2);
    host.run(&["allow", "add", "--command", "a", "--shape", "b"])
        .ended(2);
    assert_eq!(json_of(&host, &["allow", "list"], 0), json!({"grants": []}));
    assert!(kinds(&json_of(&host, &["audit"], 0)).is_empty());
    // What could do harm is granted where the operator says so, and they are told.
    let harm = json_of(
        &host,
        &["allow", "add", "--command", "sudo rm -rf ./build"],
        0,
    );
    let notes = harm["notes"].to_string();
    assert!(notes.contains("only the owner could allow it"), "{notes}");
    let known = json_of(&host, &["allow", "add", "--command", "ls"], 0);
    assert!(
        known["notes"].to_string().contains("unasked already"),
        "{known}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn yolo_is_for_a_session_that_is_there_loud_and_on_record() {
    let scene = Scene::new().await;
    scene.discord.ask("operator", &scene.general, "hello").await;
    scene.discord.wait_for_answers(&scene.general, 1).await;
    let session = scene.served.session()["key"]
        .as_str()
        .expect("a key")
        .to_owned();
    let on = scene.run(&["sessions", "yolo", &session, "on"]).ended(0);
    assert!(on.stderr().contains("WARNING"), "{on}");
    assert!(on.stdout().contains("nobody is asked"), "{on}");
    let off = scene.run(&["sessions", "yolo", &session, "off"]).ended(0);
    assert!(!off.stderr().contains("WARNING"), "{off}");
    assert_eq!(scene.audit(&session), ["yolo-on", "yolo-off"]);
    scene.run(&["sessions", "yolo", &session, "maybe"]).ended(2);
    let missing = session.replace(&scene.general, "1");
    for (key, expected) in [
        (missing.as_str(), "session-unknown"),
        ("x", "invalid-session-key"),
    ] {
        let refused = scene
            .run(&["sessions", "yolo", key, "on", "--format", "json"])
            .ended(2)
            .json();
        assert_eq!(code(&refused), expected);
    }
}

/// A home with some entries: their number is even.
fn recorded() -> Host {
    let host = Host::new();
    for number in 0..4 {
        let command = format!("echo {number} > file");
        let added = json_of(&host, &["allow", "add", "--command", &command], 0);
        let id = added["grant"]["id"].as_str().expect("an id");
        host.run(&["allow", "remove", id]).ended(0);
    }
    host
}

#[test]
fn the_newest_entries_are_shown_or_those_after_a_place() {
    let host = recorded();
    let seqs = |arguments: &[&str]| -> Vec<u64> {
        let shown = json_of(&host, &[&["audit"], arguments].concat(), 0);
        shown["entries"]
            .as_array()
            .expect("entries")
            .iter()
            .map(|entry| entry["seq"].as_u64().expect("a place"))
            .collect()
    };
    assert_eq!(seqs(&[]), (1..=8).collect::<Vec<_>>());
    assert_eq!(seqs(&["--limit", "3"]), [6, 7, 8]);
    assert_eq!(seqs(&["--limit", "3", "--after", "2"]), [3, 4, 5]);
    assert_eq!(seqs(&["--after", "8"]), Vec::<u64>::new());
    assert_eq!(seqs(&["--profile", "main", "--limit", "1"]), [8]);
    assert_eq!(seqs(&["--profile", "other"]), Vec::<u64>::new());
    let text = host.run(&["audit", "--limit", "1"]).ended(0).stdout();
    for part in ["8", "grant-removed", "local:cli", "echo 3"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    host.run(&["audit", "--after", "1", "--verify"]).ended(2);
    host.run(&["audit", "--head", "x"]).ended(2);
}

/// Changes the log as somebody can who may write the file.
fn tamper(host: &Host, statements: &str) {
    let database = host.home().join("ostler.db");
    let connection = rusqlite::Connection::open(database).expect("the database");
    let names: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'")
        .expect("a query")
        .query_map([], |row| row.get(0))
        .expect("triggers")
        .collect::<Result<_, _>>()
        .expect("names");
    assert!(!names.is_empty(), "the log guards itself");
    for name in names {
        connection
            .execute_batch(&format!("DROP TRIGGER {name}"))
            .expect("dropped");
    }
    connection.execute_batch(statements).expect("tampered");
}

#[test]
fn a_chain_that_holds_names_its_head_and_finds_an_older_one() {
    let host = recorded();
    let verified = json_of(&host, &["audit", "--verify"], 0);
    assert_eq!(verified["whole"], true);
    assert_eq!(verified["entries"], 8);
    let head = verified["head"].as_str().expect("a head").to_owned();
    let text = host.run(&["audit", "--verify"]).ended(0).stdout();
    assert!(text.contains(&head), "{text}");
    assert!(text.contains("Note the head elsewhere"), "{text}");
    host.run(&["allow", "add", "--command", "echo > file"])
        .ended(0);
    for given in [head.as_str(), &head[7..], &head[7..].to_uppercase()] {
        let noted = json_of(&host, &["audit", "--verify", "--head", given], 0);
        assert_eq!(noted["noted"]["seq"], 8, "{given}");
        assert_eq!(noted["entries"], 9);
    }
    let checks = json_of(&host, &["doctor"], 0);
    let checks = checks.as_array().expect("checks");
    let audit = checks.iter().find(|check| check["name"] == "audit");
    assert_eq!(audit.expect("a check")["ok"], true);
    let mistyped = json_of(&host, &["audit", "--verify", "--head", &head[..70]], 2);
    assert_eq!(code(&mistyped), "audit-head-invalid");
}

#[test]
fn a_chain_that_was_changed_is_broken_where_it_was_changed() {
    for (statements, broken_at) in [
        ("UPDATE audit SET actor = 'host' WHERE seq = 3", 3),
        ("UPDATE audit SET detail = '{}' WHERE seq = 8", 8),
        ("DELETE FROM audit WHERE seq = 5", 5),
        ("UPDATE audit SET at = at + 1 WHERE seq = 1", 1),
    ] {
        let host = recorded();
        tamper(&host, statements);
        let broken = json_of(&host, &["audit", "--verify"], 1);
        assert_eq!(broken["whole"], false, "{statements}");
        assert_eq!(broken["broken_at"], broken_at, "{statements}: {broken}");
        let text = host.run(&["audit", "--verify"]).ended(1).stdout();
        assert!(text.contains("error[audit-broken]"), "{text}");
        let checks = json_of(&host, &["doctor"], 1);
        let checks = checks.as_array().expect("checks");
        let audit = checks.iter().find(|check| check["name"] == "audit");
        assert_eq!(audit.expect("a check")["code"], "audit-broken");
    }
}

#[test]
fn a_tail_that_was_cut_off_shows_only_against_a_noted_head() {
    let host = recorded();
    let verified = json_of(&host, &["audit", "--verify"], 0);
    let head = verified["head"].as_str().expect("a head").to_owned();
    tamper(&host, "DELETE FROM audit WHERE seq > 6");
    let whole = json_of(&host, &["audit", "--verify"], 0);
    assert_eq!(whole["entries"], 6, "by itself it holds");
    let noted = json_of(&host, &["audit", "--verify", "--head", &head], 1);
    assert_eq!(noted["whole"], true);
    assert_eq!(noted["noted"]["seq"], Value::Null);
    let text = host
        .run(&["audit", "--verify", "--head", &head])
        .ended(1)
        .stdout();
    assert!(text.contains("error[audit-head-unknown]"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_gives_the_same_entries_as_the_command_line() {
    let scene = Scene::new().await;
    let api = scene.api();
    let card = scene.asked("mark one").await;
    scene.discord.press("guest", &card, "Approve once").await;
    scene
        .discord
        .wait_for_private("guest", &scene.general, 1)
        .await;
    scene.run(&["approvals", "deny", &card.ask()]).ended(0);
    scene.discord.wait_for_end_of(&card).await;
    assert_eq!(
        scene.audit(&card.ask()),
        ["asked", "press-refused", "denied"]
    );
    let (status, newest) = api.get("audit?limit=2").await;
    assert_eq!(status, 200);
    assert_eq!(newest, scene.json(&["audit", "--limit", "2"]));
    let (_, first) = api.get("audit?after=0&limit=1").await;
    assert_eq!(kinds(&first), ["asked"]);
    let (_, of_profile) = api.get("audit?profile=main").await;
    assert_eq!(of_profile, scene.json(&["audit", "--profile", "main"]));
    let (status, body) = api.get("audit?profile=other").await;
    assert_eq!((status, code(&body)), (404, "profile-unknown"));
}

#[test]
fn doctor_tells_of_the_confinement_and_of_grants_that_cannot_be_read() {
    let host = Host::new();
    let find = |checks: &Value, name: &str| -> Value {
        let checks = checks.as_array().expect("checks");
        let found = checks.iter().find(|check| check["name"] == name);
        found.expect("a check").clone()
    };
    let checks = json_of(&host, &["doctor"], 0);
    let confinement = find(&checks, "confinement");
    let message = confinement["message"].as_str().expect("a message");
    assert_eq!(confinement["ok"], true, "{message}");
    // One or the other, depending on the machine.
    let is_confined = message.contains("commands run in a box of");
    let is_told = message.contains("only the owner may run one");
    assert!(is_confined != is_told, "{message}");
    assert_eq!(confinement["code"].is_null(), is_confined);
    assert_eq!(find(&checks, "grants")["message"], "0 of this profile");
    host.run(&["allow", "add", "--command", "cargo test"])
        .ended(0);
    let file = host.home().join("profiles/main/allow.toml");
    let good = std::fs::read_to_string(&file).expect("grants");
    for (broken, expected) in [
        (format!("{good}\nbroken = ["), "config-unreadable"),
        (
            good.replace("command", "shape")
                .replace("cargo test", "<x> y"),
            "shape-runs-words",
        ),
    ] {
        std::fs::write(&file, broken).expect("written");
        let checks = json_of(&host, &["doctor"], 1);
        assert_eq!(find(&checks, "grants")["code"], expected);
    }
}
