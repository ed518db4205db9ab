//! Secrets on the command line: sealed on disk, never printed.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use ostler_tests::host::Host;

const VALUE: &str = "a-token-that-nobody-may-see";

/// Pipes `value` into `ostler secrets set NAME`, and gives the exit code and what was printed.
fn set(host: &Host, name: &str, value: &str) -> (Option<i32>, String) {
    let mut child = host
        .command(&["secrets", "set", name])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child");
    let mut stdin = child.stdin.take().expect("its stdin");
    // It may end before it has read everything.
    let _ = stdin.write_all(value.as_bytes());
    drop(stdin);
    let ended = child.wait_with_output().expect("its output");
    let printed = [ended.stdout, ended.stderr].concat();
    (
        ended.status.code(),
        String::from_utf8_lossy(&printed).into_owned(),
    )
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn a_secret_is_listed_by_name_and_its_value_stands_in_no_file() {
    let host = Host::new();
    let (code, printed) = set(&host, "DISCORD_TOKEN", &format!("{VALUE}\n"));
    assert_eq!(code, Some(0), "{printed}");
    assert!(!printed.contains(VALUE), "{printed}");
    let listed = host.run(&["secrets", "list", "--format", "json"]).ended(0);
    assert_eq!(listed.json()[0]["name"], "DISCORD_TOKEN");
    assert!(!listed.stdout().contains(VALUE));

    let mut found = Vec::new();
    files(&host.home(), &mut found);
    assert!(
        found.iter().any(|file| file.ends_with("ostler.db")),
        "{found:?}"
    );
    for file in &found {
        let bytes = fs::read(file).expect("a file");
        let is_there = bytes
            .windows(VALUE.len())
            .any(|part| part == VALUE.as_bytes());
        assert!(!is_there, "{}", file.display());
    }
    let key = host.home().join("keys/secrets.key");
    let mode = fs::metadata(&key).expect("the key").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);

    host.run(&["secrets", "remove", "DISCORD_TOKEN"]).ended(3);
    host.run(&["secrets", "remove", "DISCORD_TOKEN", "--yes"])
        .ended(0);
    host.run(&["secrets", "remove", "DISCORD_TOKEN", "--yes"])
        .ended(2);
    assert_eq!(
        host.run(&["secrets", "list", "--format", "json"])
            .ended(0)
            .json(),
        serde_json::json!([])
    );
}

#[test]
fn what_cannot_be_a_secret_is_refused_without_being_repeated() {
    let host = Host::new();
    for (name, value, code) in [
        ("TOKEN", String::new(), "secret-value-invalid"),
        ("TOKEN", "\n".to_owned(), "secret-value-invalid"),
        ("TOKEN", "\0".to_owned() + VALUE, "secret-value-invalid"),
        ("TOKEN", VALUE.repeat(400), "secret-value-invalid"),
        ("token", VALUE.to_owned(), "secret-name-invalid"),
    ] {
        let (exit, printed) = set(&host, name, &value);
        assert_eq!(exit, Some(2), "{printed}");
        assert!(printed.contains(&format!("error[{code}]")), "{printed}");
        assert!(!printed.contains(VALUE), "{printed}");
    }
    let key = host.home().join("keys/secrets.key");
    set(&host, "TOKEN", VALUE);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("a mode");
    let (exit, printed) = set(&host, "TOKEN", VALUE);
    assert_eq!(exit, Some(2), "{printed}");
    assert!(printed.contains("error[secrets-key-exposed]"), "{printed}");
}
