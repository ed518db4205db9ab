//! Starting, asking and ending a host: `ostler serve` and `ostler dev`.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::host::{Host, workspace};
use ostler_tests::serving::Served;
use reqwest::header::{HOST, ORIGIN};
use serde_json::{Value, json};

const SCRIPT: &str = r#"
[[turn]]
match = "hello"
[[turn.step]]
say = "Hello to you."
"#;

fn mode(file: &Path) -> u32 {
    std::fs::metadata(file)
        .expect("a file")
        .permissions()
        .mode()
        & 0o777
}

fn read_json(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} of {value}"))
}

/// The API of a running host.
struct Api {
    client: reqwest::Client,
    origin: String,
    token: String,
}

impl Api {
    fn new(ready: &Value) -> Self {
        // A second one of the same process finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            client: reqwest::Client::new(),
            origin: text(ready, "api").to_owned(),
            token: text(ready, "token").to_owned(),
        }
    }

    async fn answered(request: reqwest::RequestBuilder) -> (u16, Value) {
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        let body = answer.text().await.expect("a body");
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.origin)
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        Self::answered(self.client.get(self.url(path)).bearer_auth(&self.token)).await
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.client.post(self.url(path)).bearer_auth(&self.token);
        Self::answered(request.json(body)).await
    }
}

