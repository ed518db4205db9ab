//! Starting and stopping.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::serve::ListenerExt;
use http::StatusCode;
use tokio::net::TcpListener;
use tokio::sync::{Notify, broadcast};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use crate::actions::threads;
use crate::api::limits::Limiter;
use crate::control::failures::Failures;
use crate::control::requests::Requests;
use crate::error::EmulatorError;
use crate::gateway::hub::Hub;
use crate::options::Options;
use crate::seed::{self, Seed, Seeded};
use crate::state::{AppState, Shared};
use crate::world::World;
use crate::{api, control, gateway, page, snapshot};

/// How often idle threads are looked for.
const SWEEP: Duration = Duration::from_secs(15);
/// How long open requests may still take when the emulator stops.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// The emulator; see [`Emulator::start`].
#[derive(Debug)]
pub struct Emulator;

/// An emulator that serves. Dropping it stops it; [`Running::shutdown`] also waits.
pub struct Running {
    state: AppState,
    state_file: Option<PathBuf>,
    server: JoinHandle<()>,
    writer: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("address", &self.state.address)
            .finish_non_exhaustive()
    }
}

impl Emulator {
    /// Starts an emulator on the current runtime.
    ///
    /// # Errors
    /// - `emulator-not-loopback`: the address is reachable from elsewhere;
    /// - `emulator-listen`: the address cannot be listened on;
    /// - `emulator-state-unreadable`, `emulator-state-corrupt`: the state file cannot be read; it
    ///   is left as it is;
    /// - `emulator-state-unwritable`: the state file cannot be written.
    pub async fn start(options: Options) -> Result<Running, EmulatorError> {
        let asked = options.listen;
        if !asked.ip().is_loopback() {
            return Err(EmulatorError::NotLoopback { address: asked });
        }
        let mut world = match &options.state_file {
            Some(path) => snapshot::load(path)?,
            None => World::default(),
        };
        let listen = |source| EmulatorError::Listen {
            address: asked,
            source,
        };
        let listener = TcpListener::bind(asked).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        world.origin = format!("http://{address}");
        let (notices, _) = broadcast::channel(1_024);
        let state = AppState::new(Shared {
            world: Mutex::new(world),
            hub: Mutex::new(Hub::new(options.rate_limits.clone())),
            limiter: Mutex::new(Limiter::new(options.rate_limits)),
            requests: Mutex::new(Requests::default()),
            failures: Mutex::new(Failures::default()),
            presses: Mutex::new(HashMap::new()),
            notices,
            changed: Notify::new(),
            stop: CancellationToken::new(),
            address,
            control_token: options.control_token,
            heartbeat: options.heartbeat_interval,
        });
        let state_file = options.state_file.clone();
        let writer = match options.state_file {
            Some(path) => {
                // A state that cannot be kept is told now, not after the first crash.
                snapshot::write(&state, &path)?;
                Some(tokio::spawn(snapshot::keep(state.clone(), path)))
            }
            None => None,
        };
        tokio::spawn(sweep(state.clone()));
        let stop = state.stop.clone();
        let app = routes(&state);
        let listener = listener.tap_io(|stream| {
            // Small answers must not wait for more to send.
            let _ = stream.set_nodelay(true);
        });
        let server = tokio::spawn(async move {
            let served = axum::serve(listener, app)
                .with_graceful_shutdown(async move { stop.cancelled().await });
            if let Err(error) = served.await {
                tracing::error!("the emulator's server failed: {error}");
            }
        });
        Ok(Running {
            state,
            state_file,
            server,
            writer,
        })
    }
}

fn routes(state: &AppState) -> Router {
    Router::new()
        .merge(api::router())
        .merge(control::router(state))
        .merge(page::router())
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(from_fn_with_state(state.clone(), gateway::intercept))
        .layer(CatchPanicLayer::new())
        .with_state(state.clone())
}

/// Archives idle threads from time to time.
async fn sweep(state: AppState) {
    loop {
        tokio::select! {
            () = state.stop.cancelled() => return,
            () = tokio::time::sleep(SWEEP) => {}
        }
        state.change(threads::archive_idle);
    }
}

impl Running {
    /// Where the server is, without a path: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn origin(&self) -> String {
        self.state.origin()
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.state.address
    }

    /// What requests to the control API must carry, if there is one.
    #[must_use]
    pub fn control_token(&self) -> Option<&str> {
        self.state.control_token.as_deref()
    }

    /// Makes a first guild with channels, people and a bot; what is there by name is left as it
    /// is, so that this may be called at every start.
    ///
    /// # Errors
    /// `emulator-seed-refused`: a name is one that Discord would not take.
    pub fn seed(&self, seed: &Seed) -> Result<Seeded, EmulatorError> {
        let seeded = self
            .state
            .change(|world| seed::apply(world, seed))
            .map_err(|refusal| EmulatorError::Seed {
                reason: refusal.message,
            })?;
        // Ids that were told must hold, also after a kill.
        if let Some(path) = &self.state_file {
            snapshot::write(&self.state, path)?;
        }
        Ok(seeded)
    }

    /// Stops: connections end, the state is written.
    pub async fn shutdown(mut self) {
        self.state.stop.cancel();
        if tokio::time::timeout(SHUTDOWN, &mut self.server)
            .await
            .is_err()
        {
            self.server.abort();
        }
        if let Some(writer) = self.writer.take() {
            // It ends by itself, with a last write.
            let _ = writer.await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.state.stop.cancel();
    }
}
