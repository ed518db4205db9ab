//! One connection: what the client sends, and what it is answered.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::faults::{Action, Stage};
use super::hub::{BACKLOG, Command};
use super::identify::{Refused, identify, resume};
use super::members;
use crate::snowflake::Id;
use crate::state::{AppState, lock};

/// Bytes of one payload to the server.
const PAYLOAD_LIMIT: usize = 4_096;
/// Payloads of a client in a minute.
const SENDS_PER_MINUTE: u32 = 120;
/// How long a frame may take to be written.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// How a connection ends.
enum End {
    /// Nothing more to say: the socket is dropped.
    Silently,
    /// With a close frame.
    Close(Option<(u16, &'static str)>),
    /// The client closed; with 1000 and 1001 its session ends too.
    ByClient(Option<u16>),
}

struct Connection {
    state: AppState,
    socket: WebSocket,
    id: u64,
    /// Whether the client has a session.
    ready: bool,
    silent: bool,
    heard: Instant,
    minute: Instant,
    sends: u32,
}

/// Serves a connection until it ends.
pub(super) async fn run(state: AppState, socket: WebSocket, query: String, fault: Option<Action>) {
    let (sender, receiver) = mpsc::channel(BACKLOG);
    let id = lock(&state.hub).connect(sender);
    let now = Instant::now();
    let mut connection = Connection {
        state: state.clone(),
        socket,
        id,
        ready: false,
        silent: false,
        heard: now,
        minute: now,
        sends: 0,
    };
    let end = match connection.serve(receiver, &query, fault).await {
        Ok(()) => End::Silently,
        Err(end) => end,
    };
    // Codes after which Discord wants a new session.
    let session_over = |code: u16| matches!(code, 1000 | 1001 | 4003 | 4004 | 4007 | 4009..=4014);
    let ended = match &end {
        End::Silently | End::Close(None) | End::ByClient(None) => false,
        End::Close(Some((code, _))) => session_over(*code) && *code > 1001,
        End::ByClient(Some(code)) => matches!(code, 1000 | 1001),
    };
    lock(&state.hub).disconnect(id, ended);
    if matches!(end, End::ByClient(_)) {
        // The answer to a close frame goes out when the socket is read once more.
        let _ = timeout(Duration::from_secs(1), connection.socket.recv()).await;
    }
    if let End::Close(reason) = end {
        let frame = reason.map(|(code, reason)| CloseFrame {
            code,
            reason: reason.into(),
        });
        let goodbye = async {
            connection.socket.send(Message::Close(frame)).await?;
            // The client's own close frame ends the exchange; what it sends before is not read.
            while let Some(Ok(_)) = connection.socket.recv().await {}
            Ok::<(), axum::Error>(())
        };
        let _ = timeout(Duration::from_secs(2), goodbye).await;
    }
}

/// Ends that come from the protocol.
fn close(code: u16, reason: &'static str) -> End {
    End::Close(Some((code, reason)))
}

impl Connection {
    async fn serve(
        &mut self,
        mut commands: mpsc::Receiver<Command>,
        query: &str,
        fault: Option<Action>,
    ) -> Result<(), End> {
        let parameter = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.to_owned())
        };
        if parameter("v").as_deref() != Some("10") {
            return Err(close(4012, "Invalid API version"));
        }
        if parameter("encoding").is_some_and(|encoding| encoding != "json") {
            return Err(close(4002, "Error while decoding payload"));
        }
        let fault = fault.or_else(|| lock(&self.state.hub).faults.take(Stage::Hello));
        if fault == Some(Action::Hang) {
            return self.hang().await;
        }
        let interval = self.state.heartbeat;
        let milliseconds = u64::try_from(interval.as_millis()).unwrap_or(41_250);
        self.send(&json!({
            "op": 10, "s": null, "t": null,
            "d": {"heartbeat_interval": milliseconds, "_trace": ["emulator"]},
        }))
        .await?;
        if let Some(fault) = fault {
            self.apply(fault).await?;
        }
        let stop = self.state.stop.clone();
        loop {
            let deadline = self.heard + interval.mul_f32(1.5);
            tokio::select! {
                () = stop.cancelled() => return Err(End::Silently),
                () = sleep_until(deadline) => return Err(close(4009, "Session timed out.")),
                command = commands.recv() => match command {
                    None | Some(Command::Displaced) => return Err(End::Silently),
                    Some(Command::Send(text)) => self.write(text).await?,
                    Some(Command::Fault(action)) => self.apply(action).await?,
                },
                message = self.socket.recv() => self.receive(message).await?,
            }
        }
    }

