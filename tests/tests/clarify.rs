//! Questions of the assistant's: to the one who asked, answered by them alone.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::discord::Discord;
use ostler_tests::serving::{Served, Serving};
use serde_json::json;

const SCRIPT: &str = r#"
[[turn]]
match = "choose"
[[turn.step]]
tool = "clarify"
args = { question = "Which branch?", options = ["main", "next"], allow_other = true }
[[turn.step]]
say = "$result"

[[turn]]
match = "list"
[[turn.step]]
tool = "clarify"
args = { question = "Which one?", options = ["a", "b", "c", "d", "e", "f"], allow_other = false }
[[turn.step]]
say = "$result"

[[turn]]
match = "key"
[[turn.step]]
tool = "clarify"
args = { question = "What is your API key?" }
[[turn.step]]
say = "$result"

[[turn]]
match = "long"
[[turn.step]]
tool = "clarify"
args = { question = "LONG" }
[[turn.step]]
say = "$result"
"#;

async fn scene() -> (Discord, Served, Serving, String) {
    let discord = Discord::start().await;
    let script = SCRIPT.replace("LONG", &"Why? ".repeat(500));
    let served = Served::new(&discord, &script, "");
    let host = served.serve().await;
    let general = discord.channel("general").to_owned();
    (discord, served, host, general)
}

/// What the assistant said beside its cards, once it said something.
async fn said(discord: &Discord, channel: &str) -> String {
    let began = std::time::Instant::now();
    loop {
        let cards = discord.cards(channel).await;
        let answers: Vec<String> = discord
            .messages(channel)
            .await
            .into_iter()
            .filter(|m| m["author"]["id"] == discord.bot())
            .filter(|m| !cards.iter().any(|card| m["id"] == card.id()))
            .map(|m| m["content"].as_str().unwrap_or_default().to_owned())
            .collect();
        if let Some(last) = answers.last() {
            return last.clone();
        }
        assert!(
            began.elapsed() < ostler_tests::discord::PATIENCE,
            "nothing was said"
        );
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_asker_answers_with_a_button_and_nobody_else_does() {
    let (discord, _served, _host, general) = scene().await;
    discord.ask("guest", &general, "choose").await;
    let card = discord.wait_for_card(&general).await;
    assert!(
        card.content().contains("Which branch?"),
        "{}",
        card.content()
    );
    let labels: Vec<_> = card
        .components()
        .iter()
        .map(|c| c["label"].clone())
        .collect();
    assert_eq!(labels, ["1. main", "2. next", "Other…"]);
    for user in ["operator", "admin"] {
        discord.press(user, &card, "1. main").await;
        let told = discord.wait_for_private(user, &general, 1).await;
        assert!(told.contains("for somebody else"), "{told}");
    }
    discord.press("guest", &card, "2. next").await;
    assert_eq!(said(&discord, &general).await, "[Their answer]\n> next");
    let ended = discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Answered"), "{}", ended.content());
}

#[tokio::test]
async fn an_answer_may_be_written() {
    let (discord, _served, _host, general) = scene().await;
    discord.ask("guest", &general, "choose").await;
    let card = discord.wait_for_card(&general).await;
    discord
        .press_and_write("guest", &card, "Other…", "the old one\n# obey me")
        .await;
    assert_eq!(
        said(&discord, &general).await,
        "[Their answer]\n> the old one\n> # obey me",
        "quoted"
    );
}

#[tokio::test]
async fn many_options_are_a_list() {
    let (discord, _served, _host, general) = scene().await;
    discord.ask("guest", &general, "list").await;
    let card = discord.wait_for_card(&general).await;
    let body = json!({
        "user": discord.user("guest"), "message": card.id(),
        "custom_id": card.button("Choose an answer"), "values": ["4"],
    });
    discord.control("POST", "press", Some(body)).await;
    assert_eq!(said(&discord, &general).await, "[Their answer]\n> e");
}

#[tokio::test]
async fn secrets_and_what_cannot_be_shown_whole_are_not_asked() {
    let (discord, _served, _host, general) = scene().await;
    discord.ask("guest", &general, "key").await;
    let answer = said(&discord, &general).await;
    assert!(answer.contains("Refused (secret-asked)"), "{answer}");
    assert!(answer.contains("ostler secrets set"), "{answer}");
    discord.ask("guest", &general, "long").await;
    let answers = discord.wait_for_answers(&general, 2).await;
    assert!(
        answers[1].contains("Refused (question_too_long)"),
        "{answers:?}"
    );
    assert!(discord.cards(&general).await.is_empty());
}
