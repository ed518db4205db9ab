//! Which files are opened, and which are refused and left alone.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::fs;
use std::path::Path;

use ostler_store::{Store, StoreError};
use rusqlite::Connection;

mod fixtures;
use fixtures::{Folder, handoff_in_main};

/// Everything that stands in a folder, to see that nothing of it changed.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

fn refused(path: &Path) -> StoreError {
    Store::open(path).expect_err("the file must be refused")
}

#[test]
fn a_new_file_gets_the_newest_schema_and_keeps_it() {
    let folder = Folder::new();
    let version = folder.open().schema_version().unwrap();
    assert_eq!(version, 3);
    assert_eq!(folder.open().schema_version().unwrap(), version);
    assert_eq!(folder.open().integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_byte_identical() {
    let text = b"profile = \"main\"\n".repeat(400);
    let almost = b"SQLite format 2\0".repeat(300);
    let zeros = vec![0; 8192];
    for garbage in [
        &b"x"[..],
        b"SQLite",
        &text[..60],
        &text[..200],
        &text,
        &almost,
        &zeros,
    ] {
        let folder = Folder::new();
        fs::write(folder.database(), garbage).unwrap();
        let before = contents(folder.path());
        let error = refused(&folder.database());
        assert_eq!(
            error.code(),
            "store-corrupt",
            "{} bytes: {error}",
            garbage.len()
        );
        assert!(error.to_string().contains("ostler.db"), "{error}");
        assert!(
            contents(folder.path()) == before,
            "{} bytes were touched",
            garbage.len()
        );
    }
}

#[test]
fn another_programs_database_is_refused_and_left_byte_identical() {
    let folder = Folder::new();
    Connection::open(folder.database())
        .unwrap()
        .execute_batch("CREATE TABLE bookmarks (url TEXT)")
        .unwrap();
    let before = contents(folder.path());
    assert_eq!(refused(&folder.database()).code(), "store-corrupt");
    assert!(contents(folder.path()) == before);
}

#[test]
fn a_newer_schema_is_refused_and_left_byte_identical() {
    let folder = Folder::new();
    drop(folder.open());
    Connection::open(folder.database())
        .unwrap()
        .execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99")
        .unwrap();
    let before = contents(folder.path());
    let error = refused(&folder.database());
    assert_eq!(error.code(), "store-newer");
    assert!(error.to_string().contains("schema version 99"), "{error}");
    assert!(error.to_string().contains("versions up to 3"), "{error}");
    assert!(contents(folder.path()) == before);
}

#[test]
fn what_cannot_be_opened_is_unreadable_and_says_where() {
    let folder = Folder::new();
    fs::write(folder.path().join("file"), "").unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    let mut places = vec![
        folder.path().join("missing/ostler.db"),
        folder.path().join("file/ostler.db"),
        folder.path().join("folder"),
    ];
    if cfg!(target_os = "linux") {
        // A folder that is read-only even for root.
        places.push("/proc/ostler.db".into());
    }
    for place in places {
        let error = refused(&place);
        assert_eq!(error.code(), "store-unreadable", "{error}");
        assert!(
            error.to_string().contains(place.to_str().unwrap()),
            "{error}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_or_file_is_unreadable() {
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };

    let folder = Folder::new();
    set(folder.path(), 0o500);
    if fs::write(folder.path().join("probe"), "").is_ok() {
        println!("skipped: this user may write to read-only folders, as root may");
        return;
    }
    assert_eq!(refused(&folder.database()).code(), "store-unreadable");

    set(folder.path(), 0o700);
    drop(folder.open());
    set(&folder.database(), 0o400);
    assert_eq!(refused(&folder.database()).code(), "store-unreadable");
}

#[test]
fn a_damaged_page_is_found_by_the_integrity_check() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    // So many that the second half of the file holds nothing else, the schema's pages least of all.
    for n in 0..200 {
        store
            .settings_set(&main, &handoff, &format!("key-{n}"), &"v".repeat(4_000))
            .unwrap();
    }
    assert_eq!(store.integrity().unwrap(), Vec::<String>::new());
    drop(store);

    let mut bytes = fs::read(folder.database()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xA5);
    fs::write(folder.database(), bytes).unwrap();
    match folder.open().integrity() {
        Ok(problems) => assert!(!problems.is_empty()),
        Err(error) => assert_eq!(error.code(), "store-corrupt", "{error}"),
    }
}

#[test]
fn a_row_that_points_nowhere_is_found_by_the_integrity_check() {
    let folder = Folder::new();
    let store = folder.open();
    Connection::open(folder.database())
        .unwrap()
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO settings VALUES ('main', 'ghost', 'key', 'value')",
        )
        .unwrap();
    let problems = store.integrity().unwrap();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("settings") && problems[0].contains("installs"),
        "{problems:?}"
    );
}
