//! Compiled code is kept, checked, and thrown away when it does not fit.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use harness::{compile, context, run, runtime};
use ostler_runtime::{GuestThreads, MemberSet, Outcome, Runtime, RuntimeOptions};
use ostler_tests::guest::{DONE, tool};

/// The one entry's code and digest files.
fn entry(cache: &Path) -> (PathBuf, PathBuf) {
    let engine = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path();
    let mut files: Vec<_> = fs::read_dir(engine)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    let [code, sum] = files.try_into().unwrap();
    (code, sum)
}

/// Compiles through the cache and calls the guest.
async fn works(cache: &Path) {
    let runtime = runtime(Some(cache), GuestThreads::Caller);
    let compiled = compile(&runtime, &tool("", DONE, ""));
    let loaded = Arc::new(
        runtime
            .load(&compiled, MemberSet::filtered(|_| true))
            .unwrap(),
    );
    let invoked = runtime.invoke(&loaded, run(), context()).await;
    assert!(
        matches!(invoked.outcome, Outcome::Returned(_)),
        "{:?}",
        invoked.outcome
    );
}

#[tokio::test]
async fn an_entry_is_used_again_and_not_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&cache).await;
    let (code, _) = entry(&cache);
    let written = fs::metadata(&code).unwrap().modified().unwrap();
    assert_eq!(
        fs::metadata(&code).unwrap().permissions().mode() & 0o777,
        0o600
    );
    works(&cache).await;
    assert_eq!(fs::metadata(&code).unwrap().modified().unwrap(), written);
}

#[tokio::test]
async fn a_damaged_entry_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&cache).await;
    let (code, sum) = entry(&cache);
    let good = fs::read(&code).unwrap();

    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for bad in [
        flipped,
        good[..good.len() / 2].to_vec(),
        Vec::new(),
        b"junk".to_vec(),
    ] {
        fs::write(&code, bad).unwrap();
        works(&cache).await;
        assert_eq!(fs::read(&code).unwrap(), good);
    }
    fs::remove_file(&sum).unwrap();
    works(&cache).await;
    assert!(sum.exists());
}

#[tokio::test]
async fn an_entry_that_others_could_have_written_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&cache).await;
    let (code, _) = entry(&cache);
    fs::set_permissions(&code, fs::Permissions::from_mode(0o666)).unwrap();
    works(&cache).await;
    assert_eq!(
        fs::metadata(&code).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let options = RuntimeOptions {
        cache: Some(&cache),
        guest_threads: GuestThreads::Caller,
    };
    let Err(error) = Runtime::new(options) else {
        panic!("it is taken")
    };
    assert_eq!(error.code(), "cache-unusable");
}
