//! A gateway that says exactly what a test wants, also what no emulator would: payloads that do not
//! parse, events told twice, addresses that lie.

#![allow(
    dead_code,
    reason = "every test file is a crate of its own and uses a part of this"
)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// What the double sends over its gateway.
#[derive(Clone, Debug)]
pub(crate) enum Say {
    Text(String),
    Close(u16),
}

/// What is answered to a REST request instead of 200 and `{}`.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Json(u16, Value),
    Redirect(String),
    Stall,
}

#[derive(Clone)]
pub(crate) struct Double {
    pub(crate) origin: String,
    shared: Arc<Shared>,
}

struct Shared {
    /// What is named as the gateway; the double itself if none.
    gateway: Mutex<Option<String>>,
    resume_url: Mutex<Option<String>>,
    say: broadcast::Sender<Say>,
    sequence: Mutex<u64>,
    /// The payloads that clients sent over the gateway, with the query of their connection.
    heard: Mutex<Vec<(Value, String)>>,
    requests: Mutex<Vec<(Method, String, Value, HeaderMap)>>,
    answers: Mutex<Vec<(&'static str, Answer)>>,
    origin: Mutex<String>,
}

pub(crate) const BOT: &str = "1001";

impl Double {
    pub(crate) async fn start() -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap()).await
    }

    pub(crate) async fn start_at(address: SocketAddr) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            gateway: Mutex::default(),
            resume_url: Mutex::default(),
            say: broadcast::channel(1000).0,
            sequence: Mutex::new(0),
            heard: Mutex::default(),
            requests: Mutex::default(),
            answers: Mutex::default(),
            origin: Mutex::new(origin.clone()),
        });
        let app = Router::new()
            .route("/", axum::routing::get(upgrade))
            .route("/resume/", axum::routing::get(upgrade))
            .fallback(rest)
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { origin, shared }
    }

    pub(crate) fn name_gateway(&self, url: &str) {
        *self.shared.gateway.lock().unwrap() = Some(url.to_owned());
    }

    pub(crate) fn name_resume_url(&self, url: &str) {
        *self.shared.resume_url.lock().unwrap() = Some(url.to_owned());
    }

    /// Answers requests whose path holds this text, from now on.
    pub(crate) fn answer(&self, path: &'static str, answer: Answer) {
        self.shared
            .answers
            .lock()
            .unwrap()
            .insert(0, (path, answer));
    }

    /// Sends an event to whoever is connected.
    pub(crate) fn event(&self, name: &str, data: &Value) -> u64 {
        let sequence = {
            let mut sequence = self.shared.sequence.lock().unwrap();
            *sequence += 1;
            *sequence
        };
        self.event_again(name, data, sequence);
        sequence
    }

    pub(crate) fn event_again(&self, name: &str, data: &Value, sequence: u64) {
        self.text(&json!({"op": 0, "t": name, "s": sequence, "d": data}).to_string());
    }

    pub(crate) fn text(&self, text: &str) {
        let _ = self.shared.say.send(Say::Text(text.to_owned()));
    }

    pub(crate) fn close(&self, code: u16) {
        let _ = self.shared.say.send(Say::Close(code));
    }

    /// The payloads with this opcode, and the queries of their connections.
    pub(crate) fn heard(&self, op: u64) -> Vec<(Value, String)> {
        let heard = self.shared.heard.lock().unwrap();
        heard
            .iter()
            .filter(|(payload, _)| payload["op"] == op)
            .cloned()
            .collect()
    }

    /// The requests whose path holds this text: method, path, body, headers.
    pub(crate) fn requests(&self, path: &str) -> Vec<(Method, String, Value, HeaderMap)> {
        let requests = self.shared.requests.lock().unwrap();
        requests
            .iter()
            .filter(|(_, known, ..)| known.contains(path))
            .cloned()
            .collect()
    }
}

async fn upgrade(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    uri: Uri,
    upgrade: WebSocketUpgrade,
) -> Response {
    let query = format!("{}?{}", uri.path(), query.unwrap_or_default());
    upgrade.on_upgrade(move |socket| converse(shared, socket, query))
}

async fn converse(shared: Arc<Shared>, mut socket: WebSocket, query: String) {
    let mut say = shared.say.subscribe();
    let hello = json!({"op": 10, "s": null, "t": null, "d": {"heartbeat_interval": 41_250}});
    let _ = socket.send(Message::Text(hello.to_string().into())).await;
    loop {
        let text = tokio::select! {
            said = say.recv() => match said {
                Ok(Say::Text(text)) => text,
                Ok(Say::Close(code)) => {
                    let frame = CloseFrame { code, reason: "asked for".into() };
                    let _ = socket.send(Message::Close(Some(frame))).await;
                    return;
                }
                Err(_) => return,
            },
            heard = socket.recv() => {
                let Some(Ok(Message::Text(text))) = heard else { return };
                let payload: Value = serde_json::from_str(&text).unwrap();
                shared.heard.lock().unwrap().push((payload.clone(), query.clone()));
                match payload["op"].as_u64() {
                    Some(1) => json!({"op": 11}).to_string(),
                    Some(2) => ready(&shared),
                    Some(6) => {
                        let last = *shared.sequence.lock().unwrap();
                        json!({"op": 0, "t": "RESUMED", "s": last, "d": {}}).to_string()
                    }
                    _ => continue,
                }
            }
        };
        if socket.send(Message::Text(text.into())).await.is_err() {
            return;
        }
    }
}

fn ready(shared: &Shared) -> String {
    *shared.sequence.lock().unwrap() = 1;
    let origin = shared.origin.lock().unwrap().replace("http", "ws");
    let url = shared.resume_url.lock().unwrap().clone();
    let url = url.unwrap_or_else(|| format!("{origin}/resume"));
    json!({"op": 0, "t": "READY", "s": 1, "d": {
        "v": 10, "session_id": "session", "resume_gateway_url": url,
        "user": {"id": BOT, "username": "ostler", "bot": true},
        "application": {"id": "1002"}, "guilds": [],
    }})
    .to_string()
}

async fn rest(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.to_string();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    shared
        .requests
        .lock()
        .unwrap()
        .push((method, path.clone(), body, headers));
    let answers = shared.answers.lock().unwrap().clone();
    let answer = answers.into_iter().find(|(known, _)| path.contains(known));
    match answer {
        Some((_, Answer::Json(status, body))) => {
            let status = StatusCode::from_u16(status).unwrap();
            (status, axum::Json(body)).into_response()
        }
        Some((_, Answer::Redirect(to))) => {
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response()
        }
        Some((_, Answer::Stall)) => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            StatusCode::NO_CONTENT.into_response()
        }
        None if path.contains("/gateway/bot") => {
            let origin = shared.origin.lock().unwrap().replace("http", "ws");
            let url = shared.gateway.lock().unwrap().clone().unwrap_or(origin);
            axum::Json(json!({
                "url": url, "shards": 1,
                "session_start_limit": {"total": 1000, "remaining": 1000, "reset_after": 0,
                                        "max_concurrency": 1},
            }))
            .into_response()
        }
        None => axum::Json(json!({})).into_response(),
    }
}
