//! How a run ends, and that all of it does.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Place, assert_gone, confinement, launcher, run, running};
use ostler_confine::{Ended, Job, run_unconfined};
use tokio_util::sync::CancellationToken;

/// A number of seconds that no other process sleeps for.
fn sleeping(test: u32) -> String {
    format!("sleep {}.{test}", 100_000 + std::process::id())
}

/// A command that leaves processes of every kind behind, all of them sleeping as `sleep` says.
fn leaves_behind(sleep: &str) -> String {
    format!(
        "{sleep} & (setsid {sleep} &) ; setsid sh -c '{sleep} & {sleep}' & \
         perl -MPOSIX -e 'exit if fork; setsid(); exit if fork; $SIG{{$_}} = \"IGNORE\" for \
         qw(HUP INT TERM); exec qw({sleep})'; sleep 0.2; echo started"
    )
}

fn in_a_box(test: u32) -> (Place, String) {
    (Place::new(), sleeping(test))
}

#[tokio::test]
async fn it_tells_how_the_shell_ended() {
    let place = Place::new();
    for (command, ended) in [
        ("true", Ended::Exited(0)),
        ("exit 7", Ended::Exited(7)),
        ("exit 125", Ended::Exited(125)),
        ("exit 255", Ended::Exited(255)),
        ("kill -TERM $$", Ended::Signalled(15)),
        ("kill -KILL $$", Ended::Signalled(9)),
        ("no-such-program", Ended::Exited(127)),
        ("yes | head -n 1 > /dev/null", Ended::Exited(0)),
    ] {
        assert_eq!(place.run(command).await.ended, ended, "{command}");
    }
}

#[tokio::test]
async fn standard_input_is_empty() {
    let place = Place::new();
    assert_eq!(
        place.says("cat; readlink /proc/self/fd/0").await,
        "/dev/null\n"
    );
}

#[tokio::test]
async fn both_streams_are_read_while_it_runs_and_bounded() {
    let place = Place::new();
    let mut job = place.job(
        "echo first; echo first >&2; yes out | head -c 20000000; yes err | head -c 20000000 >&2; \
         echo last; echo last >&2",
    );
    job.output_bytes = 1000;
    let finished = run(job).await;
    assert_eq!(finished.ended, Ended::Exited(0));
    for captured in [finished.stdout, finished.stderr] {
        assert!(captured.text.starts_with("first\n"), "{}", captured.text);
        assert!(captured.text.ends_with("\nlast\n"), "{}", captured.text);
        assert!(captured.text.len() < 1100);
        assert_eq!(captured.dropped, 20_000_000 + 6 + 5 - 1000);
    }
}

#[tokio::test]
async fn what_is_left_behind_ends_with_the_shell() {
    let (place, sleep) = in_a_box(1);
    let began = Instant::now();
    let said = place.says(&leaves_behind(&sleep)).await;
    assert_eq!(said, "started\n");
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "held by an open stream"
    );
    // Not even for a moment: the kernel has killed all of it before the run is over.
    assert_eq!(running(&sleep), [""; 0]);
}

#[tokio::test]
async fn all_of_it_ends_when_time_runs_out() {
    let (place, sleep) = in_a_box(2);
    let mut job = place.job(&format!("{}; {sleep}", leaves_behind(&sleep)));
    // Enough to start everything, on a busy machine, too.
    job.timeout = Duration::from_secs(6);
    let finished = run(job).await;
    assert_eq!(finished.ended, Ended::TimedOut);
    assert_eq!(finished.stdout.text, "started\n");
    assert!(
        finished.duration < Duration::from_secs(7),
        "{:?}",
        finished.duration
    );
    assert_eq!(running(&sleep), [""; 0]);
}

#[tokio::test]
async fn all_of_it_ends_when_the_caller_cancels() {
    let (place, sleep) = in_a_box(3);
    let box_ = confinement().await;
    let cancel = CancellationToken::new();
    let job = place.job(&format!("{}; touch ready; {sleep}", leaves_behind(&sleep)));
    let ready = place.workspace.join("ready");
    let (finished, cancelled) = tokio::join!(box_.run(job, &cancel), async {
        until(&ready).await;
        assert!(!running(&sleep).is_empty(), "nothing ran");
        cancel.cancel();
        Instant::now()
    });
    assert_eq!(finished.expect("a run").ended, Ended::Cancelled);
    assert!(
        cancelled.elapsed() < Duration::from_secs(1),
        "{:?}",
        cancelled.elapsed()
    );
    assert_eq!(running(&sleep), [""; 0]);
}

