//! A Discord of the test's own: the emulator, with a server, people and the bot.

use std::time::{Duration, Instant};

use ostler_emulator::{Emulator, Options, RateLimits, Running, Seed, SeedUser, Seeded};
use serde_json::{Value, json};

/// How long a test waits for something that must come.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What the bot may do: everything that the assistant's tools need.
const BOT_PERMISSIONS: u64 =
    (1 << 10) | (1 << 11) | (1 << 14) | (1 << 15) | (1 << 16) | (1 << 6) | (1 << 35) | (1 << 38);

/// A running emulator with the guild `Stable`, the channels `general` and `other`, the forum
/// `ideas`, and the people `operator` (who owns the profile), `admin` (an Administrator), `guest`
/// and `eve`. It lives on while hosts come and go.
pub struct Discord {
    emulator: Running,
    seeded: Seeded,
    client: reqwest::Client,
    token: String,
}

impl Discord {
    /// Starts one without rate limits.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn start() -> Self {
        Self::with(Options {
            rate_limits: RateLimits::none(),
            ..Options::default()
        })
        .await
    }

    /// Starts one with these options; the control token is set here.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn with(options: Options) -> Self {
        // A second test of the same process finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let token = "control".to_owned();
        let emulator = Emulator::start(Options {
            control_token: Some(token.clone()),
            ..options
        })
        .await
        .expect("the emulator starts");
        let people = ["operator", "admin", "guest", "eve"].map(|name| SeedUser {
            username: name.to_owned(),
            administrator: name == "admin",
        });
        let seeded = emulator
            .seed(&Seed {
                guild: "Stable".to_owned(),
                bot: "ostler".to_owned(),
                bot_token: Some("bot-token-of-a-test".to_owned()),
                bot_permissions: BOT_PERMISSIONS,
                text_channels: vec!["general".to_owned(), "other".to_owned()],
                forums: vec!["ideas".to_owned()],
                users: people.into(),
            })
            .expect("a guild");
        Self {
            emulator,
            seeded,
            client: reqwest::Client::new(),
            token,
        }
    }

    /// The API's base.
    #[must_use]
    pub fn origin(&self) -> String {
        self.emulator.origin()
    }

    /// The bot's token.
    #[must_use]
    pub fn bot_token(&self) -> &str {
        &self.seeded.bot_token
    }

    /// The bot's account.
    #[must_use]
    pub fn bot(&self) -> &str {
        &self.seeded.bot
    }

    /// The server.
    #[must_use]
    pub fn guild(&self) -> &str {
        &self.seeded.guild
    }

    /// A channel's id by its name.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn channel(&self, name: &str) -> &str {
        self.seeded.channels.get(name).expect("a seeded channel")
    }

    /// A person's id by their name.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn user(&self, name: &str) -> &str {
        self.seeded.users.get(name).expect("a seeded person")
    }

    /// A request to the control API: its answer.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn control(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let url = format!("{}/_emulator/{path}", self.origin());
        let method = method.parse().expect("a method");
        let mut request = self.client.request(method, url).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("the emulator answers");
        let status = answer.status();
        let text = answer.text().await.expect("a body");
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// A person, by name, writes in a channel, by id: the message.
    pub async fn say(&self, user: &str, channel: &str, content: &str) -> Value {
        let body = json!({"user": self.user(user), "channel": channel, "content": content});
        self.control("POST", "say", Some(body)).await
    }

    /// The same, with a mention of the bot before the text.
    pub async fn ask(&self, user: &str, channel: &str, content: &str) -> Value {
        let body = json!({
            "user": self.user(user), "channel": channel, "content": content, "mention_bot": self.bot(),
        });
        self.control("POST", "say", Some(body)).await
    }

    /// A direct chat between a person, by name, and the bot: its id.
    ///
    /// # Panics
    /// If the emulator makes none.
    pub async fn direct(&self, user: &str) -> String {
        let body = json!({"recipients": [self.user(user), self.bot()]});
        let channel = self.control("POST", "channels", Some(body)).await;
        channel["id"].as_str().expect("an id").to_owned()
    }

    /// The messages of a channel, the oldest first.
    pub async fn messages(&self, channel: &str) -> Vec<Value> {
        let path = format!("messages?channel={channel}");
        let mut messages = match self.control("GET", &path, None).await {
            Value::Array(messages) => messages,
            _ => Vec::new(),
        };
        messages
            .sort_by_key(|message| message["id"].as_str().and_then(|id| id.parse::<u64>().ok()));
        messages
    }

    /// What the bot said in a channel, the oldest first.
    pub async fn answers(&self, channel: &str) -> Vec<String> {
        self.messages(channel)
            .await
            .iter()
            .filter(|message| message["author"]["id"] == self.bot())
            // Discord's own notes, such as that of a new thread, have the bot as author too.
            .filter(|message| message["type"] == 0 || message["type"] == 19)
            .map(|message| message["content"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Waits until the bot has said `count` things in a channel, and gives them.
    ///
    /// # Panics
    /// If it does not.
    pub async fn wait_for_answers(&self, channel: &str, count: usize) -> Vec<String> {
        let began = Instant::now();
        loop {
            let answers = self.answers(channel).await;
            if answers.len() >= count {
                return answers;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "waited for {count} answers in vain: {:?}",
                self.messages(channel).await
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the bot has a session on the gateway (`is_online`), or has none.
    ///
    /// # Panics
    /// If it does not come to that.
    pub async fn wait_until_online(&self) {
        let began = Instant::now();
        loop {
            let sessions = self.control("GET", "gateway", None).await;
            if sessions.to_string().contains("\"connected\":true") {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "not online: {sessions}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Every REST request so far.
    pub async fn requests(&self) -> Vec<Value> {
        match self.control("GET", "requests", None).await {
            Value::Array(requests) => requests,
            _ => Vec::new(),
        }
    }
}
