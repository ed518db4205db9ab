//! Killed at any point, the registry and the installs are whole.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::process::Child;
use std::time::{Duration, Instant};

use ostler_tests::guest::{DONE, tool};
use ostler_tests::host::{Host, workspace};

/// How many times each command is killed. Delays are spread over the time that it takes.
const KILLS: u32 = 12;

/// How long a command takes when nobody kills it.
fn duration(run: impl FnOnce()) -> Duration {
    let started = Instant::now();
    run();
    started.elapsed()
}

/// Kills a child after a while; whether it had ended by itself.
fn kill_after(mut child: Child, delay: Duration) -> bool {
    let deadline = Instant::now() + delay;
    while Instant::now() < deadline {
        if child.try_wait().expect("a child").is_some() {
            return true;
        }
        std::thread::yield_now();
    }
    child.kill().expect("the child is ours");
    child.wait().expect("the child is ours");
    false
}

#[test]
fn a_killed_publish_leaves_the_version_whole_or_not_there() {
    let host = Host::new();
    let component = tool("", DONE, "");
    let first = host.package("first", "1.0.0", &component, "");
    let whole = duration(|| {
        host.run(&["publish", &first.display().to_string()])
            .ended(0);
    });
    for kill in 0..KILLS {
        let version = format!("1.{kill}.0");
        let package = host
            .package("victim", &version, &component, "")
            .display()
            .to_string();
        let ended = kill_after(host.start(&["publish", &package]), whole * kill / KILLS);
        host.run(&["doctor"]).ended(0);
        let show = host.run(&["show", &format!("victim@{version}")]);
        match show.code() {
            0 => {
                host.run(&["publish", &package]).ended(1);
            }
            2 => {
                assert!(!ended, "a publish that ended is there");
                host.run(&["publish", &package]).ended(0);
            }
            _ => panic!("{show}"),
        }
        host.run(&["show", &format!("victim@{version}")]).ended(0);
    }
}

#[test]
fn a_killed_install_or_uninstall_is_done_or_not_begun() {
    let host = Host::new();
    let handoff = workspace().join("examples/handoff").display().to_string();
    let published = host
        .run(&["publish", &handoff, "--format", "json"])
        .ended(0)
        .json();
    let access = published["access_digest"]
        .as_str()
        .expect("a digest")
        .to_owned();
    let install = ["install", "handoff", "--access-digest", &access];
    let uninstall = ["uninstall", "handoff", "--yes"];
    let whole = duration(|| {
        host.run(&install).ended(0);
    });
    let profile = host.home().join("profiles/main/profile.toml");
    let keys_are_written = || {
        let text = std::fs::read_to_string(&profile).unwrap_or_default();
        let keys = [
            "allow_gateway_injection = true",
            "allow_origin_sessions = true",
        ];
        let found = keys.iter().filter(|key| text.contains(**key)).count();
        assert!(found == 0 || found == 2, "half of the keys: {text}");
        found == 2
    };
    let is_installed = || {
        let shown = host
            .run(&["show", "handoff", "--format", "json"])
            .ended(0)
            .json();
        !shown["installed"].is_null()
    };
    for kill in 0..KILLS {
        let command = if is_installed() {
            &uninstall[..]
        } else {
            &install[..]
        };
        kill_after(host.start(command), whole * kill / KILLS);
        // The next start finishes what was begun; then file and database say the same.
        host.run(&["doctor"]).ended(0);
        assert_eq!(is_installed(), keys_are_written());
    }
}
