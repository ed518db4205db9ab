//! The `ostler` binary: reads the command line, wires the rooms together, owns no logic.
//!
//! - [`args`] is the one definition of the command line; help, completions and the man page come
//!   from it.
//! - [`commands`] holds one file for each command: it calls a room and shows what came of it.
//! - [`host`] wires a running host together, for `serve` and `dev`.
//! - [`failure`] maps every error to a message with a code, and to an exit code.

#![allow(
    clippy::result_large_err,
    reason = "a failure ends the command: it is made once"
)]

mod args;
mod commands;
mod failure;
mod host;
mod log;
mod show;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command, Format};
use crate::failure::{Exit, Failure};

fn main() -> ExitCode {
    // The assistant's commands are started by this binary, which first confines itself.
    if let Some(code) = ostler_confine::launcher(std::env::args_os()) {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    log::start(&cli);
    let global = cli.global.clone();
    let runs_a_host = matches!(cli.command, Command::Serve(_) | Command::Dev(_));
    let mut runtime = if runs_a_host {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        // A command does one thing: its guests run on its own thread.
        tokio::runtime::Builder::new_current_thread()
    };
    let ended = runtime
        .enable_all()
        .build()
        .map_err(|error| Failure::io("cannot start", &error))
        .and_then(|runtime| runtime.block_on(commands::run(cli)));
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.print(global.format);
            failure.exit.into()
        }
    }
}

/// Help and version go to stdout with exit code 0; a mistake is a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    let is_mistake = error.use_stderr();
    let wants_json = std::env::args_os()
        .collect::<Vec<_>>()
        .windows(2)
        .any(|pair| pair[0] == "--format" && pair[1] == "json")
        || std::env::args_os().any(|argument| argument == "--format=json");
    if is_mistake && wants_json {
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default();
        let failure = Failure::new(Exit::Usage, "usage", message.trim_start_matches("error: "))
            .with_help("`ostler help` lists the commands");
        failure.print(Format::Json);
        return failure.exit.into();
    }
    // A closed pipe is the reader's choice.
    let _ = error.print();
    if is_mistake {
        Exit::Usage.into()
    } else {
        Exit::Done.into()
    }
}