fn install_notebook(host: &Host) {
    let folder = workspace().join("examples/notebook").display().to_string();
    let refused = host
        .run(&["install", &folder, "--format", "json"])
        .ended(3)
        .json();
    let publisher = refused["asks"][0]["id"].as_str().expect("a publisher");
    host.run(&["install", &folder, "--accept", publisher])
        .ended(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_tells_its_addresses_to_this_user_alone_and_only_while_it_runs() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.start(&[]);
    let ready = host.wait_until_ready().await;
    let ready_file = served.host().outside().join("ready.json");
    let api_file = served.host().home().join("run/api.json");
    assert_eq!(mode(&ready_file), 0o600);
    assert_eq!(mode(&api_file), 0o600);

    let keys: Vec<&String> = ready.as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
    for key in ["pages", "api"] {
        let address = text(&ready, key);
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        assert!(!address.ends_with(":0"), "{address}");
    }
    assert!(ready["emulator"].is_null());
    assert_eq!(text(&ready, "token").len(), 64);
    let folder = PathBuf::from(text(&ready, "workspace"));
    assert!(folder.is_dir(), "{ready}");
    assert!(!folder.starts_with(served.host().home()), "{ready}");
    assert_eq!(
        read_json(&api_file),
        json!({"address": ready["api"], "token": ready["token"]})
    );

    assert_eq!(host.terminate().await.0, 0);
    assert!(!ready_file.exists());
    assert!(!api_file.exists());
    // The token is another one at each start.
    let host = served.start(&[]);
    assert_ne!(host.wait_until_ready().await["token"], ready["token"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_answers_its_own_address_with_its_token_only() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.start(&[]);
    let api = Api::new(&host.wait_until_ready().await);
    let port = api.origin.rsplit(':').next().expect("a port").to_owned();
    let sessions = api.url("sessions");

    for token in [None, Some(""), Some("x"), Some(&api.token[1..])] {
        let mut request = api.client.get(&sessions);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let (status, body) = Api::answered(request).await;
        assert_eq!(status, 401, "{token:?}");
        assert_eq!(body["error"]["code"], "unauthorized");
    }
    let unknown = Api::answered(api.client.get(api.url("nothing"))).await;
    assert_eq!(unknown.0, 401, "what is there is nobody's business");

    let other_hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1.evil.example:{port}"),
    ];
    for other in other_hosts {
        for url in [sessions.clone(), format!("{}/", api.origin)] {
            let request = api.client.get(url).bearer_auth(&api.token);
            let (status, body) = Api::answered(request.header(HOST, &other)).await;
            assert_eq!(status, 403, "{other}");
            assert_eq!(body["error"]["code"], "host-refused");
        }
    }
    let other_origins = [
        "http://evil.example".to_owned(),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1:1".to_owned(),
        "null".to_owned(),
    ];
    for other in other_origins {
        let request = api.client.get(&sessions).bearer_auth(&api.token);
        let (status, body) = Api::answered(request.header(ORIGIN, &other)).await;
        assert_eq!(status, 403, "{other}");
        assert_eq!(body["error"]["code"], "origin-refused");
    }
    for own in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        let request = api
            .client
            .get(&sessions)
            .bearer_auth(&api.token)
            .header(HOST, &own)
            .header(ORIGIN, format!("http://{own}"));
        assert_eq!(Api::answered(request).await.0, 200, "{own}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_and_the_probes_need_no_token_and_keep_to_themselves() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.start(&[]);
    let api = Api::new(&host.wait_until_ready().await);
    for path in ["healthz", "readyz"] {
        let url = format!("{}/{path}", api.origin);
        let answer = api.client.get(url).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.text().await.expect("a body"), "ok\n");
    }
    let page = api
        .client
        .get(format!("{}/", api.origin))
        .send()
        .await
        .expect("an answer");
    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["x-frame-options"], "DENY");
    let policy = page.headers()["content-security-policy"].to_str();
    assert!(policy.expect("a text").starts_with("default-src 'none'"));
    let page = page.text().await.expect("a body");
    assert!(page.contains("scripted model"), "{page}");
    assert!(!page.contains(&api.token), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_shows_sessions_and_installs_and_runs_a_tool() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.start(&[]);
    let api = Api::new(&host.wait_until_ready().await);
    assert_eq!(api.get("sessions").await, (200, json!({"sessions": []})));
    assert_eq!(api.get("installs").await, (200, json!({"installs": []})));

    let general = discord.channel("general");
    discord.ask("operator", general, "hello").await;
    discord.wait_for_answers(general, 1).await;
    let (status, listed) = api.get("sessions").await;
    assert_eq!(status, 200);
    let key = text(&listed["sessions"][0], "key").to_owned();
    assert_eq!(listed["sessions"], json!(served.sessions()));
    let (status, shown) = api.get(&format!("sessions/{key}")).await;
    assert_eq!(status, 200);
    assert_eq!(shown, served.show(&key));
    assert_eq!(shown["row_list"][0]["items"][1]["content"], "Hello to you.");
    let missing = key.replace(general, "1");
    let (status, body) = api.get(&format!("sessions/{missing}")).await;
    assert_eq!((status, &body["error"]["code"]), (404, &json!("not-found")));
    let (status, body) = api.get("sessions?profile=other").await;
    assert_eq!(
        (status, &body["error"]["code"]),
        (404, &json!("profile-unknown"))
    );

    install_notebook(served.host());
    let (status, listed) = api.get("installs").await;
    assert_eq!(status, 200);
    let install = &listed["installs"][0];
    assert_eq!(install["package"], "notebook");
    assert_eq!(install["version"], "0.1.0");
    assert_eq!(install["state"], "active");
    assert!(text(install, "digest").starts_with("sha256:"), "{install}");
    assert_eq!(api.get("installs/notebook").await, (200, install.clone()));
    let (status, body) = api.get("installs/nothing").await;
    assert_eq!(
        (status, &body["error"]["code"]),
        (404, &json!("not-installed"))
    );

    let tools = "installs/notebook/tools";
    let note = json!({"title": "Key", "text": "Under the flowerpot."});
    let (status, body) = api.post(&format!("{tools}/add_note"), &note).await;
    assert_eq!(status, 200, "{body}");
    let title = json!({"title": "Key"});
    let (status, body) = api.post(&format!("{tools}/read_note"), &title).await;
    assert_eq!(status, 200, "{body}");
    assert!(text(&body, "answer").contains("flowerpot"), "{body}");
    for (path, arguments, status) in [
        (format!("{tools}/nothing"), json!({}), 404),
        (format!("{tools}/read_note"), json!([]), 400),
        (format!("{tools}/read_note"), json!({"title": "Not"}), 422),
        ("installs/nothing/tools/x".to_owned(), json!({}), 404),
    ] {
        let answered = api.post(&path, &arguments).await;
        assert_eq!(answered.0, status, "{path}: {}", answered.1);
        assert!(answered.1["error"]["code"].is_string(), "{}", answered.1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_host_on_the_same_home_is_refused_and_the_first_goes_on() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    for command in ["serve", "dev"] {
        let refused = served
            .host()
            .run(&[command, "--listen", "127.0.0.1:0", "--format", "json"])
            .ended(2)
            .json();
        assert_eq!(refused["error"]["code"], "host-running", "{command}");
        let help = text(&refused["error"], "help");
        assert!(help.contains("--home"), "{help}");
    }
    assert!(served.host().home().join("run/api.json").exists());
    let general = discord.channel("general");
    discord.ask("operator", general, "hello").await;
    discord.wait_for_answers(general, 1).await;
    // A kill lets the home go.
    host.kill();
    let host = served.serve().await;
    assert_eq!(host.terminate().await.0, 0);
}

#[test]
fn serve_without_a_configuration_says_what_to_do() {
    let host = Host::new();
    let refused = host.run(&["serve", "--format", "json"]).ended(2).json();
    assert_eq!(refused["error"]["code"], "discord-not-configured");
    let help = text(&refused["error"], "help");
    for part in ["token_secret", "ostler secrets set", "ostler dev"] {
        assert!(help.contains(part), "{help}");
    }
    let shown = host.run(&["serve"]).ended(2).stderr();
    assert!(shown.contains("error[discord-not-configured]"), "{shown}");

    let folder = host.home().join("profiles/main");
    std::fs::create_dir_all(&folder).expect("a folder");
    let profile = folder.join("profile.toml");
    std::fs::write(&profile, "[discord]\ntoken_secret = \"DISCORD_TOKEN\"\n").expect("a profile");
    let refused = host.run(&["serve", "--format", "json"]).ended(2).json();
    assert_eq!(refused["error"]["code"], "secret-missing");
    let help = text(&refused["error"], "help");
    assert!(help.contains("ostler secrets set DISCORD_TOKEN"), "{help}");
    assert!(text(&refused["error"], "message").contains("main"));

    std::fs::write(&profile, "[dicsord]\ntoken_secret = \"DISCORD_TOKEN\"\n").expect("a profile");
    let refused = host.run(&["serve", "--format", "json"]).ended(2).json();
    let message = text(&refused["error"], "message");
    assert!(message.contains("discord"), "{message}");
    assert!(!host.home().join("run/api.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_discord_refuses_ends_the_host() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    served.set_secret("DISCORD_TOKEN", "a-wrong-token");
    let host = served.start(&[]);
    assert_eq!(host.wait_for_end().await, 1);
    let logged = served.logged();
    assert!(logged.contains("error[token-refused]"), "{logged}");
    assert!(!logged.contains("a-wrong-token"), "{logged}");
    assert!(!served.host().outside().join("ready.json").exists());
    assert!(!served.host().home().join("run/api.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_others_reach_is_refused() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let refused = served
        .host()
        .run(&["serve", "--listen", "0.0.0.0:0", "--format", "json"])
        .ended(2)
        .json();
    assert_eq!(refused["error"]["code"], "listen-not-loopback");
}

/// `ostler dev` as a child process. Dropping it kills it.
struct Dev {
    child: Child,
    ready: Value,
    client: reqwest::Client,
}

impl Dev {
    async fn start(host: &Host) -> Self {
        Self::start_with(host, &[]).await
    }

    async fn start_with(host: &Host, more: &[&str]) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let file = host.outside().join("dev.json");
        let _ = std::fs::remove_file(&file);
        let log = std::fs::File::create(host.outside().join("dev.log")).expect("a log");
        let child = host
            .command(&["dev", "--ready-file"])
            .arg(&file)
            .args(more)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the binary starts");
        let mut dev = Self {
            child,
            ready: Value::Null,
            client: reqwest::Client::new(),
        };
        let began = Instant::now();
        while dev.ready.is_null() {
            let written = std::fs::read(&file).unwrap_or_default();
            dev.ready = serde_json::from_slice(&written).unwrap_or(Value::Null);
            assert!(began.elapsed() < PATIENCE, "it does not become ready");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(mode(&file), 0o600);
        dev
    }

    async fn control(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let url = format!("{}/_emulator/{path}", text(&self.ready, "emulator"));
        let mut request = self
            .client
            .request(method.parse().expect("a method"), url)
            .bearer_auth(text(&self.ready, "token"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let (status, body) = Api::answered(request).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// What there is, by name: servers, channels, people, each with its id.
    async fn ids(&self) -> Vec<(String, String)> {
        let state = self.control("GET", "state", None).await;
        let mut ids = Vec::new();
        for (kind, name) in [
            ("guilds", "name"),
            ("channels", "name"),
            ("users", "username"),
        ] {
            for one in state[kind].as_array().expect("a list") {
                let called = one[name].as_str().unwrap_or_default();
                ids.push((format!("{kind} {called}"), text(one, "id").to_owned()));
            }
        }
        ids.sort();
        ids
    }

    async fn id(&self, name: &str) -> String {
        let ids = self.ids().await;
        let found = ids.iter().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("{name}: {ids:?}")).1.clone()
    }

    /// The operator greets the bot in `general`: how often it has answered then.
    async fn greet(&self) -> usize {
        self.hear("(scripted) Hello.").await
    }

    /// The same with an answer that begins otherwise.
    async fn hear(&self, beginning: &str) -> usize {
        let general = self.id("channels general").await;
        let bot = self.id("users ostler").await;
        let before = self.heard(&general, &bot, beginning).await;
        let hello = json!({
            "user": self.id("users operator").await, "channel": general, "content": "hello",
            "mention_bot": true,
        });
        self.control("POST", "say", Some(hello)).await;
        let began = Instant::now();
        loop {
            let now = self.heard(&general, &bot, beginning).await;
            if now > before {
                return now;
            }
            assert!(began.elapsed() < PATIENCE, "no answer");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn heard(&self, channel: &str, bot: &str, beginning: &str) -> usize {
        let path = format!("messages?channel={channel}");
        let messages = self.control("GET", &path, None).await;
        let all = messages.as_array().cloned().unwrap_or_default();
        all.iter()
            .filter(|message| message["author"]["id"] == bot)
            .filter(|message| text(message, "content").starts_with(beginning))
            .count()
    }

    async fn terminate(mut self) -> (i32, Duration) {
        let began = Instant::now();
        let id = i32::try_from(self.child.id()).expect("a process id");
        let process = rustix::process::Pid::from_raw(id).expect("a process id");
        rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("a signal");
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return (status.code().unwrap_or(-1), began.elapsed());
            }
            assert!(began.elapsed() < PATIENCE, "it does not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("an end");
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dev_makes_a_whole_world_that_answers_and_ends_in_order() {
    let host = Host::new();
    let dev = Dev::start(&host).await;
    let emulator = text(&dev.ready, "emulator");
    assert!(emulator.starts_with("http://127.0.0.1:"), "{emulator}");
    assert_eq!(emulator.matches('/').count(), 2, "an origin: {emulator}");
    for key in ["pages", "api", "token", "workspace"] {
        assert!(dev.ready[key].is_string(), "{key}: {}", dev.ready);
    }
    for name in [
        "channels general",
        "channels ideas",
        "users operator",
        "users admin",
        "users guest",
    ] {
        dev.id(name).await;
    }
    assert_eq!(dev.greet().await, 1);
    let profile =
        std::fs::read_to_string(host.home().join("profiles/main/profile.toml")).expect("a profile");
    let owner = format!("owner_id = \"{}\"", dev.id("users operator").await);
    assert!(profile.contains(&owner), "{profile}");
    // The pages name the script where a model is named.
    let page = dev
        .client
        .get(text(&dev.ready, "pages"))
        .send()
        .await
        .expect("an answer");
    let page = page.text().await.expect("a body");
    assert!(page.contains("scripted model"), "{page}");

    let (code, took) = dev.terminate().await;
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(!host.outside().join("dev.json").exists());
    assert!(!host.home().join("run/api.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn dev_keeps_its_world_across_an_end_and_a_kill() {
    let host = Host::new();
    let dev = Dev::start(&host).await;
    let ids = dev.ids().await;
    assert_eq!(dev.greet().await, 1);
    // The world is written shortly after each change.
    let file = host.home().join("emulator.json");
    let began = Instant::now();
    while !std::fs::read_to_string(&file)
        .unwrap_or_default()
        .contains("(scripted) Hello.")
    {
        assert!(began.elapsed() < PATIENCE, "it is not written");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    dev.kill();
    let dev = Dev::start(&host).await;
    assert_eq!(dev.ids().await, ids, "after a kill");
    assert_eq!(dev.greet().await, 2, "the messages are kept too");
    assert_eq!(dev.terminate().await.0, 0);
    let dev = Dev::start(&host).await;
    assert_eq!(dev.ids().await, ids, "after an end");
    assert_eq!(dev.greet().await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn dev_follows_a_script_that_is_given_and_names_the_line_of_a_mistake() {
    let host = Host::new();
    let script = host.outside().join("script.toml");
    let file = script.display().to_string();
    std::fs::write(
        &script,
        "[[turn]]\nmatch = \"hello\"\n[[turn.step]]\nsey = \"x\"\n",
    )
    .expect("a script");
    let refused = host
        .run(&["dev", "--script", &file, "--format", "json"])
        .ended(2)
        .json();
    assert_eq!(refused["error"]["code"], "script-unknown-key");
    let message = text(&refused["error"], "message");
    assert!(message.contains("script.toml:4:"), "{message}");
    assert!(message.contains("`say`"), "{message}");

    std::fs::write(&script, SCRIPT).expect("a script");
    let dev = Dev::start_with(&host, &["--script", &file]).await;
    assert_eq!(dev.hear("Hello to you.").await, 1);
    assert_eq!(dev.terminate().await.0, 0);
}
