//! The host's side of one run: starts the launcher, reads what the command says while it runs, and
//! sees that all of it ends.

use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::capture::capture;
use crate::order::{ARGUMENT, Order, Report};
use crate::proxy;
use crate::reports::Reports;
use crate::{Captured, ConfineError, Ended, Finished, Reach};

/// How long a launcher that was told to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// The bounds of a run that the host keeps itself.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) timeout: Duration,
    pub(crate) output_bytes: usize,
    pub(crate) reach: Reach,
}

/// What the launcher told, and what it left.
#[derive(Debug, Default)]
struct Told {
    landlock: Option<u8>,
    failed: Option<(String, String)>,
    ended: Option<Ended>,
}

/// A run, and the ABI of Landlock that was in force.
pub(crate) struct Run {
    pub(crate) finished: Finished,
    pub(crate) landlock: Option<u8>,
}

/// Carries out `order` by `launcher`, within `bounds`.
///
/// Dropped early, it ends the run: the launcher sees its socket close.
pub(crate) async fn run(
    launcher: &Path,
    order: &Order,
    bounds: Bounds,
    cancel: &CancellationToken,
) -> Result<Run, ConfineError> {
    let started = Instant::now();
    let failed = |source| ConfineError::Launcher {
        path: launcher.to_owned(),
        source,
    };
    let frames = frames(order).map_err(failed)?;
    let (mut child, socket) = start(launcher).map_err(failed)?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(failed(io::ErrorKind::BrokenPipe.into()));
    };

    let (read, mut write) = socket.into_split();
    // Holds the launcher's side open until the run is to end.
    let mut holding = Box::pin(async move {
        // A launcher that ends early has said why.
        let _ = write.write_all(&frames).await;
        std::future::pending::<()>().await;
    });
    let kill = CancellationToken::new();
    let work = async {
        tokio::join!(
            capture(stdout, bounds.output_bytes),
            capture(stderr, bounds.output_bytes),
            listen(read.as_ref(), bounds.reach),
            end_of(&mut child, &kill),
        )
    };
    tokio::pin!(work);
    let (stopped, done) = tokio::select! {
        biased;
        () = cancel.cancelled() => (Some(Ended::Cancelled), None),
        done = &mut work => (None, Some(done)),
        () = tokio::time::sleep(bounds.timeout) => (Some(Ended::TimedOut), None),
        () = &mut holding => (None, None),
    };
    // Closes the host's side: the box ends, if it has not.
    drop(holding);
    let (stdout, stderr, told, status) = match done {
        Some(done) => done,
        None => match tokio::time::timeout(GRACE, &mut work).await {
            Ok(done) => done,
            Err(_) => {
                kill.cancel();
                work.await
            }
        },
    };
    // What failed after the host closed its side failed for that.
    if let (Some((layer, reason)), None) = (told.failed, stopped) {
        return Err(ConfineError::NotConfined { layer, reason });
    }
    // A shell that ended by itself did so, whatever came at the same moment.
    let Some(ended) = told.ended.or(stopped) else {
        return Err(lost(&status, &stderr));
    };
    Ok(Run {
        finished: Finished {
            ended,
            stdout,
            stderr,
            duration: started.elapsed(),
        },
        landlock: told.landlock,
    })
}

/// The order for each stage, one after the other.
fn frames(order: &Order) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(order)?;
    let length = u32::try_from(json.len())
        .ok()
        .filter(|length| *length <= crate::order::ORDER_BYTES)
        .ok_or_else(|| io::Error::other("the order is too long: give less environment"))?;
    let frame = [&length.to_le_bytes()[..], &json].concat();
    Ok(frame.repeat(order.stages()))
}

/// Starts the launcher with nothing of this process's: no environment, no descriptors but its
/// socket and two pipes, a process group of its own.
fn start(launcher: &Path) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let child = Command::new(launcher)
        .args([ARGUMENT, "outer"])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    Ok((child, UnixStream::from_std(ours)?))
}

/// Reads the reports to their end; on the way, serves the box's proxy.
async fn listen(socket: &UnixStream, reach: Reach) -> Told {
    let mut reports = Reports::default();
    let mut told = Told::default();
    let mut servers = JoinSet::new();
    while let Ok(Some(report)) = reports.next(socket).await {
        match report {
            Report::Listening => {
                let Some(listener) = reports.descriptor() else {
                    continue;
                };
                servers.spawn(proxy::serve(TcpListener::from(listener), reach.clone()));
            }
            Report::Confined(landlock) => told.landlock = landlock,
            Report::Failed { layer, reason } => told.failed = Some((layer, reason)),
            Report::Ended(ended) => told.ended = Some(ended),
        }
    }
    // Dropping the servers ends them.
    told
}

/// Waits for the launcher; kills it when `kill` says so, and the kernel with it the box.
async fn end_of(child: &mut Child, kill: &CancellationToken) -> io::Result<ExitStatus> {
    tokio::select! {
        status = child.wait() => status,
        () = kill.cancelled() => {
            child.start_kill()?;
            child.wait().await
        }
    }
}

/// The launcher's end without a report.
fn lost(status: &io::Result<ExitStatus>, stderr: &Captured) -> ConfineError {
    let how = match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let last = stderr.text.trim().lines().next_back().unwrap_or_default();
    ConfineError::Lost {
        reason: match last {
            "" => format!("its launcher ended with {how}"),
            last => format!("its launcher ended with {how}; the last it wrote: {last}"),
        },
    }
}
