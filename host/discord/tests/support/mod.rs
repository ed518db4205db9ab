//! What these tests stand on: an emulator with a server in it, and an inbox that remembers.

#![allow(
    dead_code,
    reason = "every test file is a crate of its own and uses a part of this"
)]

use std::future::Future;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use ostler_agent::{
    Acknowledgement, Change, ClickOutcome, InboundClick, InboundMessage, Inbox, InboxError,
};
use ostler_discord::{Adapter, ApiBase, Options, Timings, Token};
use ostler_emulator::{Emulator, RateLimits, Running};
use ostler_store::{ChannelId, Profile, Store};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Notify;

pub(crate) const TOKEN: &str = "MTIz.test.token";
const CONTROL: &str = "control";
/// No test waits longer than this for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for something, and says what was waited for when it does not come.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .unwrap_or_else(|_| panic!("{what} did not come within {PATIENCE:?}"))
}

/// Asks again and again until there is an answer.
pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(
    what: &str,
    mut ask: impl FnMut() -> F,
) -> T {
    within(what, async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
}

/// An emulated Discord with one server, one text channel, one bot and two people.
pub(crate) struct Discord {
    pub(crate) running: Running,
    http: reqwest::Client,
    pub(crate) guild: String,
    pub(crate) channel: String,
    pub(crate) bot: String,
    /// An ordinary member.
    pub(crate) ada: String,
    /// The server's owner.
    pub(crate) owner: String,
}

impl Discord {
    pub(crate) async fn start() -> Self {
        Self::with(ostler_emulator::Options::default()).await
    }

    /// A heartbeat short enough to miss one in a test.
    pub(crate) async fn with_heartbeat(heartbeat_interval: Duration) -> Self {
        Self::with(ostler_emulator::Options {
            heartbeat_interval,
            ..ostler_emulator::Options::default()
        })
        .await
    }

    async fn with(mut options: ostler_emulator::Options) -> Self {
        options.rate_limits = RateLimits::none();
        Self::with_limits(options).await
    }

    pub(crate) async fn with_limits(options: ostler_emulator::Options) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let running = Emulator::start(ostler_emulator::Options {
            control_token: Some(CONTROL.to_owned()),
            ..options
        })
        .await
        .unwrap();
        let mut discord = Self {
            running,
            http: reqwest::Client::new(),
            guild: String::new(),
            channel: String::new(),
            bot: String::new(),
            ada: String::new(),
            owner: String::new(),
        };
        let user = json!({"username": "ostler", "bot": true, "token": TOKEN});
        discord.bot = discord.make("users", user).await;
        discord.owner = discord.make("users", json!({"username": "owner"})).await;
        discord.ada = discord.make("users", json!({"username": "ada"})).await;
        let guild = json!({"name": "stable", "owner": discord.owner});
        discord.guild = discord.make("guilds", guild).await;
        discord.channel = discord.make_channel("general", 0).await;
        discord.join(&discord.ada, json!({})).await;
        let all = json!({"permissions": "8"});
        discord.join(&discord.bot, all).await;
        discord
    }

    async fn join(&self, user: &str, extra: Value) {
        let mut body = extra;
        body["guild"] = json!(self.guild);
        body["user"] = json!(user);
        self.control("members", body).await;
    }

    pub(crate) async fn make(&self, what: &str, body: Value) -> String {
        let made = self.control(what, body).await;
        made["id"]
            .as_str()
            .unwrap_or_else(|| panic!("{what}: {made}"))
            .to_owned()
    }

    pub(crate) async fn make_channel(&self, name: &str, kind: u8) -> String {
        let body = json!({"guild": self.guild, "name": name, "type": kind});
        self.make("channels", body).await
    }

    pub(crate) fn origin(&self) -> String {
        self.running.origin()
    }

    /// A request to the control API that must succeed.
    pub(crate) async fn control(&self, path: &str, body: Value) -> Value {
        let answer = self
            .http
            .post(format!("{}/_emulator/{path}", self.origin()))
            .bearer_auth(CONTROL)
            .json(&body)
            .send()
            .await
            .unwrap();
        let status = answer.status();
        let answer: Value = answer.json().await.unwrap_or_default();
        assert!(status.is_success(), "{path} {body}: {status} {answer}");
        answer
    }

    pub(crate) async fn look(&self, path: &str) -> Value {
        let answer = self
            .http
            .get(format!("{}/_emulator/{path}", self.origin()))
            .bearer_auth(CONTROL)
            .send()
            .await
            .unwrap();
        answer.json().await.unwrap()
    }

    /// Ada says something; the message's id.
    pub(crate) async fn say(&self, text: &str) -> String {
        self.say_in(&self.channel, text).await
    }

    pub(crate) async fn say_in(&self, channel: &str, text: &str) -> String {
        let body = json!({"user": self.ada, "channel": channel, "content": text});
        self.make("say", body).await
    }

    pub(crate) async fn gateway(&self, body: Value) {
        self.control("gateway", body).await;
    }

    pub(crate) async fn fail(&self, body: Value) {
        self.control("fail", body).await;
    }

    /// The requests so far whose method and path match.
    pub(crate) async fn requests(&self, method: &str, path: &str) -> Vec<Value> {
        let answer = self.look("requests").await;
        let list = answer.as_array().or_else(|| answer["requests"].as_array());
        list.unwrap_or_else(|| panic!("{answer}"))
            .iter()
            .filter(|request| {
                request["method"] == method && request["path"].as_str().unwrap().contains(path)
            })
            .cloned()
            .collect()
    }

    /// The messages of a channel, newest first, as a user sees them.
    pub(crate) async fn messages(&self, channel: &str, viewer: &str) -> Vec<Value> {
        let path = format!("messages?channel={channel}&as={viewer}");
        let answer = self.look(&path).await;
        let list = answer.as_array().or_else(|| answer["messages"].as_array());
        list.unwrap_or_else(|| panic!("{answer}")).clone()
    }
}

