//! One gateway connection, from its opening to its end.
//!
//! twilight's shard speaks the protocol: compression, heartbeats, IDENTIFY and RESUME. Left alone it
//! also reconnects, as fast as it can. Here one shard serves one connection and is dropped at its
//! end, so that the supervisor decides when the next one begins, and from which event.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::Stream as _;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use twilight_gateway::error::ReceiveMessageErrorType;
use twilight_gateway::queue::Queue;
use twilight_gateway::{CloseFrame, ConfigBuilder, Intents, Message, Session, Shard, ShardId};
use twilight_gateway::{Config, ShardState};

use crate::options::Timings;

/// Lets IDENTIFY through at once: the supervisor waits for its turn before it opens a connection,
/// so that none stands idle meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtOnce;

impl Queue for AtOnce {
    fn enqueue(&self, _shard: u32) -> oneshot::Receiver<()> {
        let (permit, receiver) = oneshot::channel();
        let _ = permit.send(());
        receiver
    }
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The gateway closed it, with this code if any.
    Closed(Option<u16>),
    /// It asked for a new connection (op 7).
    Reconnect,
    /// It invalidated the session (op 9).
    InvalidSession { is_resumable: bool },
    /// No socket could be opened.
    NotOpened(String),
    /// The socket ended without a close.
    Dropped(String),
    /// The watchdog ended it: what did not come.
    Silent(&'static str),
    /// Events came faster than the inbox takes them.
    Full,
    /// The adapter shuts down.
    Stopped,
}

/// How a connection is opened.
pub(crate) struct Opening<'a> {
    pub(crate) token: &'a str,
    pub(crate) intents: Intents,
    pub(crate) shard: ShardId,
    pub(crate) gateway: &'a str,
    /// The session to continue, and where.
    pub(crate) resume: Option<(Session, Option<String>)>,
    pub(crate) timings: &'a Timings,
}

/// What a dispatched event asks of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Full,
}

/// A dispatched event (op 0).
#[derive(Debug)]
pub(crate) struct Dispatch {
    pub(crate) name: String,
    pub(crate) sequence: u64,
    pub(crate) data: Value,
    pub(crate) arrived: Instant,
}

/// Learns what happens on a connection. It must not wait: heartbeats are sent by the same task.
pub(crate) trait Listener {
    /// Something was heard, be it a heartbeat's acknowledgement.
    fn heard(&self, latency: Option<Duration>);
    /// Something was heard that cannot be read.
    fn unreadable(&self);
    /// An event.
    fn dispatched(&self, event: Dispatch) -> Flow;
}

/// How far the connection is: each phase has its own deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Opening,
    Hello,
    Ready,
    Live,
}

enum Heard {
    Text(String),
    Unreadable,
    Ended(Ending),
    Opened,
}

/// Holds a connection until it ends.
pub(crate) async fn hold(
    opening: Opening<'_>,
    listener: &impl Listener,
    stop: &CancellationToken,
) -> Ending {
    let timings = opening.timings;
    let mut shard = Shard::with_config(opening.shard, config(&opening));
    let mut phase = Phase::Opening;
    let mut heartbeat = Duration::from_secs(45);
    let mut deadline = Instant::now() + timings.connect;
    loop {
        let heard = tokio::select! {
            biased;
            () = stop.cancelled() => {
                say_goodbye(&mut shard, phase).await;
                return Ending::Stopped;
            }
            heard = hear(&mut shard, phase) => heard,
            () = sleep_until(deadline) => {
                return match phase {
                    Phase::Opening => Ending::NotOpened("no answer to the upgrade".to_owned()),
                    Phase::Hello => Ending::Silent("no HELLO"),
                    Phase::Ready => Ending::Silent("neither READY nor RESUMED"),
                    Phase::Live => Ending::Silent("nothing for two heartbeats"),
                };
            }
        };
        let now = Instant::now();
        let text = match heard {
            Heard::Text(text) => text,
            Heard::Opened => {
                phase = Phase::Hello;
                deadline = now + timings.handshake;
                continue;
            }
            Heard::Unreadable => {
                listener.unreadable();
                continue;
            }
            Heard::Ended(ending) => return ending,
        };
        let Some(payload) = Payload::read(&text) else {
            listener.unreadable();
            continue;
        };
        listener.heard(shard.latency().recent().first().copied());
        match payload {
            Payload::Hello { interval } => {
                heartbeat = interval;
                phase = Phase::Ready;
                deadline = now + timings.handshake;
            }
            Payload::Reconnect => {
                flush_close(&mut shard).await;
                return Ending::Reconnect;
            }
            Payload::InvalidSession { is_resumable } => {
                flush_close(&mut shard).await;
                return Ending::InvalidSession { is_resumable };
            }
            Payload::Dispatch {
                name,
                sequence,
                data,
            } => {
                if matches!(name.as_str(), "READY" | "RESUMED") {
                    phase = Phase::Live;
                }
                let flow = listener.dispatched(Dispatch {
                    name,
                    sequence,
                    data,
                    arrived: now,
                });
                // A long replay before RESUMED is no silence.
                if phase == Phase::Ready {
                    deadline = now + timings.handshake;
                }
                if flow == Flow::Full {
                    say_goodbye(&mut shard, phase).await;
                    return Ending::Full;
                }
            }
            Payload::Other => {}
        }
        if phase == Phase::Live {
            deadline = now + heartbeat.saturating_mul(timings.silent_heartbeats.max(1));
        }
    }
}

