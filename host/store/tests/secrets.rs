//! Sealed values: kept by profile and name, listed without them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use ostler_store::{SecretRow, Store};

mod fixtures;
use fixtures::{Folder, profile};

fn names(store: &Store, of: &str) -> Vec<String> {
    let rows = store.secrets(&profile(of)).unwrap();
    rows.into_iter().map(|row| row.name).collect()
}

#[test]
fn a_secret_is_set_replaced_and_removed() {
    let folder = Folder::new();
    let store = folder.open();
    let main = profile("main");
    assert_eq!(store.secret(&main, "TOKEN").unwrap(), None);
    store.set_secret(&main, "TOKEN", b"one", 1).unwrap();
    store
        .set_secret(&main, "TOKEN", b"\x01\x00\xff", 2)
        .unwrap();
    assert_eq!(
        store.secret(&main, "TOKEN").unwrap().as_deref(),
        Some(&b"\x01\x00\xff"[..])
    );
    let row = SecretRow {
        name: "TOKEN".to_owned(),
        updated_at: 2,
    };
    assert_eq!(store.secrets(&main).unwrap(), [row]);
    assert!(store.remove_secret(&main, "TOKEN").unwrap());
    assert!(!store.remove_secret(&main, "TOKEN").unwrap());
    assert_eq!(store.secret(&main, "TOKEN").unwrap(), None);
}

#[test]
fn profiles_do_not_see_each_others_secrets() {
    let folder = Folder::new();
    let store = folder.open();
    for (owner, name) in [("main", "B"), ("main", "A"), ("other", "A")] {
        store
            .set_secret(&profile(owner), name, owner.as_bytes(), 1)
            .unwrap();
    }
    assert_eq!(names(&store, "main"), ["A", "B"]);
    assert_eq!(names(&store, "other"), ["A"]);
    assert!(store.remove_secret(&profile("main"), "A").unwrap());
    let left = store.secret(&profile("other"), "A").unwrap();
    assert_eq!(left.as_deref(), Some(&b"other"[..]));
}

#[test]
fn a_secret_outlives_the_process() {
    let folder = Folder::new();
    folder
        .open()
        .set_secret(&profile("main"), "TOKEN", b"sealed", 1)
        .unwrap();
    let found = folder.open().secret(&profile("main"), "TOKEN").unwrap();
    assert_eq!(found.as_deref(), Some(&b"sealed"[..]));
}

#[test]
fn a_name_of_no_length_or_too_many_bytes_and_a_negative_time_are_refused() {
    let folder = Folder::new();
    let store = folder.open();
    let main = profile("main");
    for (name, now) in [("", 1), (&*"A".repeat(65), 1), ("A", -1)] {
        let error = store.set_secret(&main, name, b"sealed", now).unwrap_err();
        assert_eq!(error.code(), "store-invalid");
    }
    assert!(names(&store, "main").is_empty());
}

#[test]
fn the_async_twins_do_the_same() {
    let folder = Folder::new();
    let store = folder.open();
    let main = profile("main");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        store
            .set_secret_async(&main, "TOKEN", b"sealed", 1)
            .await
            .unwrap();
        let found = store.secret_async(&main, "TOKEN").await.unwrap();
        assert_eq!(found.as_deref(), Some(&b"sealed"[..]));
        let rows = store.secrets_async(&main).await.unwrap();
        assert_eq!(rows, store.secrets(&main).unwrap());
        assert!(store.remove_secret_async(&main, "TOKEN").await.unwrap());
    });
    assert!(names(&store, "main").is_empty());
}
