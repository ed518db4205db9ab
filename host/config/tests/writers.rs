//! Editors that are killed, and editors that meet.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ostler_config::{AllowKeys, read_allow_keys, remove_allow_keys, write_allow_keys};

const FILE: &str = "OSTLER_TEST_FILE";
const NAME: &str = "OSTLER_TEST_NAME";
const ROUNDS: &str = "OSTLER_TEST_ROUNDS";

const BOTH: AllowKeys = AllowKeys {
    allow_gateway_injection: true,
    allow_origin_sessions: true,
};

/// Starts this test binary again as another process that edits (`the_editing_process`).
fn editing_process(file: &Path, name: &str, rounds: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_editing_process", "--ignored", "--nocapture"])
        .env(FILE, file)
        .env(NAME, name)
        .env(ROUNDS, rounds.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "not a test: the process that the tests of this file start"]
fn the_editing_process() {
    let Ok(file) = std::env::var(FILE) else {
        return;
    };
    let name = std::env::var(NAME).unwrap();
    let rounds: u32 = std::env::var(ROUNDS).unwrap().parse().unwrap();
    println!();
    for round in 0..rounds {
        println!("round");
        write_allow_keys(file.as_ref(), &format!("{name}-{round}"), BOTH).unwrap();
        if round % 2 == 1 {
            remove_allow_keys(file.as_ref(), &format!("{name}-{round}")).unwrap();
        }
    }
}

#[test]
fn an_editor_that_is_killed_leaves_the_old_or_the_new_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.toml");
    // Large enough that a plain write of it would be seen half done.
    let old = format!("# {}\n", "the operator's words ".repeat(5_000)).repeat(6);
    let section = |round: u32| {
        format!(
            "\n[plugins.child-{round}]\nallow_gateway_injection = true\n\
             allow_origin_sessions = true\n"
        )
    };
    // The file after each edit, in order: after round 0 its key stays, in round 1 it comes and
    // goes, and so on.
    let states: Vec<String> = (0..12)
        .flat_map(|round| {
            let kept: String = (0..round).filter(|r| r % 2 == 0).map(section).collect();
            [kept.clone(), kept + &section(round)]
        })
        .collect();

    let mut seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = move |below: u64| {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    };
    let mut killed_while_writing = 0;
    for round in 0..24 {
        fs::write(&file, &old).unwrap();
        let mut child = editing_process(&file, "child", 12);
        // Kept until the child is dead: without a reader its own words would end it.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let started = usize::try_from(random(8) + 1).unwrap();
        let seen = lines
            .by_ref()
            .map_while(Result::ok)
            .filter(|line| line == "round")
            .take(started)
            .count();
        assert_eq!(seen, started, "the child ended by itself");
        if round % 2 == 0 {
            // Until the edit shows in the folder: a file beside ours, or another size of it.
            let length = |path: &Path| fs::metadata(path).map(|file| file.len()).ok();
            let (before, size) = (names(folder.path()), length(&file));
            while names(folder.path()) == before
                && length(&file) == size
                && child.try_wait().unwrap().is_none()
            {
                std::hint::spin_loop();
            }
        } else {
            // Some way into the edit that it announced.
            for _ in 0..random(3_000_000) {
                std::hint::spin_loop();
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let text = fs::read_to_string(&file).unwrap();
        let rest = text.strip_prefix(&old);
        let rest = rest.unwrap_or_else(|| panic!("round {round}: the operator's words are gone"));
        assert!(
            states.iter().any(|state| state == rest),
            "round {round}: half a file:\n{rest}"
        );
        for name in names(folder.path()) {
            if name != "profile.toml" && name != "profile.toml.lock" {
                killed_while_writing += 1;
                fs::remove_file(folder.path().join(name)).unwrap();
            }
        }
        // The killed one's lock does not keep the next from editing.
        write_allow_keys(&file, "next", BOTH).unwrap();
        assert_eq!(read_allow_keys(&file, "next").unwrap(), BOTH);
    }
    // Each left its unfinished file.
    println!("{killed_while_writing} of 24 were killed while they wrote");
    assert!(
        killed_while_writing > 0,
        "no child was killed while it wrote"
    );
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn editors_that_meet_do_not_lose_each_others_keys() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.toml");
    let words = "# the operator's words\n";
    fs::write(&file, words).unwrap();
    let children = ["one", "two"].map(|name| editing_process(&file, name, 40));
    std::thread::scope(|scope| {
        for thread in ["three", "four"] {
            let file = &file;
            scope.spawn(move || {
                for round in 0..40 {
                    write_allow_keys(file, &format!("{thread}-{round}"), BOTH).unwrap();
                    if round % 2 == 1 {
                        remove_allow_keys(file, &format!("{thread}-{round}")).unwrap();
                    }
                }
            });
        }
    });
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    for name in ["one", "two", "three", "four"] {
        for round in 0..40 {
            let keys = read_allow_keys(&file, &format!("{name}-{round}")).unwrap();
            let expected = if round % 2 == 0 {
                BOTH
            } else {
                AllowKeys::default()
            };
            assert_eq!(keys, expected, "{name}-{round}");
        }
    }
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(words));
    assert_eq!(text.matches("[plugins.").count(), 4 * 20);
}
