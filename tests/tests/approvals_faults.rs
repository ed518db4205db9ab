//! Cards under faults: Discord that refuses, stalls or forgets, and a host that is killed at every
//! step. An effect never happens without its approval, and never twice.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use ostler_tests::cards::Card;
use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::serving::Served;
use serde_json::{Value, json};

const SCRIPT: &str = r#"
[[turn]]
match = "mark (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = { command = "echo $token >> marks" }
[[turn.step]]
say = "$result"
"#;

async fn scene() -> (Discord, Served, String) {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let general = discord.channel("general").to_owned();
    (discord, served, general)
}

/// The next requests that match fail.
async fn fail(discord: &Discord, method: &str, path: &str, status: u16, times: u32, more: Value) {
    let mut body = json!({
        "method": method, "path_regex": path, "status": status, "times": times,
    });
    for (key, value) in more.as_object().cloned().unwrap_or_default() {
        body[key] = value;
    }
    discord.control("POST", "fail", Some(body)).await;
}

fn approvals(served: &Served) -> Vec<Value> {
    let listed = served
        .host()
        .run(&["approvals", "list", "--all", "--format", "json"])
        .ended(0)
        .json();
    listed["approvals"].as_array().cloned().unwrap_or_default()
}

async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

#[tokio::test]
async fn a_card_comes_through_429_and_5xx() {
    let (discord, served, general) = scene().await;
    let _host = served.serve().await;
    let messages = "/channels/[0-9]+/messages$";
    fail(
        &discord,
        "POST",
        messages,
        429,
        1,
        json!({"retry_after": 0.2}),
    )
    .await;
    fail(&discord, "POST", messages, 503, 1, json!({})).await;
    discord.ask("operator", &general, "mark one").await;
    let card = discord.wait_for_card(&general).await;
    discord.press("operator", &card, "Approve once").await;
    until("it runs", async || served.count("marks", "one") == 1).await;
    assert_eq!(discord.cards(&general).await.len(), 1, "one card");
}

#[tokio::test]
async fn a_card_whose_post_was_not_confirmed_shows_once() {
    let (discord, served, general) = scene().await;
    let _host = served.serve().await;
    let messages = "/channels/[0-9]+/messages$";
    fail(
        &discord,
        "POST",
        messages,
        502,
        1,
        json!({"takes_effect": true}),
    )
    .await;
    discord.ask("operator", &general, "mark two").await;
    let card = discord.wait_for_card(&general).await;
    discord.press("operator", &card, "Approve once").await;
    until("it runs", async || served.count("marks", "two") == 1).await;
    assert_eq!(discord.cards(&general).await.len(), 1, "one card");
}

#[tokio::test]
async fn a_card_that_discord_refuses_is_unreachable_and_runs_nothing() {
    let (discord, served, general) = scene().await;
    let _host = served.serve().await;
    let refusal = json!({"body": {"code": 50013, "message": "Missing Permissions"}});
    fail(
        &discord,
        "POST",
        "/channels/[0-9]+/messages$",
        403,
        1,
        refusal,
    )
    .await;
    discord.ask("operator", &general, "mark three").await;
    let said = discord.wait_for_answers(&general, 1).await;
    assert!(said[0].contains("Refused (unreachable)"), "{said:?}");
    assert_eq!(served.count("marks", "three"), 0);
    let [ask] = approvals(&served).try_into().expect("one ask");
    assert_eq!(ask["ending"], "unreachable");
}

#[tokio::test]
async fn a_press_counts_although_discord_did_not_take_its_acknowledgement() {
    let (discord, served, general) = scene().await;
    let _host = served.serve().await;
    discord.ask("operator", &general, "mark four").await;
    let card = discord.wait_for_card(&general).await;
    fail(
        &discord,
        "POST",
        "/interactions/.*/callback$",
        500,
        10,
        json!({}),
    )
    .await;
    discord.press("operator", &card, "Approve once").await;
    until("it runs", async || served.count("marks", "four") == 1).await;
    let ended = discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Approved once"));
}

#[tokio::test]
async fn a_card_is_edited_in_the_end_although_edits_fail() {
    let (discord, served, general) = scene().await;
    let _host = served.serve().await;
    discord.ask("operator", &general, "mark five").await;
    let card = discord.wait_for_card(&general).await;
    fail(
        &discord,
        "PATCH",
        "/channels/[0-9]+/messages/",
        503,
        2,
        json!({}),
    )
    .await;
    fail(
        &discord,
        "PATCH",
        "/channels/[0-9]+/messages/",
        429,
        2,
        json!({"retry_after": 0.1}),
    )
    .await;
    discord.press("operator", &card, "Approve once").await;
    let ended = discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Approved once"));
    assert_eq!(served.count("marks", "five"), 1);
}

