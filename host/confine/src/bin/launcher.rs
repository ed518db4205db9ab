//! The launcher on its own: what a binary that runs boxes does first in its `main`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ostler_confine::launcher(std::env::args_os()).unwrap_or_else(|| {
        eprintln!("this program is started by ostler-confine; it has no use of its own");
        ExitCode::from(2)
    })
}
