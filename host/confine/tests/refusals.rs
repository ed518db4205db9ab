//! Jobs that are refused, and machines that give no box.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use common::{Place, confinement, launcher, script};
use ostler_confine::{Confinement, Ended, Job, run_unconfined};
use tokio_util::sync::CancellationToken;

/// The code that refuses `job`; and whether unconfined runs refuse it by the same.
async fn refused(job: Job) -> &'static str {
    let cancel = CancellationToken::new();
    let boxed = confinement()
        .await
        .run(job.clone(), &cancel)
        .await
        .expect_err("a refusal");
    let loose = run_unconfined(&launcher(), job, &cancel)
        .await
        .expect_err("a refusal");
    assert_eq!(boxed.code(), loose.code());
    boxed.code()
}

#[tokio::test]
async fn bad_places_are_refused() {
    let place = Place::new();
    let outside = place.outside().to_owned();
    symlink(&outside, place.workspace.join("link")).expect("a link");
    fs::write(place.workspace.join("file"), "").expect("a file");
    let job = || place.job("true");
    let workspace = |path: &Path| Job {
        workspace: path.into(),
        ..job()
    };
    let folder = |path: &str| Job {
        folder: path.into(),
        ..job()
    };
    let hidden = |path: &Path| Job {
        hidden: vec![path.into()],
        ..job()
    };
    for (job, code) in [
        (workspace(&outside.join("missing")), "confine-no-workspace"),
        (
            workspace(&place.workspace.join("file")),
            "confine-no-workspace",
        ),
        (workspace(Path::new("relative")), "confine-bad-path"),
        (workspace(Path::new("/")), "confine-workspace-system"),
        (
            workspace(Path::new("/usr/share")),
            "confine-workspace-system",
        ),
        (workspace(Path::new("/etc")), "confine-workspace-system"),
        (workspace(Path::new("/proc")), "confine-workspace-system"),
        (workspace(&std::env::temp_dir()), "confine-workspace-system"),
        (folder("missing"), "confine-folder-outside"),
        (folder("file"), "confine-folder-outside"),
        (folder(".."), "confine-folder-outside"),
        (folder("link"), "confine-folder-outside"),
        (folder("/tmp"), "confine-folder-outside"),
        (hidden(&outside), "confine-workspace-hidden"),
        (hidden(&place.workspace), "confine-workspace-hidden"),
        (
            hidden(&place.workspace.join("file")),
            "confine-workspace-hidden",
        ),
        (
            hidden(&place.workspace.join("not/there")),
            "confine-workspace-hidden",
        ),
        (hidden(Path::new("relative")), "confine-bad-path"),
        (hidden(Path::new("/opt/../etc")), "confine-bad-path"),
    ] {
        let said = format!("{job:?}");
        assert_eq!(refused(job).await, code, "{said}");
    }
    // By another name, too.
    let alias = outside.join("alias");
    symlink(&place.workspace, &alias).expect("a link");
    assert_eq!(refused(hidden(&alias)).await, "confine-workspace-hidden");
}

#[tokio::test]
async fn bad_commands_and_variables_are_refused() {
    let place = Place::new();
    for command in [String::new(), "echo \0".to_owned(), "x".repeat(128 * 1024)] {
        assert_eq!(refused(place.job(&command)).await, "confine-bad-command");
    }
    let long = "x".repeat(128 * 1024);
    for (name, value) in [
        ("", "x"),
        ("A=B", "x"),
        ("A\0", "x"),
        ("A", "\0"),
        ("A", &long),
    ] {
        let mut job = place.job("true");
        job.environment.insert(name.to_owned(), value.to_owned());
        assert_eq!(refused(job).await, "confine-bad-environment");
    }
}

#[tokio::test]
async fn the_longest_command_and_value_fit() {
    let place = Place::new();
    let begin = "printf %s \"${#LONG}\" # ";
    let mut job = place.job(&format!(
        "{begin}{}",
        "x".repeat(128 * 1024 - 2 - begin.len())
    ));
    job.environment
        .insert("LONG".to_owned(), "y".repeat(128 * 1024 - 2 - 5));
    let finished = common::run(job).await;
    assert_eq!(finished.stdout.text, "131065", "{finished:?}");
}

