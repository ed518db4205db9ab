//! A client of the gateway that does only what it is told.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::bench::{Bench, Scene};

/// Everything but presences.
pub(crate) const ALL: u64 =
    1 | 1 << 1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(8);

pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) sequence: u64,
}

/// What came.
#[derive(Debug, PartialEq)]
pub(crate) enum Came {
    Payload(Value),
    /// A close frame, with its code if it had one.
    Closed(Option<u16>),
    /// The end without a close frame.
    Dropped,
}

impl Socket {
    pub(crate) async fn open(bench: &Bench, path: &str) -> Self {
        let url = format!("ws://{}{path}", bench.running.address());
        let (stream, _) = timeout(PATIENCE, connect_async(url))
            .await
            .unwrap()
            .unwrap();
        Self {
            stream,
            sequence: 0,
        }
    }

    /// A connection that was greeted.
    pub(crate) async fn greeted(bench: &Bench) -> Self {
        let mut socket = Self::open(bench, "/?v=10&encoding=json").await;
        assert_eq!(socket.payload().await["op"], 10);
        socket
    }

    /// A connection with a session, and READY's data. The guilds are not read yet.
    pub(crate) async fn ready(bench: &Bench, token: &str, intents: u64) -> (Self, Value) {
        let mut socket = Self::greeted(bench).await;
        socket.identify(token, json!({"intents": intents})).await;
        let ready = socket.payload().await;
        assert_eq!(ready["t"], "READY", "{ready}");
        (socket, ready["d"].clone())
    }

    /// A connection with a session, past the scene's guild.
    pub(crate) async fn online(scene: &Scene) -> (Self, Value) {
        let (mut socket, ready) = Self::ready(&scene.bench, &scene.token, ALL).await;
        let guild = socket.event("GUILD_CREATE").await;
        assert_eq!(guild["id"].as_str(), Some(scene.guild.as_str()));
        (socket, ready)
    }

    pub(crate) async fn identify(&mut self, token: &str, more: Value) {
        let mut data = json!({
            "token": token,
            "properties": {"os": "linux", "browser": "test", "device": "test"},
        });
        for (name, value) in more.as_object().unwrap() {
            data[name] = value.clone();
        }
        self.send(json!({"op": 2, "d": data})).await;
    }

    pub(crate) async fn resume(&mut self, token: &str, session: &Value, sequence: u64) {
        self.send(json!({"op": 6, "d": {"token": token, "session_id": session, "seq": sequence}}))
            .await;
    }

    pub(crate) async fn send(&mut self, payload: Value) {
        self.send_text(payload.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: String) {
        self.stream.send(Message::Text(text.into())).await.unwrap();
    }

    pub(crate) async fn close(mut self, code: u16) {
        use tokio_tungstenite::tungstenite::protocol::CloseFrame;
        let frame = CloseFrame {
            code: code.into(),
            reason: "".into(),
        };
        self.stream.send(Message::Close(Some(frame))).await.unwrap();
        while let Some(Ok(_)) = self.stream.next().await {}
    }

    pub(crate) async fn next(&mut self) -> Came {
        loop {
            let message = timeout(PATIENCE, self.stream.next())
                .await
                .expect("nothing came");
            return match message {
                Some(Ok(Message::Text(text))) => {
                    let payload: Value = serde_json::from_str(&text).unwrap();
                    if let Some(sequence) = payload["s"].as_u64() {
                        self.sequence = sequence;
                    }
                    Came::Payload(payload)
                }
                Some(Ok(Message::Close(frame))) => {
                    // An empty close frame is shown as 1005 by some versions.
                    Came::Closed(
                        frame
                            .map(|frame| u16::from(frame.code))
                            .filter(|c| *c != 1005),
                    )
                }
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => Came::Dropped,
            };
        }
    }

    pub(crate) async fn payload(&mut self) -> Value {
        match self.next().await {
            Came::Payload(payload) => payload,
            other => panic!("the connection ended: {other:?}"),
        }
    }

    /// The data of the next dispatch with this name; others before it are skipped.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        loop {
            let payload = self.payload().await;
            if payload["t"] == name {
                return payload["d"].clone();
            }
        }
    }

    /// The code with which the connection is closed.
    pub(crate) async fn closed(&mut self) -> Option<u16> {
        loop {
            match self.next().await {
                Came::Closed(code) => return code,
                Came::Dropped => panic!("the connection was dropped"),
                Came::Payload(_) => {}
            }
        }
    }

    /// The names of the dispatches until one of this name, which is included.
    pub(crate) async fn names_until(&mut self, last: &str) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let payload = self.payload().await;
            if let Some(name) = payload["t"].as_str() {
                names.push(name.to_owned());
                if name == last {
                    return names;
                }
            }
        }
    }

    /// Whether nothing comes for a while.
    pub(crate) async fn is_quiet(&mut self) -> bool {
        timeout(Duration::from_millis(200), self.stream.next())
            .await
            .is_err()
    }
}
