//! Models of providers, from a message in Discord to the answer there.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::model_server::{Damage, ModelServer, Reply};
use ostler_tests::serving::Served;
use serde_json::json;

const KEY: &str = "key-that-nobody-may-see";
const PROVIDERS: [&str; 3] = ["openai", "anthropic", "ollama"];

/// A `[model]` table of a provider at `base_url`.
fn table(provider: &str, base_url: &str) -> String {
    format!(
        "provider = \"{provider}\"\nname = \"test-model\"\nbase_url = \"{base_url}\"\n\
         key_secret = \"MODEL_KEY\"\nmax_tokens = 512"
    )
}

/// The operator asks in `general` and is answered.
async fn answer(discord: &Discord, text: &str) -> String {
    let general = discord.channel("general");
    let before = discord.answers(general).await.len();
    discord.ask("operator", general, text).await;
    let mut answers = discord.wait_for_answers(general, before + 1).await;
    assert_eq!(answers.len(), before + 1, "{answers:?}");
    answers.pop().expect("an answer")
}

/// An address of this machine where nobody listens.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    format!("http://{address}/v1")
}

async fn wait_for_log(served: &Served, text: &str) {
    let began = Instant::now();
    while !served.logged().contains(text) {
        assert!(began.elapsed() < PATIENCE, "{}", served.logged());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The key stands in none of what the host said.
async fn key_is_nowhere(discord: &Discord, served: &Served) {
    assert!(!served.logged().contains(KEY), "the log holds the key");
    for request in discord.requests().await {
        assert!(!request.to_string().contains(KEY), "{request}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_providers_answer_comes_to_discord() {
    for provider in PROVIDERS {
        let discord = Discord::start().await;
        let model = ModelServer::start().await;
        // Pieces end in the middle of characters.
        model.reply(Reply::text("Grüße aus dem Stall \u{1f40e}.").in_pieces_of(3));
        model.reply(Reply::text("Again.").reasoning("Should I?"));
        let table = table(provider, &model.base_url());
        let served = Served::with_model(&discord, "", "", &table);
        served.set_secret("MODEL_KEY", KEY);
        let _host = served.serve().await;
        assert_eq!(
            answer(&discord, "hello there").await,
            "Grüße aus dem Stall \u{1f40e}.",
            "{provider}"
        );
        assert_eq!(answer(&discord, "and again").await, "Again.", "{provider}");

        let asked = model.asked();
        assert_eq!(asked.len(), 2, "{provider}");
        for request in &asked {
            assert_eq!(request.body["model"], "test-model", "{provider}");
            assert_eq!(request.body["stream"], true, "{provider}");
            let (path, name, value) = match provider {
                "anthropic" => ("/v1/messages", "x-api-key", KEY.to_owned()),
                _ => (
                    "/v1/chat/completions",
                    "authorization",
                    format!("Bearer {KEY}"),
                ),
            };
            assert_eq!(request.path, path);
            assert_eq!(request.header(name), Some(value.as_str()), "{provider}");
        }
        // The second request holds the first turn, without what the model thought.
        let second = asked[1].body.to_string();
        for part in ["hello there", "dem Stall", "and again"] {
            assert!(second.contains(part), "{provider}: {part}");
        }
        key_is_nowhere(&discord, &served).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_provider_calls_a_tool_and_reads_its_answer() {
    for provider in PROVIDERS {
        let discord = Discord::start().await;
        let other = discord.channel("other");
        let model = ModelServer::start().await;
        let write = json!({"action": "post_message", "channel_id": other, "content": "Neigh."});
        model.reply(Reply::call("call-a", "discord", &write).and_call(
            "call-b",
            "todo",
            &json!({"action": "add", "title": "oats"}),
        ));
        model.reply(Reply::text("Both are done."));
        let table = table(provider, &model.base_url());
        let served = Served::with_model(&discord, "", "", &table);
        served.set_secret("MODEL_KEY", KEY);
        let _host = served.serve().await;
        assert_eq!(
            answer(&discord, "do both").await,
            "Both are done.",
            "{provider}"
        );
        assert_eq!(discord.answers(other).await, ["Neigh."], "{provider}");
        let asked = model.asked();
        assert_eq!(asked.len(), 2, "{provider}");
        let second = asked[1].body["messages"].to_string();
        for part in [
            "call-a",
            "Posted as message ",
            "call-b",
            "Added as number 1.",
        ] {
            assert!(second.contains(part), "{provider}: {second}");
        }
        let session = served.session();
        let items = session["row_list"][0]["items"].as_array().expect("items");
        let kinds: Vec<&str> = items.iter().filter_map(|i| i["kind"].as_str()).collect();
        assert_eq!(kinds, ["text", "calls", "result", "result", "text"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_down_is_told_and_the_next_turn_may_have_another() {
    for provider in PROVIDERS {
        let discord = Discord::start().await;
        let gone = nobody();
        let served = Served::with_model(&discord, "", "", &table(provider, &gone));
        served.set_secret("MODEL_KEY", KEY);
        let mut host = served.serve().await;
        let told = answer(&discord, "hello").await;
        assert!(
            told.starts_with("I could not finish this (model-unavailable): "),
            "{provider}: {told}"
        );
        assert!(told.contains("cannot be connected to"), "{told}");
        assert!(host.is_running());

        let model = ModelServer::start().await;
        model.reply(Reply::text("Here I am."));
        let text = std::fs::read_to_string(served.profile_file()).expect("a profile");
        served.write_profile(&text.replace(&gone, &model.base_url()));
        wait_for_log(&served, "the configuration has changed").await;
        assert_eq!(answer(&discord, "hello").await, "Here I am.");
        let session = served.session();
        assert_eq!(session["row_list"][0]["outcome"], "failed");
        assert_eq!(session["row_list"][0]["reason"], "model-unavailable");
        assert_eq!(session["row_list"][1]["outcome"], "completed");
        key_is_nowhere(&discord, &served).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_not_set_is_told_and_its_setting_needs_no_restart() {
    let discord = Discord::start().await;
    let model = ModelServer::start().await;
    model.otherwise(|_| Reply::text("Thank you."));
    let served = Served::with_model(&discord, "", "", &table("openai", &model.base_url()));
    let mut host = served.serve().await;
    let told = answer(&discord, "hello").await;
    assert!(
        told.starts_with("I could not finish this (model-unauthorized): "),
        "{told}"
    );
    assert!(told.contains("ostler secrets set MODEL_KEY"), "{told}");
    assert!(model.asked().is_empty());
    assert!(host.is_running());
    served.set_secret("MODEL_KEY", KEY);
    assert_eq!(answer(&discord, "hello").await, "Thank you.");
    let expected = format!("Bearer {KEY}");
    assert_eq!(
        model.asked()[0].header("authorization"),
        Some(expected.as_str())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_provider_refuses_is_told_with_its_code_and_without_the_key() {
    let discord = Discord::start().await;
    let model = ModelServer::start().await;
    let served = Served::with_model(&discord, "", "", &table("openai", &model.base_url()));
    served.set_secret("MODEL_KEY", KEY);
    let _host = served.serve().await;
    let wrong_key = format!("Incorrect API key provided: {KEY}. @everyone");
    for (reply, code) in [
        (
            Reply::error(401, "authentication_error", &wrong_key),
            "model-unauthorized",
        ),
        (
            Reply::error(404, "not_found_error", "no such model"),
            "model-rejected",
        ),
        (
            Reply::raw("text/html", "<html>hello</html>"),
            "model-malformed",
        ),
        (
            Reply::text("One two three four.").damaged(Damage::CutAfter(400)),
            "model-unavailable",
        ),
    ] {
        model.reply(reply);
        let told = answer(&discord, "hello").await;
        let expected = format!("I could not finish this ({code}): ");
        assert!(told.starts_with(&expected), "{told}");
    }
    let general = discord.channel("general");
    for message in discord.messages(general).await {
        if message["author"]["id"] == discord.bot() {
            assert_eq!(message["mention_everyone"], false, "{message}");
        }
    }
    key_is_nowhere(&discord, &served).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_shown_as_far_as_it_came_and_a_stop_ends_it() {
    let discord = Discord::start().await;
    let model = ModelServer::start().await;
    let long = "Hay and oats and straw. ".repeat(20);
    model.reply(Reply::text(&long).damaged(Damage::StallAfter(3_000)));
    let served = Served::with_model(
        &discord,
        "",
        "turn_verbosity = \"verbose\"",
        &table("openai", &model.base_url()),
    );
    served.set_secret("MODEL_KEY", KEY);
    let host = served.serve().await;
    let general = discord.channel("general");
    discord.ask("operator", general, "hello").await;
    let preview = discord.wait_for_answers(general, 1).await;
    assert!(preview[0].starts_with("Hay and oats"), "{preview:?}");
    assert!(preview[0].len() < long.len(), "{preview:?}");

    let (code, took) = host.terminate().await;
    assert_eq!(code, 0);
    assert!(took.as_secs() < 5, "{took:?}");
    let session = served.session();
    assert_eq!(session["row_list"][0]["outcome"], "interrupted");
    let began = Instant::now();
    while model.open() > 0 {
        assert!(began.elapsed() < PATIENCE, "the request goes on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let _host = served.serve().await;
    let began = Instant::now();
    loop {
        let answers = discord.answers(general).await;
        if answers.len() == 1 && answers[0].starts_with("I was stopped before I was done.") {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{answers:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