#[tokio::test]
async fn the_probe_says_what_the_box_is_made_of() {
    let said = confinement().await.describe();
    assert!(
        said.contains("mount, PID, network, IPC and UTS namespaces, seccomp, "),
        "{said}"
    );
}

#[tokio::test]
async fn a_probe_without_a_launcher_fails() {
    let missing = PathBuf::from("/is/not/there");
    let error = Confinement::probe(missing)
        .await
        .expect_err("nothing to start");
    assert_eq!(error.code(), "confine-trial");
    assert!(error.to_string().contains("/is/not/there"), "{error}");
    let error = Confinement::probe("/bin/true".into())
        .await
        .expect_err("no launcher");
    assert_eq!(error.code(), "confine-trial");
}

/// A launcher in a user namespace of its own, where `limits` can be set as on another machine.
fn launcher_with(path: &Path, limits: &[&str]) {
    let limits: String = limits
        .iter()
        .map(|name| format!("echo 0 > /proc/sys/user/max_{name}; "))
        .collect();
    let text = format!(
        "#!/bin/sh\nexec unshare --user --map-root-user -- /bin/sh -c '{limits}exec \"$@\"' sh {} \
         \"$@\"\n",
        launcher().display()
    );
    script(path, &text);
}

#[tokio::test]
async fn a_machine_without_namespaces_gives_no_box() {
    let place = Place::new();
    let path = place.outside().join("launcher");
    launcher_with(&path, &["user_namespaces", "pid_namespaces"]);
    let error = Confinement::probe(path).await.expect_err("no box");
    assert_eq!(error.code(), "confine-unavailable");
    let said = error.to_string();
    assert!(
        said.contains("user namespace: ") && said.contains("PID namespace: "),
        "{said}"
    );
}

#[tokio::test]
async fn root_needs_no_user_namespace() {
    let place = Place::new();
    let path = place.outside().join("launcher");
    launcher_with(&path, &["user_namespaces"]);
    let found = Confinement::probe(path).await.expect("a box");
    assert!(
        found.describe().starts_with("mount, PID"),
        "{}",
        found.describe()
    );
    let job = place.job(
        "grep -E '^(Cap|NoNew|Seccomp:)' /proc/self/status; cat /etc/shadow; touch here /usr/there; \
         ls /proc/[0-9]* -d | wc -l; echo 1 > /proc/sys/vm/drop_caches; su -c true nobody",
    );
    let finished = found
        .run(job, &CancellationToken::new())
        .await
        .expect("a run");
    let none = "0000000000000000";
    let expected = format!(
        "CapInh:\t{none}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapBnd:\t{none}\nCapAmb:\t{none}\n\
         NoNewPrivs:\t1\nSeccomp:\t2\n"
    );
    assert!(finished.stdout.text.starts_with(&expected), "{finished:?}");
    assert_ne!(finished.ended, Ended::Exited(0), "{finished:?}");
    assert!(place.workspace.join("here").exists());
}

#[tokio::test]
async fn a_layer_that_cannot_be_put_on_any_more_keeps_the_command_from_running() {
    let place = Place::new();
    let path = place.outside().join("launcher");
    for (lost, layer) in [
        ("user_namespaces", "user namespace"),
        ("pid_namespaces", "PID namespace"),
        ("mnt_namespaces", "mount namespace"),
        ("net_namespaces", "network namespace"),
        ("ipc_namespaces", "IPC namespace"),
        ("uts_namespaces", "UTS namespace"),
    ] {
        launcher_with(&path, &[]);
        let found = Confinement::probe(path.clone()).await.expect("a box");
        launcher_with(&path, &[lost]);
        let job = place.job("touch ran");
        let error = found
            .run(job, &CancellationToken::new())
            .await
            .expect_err("no box");
        assert_eq!(error.code(), "confine-not-confined", "{error}");
        assert!(error.to_string().contains(layer), "{layer}: {error}");
        assert!(!place.workspace.join("ran").exists(), "{lost}");
    }
}
