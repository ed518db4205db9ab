//! Whatever a host sends to Discord, and what it is answered, fits Discord's own description.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod openapi_support;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use openapi_support::Description;
use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::serving::Served;
use serde_json::{Value, json};

/// Everything that a host does on Discord. `GENERAL`, `IDEAS` and `GUILD` stand for ids.
const SCRIPT: &str = r#"
[[turn]]
match = "ping"
[[turn.step]]
say = "pong"

[[turn]]
match = "a long one"
[[turn.step]]
say = "LONG"

[[turn]]
match = "slowly"
[[turn.step]]
say = "I begin."
[[turn.step]]
say = "I go on."
delay_ms = 1400
[[turn.step]]
say = "I end."
delay_ms = 1400

[[turn]]
match = "thread at (\\d+)"
[[turn.step]]
tool = "discord"
args = { action = "create_thread", channel_id = "GENERAL", name = "At it", message_id = "$1", auto_archive_duration = 60, message = "Here." }
[[turn.step]]
say = "$result"

[[turn]]
match = "thread"
[[turn.step]]
tool = "discord"
args = { action = "create_thread", channel_id = "GENERAL", name = "A thread", message = "Here." }
[[turn.step]]
say = "$result"

[[turn]]
match = "post with (\\w+)"
[[turn.step]]
tool = "discord"
args = { action = "create_forum_post", channel_id = "IDEAS", name = "An idea", message = "It is this.", applied_tags = ["$1"] }
[[turn.step]]
say = "$result"

[[turn]]
match = "post"
[[turn.step]]
tool = "discord"
args = { action = "create_forum_post", channel_id = "IDEAS", name = "An idea", message = "It is that." }
[[turn.step]]
tool = "discord"
args = { action = "list_forum_posts", channel_id = "IDEAS", limit = 5 }
[[turn.step]]
say = "$result"

[[turn]]
match = "read around (\\d+)"
[[turn.step]]
tool = "discord"
args = { action = "fetch_messages", channel_id = "GENERAL", before = "$1" }
[[turn.step]]
tool = "discord"
args = { action = "fetch_messages", channel_id = "GENERAL", limit = 3, after = "$1" }
[[turn.step]]
tool = "discord"
args = { action = "fetch_messages", channel_id = "GENERAL" }
[[turn.step]]
say = "Read."

[[turn]]
match = "read what is not there"
[[turn.step]]
tool = "discord"
args = { action = "fetch_messages", channel_id = "1" }
[[turn.step]]
say = "$result"

[[turn]]
match = "who"
[[turn.step]]
tool = "discord"
args = { action = "search_members", guild_id = "GUILD", query = "gu est&é" }
[[turn.step]]
tool = "discord"
args = { action = "search_members", guild_id = "GUILD", query = "g" }
[[turn.step]]
say = "$result"

[[turn]]
match = "tell the others"
[[turn.step]]
tool = "discord"
args = { action = "post_message", channel_id = "OTHER", content = "@everyone <@1> look: https://example.org" }
[[turn.step]]
say = "Told."

[[turn]]
match = "nothing"
[[turn.step]]
tool = "no_reply"

[[turn]]
match = "hang"
[[turn.step]]
say = "never"
delay_ms = 60000
"#;

