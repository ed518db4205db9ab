//! `discord_act`: an Administrator's changes, behind a card that current Administrators answer.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::cards::Card;
use ostler_tests::discord::Discord;
use ostler_tests::serving::{Served, Serving};
use serde_json::{Value, json};

const SCRIPT: &str = r#"
[[turn]]
match = "make (?<name>[\\w-]+)"
[[turn.step]]
tool = "discord_act"
args = { operations = [{ do = "create_channel", name = "$name" }] }
[[turn.step]]
say = "$result"

[[turn]]
match = "both (?<name>[\\w-]+)"
[[turn.step]]
tool = "discord_act"
args = { operations = [{ do = "create_channel", name = "$name" }, { do = "delete_channel", channel_id = "1" }] }
[[turn.step]]
say = "$result"

[[turn]]
match = "look"
[[turn.step]]
tool = "discord_guild_read"
args = { }
[[turn.step]]
say = "$result"
"#;

struct Scene {
    discord: Discord,
    served: Served,
    _host: Serving,
    general: String,
}

impl Scene {
    async fn new() -> Self {
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        let host = served.serve().await;
        let general = discord.channel("general").to_owned();
        // The bot may change channels.
        let body = json!({
            "guild": discord.guild(), "user": discord.bot(),
            "permissions": u64::to_string(&((1 << 3) | (1 << 4))),
        });
        discord.control("POST", "members", Some(body)).await;
        Self {
            discord,
            served,
            _host: host,
            general,
        }
    }

    async fn channels(&self, name: &str) -> usize {
        let state = self.discord.control("GET", "state", None).await;
        let channels = state["channels"].as_array().cloned().unwrap_or_default();
        channels.iter().filter(|c| c["name"] == name).count()
    }

    async fn asked(&self, user: &str, text: &str) -> Card {
        self.discord.ask(user, &self.general, text).await;
        self.discord.wait_for_card(&self.general).await
    }

    /// Takes the Administrator's roles away.
    async fn demote(&self, user: &str) {
        let body = json!({
            "guild": self.discord.guild(), "user": self.discord.user(user), "roles": [],
        });
        self.discord.control("POST", "members", Some(body)).await;
    }

    async fn said(&self) -> String {
        let began = std::time::Instant::now();
        loop {
            let cards = self.discord.cards(&self.general).await;
            let last = self
                .discord
                .messages(&self.general)
                .await
                .into_iter()
                .filter(|m| m["author"]["id"] == self.discord.bot())
                .rfind(|m| !cards.iter().any(|card| m["id"] == card.id()));
            if let Some(message) = last {
                return message["content"].as_str().unwrap_or_default().to_owned();
            }
            assert!(
                began.elapsed() < ostler_tests::discord::PATIENCE,
                "{}",
                self.served.logged()
            );
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    fn asks(&self) -> Vec<Value> {
        let listed = self
            .served
            .host()
            .run(&["approvals", "list", "--all", "--format", "json"])
            .ended(0)
            .json();
        listed["approvals"].as_array().cloned().unwrap_or_default()
    }
}

#[tokio::test]
async fn an_administrator_asks_presses_and_it_happens_once() {
    let scene = Scene::new().await;
    let card = scene.asked("admin", "make plans").await;
    assert!(
        card.content().contains("Make the text channel"),
        "{}",
        card.content()
    );
    assert_eq!(scene.channels("plans").await, 0);
    scene.discord.press("admin", &card, "Approve once").await;
    let said = scene.said().await;
    assert!(said.starts_with("Done: Make the text channel"), "{said}");
    assert_eq!(scene.channels("plans").await, 1);
}

#[tokio::test]
async fn nobody_but_administrators_decides_it() {
    let scene = Scene::new().await;
    let card = scene.asked("admin", "make plans").await;
    scene.discord.press("guest", &card, "Approve once").await;
    let told = scene
        .discord
        .wait_for_private("guest", &scene.general, 1)
        .await;
    assert!(
        told.contains("only an Administrator of this server"),
        "{told}"
    );
    assert_eq!(scene.channels("plans").await, 0);
}

#[tokio::test]
async fn an_administrator_demoted_between_card_and_click_decides_nothing() {
    let scene = Scene::new().await;
    let card = scene.asked("admin", "make plans").await;
    scene.demote("admin").await;
    scene.discord.press("admin", &card, "Approve once").await;
    let told = scene
        .discord
        .wait_for_private("admin", &scene.general, 1)
        .await;
    assert!(told.contains("you no longer hold what it needs"), "{told}");
    assert_eq!(scene.channels("plans").await, 0);
    assert!(scene.discord.wait_for_card(&scene.general).await.is_open());
}

#[tokio::test]
async fn an_administrator_demoted_between_click_and_effect_changes_nothing() {
    let scene = Scene::new().await;
    let card = scene.asked("admin", "make plans").await;
    // The read of the asker that follows the click finds them demoted: it is held up until then.
    let body = json!({
        "method": "GET", "path_regex": "/guilds/[0-9]+/members/", "times": 1,
        "delay_ms": 1_500, "takes_effect": false,
    });
    scene.discord.control("POST", "fail", Some(body)).await;
    scene.discord.press("admin", &card, "Approve once").await;
    scene.demote("admin").await;
    let said = scene.said().await;
    assert!(said.contains("Refused (authority-lost)"), "{said}");
    assert!(
        said.contains("needs Administrator on this server"),
        "{said}"
    );
    assert!(said.contains("(@admin)"), "it names the person: {said}");
    assert_eq!(scene.channels("plans").await, 0);
    assert_eq!(scene.asks()[0]["ending"], "approved");
    assert!(scene.asks()[0]["effect_started_at"].is_null());
}

#[tokio::test]
async fn one_change_that_may_not_be_made_and_nothing_is_asked() {
    let scene = Scene::new().await;
    scene
        .discord
        .ask("admin", &scene.general, "both plans")
        .await;
    let said = scene.said().await;
    assert!(said.contains("operation 2:"), "{said}");
    assert!(said.contains("Nothing was asked or done"), "{said}");
    assert!(scene.discord.cards(&scene.general).await.is_empty());
    assert_eq!(scene.channels("plans").await, 0);
}

#[tokio::test]
async fn a_guest_has_neither_tool() {
    let scene = Scene::new().await;
    scene.discord.ask("guest", &scene.general, "look").await;
    let said = scene.said().await;
    assert!(
        said.contains("You were not given a tool `discord_guild_read`"),
        "{said}"
    );
    scene.discord.ask("admin", &scene.general, "look").await;
    let answers = scene.discord.wait_for_answers(&scene.general, 2).await;
    assert!(answers[1].contains("[Channels]\n> general"), "{answers:?}");
}
