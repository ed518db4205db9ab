//! What all parts of a running emulator share.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Notify, broadcast, oneshot};
use tokio_util::sync::CancellationToken;

use crate::api::limits::Limiter;
use crate::control::failures::Failures;
use crate::control::requests::Requests;
use crate::gateway::hub::Hub;
use crate::snowflake::Id;
use crate::world::World;
use crate::world::event::Event;

/// How the application answered a press.
pub(crate) struct Acknowledgement {
    pub(crate) response: Value,
}

/// What is shared.
pub(crate) struct Shared {
    pub(crate) world: Mutex<World>,
    pub(crate) hub: Mutex<Hub>,
    pub(crate) limiter: Mutex<Limiter>,
    pub(crate) requests: Mutex<Requests>,
    pub(crate) failures: Mutex<Failures>,
    /// Presses that wait for their application.
    pub(crate) presses: Mutex<HashMap<Id, oneshot::Sender<Acknowledgement>>>,
    /// Notices for pages that show the state.
    pub(crate) notices: broadcast::Sender<Value>,
    /// The state must be written.
    pub(crate) changed: Notify,
    pub(crate) stop: CancellationToken,
    pub(crate) address: SocketAddr,
    pub(crate) control_token: Option<String>,
    pub(crate) heartbeat: Duration,
}

/// A handle to what is shared.
#[derive(Clone)]
pub(crate) struct AppState(Arc<Shared>);

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// Locks, also after another task panicked while it held the lock: an action that fails leaves
/// the state whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AppState {
    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// Where the server is reached, without a path.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Looks at the world.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&lock(&self.world))
    }

    /// Changes the world, and hands what happened to the gateway before anything else can happen.
    pub(crate) fn change<T>(&self, action: impl FnOnce(&mut World) -> T) -> T {
        let mut world = lock(&self.world);
        let result = action(&mut world);
        let events = std::mem::take(&mut world.outbox);
        if !events.is_empty() {
            let mut hub = lock(&self.hub);
            for event in &events {
                hub.dispatch(&world, event);
            }
        }
        drop(world);
        let mut last = Value::Null;
        for event in &events {
            // Several bots may hear of one thing by events of their own: one notice is enough.
            let notice = notice(event);
            if notice != last {
                // Nobody may be listening.
                let _ = self.notices.send(notice.clone());
                last = notice;
            }
        }
        self.changed.notify_one();
        result
    }
}

/// What a page is told: what kind of change, and where.
fn notice(event: &Event) -> Value {
    let data = &event.data;
    let mut notice = json!({"type": event.name.to_lowercase()});
    let is_channel = event.name.starts_with("CHANNEL_") || event.name.starts_with("THREAD_");
    let channel = data
        .get("channel_id")
        .or_else(|| data.get("id").filter(|_| is_channel));
    if let Some(channel) = channel {
        notice["channel"] = channel.clone();
    }
    let id = ["message_id", "id", "role_id", "user_id"]
        .iter()
        .find_map(|name| data.get(name));
    let nested = data
        .pointer("/user/id")
        .or_else(|| data.pointer("/role/id"));
    if let Some(id) = id.or(nested) {
        notice["id"] = id.clone();
    }
    if let Some(guild) = event.guild {
        notice["guild"] = json!(guild);
    }
    notice
}