#[tokio::test]
async fn a_run_that_was_cancelled_before_it_began_does_nothing() {
    let place = Place::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let finished = confinement()
        .await
        .run(place.job("touch ran; sleep 5"), &cancel)
        .await;
    assert_eq!(finished.expect("a run").ended, Ended::Cancelled);
}

#[tokio::test]
async fn a_dropped_run_ends() {
    let (place, sleep) = in_a_box(4);
    let box_ = confinement().await;
    let job = place.job(&format!("touch ready; {sleep}"));
    let cancel = CancellationToken::new();
    let ready = place.workspace.join("ready");
    tokio::select! {
        _ = box_.run(job, &cancel) => panic!("it ended by itself"),
        () = until(&ready) => {}
    }
    assert_gone(&sleep);
}

async fn until(path: &Path) {
    let until = Instant::now() + Duration::from_secs(20);
    while !path.exists() {
        assert!(Instant::now() < until, "{} never came", path.display());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

const WORKSPACE: &str = "OSTLER_TEST_WORKSPACE";
const COMMAND: &str = "OSTLER_TEST_COMMAND";

#[tokio::test]
#[ignore = "not a test: the host that other tests start and kill"]
async fn the_host() {
    let (Ok(workspace), Ok(command)) = (std::env::var(WORKSPACE), std::env::var(COMMAND)) else {
        return;
    };
    let place = Place::new();
    let job = Job {
        workspace: workspace.into(),
        ..place.job(&command)
    };
    let cancel = CancellationToken::new();
    if std::env::var("OSTLER_TEST_UNCONFINED").is_ok() {
        let _ = run_unconfined(&launcher(), job, &cancel).await;
    } else {
        let _ = confinement().await.run(job, &cancel).await;
    }
}

/// Runs `command` by another process and kills that when the command has written `ready`.
fn killed_host(place: &Place, command: &str, unconfined: bool) {
    let mut host = Command::new(std::env::current_exe().expect("this program"));
    host.args(["--exact", "the_host", "--ignored"])
        .env(WORKSPACE, &place.workspace)
        .env(COMMAND, command)
        .stdout(Stdio::null());
    if unconfined {
        host.env("OSTLER_TEST_UNCONFINED", "1");
    }
    let mut host = host.spawn().expect("a host");
    let until = Instant::now() + Duration::from_secs(20);
    while !place.workspace.join("ready").exists() {
        assert!(Instant::now() < until, "the command never ran");
        std::thread::sleep(Duration::from_millis(5));
    }
    host.kill().expect("a kill");
    host.wait().expect("its end");
}

#[test]
fn all_of_it_ends_when_the_host_is_killed() {
    let (place, sleep) = in_a_box(5);
    killed_host(
        &place,
        &format!("{}; touch ready; {sleep}", leaves_behind(&sleep)),
        false,
    );
    assert_gone(&sleep);
}

#[test]
fn an_unconfined_command_ends_when_the_host_is_killed() {
    let (place, sleep) = in_a_box(6);
    killed_host(
        &place,
        &format!("{}; touch ready; {sleep}", leaves_behind(&sleep)),
        true,
    );
    assert_gone(&sleep);
}

#[tokio::test]
async fn an_unconfined_command_ends_whole_too() {
    let (place, sleep) = in_a_box(7);
    let job = place.job(&leaves_behind(&sleep));
    let cancel = CancellationToken::new();
    let finished = run_unconfined(&launcher(), job, &cancel)
        .await
        .expect("a run");
    assert_eq!(finished.ended, Ended::Exited(0));
    assert_eq!(finished.stdout.text, "started\n");
    assert_eq!(running(&sleep), [""; 0]);

    let mut job = place.job(&format!("{}; {sleep}", leaves_behind(&sleep)));
    job.timeout = Duration::from_secs(6);
    let finished = run_unconfined(&launcher(), job, &cancel)
        .await
        .expect("a run");
    assert_eq!(finished.ended, Ended::TimedOut);
    assert!(
        finished.duration < Duration::from_secs(7),
        "{:?}",
        finished.duration
    );
    assert_eq!(running(&sleep), [""; 0]);
}

#[tokio::test]
async fn no_zombie_is_left() {
    let place = Place::new();
    place.says(&leaves_behind(&sleeping(8))).await;
    // Others' runs, at the same time, may have one for a moment.
    let until = Instant::now() + Duration::from_secs(2);
    while let Some(zombie) = zombies().pop() {
        assert!(Instant::now() < until, "{zombie} is left");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Dead children of this process that were not waited for.
fn zombies() -> Vec<String> {
    let own = std::process::id().to_string();
    let stats = fs::read_dir("/proc")
        .expect("/proc")
        .flatten()
        .filter_map(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let mut fields = stat.rsplit_once(") ")?.1.split(' ');
            (fields.next() == Some("Z") && fields.next() == Some(own.as_str())).then_some(stat)
        });
    stats.collect()
}

#[tokio::test]
async fn it_cannot_signal_the_host_nor_any_process_outside() {
    let place = Place::new();
    let mut other = Command::new("sleep")
        .arg("600")
        .spawn()
        .expect("another process");
    let (host, other_id) = (std::process::id(), other.id());
    let finished = place
        .run(&format!(
            "{}kill -0 {host} && echo host; kill -KILL {other_id} && echo other; kill -0 -{host} && \
             echo group; kill -KILL 1 && sleep 0.2 && echo alive; trap '' TERM; kill -TERM -1; \
             kill -STOP 1; kill -KILL -1; echo done",
            common::GUARD
        ))
        .await;
    let said = &finished.stdout.text;
    assert!(
        !said.contains("host") && !said.contains("other") && !said.contains("group"),
        "{said}"
    );
    assert_eq!(
        other.try_wait().expect("its state"),
        None,
        "the other process ended"
    );
    other.kill().expect("a kill");
    other.wait().expect("its end");
}

#[tokio::test]
async fn it_sees_no_process_outside() {
    let place = Place::new();
    let said = place.says("echo /proc/[0-9]*").await;
    assert!(said.split_whitespace().count() <= 4, "{said}");
    let host = std::process::id();
    let said = place
        .says(&format!(
            "for file in environ mem root cwd fd maps; do ls -d /proc/{host}/$file; \
             cat /proc/1/$file /proc/1/$file/*; readlink /proc/1/$file /proc/1/$file/*; done 2>/dev/null; true"
        ))
        .await;
    // `init` shows itself to nobody; a number of the host's may be one of the box's.
    assert_eq!(
        said.lines()
            .filter(|line| !line.starts_with("/proc/"))
            .count(),
        0,
        "{said}"
    );
}

#[tokio::test]
async fn it_cannot_start_processes_without_end() {
    let place = Place::new();
    let mut job = place.job(
        "perl -e '$| = 1; my $n = 0; $SIG{CHLD} = \"IGNORE\"; while ($n < 3000) { my $p = fork; \
         last unless defined $p; if (!$p) { sleep 600; exit } $n++ } print \"$n\n\"'; true",
    );
    job.timeout = Duration::from_secs(60);
    let finished = run(job).await;
    let bounded = place.says("cat /proc/sys/kernel/pid_max").await.trim() == "1024";
    let root = rustix::process::geteuid().is_root();
    assert!(
        bounded || !root,
        "this kernel bounds no processes of root's: it needs Linux 6.14"
    );
    let started: u32 = finished.stdout.text.trim().parse().expect("a number");
    assert!((1..=1024).contains(&started), "{started}");
}

#[test]
fn the_launcher_leaves_other_arguments_alone() {
    let output = Command::new(launcher())
        .arg("serve")
        .output()
        .expect("a run");
    assert_eq!(output.status.code(), Some(2));
    let mut lines = BufReader::new(&output.stderr[..]).lines();
    assert!(
        lines
            .next()
            .expect("a line")
            .expect("text")
            .contains("no use of its own")
    );
}

#[test]
fn all_of_this_holds_for_an_ordinary_user() {
    common::again_as_an_ordinary_user();
}
