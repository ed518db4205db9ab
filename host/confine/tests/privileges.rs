//! What a box is given, and what it cannot gain.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs::{self, File};
use std::path::Path;

use common::{Place, launcher, run};
use ostler_confine::{Ended, run_unconfined};
use rustix::io::{FdFlags, fcntl_setfd};
use tokio_util::sync::CancellationToken;

fn status<'a>(text: &'a str, name: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.strip_prefix(':'))
        .expect("the field")
        .trim()
}

#[tokio::test]
async fn it_has_no_capabilities_and_gains_no_privileges() {
    let place = Place::new();
    let text = place.says("cat /proc/self/status").await;
    for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert_eq!(status(&text, set), "0000000000000000", "{set}");
    }
    assert_eq!(status(&text, "NoNewPrivs"), "1");
    assert_eq!(status(&text, "Seccomp"), "2");
    let mounts = place.says("cat /proc/mounts").await;
    for mount in mounts.lines() {
        assert!(mount.contains("nosuid"), "{mount}");
        let device = mount.contains(" /dev/") && !mount.contains(" /dev/shm ");
        assert!(device || mount.contains("nodev"), "{mount}");
        assert!(!device || mount.contains(" ro,"), "{mount}");
    }
}

#[tokio::test]
async fn the_kernel_refuses_what_no_command_needs() {
    let place = Place::new();
    for command in [
        "unshare --user true",
        "unshare --user --map-root-user true",
        "unshare --mount true",
        "unshare --net true",
        "mount -t tmpfs none /tmp",
        "mount --bind /tmp /tmp",
        "umount /proc",
        "umount /etc/passwd",
        "mount -o remount,rw /",
        "chroot / /bin/true",
        "mknod ./device b 8 0",
        "mknod ./device c 1 1",
        "chown 12345 .",
        "hostname $(hostname)",
        "date -s \"$(date)\"",
        "dmesg",
        "nice -n -5 true 2>&1 | grep -qv cannot",
        "readlink /proc/1/fd/0 || readlink /proc/1/exe || readlink /proc/1/root",
        "cat /proc/1/environ",
        "cat /proc/kcore",
        "value=$(cat /proc/sys/kernel/core_pattern); echo \"$value\" > /proc/sys/kernel/core_pattern",
    ] {
        let finished = place.run(&format!("{}{command}", common::GUARD)).await;
        assert_ne!(finished.ended, common::UNGUARDED, "there is no box");
        assert_ne!(finished.ended, Ended::Exited(0), "{command}: {finished:?}");
    }
}

#[tokio::test]
async fn it_has_limits() {
    let place = Place::new();
    let mut job = place.job("ulimit -c; ulimit -Hc; ulimit -n; ulimit -Ht; umask");
    job.timeout = std::time::Duration::from_secs(10);
    let finished = run(job).await;
    let processors = std::thread::available_parallelism()
        .expect("a number")
        .get();
    let seconds = 11 * processors;
    let said = &finished.stdout.text;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..2], ["0", "0"], "{said}");
    assert!(lines[2].parse::<u64>().expect("a number") <= 4096, "{said}");
    assert_eq!(lines[3..], [seconds.to_string().as_str(), "0077"], "{said}");
}

#[tokio::test]
async fn its_environment_is_made_for_it() {
    let place = Place::new();
    let mut job = place.job("env | sort; tr '\\0' '\\n' < /proc/$PPID/environ");
    job.environment
        .insert("OSTLER_OWN".to_owned(), "given".to_owned());
    job.environment
        .insert("LANG".to_owned(), "de_DE.UTF-8".to_owned());
    let finished = run(job).await;
    let workspace = place.workspace.display();
    let expected = format!(
        "HOME=/tmp/home\nLANG=de_DE.UTF-8\nLOGNAME=ostler\nOSTLER_OWN=given\n\
         PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nPWD={workspace}\n\
         SHELL=/bin/sh\nTERM=dumb\nTMPDIR=/tmp\nUSER=ostler\n"
    );
    let said: String = finished
        .stdout
        .text
        .lines()
        // Shells that are bash set this one.
        .filter(|line| !line.starts_with("SHLVL=") && !line.starts_with("_="))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(said, expected);
}

#[tokio::test]
async fn an_unconfined_command_gets_no_more_of_the_hosts_environment() {
    let place = Place::new();
    let job = place.job("env | cut -d= -f1 | sort | tr '\\n' ' '; cd $TMPDIR && pwd; umask");
    let cancel = CancellationToken::new();
    let finished = run_unconfined(&launcher(), job, &cancel)
        .await
        .expect("a run");
    let said = finished.stdout.text.replace("SHLVL ", "").replace("_ ", "");
    let (names, rest) = said.split_once('/').expect("a folder");
    assert_eq!(names, "HOME LANG LOGNAME PATH PWD SHELL TERM TMPDIR USER ");
    let (folder, umask) = rest.split_once('\n').expect("two lines");
    assert_eq!(umask, "0077\n");
    assert!(!Path::new("/").join(folder).exists(), "{folder} is left");
}

#[tokio::test]
async fn it_inherits_no_descriptors() {
    let place = Place::new();
    let secret = place.outside().join("secret");
    fs::write(&secret, "canary").expect("a file");
    let file = File::open(&secret).expect("the file");
    fcntl_setfd(&file, FdFlags::empty()).expect("inheritable");
    let list = "cd /proc/self/fd && for n in *; do [ -e $n ] && echo $n; done; true";
    assert_eq!(place.says(list).await, "0\n1\n2\n");
    let cancel = CancellationToken::new();
    let finished = run_unconfined(&launcher(), place.job(list), &cancel)
        .await
        .expect("a run");
    assert_eq!(finished.stdout.text, "0\n1\n2\n");
    drop(file);
}

#[test]
fn all_of_this_holds_for_an_ordinary_user() {
    common::again_as_an_ordinary_user();
}
