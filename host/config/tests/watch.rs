//! A profile's file that changes while the host runs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ostler_config::{ConfigWatch, ProfileConfig, write_atomically};
use tempfile::TempDir;

/// Longer than any change may take to be seen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

struct Profile(TempDir);

impl Profile {
    fn new() -> Self {
        let profile = Self(tempfile::tempdir().unwrap());
        fs::create_dir(profile.0.path().join("main")).unwrap();
        profile
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("main/profile.toml")
    }

    fn write(&self, text: &str) {
        fs::write(self.file(), text).unwrap();
    }
}

fn owner(config: &ProfileConfig) -> Option<&str> {
    config
        .owner_id
        .as_ref()
        .map(ostler_config::Snowflake::as_str)
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn until_owner(watch: &ConfigWatch, id: &str) {
    until(&format!("owner {id}"), || {
        owner(&watch.current()) == Some(id)
    });
}

fn error_code(watch: &ConfigWatch) -> Option<&'static str> {
    watch.last_error().map(|error| error.code())
}

#[test]
fn a_change_in_place_and_a_file_renamed_over_it_are_taken() {
    let profile = Profile::new();
    profile.write("owner_id = \"1\"\n");
    let watch = ConfigWatch::start(&profile.file()).unwrap();
    assert_eq!(owner(&watch.current()), Some("1"));
    profile.write("owner_id = \"2\"\n");
    until_owner(&watch, "2");
    write_atomically(&profile.file(), b"owner_id = \"3\"\n", 0o600).unwrap();
    until_owner(&watch, "3");
    // As editors do that keep a copy.
    fs::rename(profile.file(), profile.file().with_extension("toml~")).unwrap();
    profile.write("owner_id = \"4\"\n");
    until_owner(&watch, "4");
    assert_eq!(error_code(&watch), None);
}

#[test]
fn a_broken_file_changes_nothing_and_says_so_until_it_is_mended() {
    let profile = Profile::new();
    profile.write("owner_id = \"1\"\n");
    let watch = ConfigWatch::start(&profile.file()).unwrap();
    let before = watch.current();
    for (text, code) in [
        ("owner_id = \"2\n", "config-unreadable"),
        ("owner_id = \"2\"\nownr = 1\n", "config-unknown-key"),
        (
            "owner_id = \"2\"\n[approvals]\nwindow_seconds = 1\n",
            "config-invalid",
        ),
    ] {
        profile.write(text);
        until(code, || error_code(&watch) == Some(code));
        // All or nothing: the owner that is in order is not taken either.
        assert!(Arc::ptr_eq(&watch.current(), &before));
    }
    profile.write("owner_id = \"5\"\n");
    until_owner(&watch, "5");
    assert_eq!(error_code(&watch), None);
}

#[test]
fn a_file_that_is_gone_changes_nothing_and_an_empty_one_gives_the_defaults() {
    let profile = Profile::new();
    profile.write("owner_id = \"1\"\n");
    let watch = ConfigWatch::start(&profile.file()).unwrap();
    fs::remove_file(profile.file()).unwrap();
    until("gone", || error_code(&watch) == Some("config-gone"));
    assert_eq!(owner(&watch.current()), Some("1"));
    profile.write("");
    until("defaults", || *watch.current() == ProfileConfig::default());
    assert_eq!(error_code(&watch), None);
}

#[test]
fn a_folder_that_comes_later_or_is_replaced_is_followed() {
    let profile = Profile::new();
    let folder = profile.file().parent().unwrap().to_owned();
    fs::remove_dir(&folder).unwrap();
    let watch = ConfigWatch::start(&profile.file()).unwrap();
    assert_eq!(*watch.current(), ProfileConfig::default());
    fs::create_dir(&folder).unwrap();
    profile.write("owner_id = \"1\"\n");
    until_owner(&watch, "1");
    fs::rename(&folder, folder.with_extension("old")).unwrap();
    fs::create_dir(&folder).unwrap();
    profile.write("owner_id = \"2\"\n");
    until_owner(&watch, "2");
}

#[test]
fn a_change_that_means_nothing_wakes_nobody() {
    let profile = Profile::new();
    profile.write("owner_id = \"1\"\n");
    let watch = ConfigWatch::start(&profile.file()).unwrap();
    let receiver = watch.subscribe();
    profile.write("owner_id = \"x\"\n");
    until("it was read", || {
        error_code(&watch) == Some("config-invalid")
    });
    profile.write("# the same\nowner_id = \"1\"\n");
    until("it was read", || error_code(&watch).is_none());
    assert!(!receiver.has_changed().unwrap());
    profile.write("owner_id = \"2\"\n");
    until("it changed", || receiver.has_changed().unwrap());
    assert_eq!(owner(&receiver.borrow()), Some("2"));
}

#[test]
fn a_broken_file_at_the_start_is_refused_and_a_missing_one_is_empty() {
    let profile = Profile::new();
    assert!(ConfigWatch::start(&profile.file()).is_ok());
    profile.write("owner_id = 1\n");
    let error = ConfigWatch::start(&profile.file()).unwrap_err();
    assert_eq!(error.code(), "config-invalid");
}

#[test]
fn the_last_configuration_stays_when_the_watch_ends() {
    let profile = Profile::new();
    profile.write("owner_id = \"1\"\n");
    let watch = ConfigWatch::start(&profile.file()).unwrap();
    let receiver = watch.subscribe();
    let began = Instant::now();
    drop(watch);
    assert!(began.elapsed() < Duration::from_secs(2), "it waited");
    assert_eq!(owner(&receiver.borrow()), Some("1"));
}
