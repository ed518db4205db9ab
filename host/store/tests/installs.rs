//! An install's way from accepted to removed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use ostler_store::{InstallState, PublishOutcome, Store};
use rusqlite::Connection;

mod fixtures;
use fixtures::{Folder, digest, handoff_in_main, install, package, profile, version};

fn with_two_versions() -> (Folder, Store) {
    let folder = Folder::new();
    let store = folder.open();
    for number in ["1.0.0", "2.0.0"] {
        let outcome = store.publish_version(&version("handoff", number)).unwrap();
        assert_eq!(outcome, PublishOutcome::Published);
    }
    (folder, store)
}

fn state(store: &Store) -> Option<InstallState> {
    store
        .install(&profile("main"), &package("handoff"))
        .unwrap()
        .map(|row| row.state)
}

#[test]
fn an_install_with_keys_is_pending_until_it_is_activated() {
    let (folder, store) = with_two_versions();
    let (main, handoff) = (profile("main"), package("handoff"));
    let mut new = install("main", "handoff", "1.0.0");
    new.pending_keys = vec!["allow_gateway_injection".to_owned()];
    store.begin_install(&new).unwrap();
    assert_eq!(state(&store), Some(InstallState::PendingKeys));
    drop(store);

    // As after a crash.
    let store = folder.open();
    let unfinished = store.unfinished_installs().unwrap();
    assert_eq!(unfinished.len(), 1);
    assert_eq!(unfinished[0].package, handoff);
    assert_eq!(unfinished[0].pending_keys, ["allow_gateway_injection"]);
    store
        .activate_install(&main, &handoff, 1_700_000_000_009)
        .unwrap();
    store
        .activate_install(&main, &handoff, 1_700_000_000_010)
        .unwrap();
    let row = store.install(&main, &handoff).unwrap().unwrap();
    assert_eq!(row.state, InstallState::Active);
    assert!(row.pending_keys.is_empty());
    assert_eq!(row.installed_at, 1_700_000_000_001);
    assert_eq!(row.updated_at, 1_700_000_000_009);
    assert_eq!(
        (row.access, row.access_digest),
        (new.access, new.access_digest)
    );
    assert!(store.unfinished_installs().unwrap().is_empty());
}

#[test]
fn an_install_without_keys_is_active_at_once() {
    let (_folder, store) = with_two_versions();
    store
        .begin_install(&install("main", "handoff", "1.0.0"))
        .unwrap();
    assert_eq!(state(&store), Some(InstallState::Active));
    assert!(store.unfinished_installs().unwrap().is_empty());
}

#[test]
fn another_version_replaces_the_install_and_keeps_its_settings() {
    let (_folder, store) = with_two_versions();
    let (main, handoff) = (profile("main"), package("handoff"));
    store
        .begin_install(&install("main", "handoff", "1.0.0"))
        .unwrap();
    store
        .settings_set(&main, &handoff, "channel", "general")
        .unwrap();

    let mut new = install("main", "handoff", "2.0.0");
    new.pending_keys = vec!["allow_gateway_injection".to_owned()];
    new.access = r#"{"permissions":["agentApi:todo.write"]}"#.to_owned();
    new.access_digest = digest(5);
    new.publisher = "ed25519:bob".to_owned();
    new.accepted_at = 1_700_000_000_500;
    // What the installer was shown is not what is there.
    for shown in [None, Some(1_700_000_000_000)] {
        new.replaces = shown;
        let error = store.begin_install(&new).unwrap_err();
        assert_eq!(error.code(), "store-conflict");
        assert_eq!(store.installs(&main).unwrap()[0].version, "1.0.0");
    }
    new.replaces = Some(1_700_000_000_001);
    store.begin_install(&new).unwrap();

    let rows = store.installs(&main).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].version, "2.0.0");
    assert_eq!(rows[0].access, new.access);
    assert_eq!(rows[0].access_digest, digest(5));
    assert_eq!(rows[0].publisher, "ed25519:bob");
    assert_eq!(rows[0].state, InstallState::PendingKeys);
    assert_eq!(rows[0].installed_at, 1_700_000_000_001);
    assert_eq!(rows[0].updated_at, 1_700_000_000_500);
    let kept = store.settings_get(&main, &handoff, "channel").unwrap();
    assert_eq!(kept.as_deref(), Some("general"));
}

