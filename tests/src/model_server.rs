//! A model's provider on this machine: OpenAI's chat completions and Anthropic's messages, as
//! streams, with every way in which a provider goes wrong.
//!
//! Replies stand in a queue, one for each request. They say what the model does; the path of the
//! request says in which protocol (`wire`). Ollama is spoken to through its OpenAI-compatible
//! endpoint, so it needs no protocol of its own.

mod reply;
mod wire;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use reply::{Damage, Reply, Stop};

/// A request that the server got.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its path.
    pub path: String,
    /// Its query; empty where there is none.
    pub query: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Value,
}

impl Asked {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// What answers when the queue is empty.
type Otherwise = Box<dyn Fn(&Asked) -> Reply + Send>;

#[derive(Default)]
struct Desk {
    replies: VecDeque<Reply>,
    asked: Vec<Asked>,
    /// How many answers are on their way.
    open: usize,
    otherwise: Option<Otherwise>,
}

/// The server. It ends when it is dropped.
pub struct ModelServer {
    origin: String,
    desk: Arc<Mutex<Desk>>,
    task: JoinHandle<()>,
}

impl ModelServer {
    /// Starts it on a free port of this machine.
    ///
    /// # Panics
    /// There is no free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let desk = Arc::new(Mutex::new(Desk::default()));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&desk));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { origin, desk, task }
    }

    /// Scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// What `base_url` is set to: the origin and `/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.origin)
    }

    /// Puts a reply at the end of the queue.
    pub fn reply(&self, reply: Reply) {
        lock(&self.desk).replies.push_back(reply);
    }

    /// Says what answers when the queue is empty. Without it such a request is refused.
    pub fn otherwise(&self, reply: impl Fn(&Asked) -> Reply + Send + 'static) {
        lock(&self.desk).otherwise = Some(Box::new(reply));
    }

    /// How many answers are on their way: not ended, and not given up by who asked.
    #[must_use]
    pub fn open(&self) -> usize {
        lock(&self.desk).open
    }

    /// What was asked so far, oldest first.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.desk).asked.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap()
}

async fn answer(State(desk): State<Arc<Mutex<Desk>>>, request: Request) -> Response {
    let asked = read(request).await;
    let reply = {
        let mut desk = lock(&desk);
        desk.asked.push(asked.clone());
        desk.replies
            .pop_front()
            .or_else(|| Some(desk.otherwise.as_ref()?(&asked)))
    };
    let reply = reply.unwrap_or_else(|| refusal("no reply is queued for this request"));
    let reply = match wire::objection(&asked) {
        Some(objection) => refusal(&objection),
        None => reply,
    };
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        response = response.header(name, HeaderValue::from_str(value).unwrap());
    }
    let bytes = match &reply.body {
        Some(body) => body.clone().into_bytes(),
        None => wire::render(&reply, &asked).into_bytes(),
    };
    if reply.body.is_none() {
        response = response.header("content-type", "text/event-stream");
    }
    let open = Open::new(desk);
    let body = sent(&bytes, &reply).map(move |piece| {
        let _on_its_way = &open;
        piece
    });
    response.body(Body::from_stream(body)).unwrap()
}

/// Counts an answer for as long as it exists.
struct Open(Arc<Mutex<Desk>>);

impl Open {
    fn new(desk: Arc<Mutex<Desk>>) -> Self {
        lock(&desk).open += 1;
        Self(desk)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        lock(&self.0).open -= 1;
    }
}

async fn read(request: Request) -> Asked {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, 64 << 20).await.unwrap();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Asked {
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect(),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    }
}

fn refusal(why: &str) -> Reply {
    Reply::status(
        StatusCode::BAD_REQUEST.as_u16(),
        &json!({"error": {"message": why}}),
    )
}

/// The bytes of a reply as they go out: in pieces, and damaged as the reply says.
fn sent(
    bytes: &[u8],
    reply: &Reply,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send + use<> {
    let piece = reply.piece.unwrap_or(bytes.len()).max(1);
    let kept = match reply.damage {
        Some(Damage::CutAfter(length) | Damage::StallAfter(length)) => length.min(bytes.len()),
        Some(Damage::Repeat) | None => bytes.len(),
    };
    let pieces: Vec<Bytes> = bytes[..kept]
        .chunks(piece)
        .map(Bytes::copy_from_slice)
        .collect();
    let first = stream::iter(pieces.clone().into_iter().map(Ok));
    let rest = match reply.damage {
        None => stream::empty().boxed(),
        Some(Damage::CutAfter(_)) => stream::once(async {
            // What was sent must have left before the connection is torn down.
            tokio::time::sleep(Duration::from_millis(50)).await;
            Err(std::io::Error::other("the test cuts the connection"))
        })
        .boxed(),
        Some(Damage::StallAfter(_)) => stream::pending().boxed(),
        Some(Damage::Repeat) => stream::iter(pieces).cycle().map(Ok).boxed(),
    };
    // Each piece leaves in a write of its own.
    first.chain(rest).then(|piece| async move {
        tokio::task::yield_now().await;
        piece
    })
}
