//! A running host: the rooms wired together, from start to end.
//!
//! `serve` and `dev` differ in what they put in; from there on it is the same host.

mod lock;
mod profile;
mod ready;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ostler_config::Home;
use ostler_registry::Registry;
use ostler_runtime::{GuestThreads, Runtime, RuntimeOptions};
use ostler_web::{ProfileState, Server};
use tokio::signal::unix::{SignalKind, signal};

pub(crate) use lock::HostLock;
pub(crate) use profile::{ProfileHost, ProfileStart};
use ready::ReadyFile;

use crate::failure::{Exit, Failure};
use crate::terminal;

/// How long the parts of a host have to end. The whole is done within five seconds.
const ENDING: Duration = Duration::from_millis(4_500);

/// What a host is started with.
pub(crate) struct Start {
    pub(crate) home: Home,
    pub(crate) registry: Arc<Registry>,
    pub(crate) profiles: Vec<ProfileStart>,
    pub(crate) listen: SocketAddr,
    pub(crate) ready_file: Option<PathBuf>,
    pub(crate) emulator: Option<String>,
    pub(crate) token: String,
    /// What is said when everything is up, beside the addresses.
    pub(crate) welcome: String,
}

/// The registry of a home that a host serves: guests run on threads of their own.
pub(crate) fn registry(home: &Home) -> Result<Arc<Registry>, Failure> {
    let cache = home.cache();
    let runtime = Runtime::new(RuntimeOptions {
        cache: Some(&cache),
        guest_threads: GuestThreads::Own(threads()),
    })
    .map_err(|error| Failure::new(Exit::Usage, error.code(), error.to_string()))?;
    Ok(Arc::new(Registry::open(home.clone(), Arc::new(runtime))?))
}

/// Threads for guests: as many as there are processors.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A token of 256 bits, in hexadecimal.
pub(crate) fn token() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new(Exit::Usage, "io", format!("no random bytes: {error}")))?;
    Ok(hex::encode(bytes))
}

/// Starts a host, runs it until it is told to stop, and stops it.
pub(crate) async fn run(start: Start) -> Result<Exit, Failure> {
    let mut terminate = signal(SignalKind::terminate())
        .map_err(|error| Failure::io("cannot wait for signals", &error))?;
    let mut profiles = Vec::new();
    for profile in start.profiles {
        let profile = ProfileHost::start(profile, &start.registry).await?;
        profiles.push(Arc::new(profile));
    }
    let states = profiles
        .iter()
        .map(|profile| Arc::clone(profile) as Arc<dyn ProfileState>)
        .collect();
    let server = Server::start(ostler_web::Options {
        listen: start.listen,
        token: start.token.clone(),
        registry: Arc::clone(&start.registry),
        profiles: states,
        emulator: start.emulator.clone(),
    })
    .await
    .map_err(|error| Failure::new(Exit::Usage, error.code(), error.to_string()))?;

    let ended = tokio::select! {
        _ = terminate.recv() => Ok(()),
        _ = tokio::signal::ctrl_c() => Ok(()),
        fatal = first_fatal(&profiles) => Err(fatal),
        never = async {
            for profile in &profiles {
                profile.connected().await;
            }
            let workspace = profiles.first().map(|profile| profile.workspace().to_owned());
            let ready = ReadyFile {
                pages: server.origin(),
                api: server.origin(),
                emulator: start.emulator.clone(),
                token: start.token.clone(),
                workspace,
            };
            ready.write(&start.home, start.ready_file.as_deref())?;
            terminal::print(&format!(
                "{ready}sign in    {}\n           (once, within ten minutes; the token signs in as well)\n{}",
                server.login_link(), start.welcome
            ));
            std::future::pending().await
        } => never,
    };

    tracing::info!("stopping");
    let stopping = async {
        for profile in &profiles {
            profile.shutdown().await;
        }
        server.shutdown().await;
    };
    if tokio::time::timeout(ENDING, stopping).await.is_err() {
        tracing::error!(
            "not everything ended in time; what was running is found again at the next start"
        );
    }
    ReadyFile::remove(&start.home, start.ready_file.as_deref());
    ended.map(|()| Exit::Done)
}

/// The first profile whose connection ended for good.
async fn first_fatal(profiles: &[Arc<ProfileHost>]) -> Failure {
    let waiting: Vec<_> = profiles
        .iter()
        .map(|profile| Box::pin(profile.fatal()))
        .collect();
    if waiting.is_empty() {
        return std::future::pending().await;
    }
    futures_util::future::select_all(waiting).await.0
}
