//! A running emulator and a client of its two APIs. Each REST response that passes here is held
//! against Discord's description, if there is one.

use std::sync::LazyLock;

use ostler_emulator::{Emulator, Options, RateLimits, Running};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::openapi::Description;

pub(crate) static DESCRIPTION: LazyLock<Option<Description>> =
    LazyLock::new(Description::from_environment);

pub(crate) const CONTROL: &str = "control-token";

/// Permissions of the bot in a scene: all that it needs but Administrator.
pub(crate) const BOT: u64 = 1 << 4 // manage channels
    | 1 << 6
    | 1 << 10
    | 1 << 11
    | 1 << 13
    | 1 << 14
    | 1 << 15
    | 1 << 16
    | 1 << 28 // manage roles
    | 1 << 34 // manage threads
    | 1 << 35
    | 1 << 36
    | 1 << 38
    | 1 << 51; // pin messages

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Reply {
    /// The body of a success.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{} {}",
            self.status,
            self.body
        );
        self.body
    }

    /// Discord's code of a refusal.
    #[track_caller]
    pub(crate) fn refused(&self) -> (u16, u64) {
        assert!(self.status >= 400, "{} {}", self.status, self.body);
        (self.status, self.body["code"].as_u64().unwrap_or(0))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// An emulator and its client.
pub(crate) struct Bench {
    pub(crate) running: Running,
    pub(crate) http: reqwest::Client,
}

pub(crate) fn options() -> Options {
    Options {
        control_token: Some(CONTROL.to_owned()),
        rate_limits: RateLimits::none(),
        ..Options::default()
    }
}

impl Bench {
    pub(crate) async fn start() -> Self {
        Self::with(options()).await
    }

    pub(crate) async fn with(options: Options) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let running = Emulator::start(options).await.unwrap();
        Self {
            running,
            http: reqwest::Client::new(),
        }
    }

    /// A request to the control API.
    pub(crate) async fn control(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/_emulator/{path}", self.running.origin());
        let mut request = self
            .http
            .request(method.parse().unwrap(), url)
            .bearer_auth(CONTROL);
        if !body.is_null() {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or(Value::Null))
    }

    /// A request to the control API that must succeed.
    pub(crate) async fn make(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.control("POST", path, body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    pub(crate) async fn look(&self, path: &str) -> Value {
        let (status, answer) = self.control("GET", path, Value::Null).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// A REST request as a bot.
    pub(crate) async fn call(&self, token: &str, method: &str, path: &str, body: Value) -> Reply {
        let url = format!("{}/api/v10{path}", self.running.origin());
        let mut request = self.http.request(method.parse().unwrap(), url);
        if !token.is_empty() {
            request = request.header("authorization", format!("Bot {token}"));
        }
        if !body.is_null() {
            request = request.json(&body);
        }
        self.finish(method, path, request).await
    }

    /// A REST request with a form: `payload_json` and files by field name.
    pub(crate) async fn upload(
        &self,
        token: &str,
        method: &str,
        path: &str,
        payload: &Value,
        files: &[(&str, &str, &[u8])],
    ) -> Reply {
        let mut form: Vec<u8> = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\
             Content-Type: application/json\r\n\r\n{payload}\r\n"
        )
        .into_bytes();
        for (name, filename, bytes) in files {
            let head = format!(
                "--edge\r\nContent-Disposition: form-data; name=\"{name}\"; \
                 filename=\"{filename}\"\r\nContent-Type: text/plain\r\n\r\n"
            );
            form.extend_from_slice(head.as_bytes());
            form.extend_from_slice(bytes);
            form.extend_from_slice(b"\r\n");
        }
        form.extend_from_slice(b"--edge--\r\n");
        let url = format!("{}/api/v10{path}", self.running.origin());
        let request = self
            .http
            .request(method.parse().unwrap(), url)
            .header("authorization", format!("Bot {token}"))
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(form);
        self.finish(method, path, request).await
    }

    pub(crate) async fn finish(
        &self,
        method: &str,
        path: &str,
        request: reqwest::RequestBuilder,
    ) -> Reply {
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await.unwrap();
        let body: Option<Value> = (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap());
        let path = path.split('?').next().unwrap();
        // Failures of the server are faults that a test asked for; no description has them.
        if status < 500
            && let Some(description) = DESCRIPTION.as_ref()
            && let Err(wrong) = description.check_response(method, path, status, body.as_ref())
        {
            panic!("{method} {path} {status}: {wrong}\n{text}");
        }
        Reply {
            status,
            headers,
            body: body.unwrap_or(Value::Null),
        }
    }
}

/// A guild with two channels, a bot and two people.
pub(crate) struct Scene {
    pub(crate) bench: Bench,
    pub(crate) guild: String,
    pub(crate) channel: String,
    pub(crate) forum: String,
    /// Owns the guild.
    pub(crate) owner: String,
    pub(crate) person: String,
    pub(crate) bot: String,
    pub(crate) token: String,
}

/// An id in a body.
#[track_caller]
pub(crate) fn id(value: &Value) -> String {
    value["id"]
        .as_str()
        .unwrap_or_else(|| panic!("no id in {value}"))
        .to_owned()
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::on(Bench::start().await).await
    }

    pub(crate) async fn on(bench: Bench) -> Self {
        let owner = id(&bench.make("users", json!({"username": "operator"})).await);
        let person = id(&bench.make("users", json!({"username": "guest"})).await);
        let bot = bench
            .make("users", json!({"username": "ostler", "bot": true}))
            .await;
        let body = json!({"name": "Stables", "owner": owner});
        let guild = id(&bench.make("guilds", body).await);
        bench
            .make("members", json!({"guild": guild, "user": person}))
            .await;
        let joined = json!({"guild": guild, "user": id(&bot), "permissions": BOT.to_string()});
        bench.make("members", joined).await;
        let channel = id(&bench
            .make("channels", json!({"guild": guild, "name": "general"}))
            .await);
        let body = json!({"guild": guild, "name": "ideas", "type": 15});
        let forum = id(&bench.make("channels", body).await);
        let token = bot["token"].as_str().unwrap().to_owned();
        Self {
            bot: id(&bot),
            bench,
            guild,
            channel,
            forum,
            owner,
            person,
            token,
        }
    }

    /// A REST request as the scene's bot.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Value) -> Reply {
        self.bench.call(&self.token, method, path, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.call("GET", path, Value::Null).await
    }

    /// The bot sends a message to the text channel.
    pub(crate) async fn send(&self, body: Value) -> Reply {
        self.call(
            "POST",
            &format!("/channels/{}/messages", self.channel),
            body,
        )
        .await
    }

    /// A person says something in the text channel.
    pub(crate) async fn say(&self, user: &str, content: &str) -> Value {
        let body = json!({"user": user, "channel": self.channel, "content": content});
        self.bench.make("say", body).await
    }

    /// Another bot in the guild: its id and token.
    pub(crate) async fn another_bot(&self, permissions: u64) -> (String, String) {
        let bot = self
            .bench
            .make("users", json!({"username": "other", "bot": true}))
            .await;
        let body = json!({
            "guild": self.guild, "user": id(&bot), "permissions": permissions.to_string(),
        });
        self.bench.make("members", body).await;
        (id(&bot), bot["token"].as_str().unwrap().to_owned())
    }
}
