//! Several processes on one file, and one that is killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use ostler_store::Store;
use rusqlite::Connection;

mod fixtures;
use fixtures::{Folder, handoff_in_main, package, profile};

const DATABASE: &str = "OSTLER_TEST_DATABASE";
const NAME: &str = "OSTLER_TEST_NAME";
const THREADS: usize = 8;

/// Starts this test binary again as another process that writes (`the_writing_process`).
fn writing_process(database: &Path, name: &str) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_writing_process", "--ignored", "--nocapture"])
        .env(DATABASE, database)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

/// The key that an output line says was answered. A line without its end was not finished.
fn answered(line: &str) -> Option<&str> {
    line.strip_suffix('\n')?.strip_prefix("answered ")
}

#[test]
#[ignore = "not a test: the process that the tests of this file start"]
fn the_writing_process() {
    let (Ok(database), Ok(name)) = (std::env::var(DATABASE), std::env::var(NAME)) else {
        return;
    };
    let store = Store::open(database.as_ref()).unwrap();
    let (main, handoff) = (profile("main"), package("handoff"));
    println!();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, main, handoff, name) = (&store, &main, &handoff, &name);
            scope.spawn(move || {
                for n in 0..15 {
                    let key = format!("{name}-{thread}-{n}");
                    store.settings_set(main, handoff, &key, "v").unwrap();
                    let line = format!("answered {key}\n");
                    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}

#[test]
fn a_killed_process_loses_no_answered_write() {
    // SplitMix64: any spread of moments does.
    let mut seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = move |below: u64| {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    };

    let mut killed_while_writing = 0;
    for round in 0..25 {
        let folder = Folder::new();
        handoff_in_main(&folder.open());
        let (mut child, mut output) = writing_process(&folder.database(), "child");

        let mut promised = Vec::new();
        let mut line = String::new();
        let enough = random(100);
        while u64::try_from(promised.len()).unwrap() < enough {
            line.clear();
            assert_ne!(
                output.read_line(&mut line).unwrap(),
                0,
                "the child ended by itself"
            );
            promised.extend(answered(&line).map(str::to_owned));
        }
        // Some way into whatever it does now: an answer, a page, a sync.
        for _ in 0..random(200_000) {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        loop {
            line.clear();
            if output.read_line(&mut line).unwrap() == 0 {
                break;
            }
            promised.extend(answered(&line).map(str::to_owned));
        }
        killed_while_writing += usize::from(promised.len() < THREADS * 15);

        let store = folder.open();
        assert_eq!(
            store.integrity().unwrap(),
            Vec::<String>::new(),
            "round {round}"
        );
        let kept = store.settings_list(&profile("main"), &package("handoff"), "", None, 1_000);
        let kept = kept.unwrap().keys;
        for key in &promised {
            assert!(
                kept.contains(key),
                "round {round}: {key} was answered and is lost"
            );
        }
    }
    assert!(
        killed_while_writing > 0,
        "no child was killed before it had finished"
    );
}

#[test]
fn two_processes_write_the_same_file_and_both_are_kept() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let (mut child, output) = writing_process(&folder.database(), "child");
    for n in 0..100 {
        store
            .settings_set(&main, &handoff, &format!("parent-{n}"), "v")
            .unwrap();
    }
    let promised: Vec<_> = output
        .lines()
        .map(|line| format!("{}\n", line.unwrap()))
        .collect();
    assert!(child.wait().unwrap().success());
    assert_eq!(
        promised.iter().filter_map(|line| answered(line)).count(),
        THREADS * 15
    );
    let count = |prefix| {
        store
            .settings_list(&main, &handoff, prefix, None, 1_000)
            .unwrap()
            .keys
            .len()
    };
    assert_eq!(count("parent-"), 100);
    assert_eq!(count("child-"), THREADS * 15);
}

#[test]
fn many_stores_may_open_a_new_file_at_once() {
    for _ in 0..10 {
        let folder = Folder::new();
        let versions: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| folder.open().schema_version()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap().unwrap())
                .collect()
        });
        assert_eq!(versions, [3; 8]);
    }
}

#[test]
fn two_stores_on_one_file_see_each_others_writes() {
    let folder = Folder::new();
    let (one, two) = (folder.open(), folder.open());
    let (main, handoff) = handoff_in_main(&one);
    std::thread::scope(|scope| {
        for (store, name) in [(&one, "one"), (&two, "two")] {
            let (main, handoff) = (&main, &handoff);
            scope.spawn(move || {
                for n in 0..50 {
                    store
                        .settings_set(main, handoff, &format!("{name}-{n}"), "v")
                        .unwrap();
                }
            });
        }
    });
    for store in [&one, &two] {
        assert_eq!(
            store
                .settings_list(&main, &handoff, "", None, 1_000)
                .unwrap()
                .keys
                .len(),
            100
        );
    }
}

#[test]
fn a_lock_that_another_process_keeps_is_busy_and_nothing_was_written() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let lock = Connection::open(folder.database()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();

    let error = store.settings_set(&main, &handoff, "a", "1").unwrap_err();
    assert_eq!(error.code(), "store-busy");
    assert!(error.to_string().contains("nothing was written"), "{error}");
    // Reading goes on beside a writer.
    assert_eq!(store.settings_get(&main, &handoff, "a").unwrap(), None);

    lock.execute_batch("ROLLBACK").unwrap();
    store.settings_set(&main, &handoff, "a", "2").unwrap();
    assert_eq!(
        store.settings_get(&main, &handoff, "a").unwrap().as_deref(),
        Some("2")
    );
}
