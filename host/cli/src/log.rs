//! The log, on stderr.

use ostler_config::{Home, LogFormat, read_host};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};

use crate::args::{Cli, Command};

/// Starts the log: of a command what is wrong, of a host what it does as well. `--quiet` and
/// `--verbose` shift it, `OSTLER_LOG` sets it in `tracing`'s own words (`ostler_discord=debug`).
pub(crate) fn start(cli: &Cli) {
    let is_host = matches!(cli.command, Command::Serve(_) | Command::Dev(_));
    let level = match (cli.global.quiet, cli.global.verbose, is_host) {
        (true, _, _) => LevelFilter::ERROR,
        (false, true, true) => LevelFilter::DEBUG,
        (false, false, true) | (false, true, false) => LevelFilter::INFO,
        (false, false, false) => LevelFilter::WARN,
    };
    let given = std::env::var("OSTLER_LOG").unwrap_or_default();
    // The client of model providers logs answers and whole addresses; HTTP libraries log noise.
    let filter = EnvFilter::builder().parse_lossy(format!(
        "{level},genai=off,hyper=warn,h2=warn,rustls=warn,{given}"
    ));
    let log = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(filter)
        .with_ansi(false);
    match (is_host, format(cli)) {
        (true, LogFormat::Json) => log.json().init(),
        (true, LogFormat::Text) => log.with_target(false).init(),
        (false, _) => log.without_time().with_target(false).init(),
    }
}

/// How the host's file wants it. A file that does not read is told by the command itself.
fn format(cli: &Cli) -> LogFormat {
    Home::locate(cli.global.home.clone(), std::env::var_os("OSTLER_HOME"))
        .ok()
        .and_then(|home| read_host(&home.host_file()).ok())
        .map_or(LogFormat::Text, |host| host.log_format)
}
