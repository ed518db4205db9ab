//! What this machine has, and runs in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::order::{ARGUMENT, Landlock, Layers, Order};
use crate::supervise::{self, Bounds};
use crate::{ConfineError, Ended, Finished, Job, Network, Reach, Unconfined};

/// How long the trial may take.
const TRIAL: Duration = Duration::from_secs(30);

/// The box that this machine gives: found once, by trying it.
#[derive(Clone, Debug)]
pub struct Confinement {
    launcher: PathBuf,
    layers: Layers,
}

impl Confinement {
    /// Builds a box with every layer that this machine has, and looks from inside whether it holds.
    ///
    /// `launcher` is a program whose `main` begins with [`launcher`](crate::launcher), usually
    /// [`std::env::current_exe`].
    ///
    /// # Errors
    /// - `confine-platform`: not Linux;
    /// - `confine-unavailable`: no box could be built: what was tried, and what the system said;
    /// - `confine-leaks`: a box was built and a file or a process outside could be reached;
    /// - `confine-trial`: the trial could not be made: no temporary folder, or no launcher.
    pub async fn probe(launcher: PathBuf) -> Result<Self, Unconfined> {
        if !cfg!(target_os = "linux") {
            return Err(Unconfined::Platform);
        }
        let mut tried = Vec::new();
        for user_namespace in [true, false] {
            let layers = Layers {
                user_namespace,
                landlock: Landlock::Trial,
            };
            match try_box(&launcher, layers).await {
                Ok(landlock) => {
                    let landlock = landlock.map_or(Landlock::None, Landlock::Abi);
                    let layers = Layers { landlock, ..layers };
                    return Ok(Self { launcher, layers });
                }
                Err(Unconfined::Trial {
                    source: ConfineError::NotConfined { layer, reason },
                }) => tried.push(format!("{layer}: {reason}")),
                Err(error) => return Err(error),
            }
        }
        tried.dedup();
        Err(Unconfined::Refused {
            tried: tried.join("; without a user namespace: "),
        })
    }

    /// The layers, for people and for the model: `user, mount, PID, network, IPC and UTS
    /// namespaces, seccomp, Landlock ABI 7`.
    #[must_use]
    pub fn describe(&self) -> String {
        let user = if self.layers.user_namespace {
            "user, "
        } else {
            ""
        };
        let landlock = match self.layers.landlock {
            Landlock::Abi(abi) => format!("Landlock ABI {abi}"),
            Landlock::Trial | Landlock::None => "no Landlock".to_owned(),
        };
        format!("{user}mount, PID, network, IPC and UTS namespaces, seccomp, {landlock}")
    }

    /// Runs `job` in a box of its own. `cancel` ends it.
    ///
    /// Its standard input is empty. Dropping the future ends the run as `cancel` does, but waits
    /// for nothing.
    ///
    /// # Errors
    /// - `confine-no-workspace`, `confine-folder-outside`, `confine-workspace-hidden`,
    ///   `confine-workspace-system`, `confine-bad-path`, `confine-bad-command`,
    ///   `confine-bad-environment`: the job cannot be boxed, nothing ran;
    /// - `confine-launcher`, `confine-not-confined`: the box could not be built, nothing ran;
    /// - `confine-lost`: the box was killed from outside; the command may have run in part.
    pub async fn run(
        &self,
        job: Job,
        cancel: &CancellationToken,
    ) -> Result<Finished, ConfineError> {
        let run = start(&self.launcher, job, Some(self.layers), cancel).await?;
        Ok(run.finished)
    }
}

/// Runs `job` with no box: for the owner alone, where no confinement can be had.
///
/// The environment, the bounds and the end of all its processes are those of a box; it may read,
/// write and reach what the host may. [`Job::hidden`], [`Job::network`] and [`Job::reach`] hide and
/// close nothing, but a job that a box refuses is refused here too. `launcher` as for
/// [`Confinement::probe`]. Outside Linux, processes that left the shell's process group go on.
///
/// # Errors
/// Those of [`Confinement::run`].
pub async fn run_unconfined(
    launcher: &Path,
    job: Job,
    cancel: &CancellationToken,
) -> Result<Finished, ConfineError> {
    Ok(start(launcher, job, None, cancel).await?.finished)
}

async fn start(
    launcher: &Path,
    job: Job,
    confine: Option<Layers>,
    cancel: &CancellationToken,
) -> Result<supervise::Run, ConfineError> {
    let bounds = Bounds {
        timeout: job.timeout,
        output_bytes: job.output_bytes,
        reach: job.reach.clone(),
    };
    let order = tokio::task::spawn_blocking(move || job.order())
        .await
        .map_err(|error| ConfineError::Lost {
            reason: error.to_string(),
        })??;
    let order = Order { confine, ..order };
    supervise::run(launcher, &order, bounds, cancel).await
}

/// Builds one box with `layers` and looks whether it holds; the ABI of Landlock that is in force.
async fn try_box(launcher: &Path, layers: Layers) -> Result<Option<u8>, Unconfined> {
    let no_folder = |source| ConfineError::NoWorkspace {
        path: std::env::temp_dir(),
        source,
    };
    let folder = tempfile::tempdir().map_err(no_folder)?;
    let (workspace, outside) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::create_dir(&workspace).map_err(no_folder)?;
    std::fs::write(&outside, "outside").map_err(no_folder)?;
    let out = outside.display();
    let job = Job {
        // Each line is silent when the box holds. Process 1 of a box is its launcher.
        command: format!(
            "cat '{out}' 2>/dev/null && echo 'a file outside can be read'\n\
             {{ [ -w /usr ] || [ -w /etc ]; }} && echo 'the system can be written'\n\
             grep -q {ARGUMENT} /proc/1/cmdline || echo 'other processes can be seen'\n\
             touch here \"$TMPDIR/here\" || echo 'its own folders cannot be written'\n",
        ),
        workspace: workspace.clone(),
        folder: workspace,
        hidden: vec![outside.clone()],
        network: Network::None,
        reach: Reach::default(),
        environment: std::collections::BTreeMap::new(),
        timeout: TRIAL,
        output_bytes: 4096,
    };
    let run = start(launcher, job, Some(layers), &CancellationToken::new()).await?;
    let finished = run.finished;
    if finished.ended != Ended::Exited(0) || !finished.stdout.text.is_empty() {
        let said = [finished.stdout.text.trim(), finished.stderr.text.trim()].join(" ");
        return Err(Unconfined::Leaks {
            found: format!("{:?}: {}", finished.ended, said.trim()),
        });
    }
    Ok(run.landlock)
}