/// The last thing that the bot said in a channel, once it has said `count` things that stay.
async fn answer(discord: &Discord, channel: &str, count: usize) -> String {
    let began = Instant::now();
    loop {
        let messages = discord.messages(channel).await;
        // Previews suppress notifications (bit 12); a thread's opening is told by a message too.
        let said: Vec<&Value> = messages
            .iter()
            .filter(|message| message["author"]["id"] == discord.bot())
            .filter(|message| message["flags"].as_u64().unwrap_or(0) & (1 << 12) == 0)
            .filter(|message| matches!(message["type"].as_u64(), Some(0 | 19)))
            .collect();
        if said.len() >= count {
            return said[count - 1]["content"].as_str().unwrap().to_owned();
        }
        assert!(began.elapsed() < PATIENCE, "{count}: {messages:#?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The first number of a text: an id.
fn number(text: &str) -> String {
    text.chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect()
}

fn id(object: &Value) -> String {
    object["id"].as_str().unwrap().to_owned()
}

/// Uses everything; gives the host's log.
async fn be_busy(discord: &Discord) -> String {
    let (general, other) = (discord.channel("general"), discord.channel("other"));
    let forum = json!({"id": discord.channel("ideas"), "available_tags": [{"name": "bug"}]});
    discord.control("POST", "channels", Some(forum)).await;
    let long = format!(
        "{}\n\n{}",
        "word ".repeat(700),
        "```rust\n".to_owned() + &"x = 1;\n".repeat(200) + "```"
    );
    let script = SCRIPT
        .replace("GENERAL", general)
        .replace("OTHER", other)
        .replace("IDEAS", discord.channel("ideas"))
        .replace("GUILD", discord.guild())
        .replace("LONG", &long.replace('\n', "\\n"));
    let served = Served::new(discord, &script, "turn_verbosity = \"verbose\"");
    let host = served.serve().await;

    let first = id(&discord.ask("operator", general, "ping").await);
    assert_eq!(answer(discord, general, 1).await, "pong");
    let messages = discord.messages(general).await;
    let reply = json!({
        "user": discord.user("guest"), "channel": general, "content": "ping again",
        "message_reference": {"message_id": messages.last().unwrap()["id"]},
    });
    discord.control("POST", "say", Some(reply)).await;
    assert_eq!(answer(discord, general, 2).await, "pong");

    let mut count = 2;
    let mut told = Vec::new();
    for question in [
        "a thread, please",
        &format!("a thread at {first}"),
        &format!("a thread at {first}"),
        "a post with bug",
        "a post with nonsense",
        "a post",
        &format!("read around {first}"),
        "read what is not there",
        "who is here?",
        "tell the others",
        "slowly",
    ] {
        discord.ask("operator", general, question).await;
        count += 1;
        told.push(answer(discord, general, count).await);
    }
    assert!(told[0].starts_with("Opened thread "), "{told:?}");
    assert!(told[1].starts_with("Opened thread "), "{told:?}");
    assert!(told[3].starts_with("Opened the forum post "), "{told:?}");
    assert!(told[4].contains("bug"), "{told:?}");
    assert!(told[5].contains("Post "), "{told:?}");
    assert_eq!(told[6], "Read.");
    assert!(told[8].contains("guest"), "{told:?}");
    assert_eq!(told[9], "Told.");
    assert!(told[10].contains("I end."), "{told:?}");

    // In a thread of its own the bot needs no mention.
    let thread = number(&told[0]);
    discord.say("eve", &thread, "ping").await;
    assert_eq!(answer(discord, &thread, 2).await, "pong");
    let post = number(&told[3]);
    discord.say("guest", &post, "ping").await;
    assert_eq!(answer(discord, &post, 2).await, "pong");
    // In a thread that is not its own it is looked up.
    let foreign = json!({"user": discord.user("eve"), "channel": other, "name": "Of Eve's"});
    let foreign = id(&discord.control("POST", "threads", Some(foreign)).await);
    discord.ask("eve", &foreign, "ping").await;
    assert_eq!(answer(discord, &foreign, 1).await, "pong");

    let direct = discord.direct("admin").await;
    discord.say("admin", &direct, "slowly").await;
    answer(discord, &direct, 1).await;
    discord.say("admin", &direct, "nothing").await;
    discord.say("admin", &direct, "a long one").await;
    answer(discord, &direct, 4).await;

    // A press of a button that is nobody's.
    let button = json!({
        "content": "Press", "components": [{"type": 1, "components": [
            {"type": 2, "style": 1, "label": "Press", "custom_id": "nobodys"},
        ]}],
    });
    let posted = reqwest::Client::new()
        .post(format!(
            "{}/api/v10/channels/{general}/messages",
            discord.origin()
        ))
        .header("authorization", format!("Bot {}", discord.bot_token()))
        .json(&button)
        .send()
        .await
        .unwrap();
    let posted: Value = serde_json::from_str(&posted.text().await.unwrap()).unwrap();
    let press = json!({
        "user": discord.user("guest"), "message": posted["id"], "custom_id": "nobodys",
    });
    let pressed = discord.control("POST", "press", Some(press)).await;
    assert!(pressed["response"].is_object(), "{pressed}");

    // A turn that a kill cut off, and one that a stop interrupts.
    discord.ask("guest", other, "hang").await;
    wait_for_typing(discord, other, 0).await;
    host.kill();
    discord.ask("guest", other, "ping").await;
    let forgotten = json!({"action": "invalid_session", "resumable": false, "at": "hello"});
    discord.control("POST", "gateway", Some(forgotten)).await;
    let host = served.serve().await;
    // Told by the tool, told of the lost turn, and the answer.
    assert_eq!(answer(discord, other, 3).await, "pong");
    let before = discord.requests().await.len();
    discord.ask("guest", other, "hang").await;
    wait_for_typing(discord, other, before).await;
    assert_eq!(host.terminate().await.0, 0);
    served.logged()
}

/// Waits until the bot types in a channel, after so many requests.
async fn wait_for_typing(discord: &Discord, channel: &str, before: usize) {
    let began = Instant::now();
    let path = format!("/api/v10/channels/{channel}/typing");
    loop {
        let requests = discord.requests().await;
        if requests
            .iter()
            .skip(before)
            .any(|request| request["path"] == path)
        {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "no turn begins in {channel}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_of_a_busy_host_and_every_answer_fits_discords_description() {
    let Some(description) = Description::from_environment() else {
        println!("ignored: OSTLER_DISCORD_OPENAPI is not set");
        return;
    };
    let discord = Discord::start().await;
    let log = be_busy(&discord).await;
    let requests = discord.requests().await;
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for request in &requests {
        let method = request["method"].as_str().unwrap();
        let path = request["path"].as_str().unwrap();
        let Some(path) = path.strip_prefix("/api/v10") else {
            wrong.push(format!("{method} {path}: outside of version 10"));
            continue;
        };
        let shape: Vec<_> = path
            .split('/')
            .map(|part| if part.len() > 15 { "*" } else { part })
            .collect();
        seen.insert(format!("{method} {}", shape.join("/")));
        let status = u16::try_from(request["status"].as_u64().unwrap()).unwrap();
        let query = request["query"].as_str().unwrap_or_default();
        let response = Some(&request["response"]).filter(|body| !body.is_null());
        for checked in [
            description.check_request(method, path, &request["body"]),
            description.check_query(method, path, query),
            description.check_response(method, path, status, response),
        ] {
            if let Err(error) = checked {
                wrong.push(format!("{error}\n{request:#}"));
            }
        }
        // What a host may never be told.
        if matches!(status, 401 | 405 | 429 | 500..) || request["response"]["code"] == 50035 {
            wrong.push(format!("a wrong request\n{request:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{log}", wrong.join("\n\n"));
    for one in [
        "GET /gateway/bot",
        "POST /channels/*/messages",
        "PATCH /channels/*/messages/*",
        "DELETE /channels/*/messages/*",
        "GET /channels/*/messages",
        "POST /channels/*/typing",
        "POST /channels/*/threads",
        "POST /channels/*/messages/*/threads",
        "GET /guilds/*/threads/active",
        "GET /guilds/*/members/search",
    ] {
        assert!(seen.contains(one), "{one} was not used: {seen:#?}");
    }
}

#[test]
fn the_description_refuses_what_discord_would() {
    let Some(description) = Description::from_environment() else {
        println!("ignored: OSTLER_DISCORD_OPENAPI is not set");
        return;
    };
    let messages = "/channels/1234567890123456789/messages";
    let check = |body: &Value| description.check_request("POST", messages, body);
    assert_eq!(check(&json!({"content": "hello"})), Ok(()));
    assert!(check(&json!({"content": 7})).is_err());
    assert!(check(&json!({"content": "x".repeat(5_000)})).is_err());
    assert!(
        description
            .check_request("PUT", messages, &json!({}))
            .is_err()
    );
    assert_eq!(description.check_query("GET", messages, "limit=5"), Ok(()));
    for wrong in ["limit=0", "limit=x", "limits=5", "after=x"] {
        let checked = description.check_query("GET", messages, wrong);
        assert!(checked.is_err(), "{wrong}");
    }
    let search = "/guilds/1234567890123456789/members/search";
    assert!(description.check_query("GET", search, "limit=5").is_err());
}
