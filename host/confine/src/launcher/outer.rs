//! The stage outside the box.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::control::Control;
use super::private::Private;
use super::{Failure, In as _, descriptors, tree};
use crate::Ended;
use crate::order::{ARGUMENT, Order, Report};

/// The program that this process runs, even if its file was replaced since.
pub(super) fn this_program() -> Result<Command, Failure> {
    let program = if cfg!(target_os = "linux") {
        "/proc/self/exe".into()
    } else {
        std::env::current_exe().in_layer("launcher")?
    };
    let mut command = Command::new(program);
    command
        .arg(ARGUMENT)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::inherit());
    Ok(command)
}

/// Makes the command's own folder, runs the next stage, and removes the folder.
pub(super) fn run() -> Result<(), Failure> {
    descriptors::close_inherited()?;
    let control = Control::take().in_layer("launcher")?;
    let order = control.order()?;
    // Should memory run short, let it be the command's processes that are chosen, not the host.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let private = Private::create(&order.temporary)?;
    if order.confine.is_some() {
        boxed(&order, &private)
    } else {
        loose(&control, &private)
    }
}

#[cfg(target_os = "linux")]
fn boxed(order: &Order, private: &Private) -> Result<(), Failure> {
    super::boxed::outer(order, private)
}

#[cfg(not(target_os = "linux"))]
fn boxed(_: &Order, _: &Private) -> Result<(), Failure> {
    Err(Failure::new("namespaces", "this system has none"))
}

/// Runs the shell with no box, and ends all that it started.
fn loose(control: &Control, private: &Private) -> Result<(), Failure> {
    tree::adopt().in_layer("processes")?;
    let mut shell = this_program()?
        .arg("shell")
        .arg(private.tmp())
        .spawn()
        .in_layer("shell")?;
    let watching = Control::take().in_layer("launcher")?;
    let group = shell.id();
    let stopped = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stopped);
    std::thread::Builder::new()
        .spawn(move || {
            watching.until_closed();
            stopping.store(true, Ordering::SeqCst);
            tree::kill(group);
        })
        .in_layer("launcher")?;
    let status = shell.wait().in_layer("shell")?;
    let by_itself = !stopped.load(Ordering::SeqCst);
    tree::kill(group);
    tree::reap();
    if by_itself {
        // The host may be gone.
        let _ = control.report(&Report::Ended(ended(status)));
    }
    Ok(())
}

/// How the shell ended.
fn ended(status: std::process::ExitStatus) -> Ended {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, signal) => Ended::Signalled(signal.unwrap_or_default()),
    }
}
