//! `/api/v1`: what runs, what is installed, what waits for an answer, and what happened.

mod approvals;
mod audit;
mod error;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use ostler_agent::view::{SessionView, session_detail};
use ostler_registry::LoadedInstall;
use ostler_runtime::{ExportCall, ExportResult, Outcome};
use ostler_store::{PackageName, Profile, SessionKey, SessionStore as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) use self::error::{ApiError, error};
use crate::server::{ProfileState, Shared};

pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/sessions", get(sessions))
        .route("/sessions/{key}", get(session))
        .route("/installs", get(installs))
        .route("/installs/{name}", get(install))
        .route("/installs/{name}/tools/{tool}", post(call))
        .route("/approvals", get(approvals::list))
        .route("/approvals/{id}", get(approvals::one))
        .route("/approvals/{id}/approve", post(approvals::approve))
        .route("/approvals/{id}/deny", post(approvals::deny))
        .route("/audit", get(audit::list))
}

pub(crate) async fn not_found() -> ApiError {
    error(StatusCode::NOT_FOUND, "not-found", "there is nothing here")
}

/// Ready once every profile is connected.
pub(crate) async fn ready(State(shared): State<Arc<Shared>>) -> Response {
    let waiting: Vec<&str> = shared
        .profiles
        .iter()
        .filter(|profile| !profile.is_connected())
        .map(|profile| profile.profile().as_str())
        .collect();
    if waiting.is_empty() {
        "ok\n".into_response()
    } else {
        let text = format!("not connected to Discord: {}\n", waiting.join(", "));
        (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
    }
}

#[derive(Deserialize)]
struct Which {
    profile: Option<String>,
}

/// The profile that a request names, or the only one.
fn profile<'a>(shared: &'a Shared, which: &Which) -> Result<&'a Arc<dyn ProfileState>, ApiError> {
    let found = match &which.profile {
        Some(name) => shared
            .profiles
            .iter()
            .find(|state| state.profile().as_str() == name),
        None => shared.profiles.first(),
    };
    found.ok_or_else(|| {
        error(
            StatusCode::NOT_FOUND,
            "profile-unknown",
            "this host does not serve that profile",
        )
    })
}

async fn sessions(
    State(shared): State<Arc<Shared>>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, ApiError> {
    let profile = profile(&shared, &which)?.profile();
    let sessions = shared.registry.store().sessions(profile, 500).await?;
    let sessions: Vec<SessionView> = sessions.into_iter().map(Into::into).collect();
    Ok(Json(json!({"sessions": sessions})))
}

async fn session(
    State(shared): State<Arc<Shared>>,
    Path(key): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let key: SessionKey = key.parse().map_err(|failed: ostler_store::ParseIdError| {
        error(StatusCode::BAD_REQUEST, failed.code(), &failed.to_string())
    })?;
    match session_detail(shared.registry.store().as_ref(), &key).await? {
        Some(detail) => Ok(Json(json!(detail))),
        None => Err(error(
            StatusCode::NOT_FOUND,
            "not-found",
            "there is no such session",
        )),
    }
}

/// An install, as the API shows it.
#[derive(Serialize)]
struct InstallView {
    package: String,
    version: String,
    state: &'static str,
    digest: String,
    access: Value,
    access_digest: String,
    publisher: String,
    installed_at: i64,
}

impl From<ostler_store::InstallRow> for InstallView {
    fn from(row: ostler_store::InstallRow) -> Self {
        Self {
            package: row.package.to_string(),
            version: row.version,
            state: row.state.as_str(),
            digest: row.digest.to_string(),
            access: serde_json::from_str(&row.access).unwrap_or(Value::Null),
            access_digest: row.access_digest.to_string(),
            publisher: row.publisher,
            installed_at: row.installed_at,
        }
    }
}

async fn installs(
    State(shared): State<Arc<Shared>>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, ApiError> {
    let profile = profile(&shared, &which)?.profile().clone();
    let store = Arc::clone(shared.registry.store());
    let rows = blocking(move || store.installs(&profile)).await??;
    let installs: Vec<InstallView> = rows.into_iter().map(Into::into).collect();
    Ok(Json(json!({"installs": installs})))
}

async fn install(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, ApiError> {
    let package = package(&name)?;
    let profile = profile(&shared, &which)?.profile().clone();
    let store = Arc::clone(shared.registry.store());
    match blocking(move || store.install(&profile, &package)).await?? {
        Some(row) => Ok(Json(json!(InstallView::from(row)))),
        None => Err(error(
            StatusCode::NOT_FOUND,
            "not-installed",
            &format!("{name} is not installed"),
        )),
    }
}

/// Runs one tool of an installed plugin, as the operator. The body is its arguments.
async fn call(
    State(shared): State<Arc<Shared>>,
    Path((name, tool)): Path<(String, String)>,
    Query(which): Query<Which>,
    Json(arguments): Json<Value>,
) -> Result<Json<Value>, ApiError> {
    if !arguments.is_object() {
        return Err(error(
            StatusCode::BAD_REQUEST,
            "arguments-invalid",
            "the body is the tool's arguments, a JSON object",
        ));
    }
    let package = package(&name)?;
    let profile: Profile = profile(&shared, &which)?.profile().clone();
    let registry = Arc::clone(&shared.registry);
    let loaded: LoadedInstall = blocking(move || registry.load(&profile, &package)).await??;
    if !loaded.tools.iter().any(|known| known.name == tool) {
        return Err(error(
            StatusCode::NOT_FOUND,
            "tool-unknown",
            &format!("{name} has no tool `{tool}`"),
        ));
    }
    let call = ExportCall::CallTool {
        name: tool,
        arguments: arguments.to_string(),
    };
    let invoked = shared
        .registry
        .runtime()
        .invoke(&loaded.plugin, call, loaded.tool_context())
        .await;
    let outcome = invoked.outcome.name();
    let failed = |message: String| Err(error(StatusCode::UNPROCESSABLE_ENTITY, outcome, &message));
    match invoked.outcome {
        Outcome::Returned(ExportResult::Answer(Ok(answer))) => Ok(Json(json!({"answer": answer}))),
        Outcome::Returned(ExportResult::Answer(Err(told))) => Err(error(
            StatusCode::UNPROCESSABLE_ENTITY,
            &told.code,
            &told.message,
        )),
        Outcome::Returned(_) => failed("it gave no answer".to_owned()),
        Outcome::Trap(trap) => failed(trap.message),
        Outcome::Limit(hit) => failed(hit.to_string()),
        Outcome::BadOutput(what) => failed(what),
        Outcome::HostError(fault) => failed(fault.to_string()),
    }
}

fn package(name: &str) -> Result<PackageName, ApiError> {
    name.parse().map_err(|failed: ostler_store::ParseIdError| {
        error(StatusCode::BAD_REQUEST, failed.code(), &failed.to_string())
    })
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| {
        error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the request broke off",
        )
    })
}
