//! Editors of grants that are killed, and editors that meet.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ostler_config::{GrantKind, add_grant, read_grants, remove_grant};

const FILE: &str = "OSTLER_TEST_FILE";
const NAME: &str = "OSTLER_TEST_NAME";
const ROUNDS: &str = "OSTLER_TEST_ROUNDS";

/// Adds the grants `NAME 0`, `NAME 1` and so on, and takes every second one away again.
fn edit(file: &Path, name: &str, rounds: usize, mut tell: impl FnMut(&str)) {
    for round in 0..rounds {
        tell("round");
        let text = format!("{name} {round}");
        let grant = add_grant(file, GrantKind::Command, &text, None, "local:cli", 1).unwrap();
        if round % 2 == 1 {
            assert_eq!(remove_grant(file, &grant.id).unwrap(), Some(grant));
        }
        tell("done");
    }
}

/// Starts this test binary again as another process that edits (`the_editing_process`).
fn editing_process(file: &Path, name: &str, rounds: usize) -> Child {
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
    let rounds = std::env::var(ROUNDS).unwrap().parse().unwrap();
    println!();
    edit(file.as_ref(), &name, rounds, |word| println!("{word}"));
}

fn names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn an_editor_that_is_killed_leaves_the_old_or_the_new_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("allow.toml");
    // Large enough that a plain write of it would be seen half done.
    let words = format!("# {}\n", "the operator's words ".repeat(5_000)).repeat(6);
    let kept = |rounds: usize| (0..rounds).filter(|round| round % 2 == 0);
    let mut killed_while_writing = 0;
    for round in 0..16 {
        fs::write(&file, &words).unwrap();
        let mut child = editing_process(&file, "child", 12);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut told = lines.by_ref().map_while(Result::ok);
        let wanted = round % 8 + 1;
        let started = told.by_ref().filter(|line| line == "round").take(wanted);
        assert_eq!(started.count(), wanted, "the child ended by itself");
        // Until an unfinished file stands beside ours.
        let before = names(folder.path());
        while names(folder.path()) == before && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let done = wanted - 1 + told.filter(|line| line == "done").count();

        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.starts_with(&words),
            "round {round}: the operator's words are gone"
        );
        let found: Vec<_> = read_grants(&file).unwrap();
        let found: Vec<_> = found.iter().map(|grant| grant.text.as_str()).collect();
        // All that it was done with, and perhaps the one that it was about.
        let with = |last: Option<usize>| -> Vec<String> {
            kept(done)
                .chain(last)
                .map(|round| format!("child {round}"))
                .collect()
        };
        assert!(
            found == with(None) || found == with(Some(done)),
            "round {round}: {done} were done: {found:?}"
        );
        for name in names(folder.path()) {
            if name != "allow.toml" && name != "allow.toml.lock" {
                killed_while_writing += 1;
                fs::remove_file(folder.path().join(name)).unwrap();
            }
        }
        // The killed one's lock does not keep the next from editing.
        add_grant(&file, GrantKind::Command, "next", None, "local:cli", 1).unwrap();
        assert_eq!(read_grants(&file).unwrap().len(), found.len() + 1);
    }
    println!("{killed_while_writing} of 16 were killed while they wrote");
    assert!(
        killed_while_writing > 0,
        "no child was killed while it wrote"
    );
}

#[test]
fn editors_that_meet_lose_no_grant() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("allow.toml");
    let words = "# the operator's words\n";
    fs::write(&file, words).unwrap();
    let children = ["one", "two"].map(|name| editing_process(&file, name, 40));
    std::thread::scope(|scope| {
        for thread in ["three", "four"] {
            let file = &file;
            scope.spawn(move || edit(file, thread, 40, |_| ()));
        }
    });
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    let grants = read_grants(&file).unwrap();
    let found: BTreeSet<_> = grants.iter().map(|grant| grant.text.clone()).collect();
    let expected: BTreeSet<_> = ["one", "two", "three", "four"]
        .iter()
        .flat_map(|name| {
            (0..40)
                .step_by(2)
                .map(move |round| format!("{name} {round}"))
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(grants.len(), expected.len());
    assert!(fs::read_to_string(&file).unwrap().starts_with(words));
}

#[test]
fn the_same_grant_from_many_editors_at_once_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("allow.toml");
    let ids: BTreeSet<_> = std::thread::scope(|scope| {
        let editors: Vec<_> = (0..8)
            .map(|at| {
                let file = &file;
                scope.spawn(move || {
                    let kind = GrantKind::Command;
                    add_grant(file, kind, "make", None, "local:cli", at)
                        .unwrap()
                        .id
                })
            })
            .collect();
        editors
            .into_iter()
            .map(|editor| editor.join().unwrap())
            .collect()
    });
    assert_eq!(ids.len(), 1, "{ids:?}");
    assert_eq!(read_grants(&file).unwrap().len(), 1);
}

#[test]
fn a_reader_beside_an_editor_never_sees_half_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("allow.toml");
    let standing = add_grant(&file, GrantKind::Rule, "a/b", None, "local:cli", 1).unwrap();
    std::thread::scope(|scope| {
        let editor = scope.spawn(|| edit(&file, "editor", 60, |_| ()));
        let mut reads = 0;
        while !editor.is_finished() {
            let grants = read_grants(&file).unwrap();
            assert_eq!(grants.first(), Some(&standing));
            reads += 1;
        }
        editor.join().unwrap();
        println!("{reads} reads");
        assert!(reads > 0);
    });
}