#[test]
fn an_uninstall_drops_the_install_with_its_settings_and_nobody_elses() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let other = profile("other");
    store
        .begin_install(&install("other", "handoff", "1.0.0"))
        .unwrap();
    store.settings_set(&main, &handoff, "a", "1").unwrap();
    store.settings_set(&other, &handoff, "a", "2").unwrap();

    store
        .begin_removal(&main, &handoff, 1_700_000_000_700)
        .unwrap();
    store
        .begin_removal(&main, &handoff, 1_700_000_000_800)
        .unwrap();
    let row = store.install(&main, &handoff).unwrap().unwrap();
    assert_eq!(
        (row.state, row.updated_at),
        (InstallState::Removing, 1_700_000_000_700)
    );
    assert_eq!(store.unfinished_installs().unwrap(), vec![row]);
    // The plugin's own `uninstalling` may still read and write.
    store.settings_set(&main, &handoff, "b", "3").unwrap();

    store.finish_removal(&main, &handoff).unwrap();
    assert_eq!(store.install(&main, &handoff).unwrap(), None);
    assert_eq!(store.settings_get(&main, &handoff, "a").unwrap(), None);
    assert_eq!(
        store
            .settings_get(&other, &handoff, "a")
            .unwrap()
            .as_deref(),
        Some("2")
    );

    // Installed again, it begins without settings.
    store
        .begin_install(&install("main", "handoff", "1.0.0"))
        .unwrap();
    assert!(
        store
            .settings_list(&main, &handoff, "", None, 10)
            .unwrap()
            .keys
            .is_empty()
    );
}

#[test]
fn a_step_that_the_state_does_not_allow_is_refused_and_changes_nothing() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);

    let error = store.finish_removal(&main, &handoff).unwrap_err();
    assert_eq!(error.code(), "store-conflict");
    assert!(
        error.to_string().contains("begin its uninstall first"),
        "{error}"
    );
    assert_eq!(state(&store), Some(InstallState::Active));

    store
        .begin_removal(&main, &handoff, 1_700_000_000_700)
        .unwrap();
    let activate = store
        .activate_install(&main, &handoff, 1_700_000_000_800)
        .unwrap_err();
    assert_eq!(activate.code(), "store-conflict");
    let again = store
        .begin_install(&install("main", "handoff", "1.0.0"))
        .unwrap_err();
    assert_eq!(again.code(), "store-conflict");
    assert_eq!(state(&store), Some(InstallState::Removing));
}

#[test]
fn a_package_that_is_not_installed_is_not_found() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, ghost) = (profile("main"), package("ghost"));
    for error in [
        store.activate_install(&main, &ghost, 1).unwrap_err(),
        store.begin_removal(&main, &ghost, 1).unwrap_err(),
        store.finish_removal(&main, &ghost).unwrap_err(),
    ] {
        assert_eq!(error.code(), "store-not-found");
        assert!(error.to_string().contains("ghost"), "{error}");
    }
    assert_eq!(store.install(&main, &ghost).unwrap(), None);
    assert!(store.installs(&main).unwrap().is_empty());
}

#[test]
fn only_a_published_version_with_the_same_bytes_can_be_installed() {
    let (_folder, store) = with_two_versions();
    let unpublished = store
        .begin_install(&install("main", "handoff", "3.0.0"))
        .unwrap_err();
    assert_eq!(unpublished.code(), "store-not-found");
    let mut other_bytes = install("main", "handoff", "1.0.0");
    other_bytes.digest = digest(9);
    assert_eq!(
        store.begin_install(&other_bytes).unwrap_err().code(),
        "store-not-found"
    );
    assert_eq!(state(&store), None);
}

#[test]
fn a_state_outside_the_list_is_refused_by_the_database_itself() {
    let folder = Folder::new();
    let store = folder.open();
    handoff_in_main(&store);
    let other = Connection::open(folder.database()).unwrap();
    for attempt in [
        "UPDATE installs SET state = 'paused'",
        "UPDATE installs SET profile = '../main'",
        "UPDATE installs SET digest = 'sha256:00'",
        "UPDATE installs SET access = 'all'",
        "UPDATE installs SET updated_at = 'today'",
    ] {
        other.execute(attempt, []).expect_err(attempt);
    }
    assert_eq!(state(&store), Some(InstallState::Active));
}
