//! Files that are written whole.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use ostler_config::write_atomically;

#[test]
fn a_file_gets_its_bytes_and_exactly_its_mode_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("api.json");
    for (bytes, mode) in [
        (&b"one"[..], 0o600),
        (b"", 0o666),
        (b"three\n", 0o400),
        (b"4", 0o640),
    ] {
        write_atomically(&file, bytes, mode).unwrap();
        assert_eq!(fs::read(&file).unwrap(), bytes);
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o7777,
            mode
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_reader_sees_the_old_or_the_new_file_and_never_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let contents = [b"a".repeat(300_000), b"b".repeat(200_000)];
    write_atomically(&file, &contents[0], 0o600).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..60 {
                write_atomically(&file, &contents[round % 2], 0o600).unwrap();
            }
        });
        while !writer.is_finished() {
            assert!(contents.contains(&fs::read(&file).unwrap()));
        }
    });
}

#[test]
fn a_failed_write_leaves_what_was_there_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).unwrap();
    for path in [
        taken.clone(),
        folder.path().join("missing/file"),
        "/".into(),
    ] {
        let error = write_atomically(&path, b"new", 0o600).unwrap_err();
        assert_eq!(error.code(), "config-unwritable");
        assert!(
            error.to_string().contains(path.to_str().unwrap()),
            "{error}"
        );
    }
    assert!(taken.is_dir());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_link_is_replaced_and_what_it_means_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::write(&target, "theirs").unwrap();
    symlink(Path::new("target"), &link).unwrap();
    write_atomically(&link, b"ours", 0o600).unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"theirs");
    assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
}
