//! Which folders may be a home.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use ostler_config::Home;

fn home(path: impl Into<PathBuf>) -> Home {
    Home::locate(Some(path.into()), None).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_flag_wins_over_the_environment_and_that_over_the_platforms_folder() {
    let locate = |flag: Option<&str>, env: Option<&str>| {
        Home::locate(flag.map(PathBuf::from), env.map(OsString::from)).unwrap()
    };
    assert_eq!(locate(Some("/f"), Some("/e")).path(), Path::new("/f"));
    assert_eq!(locate(None, Some("/e")).path(), Path::new("/e"));
    let platform = locate(None, None);
    assert!(platform.path().is_absolute());
    assert!(platform.path().ends_with("ostler"));
    assert_eq!(locate(None, Some("")), platform);
    let error = Home::locate(Some(PathBuf::new()), Some("/e".into())).unwrap_err();
    assert_eq!(error.code(), "home-unknown");
}

#[test]
fn every_file_has_its_place_in_the_home() {
    let home = home("/h");
    assert_eq!(home.database(), Path::new("/h/ostler.db"));
    assert_eq!(home.blobs(), Path::new("/h/blobs"));
    assert_eq!(home.cache(), Path::new("/h/cache"));
    assert_eq!(home.keys(), Path::new("/h/keys"));
    let file = home.profile_file("main").unwrap();
    assert_eq!(file, Path::new("/h/profiles/main/profile.toml"));
    let file = home.grants_file("main").unwrap();
    assert_eq!(file, Path::new("/h/profiles/main/allow.toml"));
    let long = "a".repeat(65);
    for bad in [
        "", "Main", "1", "..", "a/b", "../main", "a.b", "-a", "é", &long,
    ] {
        for refused in [home.profile_file(bad), home.grants_file(bad)] {
            assert_eq!(refused.unwrap_err().code(), "invalid-name", "{bad}");
        }
    }
}

#[test]
fn a_home_is_made_for_its_user_alone_and_may_be_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path().join("data/ostler"));
    assert!(!home.path().exists());
    home.create().unwrap();
    home.create().unwrap();
    let folders = [home.blobs(), home.cache(), home.keys()];
    for folder in folders.iter().map(PathBuf::as_path).chain([home.path()]) {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    assert_eq!(mode(&home.path().join("profiles")), 0o700);
    // A home that others may read, but not write, is the operator's choice.
    set_mode(home.path(), 0o755);
    home.create().unwrap();
    assert_eq!(mode(home.path()), 0o755);
}

#[test]
fn a_home_behind_a_link_is_a_home() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("disk")).unwrap();
    set_mode(&folder.path().join("disk"), 0o700);
    let link = folder.path().join("ostler");
    symlink(folder.path().join("disk"), &link).unwrap();
    home(&link).create().unwrap();
    assert!(folder.path().join("disk/keys").is_dir());

    let dangling = folder.path().join("dangling");
    symlink(folder.path().join("missing"), &dangling).unwrap();
    assert_eq!(
        home(&dangling).create().unwrap_err().code(),
        "home-unreadable"
    );
}

#[test]
fn a_file_in_the_place_of_the_home_or_a_folder_of_it_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let error = home(&file).create().unwrap_err();
    assert_eq!(error.code(), "home-not-a-folder");
    assert!(
        error.to_string().contains(file.to_str().unwrap()),
        "{error}"
    );
    assert!(error.to_string().contains("--home"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");

    assert_eq!(
        home(file.join("below")).create().unwrap_err().code(),
        "home-unreadable"
    );

    let good = home(folder.path().join("home"));
    good.create().unwrap();
    fs::remove_dir(good.keys()).unwrap();
    fs::write(good.keys(), "").unwrap();
    let error = good.create().unwrap_err();
    assert_eq!(error.code(), "home-not-a-folder");
    assert!(error.to_string().contains("/keys "), "{error}");
}

#[test]
fn a_home_or_a_folder_of_it_that_others_may_write_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path().join("home"));
    home.create().unwrap();
    for (path, wrong) in [
        (home.path().to_owned(), 0o777),
        (home.path().to_owned(), 0o702),
        (home.path().to_owned(), 0o770),
        (home.path().to_owned(), 0o1777),
        (home.keys(), 0o722),
        (home.keys(), 0o777),
        (home.path().join("profiles"), 0o720),
    ] {
        set_mode(&path, wrong);
        let error = home.create().unwrap_err();
        assert_eq!(error.code(), "home-exposed");
        assert!(
            error.to_string().contains(&format!("mode {wrong:04o}")),
            "{error}"
        );
        assert!(
            error.to_string().contains(path.to_str().unwrap()),
            "{error}"
        );
        assert!(error.to_string().contains("chmod 700"), "{error}");
        assert_eq!(
            mode(&path),
            wrong,
            "it must not be changed behind its owner's back"
        );
        set_mode(&path, 0o700);
        home.create().unwrap();
    }
}

#[test]
fn a_home_that_somebody_else_owns_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path().join("home"));
    home.create().unwrap();
    let other = fs::metadata(home.path()).unwrap().uid() + 1;
    if let Err(error) = chown(home.path(), Some(other), None) {
        println!("skipped: only root can give a folder away ({error})");
        return;
    }
    let error = home.create().unwrap_err();
    assert_eq!(error.code(), "home-exposed");
    assert!(
        error.to_string().contains(&format!("owner {other}")),
        "{error}"
    );
}

#[test]
fn a_home_whose_mode_keeps_its_owner_out_is_unreadable_even_for_root() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path().join("home"));
    home.create().unwrap();
    for wrong in [0o000, 0o300, 0o500, 0o600] {
        set_mode(home.path(), wrong);
        let error = home.create().unwrap_err();
        assert_eq!(error.code(), "home-unreadable");
        assert!(
            error.to_string().contains(&format!("{wrong:04o}")),
            "{error}"
        );
    }
    set_mode(home.path(), 0o700);
}

#[test]
fn a_home_that_cannot_be_made_is_unreadable() {
    if cfg!(target_os = "linux") {
        let error = home("/proc/ostler").create().unwrap_err();
        assert_eq!(error.code(), "home-unreadable");
        assert!(error.to_string().contains("/proc/ostler"), "{error}");
    }
}