#[tokio::test]
async fn a_card_that_was_deleted_is_posted_again_and_the_new_one_decides() {
    let (discord, served, general) = scene().await;
    let _host = served.serve().await;
    discord.ask("operator", &general, "mark six").await;
    let card = discord.wait_for_card(&general).await;
    discord
        .control("DELETE", &format!("messages/{}", card.id()), None)
        .await;
    let again = discord.wait_for_card(&general).await;
    assert_ne!(again.id(), card.id());
    assert_eq!(again.ask(), card.ask());
    discord.press("operator", &again, "Approve once").await;
    until("it runs", async || served.count("marks", "six") == 1).await;
}

#[tokio::test]
async fn a_press_while_the_host_is_down_decides_nothing() {
    let (discord, served, general) = scene().await;
    let host = served.serve().await;
    discord.ask("operator", &general, "mark seven").await;
    let card = discord.wait_for_card(&general).await;
    host.kill();
    let failed = discord.press("operator", &card, "Approve once").await;
    assert!(failed["failed"].is_string(), "{failed}");
    let _host = served.serve().await;
    let ended = discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Cancelled"), "{}", ended.content());
    assert_eq!(served.count("marks", "seven"), 0);
}

/// Kills the host at a point of an ask, then starts it again: the cards then, and what was said.
async fn killed_at(point: &str, presses: bool, token: &str) -> (Vec<Card>, Vec<Value>, usize) {
    let (discord, served, general) = scene().await;
    let host = served.start(&[("OSTLER_FAILPOINT", &format!("{point}:1"))]);
    host.wait_until_ready().await;
    discord
        .ask("operator", &general, &format!("mark {token}"))
        .await;
    if presses {
        let card = discord.wait_for_card(&general).await;
        discord.press("operator", &card, "Approve once").await;
    }
    assert_eq!(host.wait_for_end().await, -1, "{point}: ended by a signal");
    let _host = served.serve().await;
    // Told once that it was lost, and the card tells how it ended.
    until("it is told", async || {
        let told = discord.answers(&general).await;
        told.iter()
            .filter(|text| text.contains("I was cut off"))
            .count()
            == 1
    })
    .await;
    until("no card is open", async || {
        let cards = discord.cards(&general).await;
        !cards.is_empty() && cards.iter().all(|card| !card.is_open())
    })
    .await;
    let told = discord.answers(&general).await;
    assert_eq!(
        told.iter()
            .filter(|text| text.contains("I was cut off"))
            .count(),
        1
    );
    served.host().run(&["audit", "--verify"]).ended(0);
    (
        discord.cards(&general).await,
        approvals(&served),
        served.count("marks", token),
    )
}

#[tokio::test]
async fn killed_after_the_row_before_the_card() {
    let (cards, asks, marks) = killed_at("asked", false, "a").await;
    assert_eq!((cards.len(), asks.len(), marks), (1, 1, 0));
    assert!(cards[0].content().contains("Cancelled"));
    assert_eq!(asks[0]["ending"], "cancelled");
}

#[tokio::test]
async fn killed_after_the_post_before_its_id() {
    let (cards, asks, marks) = killed_at("card-posted", false, "b").await;
    assert_eq!(
        (cards.len(), asks.len(), marks),
        (1, 1, 0),
        "found by its nonce"
    );
    assert!(cards[0].content().contains("Cancelled"));
}

#[tokio::test]
async fn killed_with_an_open_card() {
    let (cards, asks, marks) = killed_at("card-kept", false, "c").await;
    assert_eq!((cards.len(), asks.len(), marks), (1, 1, 0));
    assert!(cards[0].content().contains("Nothing ran"));
}

#[tokio::test]
async fn killed_after_the_click() {
    let (cards, asks, marks) = killed_at("settled", true, "d").await;
    assert_eq!((cards.len(), asks.len(), marks), (1, 1, 0));
    assert_eq!(asks[0]["ending"], "approved");
    assert!(asks[0]["effect_started_at"].is_null(), "{}", asks[0]);
}

#[tokio::test]
async fn killed_after_the_effect_was_begun() {
    let (_, asks, marks) = killed_at("effect-started", true, "e").await;
    assert_eq!(marks, 0, "at most once");
    assert!(asks[0]["effect_started_at"].is_i64());
    assert!(asks[0]["effect_ended_at"].is_null());
}

#[tokio::test]
async fn killed_after_the_effect() {
    let (_, asks, marks) = killed_at("effect-done", true, "f").await;
    assert_eq!(marks, 1, "once, and not again after the restart");
    assert!(
        asks[0]["effect_ended_at"].is_null(),
        "how it ended is not known"
    );
}