/// What an inbox was told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    Message(InboundMessage),
    Click(InboundClick),
    Changed(Change),
}

/// An inbox that remembers what it was told, and does what a test asks of it.
#[derive(Default)]
pub(crate) struct Memory {
    told: Mutex<Vec<Told>>,
    more: Notify,
    /// So many messages are not taken.
    pub(crate) refuse: AtomicU32,
    /// Messages of this channel are held until `release`.
    pub(crate) held: Mutex<Option<ChannelId>>,
    released: Notify,
    pub(crate) holding: AtomicUsize,
    pub(crate) form: Mutex<Option<Acknowledgement>>,
    pub(crate) private: Mutex<Option<String>>,
}

impl Memory {
    pub(crate) fn all(&self) -> Vec<Told> {
        self.told.lock().unwrap().clone()
    }

    fn tell(&self, told: Told) {
        self.told.lock().unwrap().push(told);
        self.more.notify_waiters();
    }

    pub(crate) fn release(&self) {
        *self.held.lock().unwrap() = None;
        self.released.notify_waiters();
    }

    /// Waits until what was told holds something.
    pub(crate) async fn until<T>(&self, what: &str, look: impl Fn(&[Told]) -> Option<T>) -> T {
        within(what, async {
            loop {
                let more = self.more.notified();
                tokio::pin!(more);
                more.as_mut().enable();
                if let Some(found) = look(&self.told.lock().unwrap()) {
                    return found;
                }
                more.await;
            }
        })
        .await
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        texts(&self.told.lock().unwrap())
    }

    pub(crate) async fn message(&self, text: &str) -> InboundMessage {
        self.until(&format!("the message {text:?}"), |told| {
            told.iter().find_map(|told| match told {
                Told::Message(message) if message.text == text => Some(message.clone()),
                _ => None,
            })
        })
        .await
    }

    pub(crate) async fn click(&self, custom_id: &str) -> InboundClick {
        self.until(&format!("the click {custom_id:?}"), |told| {
            told.iter().find_map(|told| match told {
                Told::Click(click) if click.custom_id == custom_id => Some(click.clone()),
                _ => None,
            })
        })
        .await
    }

