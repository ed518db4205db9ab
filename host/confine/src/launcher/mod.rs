//! The launcher: the binary itself, started again to build one box.
//!
//! Three stages, each a fresh process with one thread, so that nothing `unsafe` is needed between
//! fork and exec:
//! - `outer` stands outside the box. It makes the command's own folder, goes into the user and PID
//!   namespaces, starts `init`, and removes the folder when all is over.
//! - `init` is process 1 of the box. It builds the root that the box sees, starts `shell`, and
//!   reaps. When the host closes its socket or dies, it ends, and the kernel kills every process
//!   of its PID namespace.
//! - `shell` puts on what is left (limits, no capabilities, Landlock, seccomp) and becomes
//!   `/bin/sh`.
//!
//! Without a box there are `outer` and `shell`; `outer` is then the one that all processes of the
//! command fall to, and kills them.

#[cfg(target_os = "linux")]
mod boxed;
mod control;
mod descriptors;
mod limits;
mod outer;
mod private;
mod shell;
mod tree;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::order::{ARGUMENT, Report};
use control::Control;

/// The exit code of a stage that failed. What counts is its report.
const FAILED: u8 = 125;

/// What a stage could not do.
#[derive(Debug)]
struct Failure {
    layer: &'static str,
    reason: String,
}

impl Failure {
    fn new(layer: &'static str, reason: impl Into<String>) -> Self {
        Self {
            layer,
            reason: reason.into(),
        }
    }
}

/// Names the layer that an error came up in.
trait In<T> {
    fn in_layer(self, layer: &'static str) -> Result<T, Failure>;
    fn at(self, layer: &'static str, place: &dyn std::fmt::Display) -> Result<T, Failure>;
}

impl<T, E: std::fmt::Display> In<T> for Result<T, E> {
    fn in_layer(self, layer: &'static str) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(layer, error.to_string()))
    }

    fn at(self, layer: &'static str, place: &dyn std::fmt::Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(layer, format!("{place}: {error}")))
    }
}

/// The hidden entry point: call it first thing in `main`, before any thread, with
/// [`std::env::args_os`].
///
/// When the arguments are those of a launcher, it does a launcher's work and gives the exit code to
/// end with, if it returns at all. Otherwise it touches nothing and gives none: these are ordinary
/// arguments.
pub fn launcher(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let stage = arguments.next().unwrap_or_default();
    let argument = arguments.next();
    let done = match stage.to_str() {
        Some("outer") => outer::run(),
        #[cfg(target_os = "linux")]
        Some("init") => boxed::init(argument),
        Some("shell") => shell::run(argument),
        _ => Err(Failure::new("launcher", "there is no such stage")),
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { layer, reason }) => {
            let report = Report::Failed {
                layer: layer.to_owned(),
                reason: reason.clone(),
            };
            // Without a host to tell, the words go where the command's errors go.
            if Control::take()
                .and_then(|control| control.report(&report))
                .is_err()
            {
                eprintln!("the command did not run: {layer}: {reason}");
            }
            ExitCode::from(FAILED)
        }
    })
}
