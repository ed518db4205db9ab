//! Binding, routes, and the end of both.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::routing::get;
use ostler_agent::{Decision, Resolution};
use ostler_registry::Registry;
use ostler_store::{ApprovalId, Profile, StoreError, Via};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::limit::RequestBodyLimitLayer;

use crate::login::Logins;
use crate::{api, guard, pages};

/// The largest request body, in bytes.
const BODY: usize = 1 << 20;

/// What the server shows of a profile, and does for it.
#[async_trait]
pub trait ProfileState: Send + Sync {
    /// The profile.
    fn profile(&self) -> &Profile;
    /// How the model is named.
    async fn model(&self) -> String;
    /// Whether Discord is connected.
    fn is_connected(&self) -> bool;
    /// Ends an ask, as the owner: `via` the page or the command line. The server has made sure that
    /// it is the operator of this machine who answers.
    ///
    /// # Errors
    /// Those of the store; then nothing was decided.
    async fn answer(
        &self,
        id: ApprovalId,
        decision: Decision,
        reason: Option<String>,
        via: Via,
    ) -> Result<Resolution, StoreError>;
}

/// What the server is made of.
pub struct Options {
    /// Where it listens: a loopback address; port 0 picks one.
    pub listen: SocketAddr,
    /// The API's token. Who knows it may sign in on the pages too.
    pub token: String,
    /// The registry of the home.
    pub registry: Arc<Registry>,
    /// The profiles that are served.
    pub profiles: Vec<Arc<dyn ProfileState>>,
    /// The emulator's origin, if there is one.
    pub emulator: Option<String>,
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is reachable from other machines.
    #[error(
        "{0} is not a loopback address: the pages have no protection for other machines; put a \
         proxy with TLS in front of a loopback address"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {source}; choose another with --listen ADDR")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ServerError {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotLoopback(_) => "listen-not-loopback",
            Self::Bind { .. } => "listen-failed",
        }
    }
}

/// What handlers share.
pub(crate) struct Shared {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) registry: Arc<Registry>,
    pub(crate) profiles: Vec<Arc<dyn ProfileState>>,
    pub(crate) emulator: Option<String>,
    pub(crate) logins: Arc<Logins>,
}

/// The time, in milliseconds since 1970 (UTC).
pub(crate) fn now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_millis()).ok())
        .unwrap_or_default()
}

/// The server.
pub struct Server;

/// A server that listens. Dropping it ends it.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    logins: Arc<Logins>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Server {
    /// Binds and serves.
    ///
    /// # Errors
    /// `listen-not-loopback`, `listen-failed`.
    pub async fn start(options: Options) -> Result<Running, ServerError> {
        if !options.listen.ip().is_loopback() {
            return Err(ServerError::NotLoopback(options.listen));
        }
        let failed = |source| ServerError::Bind {
            address: options.listen,
            source,
        };
        let listener = TcpListener::bind(options.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let logins = Logins::new(&options.token);
        let shared = Arc::new(Shared {
            address,
            logins: Arc::clone(&logins),
            token: options.token,
            registry: options.registry,
            profiles: options.profiles,
            emulator: options.emulator,
        });
        let api =
            api::router()
                .fallback(api::not_found)
                .layer(axum::middleware::from_fn_with_state(
                    Arc::clone(&shared),
                    guard::bearer,
                ));
        let router = Router::new()
            .merge(pages::router())
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(api::ready))
            .nest("/api/v1", api)
            .fallback(api::not_found)
            .layer(axum::middleware::from_fn_with_state(
                Arc::clone(&shared),
                guard::local,
            ))
            .layer(RequestBodyLimitLayer::new(BODY))
            .layer(CatchPanicLayer::new())
            .with_state(shared);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let served = axum::serve(listener, router)
                .with_graceful_shutdown(stopped.cancelled_owned())
                .await;
            if let Err(error) = served {
                tracing::error!(%error, "the pages are no longer served");
            }
        });
        Ok(Running {
            address,
            logins,
            stop,
            task,
        })
    }
}

impl Running {
    /// Where it listens, as an origin: `http://127.0.0.1:7373`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A fresh link that lets a browser in to the private pages, once and within ten minutes. It is
    /// as good as the token for that long: show it to the operator alone. Where the system gives no
    /// random bits it has no code, and leads to the form that takes the token.
    #[must_use]
    pub fn login_link(&self) -> String {
        match self.logins.mint_code(now()) {
            Some(code) => format!("{}/login?code={code}", self.origin()),
            None => format!("{}/login", self.origin()),
        }
    }

    /// Ends it. Requests that run have a second to end.
    pub async fn shutdown(mut self) {
        self.stop.cancel();
        let ended = tokio::time::timeout(std::time::Duration::from_secs(1), &mut self.task).await;
        if ended.is_err() {
            self.task.abort();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}