    /// Waits for the `count`th READY or RESUMED, and says whether it was a resume.
    pub(crate) async fn connected(&self, count: usize) -> bool {
        self.until(&format!("connection {count}"), |told| {
            told.iter()
                .filter_map(|told| match told {
                    Told::Changed(Change::Ready { is_resumed, .. }) => Some(*is_resumed),
                    _ => None,
                })
                .nth(count - 1)
        })
        .await
    }
}

pub(crate) fn texts(told: &[Told]) -> Vec<String> {
    told.iter()
        .filter_map(|told| match told {
            Told::Message(message) => Some(message.text.clone()),
            _ => None,
        })
        .collect()
}

#[async_trait]
impl Inbox for Memory {
    async fn message(&self, message: InboundMessage) -> Result<(), InboxError> {
        loop {
            let released = self.released.notified();
            tokio::pin!(released);
            released.as_mut().enable();
            if self.held.lock().unwrap().as_ref() != Some(&message.place.channel) {
                break;
            }
            self.holding.fetch_add(1, Ordering::SeqCst);
            released.await;
        }
        let refused = self
            .refuse
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        if refused.is_ok() {
            return Err(InboxError("the disk is full".to_owned()));
        }
        self.tell(Told::Message(message));
        Ok(())
    }

    fn acknowledge(&self, _click: &InboundClick) -> Acknowledgement {
        self.form
            .lock()
            .unwrap()
            .clone()
            .unwrap_or(Acknowledgement::Deferred)
    }

    async fn click(&self, click: InboundClick) -> Result<ClickOutcome, InboxError> {
        self.tell(Told::Click(click));
        Ok(ClickOutcome {
            private: self.private.lock().unwrap().clone(),
        })
    }

    async fn changed(&self, change: Change) {
        self.tell(Told::Changed(change));
    }
}

/// Timings that let a test see in a second what takes a minute outside.
pub(crate) fn quick() -> Timings {
    Timings {
        first_wait: Duration::from_millis(200),
        longest_wait: Duration::from_secs(1),
        identify_spacing: Duration::from_millis(10),
        save_every: Duration::from_millis(50),
        inbox_wait: Duration::from_millis(10),
        ..Timings::default()
    }
}

/// A store in a folder of its own.
pub(crate) struct Disk {
    _folder: TempDir,
    pub(crate) store: Arc<Store>,
}

impl Disk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&folder.path().join("ostler.db")).unwrap());
        Self {
            _folder: folder,
            store,
        }
    }
}

pub(crate) fn profile() -> Profile {
    "main".parse().unwrap()
}

pub(crate) fn options(origin: &str) -> Options {
    let mut options = Options::new(
        profile(),
        Token::new(TOKEN).unwrap(),
        ApiBase::at(origin).unwrap(),
    );
    options.timings = quick();
    options
}

/// An adapter on an emulator, connected.
pub(crate) struct Connected {
    pub(crate) adapter: Adapter,
    pub(crate) inbox: Arc<Memory>,
    pub(crate) disk: Disk,
}

pub(crate) async fn start(options: Options, disk: &Disk, inbox: &Arc<Memory>) -> Adapter {
    let inbox = Arc::clone(inbox) as Arc<dyn Inbox>;
    Adapter::start(options, Arc::clone(&disk.store), inbox)
        .await
        .unwrap()
}

pub(crate) async fn connect(discord: &Discord) -> Connected {
    connect_with(options(&discord.origin())).await
}

pub(crate) async fn connect_with(options: Options) -> Connected {
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options, &disk, &inbox).await;
    inbox.connected(1).await;
    Connected {
        adapter,
        inbox,
        disk,
    }
}

/// A row with one button.
pub(crate) fn button(custom_id: &str) -> Value {
    json!([{"type": 1, "components": [
        {"type": 2, "style": 1, "label": "Yes", "custom_id": custom_id}
    ]}])
}
