//! What the tests share: a place with a workspace, and the box of this machine.
#![allow(
    clippy::expect_used,
    dead_code,
    reason = "a test that cannot go on fails; no file uses all of it"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ostler_confine::{Confinement, Ended, Finished, Job, Network, Reach};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// The launcher alone, as a binary.
pub(crate) fn launcher() -> PathBuf {
    let built = || env!("CARGO_BIN_EXE_ostler-confine-launcher").into();
    std::env::var_os(LAUNCHER).map_or_else(built, PathBuf::from)
}

/// Where the launcher is when it is not where it was built.
const LAUNCHER: &str = "OSTLER_TEST_LAUNCHER";

/// Runs all tests of the calling file again by a user with no rights, when this one is root.
/// Otherwise they are run by such a user anyway.
pub(crate) fn again_as_an_ordinary_user() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // What was built may lie where root alone may go.
    let (tests, program) = (folder.path().join("tests"), folder.path().join("launcher"));
    fs::copy(std::env::current_exe().expect("this program"), &tests).expect("a copy");
    fs::copy(launcher(), &program).expect("a copy");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), open).expect("its mode");
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(&tests)
        .arg("--test-threads=2")
        .env(LAUNCHER, &program)
        .current_dir("/")
        .output()
        .expect("setpriv, of util-linux");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "as an ordinary user:\n{said}");
    assert!(
        said.contains("test result: ok. ") && !said.contains(" 0 passed"),
        "{said}"
    );
}

/// Writes a script that can be run.
pub(crate) fn script(path: &Path, text: &str) {
    fs::write(path, text).expect("a script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path, mode).expect("its mode");
}

/// The box of this machine. These tests need one.
pub(crate) async fn confinement() -> Confinement {
    Confinement::probe(launcher())
        .await
        .expect("this machine gives a box")
}

/// What goes before a command that would do harm outside a box, where these tests may run as root:
/// it ends the shell unless process 1 is a launcher and the root is a box's.
pub(crate) const GUARD: &str =
    "grep -q __ostler-confine /proc/1/cmdline && [ ! -e /sys/kernel ] || exit 99; ";

/// How a shell ends that [`GUARD`] stopped.
pub(crate) const UNGUARDED: Ended = Ended::Exited(99);

/// A folder with a workspace in it.
pub(crate) struct Place {
    folder: TempDir,
    pub(crate) workspace: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = folder
            .path()
            .canonicalize()
            .expect("its path")
            .join("workspace");
        fs::create_dir(&workspace).expect("a workspace");
        Self { folder, workspace }
    }

    /// The folder around the workspace.
    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn job(&self, command: &str) -> Job {
        Job {
            command: command.to_owned(),
            workspace: self.workspace.clone(),
            folder: PathBuf::new(),
            hidden: Vec::new(),
            network: Network::None,
            reach: Reach::default(),
            environment: BTreeMap::new(),
            timeout: Duration::from_secs(30),
            output_bytes: 256 * 1024,
        }
    }

    /// What `command` came to in a box.
    pub(crate) async fn run(&self, command: &str) -> Finished {
        run(self.job(command)).await
    }

    /// What `command` wrote in a box; it must end well.
    pub(crate) async fn says(&self, command: &str) -> String {
        let finished = self.run(command).await;
        assert_eq!(finished.ended, Ended::Exited(0), "{finished:?}");
        finished.stdout.text
    }
}

/// What a job came to in a box.
pub(crate) async fn run(job: Job) -> Finished {
    let confinement = confinement().await;
    confinement
        .run(job, &CancellationToken::new())
        .await
        .expect("a run")
}

/// The processes of this machine whose command line holds `word` and that are not dead.
pub(crate) fn running(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let number: Option<u32> = entry.file_name().to_string_lossy().parse().ok();
        let Some(number) = number.filter(|number| *number != std::process::id()) else {
            continue;
        };
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(word) {
            found.push(format!("{number}: {line}"));
        }
    }
    found
}

/// Waits until no process has `word`, at most a second.
pub(crate) fn assert_gone(word: &str) {
    let until = std::time::Instant::now() + Duration::from_secs(1);
    loop {
        let found = running(word);
        if found.is_empty() {
            return;
        }
        assert!(
            std::time::Instant::now() < until,
            "still running: {found:?}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}
