//! A served home whose assistant asks before it marks, and the ways around Discord to answer.

#![allow(
    clippy::expect_used,
    dead_code,
    unreachable_pub,
    reason = "each test binary uses its part, and a test that cannot go on fails"
)]

pub mod browser;
pub mod web;

use std::time::{Duration, Instant};

use ostler_tests::cards::Card;
use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::host::Ran;
use ostler_tests::serving::{Served, Serving};
use serde_json::Value;

use web::{Api, Pages};

/// A command that is a page, a script, and text that hides and turns around.
pub const HOSTILE: &str = "echo '<script>document.title=1</script><img src=x onerror=alert(1)>\
    </pre><b>&amp;' \u{202e}detrever\u{200b} >> marks";

/// `mark TOKEN` appends the token to `marks` in the workspace, by a command that asks.
pub fn script() -> String {
    let hostile = HOSTILE.replace('"', "\\\"");
    format!(
        r#"
[[turn]]
match = "mark (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = {{ command = "echo $token >> marks" }}
[[turn.step]]
say = "$result"

[[turn]]
match = "hostile"
[[turn.step]]
tool = "shell"
args = {{ command = "{hostile}" }}
[[turn.step]]
say = "$result"

[[turn]]
match = "choose"
[[turn.step]]
tool = "clarify"
args = {{ question = "Which branch?", options = ["main", "next"] }}
[[turn.step]]
say = "$result"

[[turn]]
match = "hello"
[[turn.step]]
say = "Hello."
"#
    )
}

pub struct Scene {
    pub discord: Discord,
    pub served: Served,
    /// None once a test has ended it.
    pub host: Option<Serving>,
    pub ready: Value,
    pub general: String,
}

impl Scene {
    pub async fn new() -> Self {
        let discord = Discord::start().await;
        let served = Served::new(&discord, &script(), "");
        let host = served.start(&[]);
        let ready = host.wait_until_ready().await;
        let general = discord.channel("general").to_owned();
        Self {
            discord,
            served,
            host: Some(host),
            ready,
            general,
        }
    }

    /// The owner writes something that leads to a card: the card, once the host knows that it
    /// stands.
    pub async fn asked(&self, text: &str) -> Card {
        self.discord.ask("operator", &self.general, text).await;
        let card = self.discord.wait_for_card(&self.general).await;
        self.wait_for_ask(&card.ask(), |ask| ask["state"] == "pending")
            .await;
        card
    }

    /// Waits until an ask is as it should be, by the API: the ask.
    pub async fn wait_for_ask(&self, ask: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let (api, path) = (self.api(), format!("approvals/{ask}"));
        let began = Instant::now();
        loop {
            let (_, found) = api.get(&path).await;
            if is_so(&found) {
                return found;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{found}\n{}",
                self.served.logged()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn api(&self) -> Api {
        Api::new(&self.ready)
    }

    pub fn pages(&self) -> Pages {
        Pages::new(&self.ready)
    }

    /// Somebody who is signed in.
    pub async fn signed_in(&self) -> Pages {
        let pages = self.pages();
        pages.sign_in(self.token()).await;
        pages
    }

    pub fn token(&self) -> &str {
        self.ready["token"].as_str().expect("a token")
    }

    /// Runs a command of the binary on the home. The host may ask the emulator meanwhile, which
    /// lives in this process: the test needs a runtime of several threads.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        tokio::task::block_in_place(|| self.served.host().run(arguments))
    }

    /// Runs it and gives its JSON document.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--format", "json"]].concat();
        self.run(&arguments).ended(0).json()
    }

    pub fn marks(&self, token: &str) -> usize {
        self.served.count("marks", token)
    }

    /// Waits until a token was marked.
    pub async fn wait_for_mark(&self, token: &str) {
        let began = Instant::now();
        while self.marks(token) == 0 {
            assert!(began.elapsed() < PATIENCE, "{}", self.served.logged());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The entries of the audit log about something: their kinds, in order.
    pub fn audit(&self, subject: &str) -> Vec<String> {
        self.json(&["audit", "--limit", "1000"])["entries"]
            .as_array()
            .expect("entries")
            .iter()
            .filter(|entry| entry["subject"] == subject)
            .map(|entry| entry["kind"].as_str().expect("a kind").to_owned())
            .collect()
    }

    /// Moves the end of an ask's window to its beginning, in the database itself.
    pub fn expire(&self, ask: &str) {
        // What is asked never changes: the trigger that holds it must go for this.
        let connection = self.database();
        connection
            .execute_batch("DROP TRIGGER IF EXISTS what_is_asked_stays")
            .expect("no trigger");
        let changed = connection
            .execute(
                "UPDATE approvals SET expires_at = created_at + 1 WHERE id = ?1",
                [ask],
            )
            .expect("an update");
        assert_eq!(changed, 1, "the row is there");
    }

    pub fn database(&self) -> rusqlite::Connection {
        let path = self.served.host().home().join("ostler.db");
        let connection = rusqlite::Connection::open(path).expect("the database");
        connection
            .busy_timeout(Duration::from_secs(5))
            .expect("patience");
        connection
    }
}