    /// Does nothing until the client gives up.
    async fn hang(&mut self) -> Result<(), End> {
        let stop = self.state.stop.clone();
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                message = self.socket.recv() => match message {
                    None | Some(Err(_) | Ok(Message::Close(_))) => return Ok(()),
                    Some(Ok(_)) => {}
                },
            }
        }
    }

    async fn apply(&mut self, action: Action) -> Result<(), End> {
        match action {
            Action::Drop => Err(End::Silently),
            Action::Close(None) => Err(End::Close(None)),
            Action::Close(Some(code)) => Err(close(code, "asked for by a test")),
            Action::Reconnect => {
                self.send(&json!({"op": 7, "d": null, "s": null, "t": null}))
                    .await
            }
            Action::InvalidSession(resumable) => self.invalid_session(resumable).await,
            Action::Hang => self.hang().await.and(Err(End::Silently)),
            Action::Silence => {
                self.silent = true;
                Ok(())
            }
        }
    }

    async fn invalid_session(&mut self, resumable: bool) -> Result<(), End> {
        self.ready = false;
        lock(&self.state.hub).detach(self.id, !resumable);
        self.send(&json!({"op": 9, "d": resumable, "s": null, "t": null}))
            .await
    }

    async fn send(&mut self, payload: &Value) -> Result<(), End> {
        self.write(payload.to_string()).await
    }

    async fn write(&mut self, text: String) -> Result<(), End> {
        if self.silent {
            return Ok(());
        }
        match timeout(WRITE_TIME, self.socket.send(Message::Text(text.into()))).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(End::Silently),
        }
    }

    async fn receive(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<(), End> {
        let bytes = match message {
            None => return Err(End::Silently),
            Some(Err(_)) => return Err(close(4002, "Error while decoding payload")),
            Some(Ok(Message::Close(frame))) => {
                return Err(End::ByClient(frame.map(|frame| frame.code)));
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => return Ok(()),
            Some(Ok(Message::Text(text))) => text.as_str().as_bytes().to_vec(),
            Some(Ok(Message::Binary(bytes))) => bytes.to_vec(),
        };
        if self.minute.elapsed() > Duration::from_secs(60) {
            self.minute = Instant::now();
            self.sends = 0;
        }
        self.sends += 1;
        if self.sends > SENDS_PER_MINUTE {
            return Err(close(4008, "Rate limited"));
        }
        let undecodable = || close(4002, "Error while decoding payload");
        if bytes.len() > PAYLOAD_LIMIT {
            return Err(undecodable());
        }
        let payload: Value = serde_json::from_slice(&bytes).map_err(|_| undecodable())?;
        let op = payload
            .get("op")
            .and_then(Value::as_i64)
            .ok_or_else(undecodable)?;
        let data = payload.get("d").unwrap_or(&Value::Null);
        match op {
            1 => self.heartbeat(data).await,
            2 if self.ready => Err(close(4005, "Already authenticated")),
            6 if self.ready => Err(close(4005, "Already authenticated")),
            2 => self.identify(data).await,
            6 => self.resume(data).await,
            3 | 4 | 8 | 14 | 31 if !self.ready => Err(close(4003, "Not authenticated")),
            3 | 4 | 14 | 31 => Ok(()),
            8 => {
                self.request_members(data);
                Ok(())
            }
            _ => Err(close(4001, "Unknown opcode")),
        }
    }

    async fn heartbeat(&mut self, data: &Value) -> Result<(), End> {
        match data {
            Value::Null => {}
            Value::Number(number) => {
                let ahead = number
                    .as_u64()
                    .is_none_or(|seen| seen > self.known_sequence());
                if self.ready && ahead {
                    return Err(close(4007, "Invalid seq"));
                }
            }
            _ => return Err(close(4002, "Error while decoding payload")),
        }
        self.heard = Instant::now();
        self.send(&json!({"op": 11, "d": null, "s": null, "t": null}))
            .await
    }

    /// The session's last sequence number.
    fn known_sequence(&self) -> u64 {
        let hub = lock(&self.state.hub);
        hub.session_of(self.id)
            .map_or(u64::MAX, |(_, session)| session.sequence)
    }

    async fn refuse(&mut self, refused: Refused) -> Result<(), End> {
        match refused {
            Refused::Close(code, reason) => Err(close(code, reason)),
            Refused::InvalidSession => self.invalid_session(false).await,
        }
    }

    async fn identify(&mut self, data: &Value) -> Result<(), End> {
        if let Err(refused) = identify(&self.state, self.id, data) {
            return self.refuse(refused).await;
        }
        self.after_ready(Vec::new(), None).await
    }

    async fn resume(&mut self, data: &Value) -> Result<(), End> {
        let (missed, last) = match resume(&self.state, self.id, data) {
            Ok(resumed) => resumed,
            Err(refused) => return self.refuse(refused).await,
        };
        let resumed = json!({"op": 0, "t": "RESUMED", "s": last, "d": {"_trace": ["emulator"]}});
        self.after_ready(missed, Some(resumed)).await
    }

    /// A session began or goes on here; a fault may be waiting for that.
    async fn after_ready(
        &mut self,
        missed: Vec<String>,
        resumed: Option<Value>,
    ) -> Result<(), End> {
        self.ready = true;
        let fault = lock(&self.state.hub).faults.take(Stage::Ready);
        if fault == Some(Action::Hang) {
            return self.hang().await.and(Err(End::Silently));
        }
        for text in missed {
            self.write(text).await?;
        }
        if let Some(resumed) = resumed {
            self.send(&resumed).await?;
        }
        match fault {
            // READY still waits in the queue: it is sent before the fault.
            Some(action) => {
                lock(&self.state.hub).fault_one(self.id, action);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn request_members(&self, data: &Value) {
        let found: Option<(String, Id)> = {
            let hub = lock(&self.state.hub);
            hub.session_of(self.id)
                .map(|(id, session)| (id.to_owned(), session.bot))
        };
        if let Some((session, bot)) = found {
            members::request(&self.state, &session, bot, data);
        }
    }
}