fn config(opening: &Opening<'_>) -> Config<AtOnce> {
    let mut builder = ConfigBuilder::new(opening.token.to_owned(), opening.intents)
        .proxy_url(opening.gateway.trim_end_matches('/').to_owned())
        .queue(AtOnce);
    if let Some((session, url)) = &opening.resume {
        builder = builder.session(session.clone());
        if let Some(url) = url {
            builder = builder.resume_url(url.trim_end_matches('/').to_owned());
        }
    }
    builder.build()
}

/// The next thing that happens. The shard must not go on to another connection by itself, so its
/// state is looked at whenever it waits.
async fn hear(shard: &mut Shard<AtOnce>, phase: Phase) -> Heard {
    poll_fn(|context| {
        let polled = Pin::new(&mut *shard).poll_next(context);
        Poll::Ready(match polled {
            Poll::Ready(Some(Ok(Message::Text(text)))) => Heard::Text(text),
            Poll::Ready(Some(Ok(Message::Close(frame)))) => {
                Heard::Ended(Ending::Closed(frame.map(|frame| frame.code)))
            }
            Poll::Ready(Some(Err(error))) => match error.kind() {
                ReceiveMessageErrorType::Deserializing { .. } => Heard::Unreadable,
                ReceiveMessageErrorType::Reconnect => {
                    Heard::Ended(Ending::NotOpened(reason(error)))
                }
                _ => Heard::Ended(Ending::Dropped(reason(error))),
            },
            Poll::Ready(None) => Heard::Ended(Ending::Closed(None)),
            Poll::Pending => match (phase, shard.state()) {
                (Phase::Opening, ShardState::Disconnected { .. }) => return Poll::Pending,
                (_, ShardState::Disconnected { .. }) => {
                    Heard::Ended(Ending::Dropped("the stream ended".to_owned()))
                }
                (Phase::Opening, _) => Heard::Opened,
                _ => return Poll::Pending,
            },
        })
    })
    .await
}

fn reason(error: twilight_gateway::error::ReceiveMessageError) -> String {
    let text = error.to_string();
    error
        .into_source()
        .map_or(text, |source| source.to_string())
}

/// Sends the close frame that is queued, as far as it goes without waiting.
async fn flush_close(shard: &mut Shard<AtOnce>) {
    poll_fn(|context| {
        let _ = Pin::new(&mut *shard).poll_next(context);
        Poll::Ready(())
    })
    .await;
}

/// Closes so that the session stays: any code but 1000 and 1001 (Discord, *Gateway*, *Initiating a
/// Disconnect*).
async fn say_goodbye(shard: &mut Shard<AtOnce>, phase: Phase) {
    if phase != Phase::Opening {
        shard.close(CloseFrame::RESUME);
        flush_close(shard).await;
    }
}

/// What is read of a payload's envelope (Discord, *Gateway Event Payload Structure*).
enum Payload {
    Hello {
        interval: Duration,
    },
    Reconnect,
    InvalidSession {
        is_resumable: bool,
    },
    Dispatch {
        name: String,
        sequence: u64,
        data: Value,
    },
    Other,
}

impl Payload {
    fn read(text: &str) -> Option<Self> {
        let mut envelope: Value = serde_json::from_str(text).ok()?;
        let data = envelope.get_mut("d").map(Value::take).unwrap_or_default();
        Some(match envelope.get("op")?.as_u64()? {
            0 => Self::Dispatch {
                name: envelope.get("t")?.as_str()?.to_owned(),
                sequence: envelope.get("s")?.as_u64()?,
                data,
            },
            7 => Self::Reconnect,
            9 => Self::InvalidSession {
                is_resumable: data.as_bool().unwrap_or(false),
            },
            10 => Self::Hello {
                interval: Duration::from_millis(data.get("heartbeat_interval")?.as_u64()?),
            },
            _ => Self::Other,
        })
    }
}
