//! One file for each command.

mod allow;
mod approvals;
mod audit;
mod browse;
mod build;
mod call;
mod config;
mod confirm;
mod dev;
mod diff;
mod doctor;
mod install;
mod publish;
mod scan;
mod secrets;
mod serve;
mod sessions;
mod show;
mod source;
mod uninstall;

use std::sync::Arc;

use clap::CommandFactory as _;
use ostler_config::Home;
use ostler_registry::{PackageRef, Registry};
use ostler_runtime::{GuestThreads, Runtime, RuntimeOptions};
use ostler_store::Profile;

use crate::args::{Cli, Command, Global};
use crate::failure::{Exit, Failure};

/// Runs the command.
pub(crate) async fn run(cli: Cli) -> Result<Exit, Failure> {
    let global = &cli.global;
    match cli.command {
        Command::Build { package, output } => build::run(global, &package, output),
        Command::Scan { path } => scan::run(global, &path),
        Command::Diff { from, to } => diff::run(global, &from, &to),
        Command::Publish { package } => publish::run(global, &package).await,
        Command::Browse { query } => browse::run(global, query.as_deref()),
        Command::Show { package } => show::run(global, &package),
        Command::Install(arguments) => install::run(global, &arguments).await,
        Command::Uninstall { package, yes } => uninstall::run(global, &package, yes).await,
        Command::Call {
            package,
            tool,
            args,
        } => call::run(global, &package, tool, args).await,
        Command::Serve(arguments) => serve::run(global, arguments).await,
        Command::Dev(arguments) => dev::run(global, arguments).await,
        Command::Sessions { command } => sessions::run(global, command).await,
        Command::Approvals { command } => approvals::run(global, command).await,
        Command::Allow { command } => allow::run(global, command).await,
        Command::Audit(arguments) => audit::run(global, arguments).await,
        Command::Config { command } => config::run(global, &command),
        Command::Secrets { command } => secrets::run(global, command).await,
        Command::Doctor => Ok(doctor::run(global).await),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "ostler", &mut std::io::stdout());
            Ok(Exit::Done)
        }
        Command::Man => {
            let page = clap_mangen::Man::new(Cli::command());
            page.render(&mut std::io::stdout())
                .map_err(|error| Failure::io("the manual page cannot be printed", &error))?;
            Ok(Exit::Done)
        }
    }
}

/// The home that the command line and the environment name, made if need be.
fn home(global: &Global) -> Result<Home, Failure> {
    let home = Home::locate(global.home.clone(), std::env::var_os("OSTLER_HOME"))?;
    home.create()?;
    Ok(home)
}

/// The registry of the home. A command does nothing but its own work, so that guest code may run
/// on its thread.
fn registry(global: &Global) -> Result<Registry, Failure> {
    let home = home(global)?;
    let cache = home.cache();
    let runtime = Runtime::new(RuntimeOptions {
        cache: Some(&cache),
        guest_threads: GuestThreads::Caller,
    })
    .map_err(|error| Failure::new(Exit::Usage, error.code(), error.to_string()))?;
    Ok(Registry::open(home, Arc::new(runtime))?)
}

fn profile(global: &Global) -> Result<Profile, Failure> {
    global
        .profile_name()
        .parse()
        .map_err(|error: ostler_store::ParseIdError| {
            Failure::new(Exit::Usage, error.code(), error.to_string())
        })
}

/// The time, in milliseconds since 1970 (UTC).
fn now() -> i64 {
    i64::try_from(time::OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000_000)
        .unwrap_or_default()
}

/// A failure of the home's database.
fn store_failed(error: &ostler_store::StoreError) -> Failure {
    Failure::new(Exit::Usage, error.code(), error.to_string())
}

fn package_ref(text: &str) -> Result<PackageRef, Failure> {
    Ok(text.parse::<PackageRef>()?)
}
