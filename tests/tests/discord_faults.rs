//! Discord refuses, is late, or breaks its gateway: a host goes on, and says everything once.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use ostler_emulator::{Options, RateLimits};
use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::serving::{Served, Serving};
use serde_json::{Value, json};

const SCRIPT: &str = r#"
[[turn]]
match = "ping (\\d+)"
[[turn.step]]
say = "pong $1"
"#;

async fn fail(discord: &Discord, failure: Value) {
    discord.control("POST", "fail", Some(failure)).await;
}

async fn gateway(discord: &Discord, action: Value) {
    discord.control("POST", "gateway", Some(action)).await;
}

/// The requests that post messages.
async fn posts(discord: &Discord) -> Vec<Value> {
    let mut requests = discord.requests().await;
    requests.retain(|request| {
        let path = request["path"].as_str().unwrap_or_default();
        request["method"] == "POST" && path.ends_with("/messages")
    });
    requests
}

/// Asks once under a failure and once after it: both are answered once, in order. Gives the
/// requests that posted the first answer.
async fn answered_under(failure: Value) -> Vec<Value> {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let channel = discord.channel("general");
    fail(&discord, failure.clone()).await;
    discord.ask("operator", channel, "ping 1").await;
    discord.ask("operator", channel, "ping 2").await;
    discord.wait_for_answers(channel, 2).await;
    assert_eq!(host.terminate().await.0, 0, "{failure}");
    assert_eq!(
        discord.answers(channel).await,
        ["pong 1", "pong 2"],
        "{failure}"
    );
    let mut posts = posts(&discord).await;
    posts.retain(|post| post["body"]["content"] == "pong 1");
    // However often it was sent, it was the same message.
    for post in &posts {
        assert_eq!(post["body"]["nonce"], posts[0]["body"]["nonce"], "{post}");
        assert_eq!(post["body"]["enforce_nonce"], true, "{post}");
    }
    posts
}

fn statuses(requests: &[Value]) -> Vec<u64> {
    let status = |request: &Value| request["status"].as_u64().unwrap_or_default();
    requests.iter().map(status).collect()
}

fn at(request: &Value) -> u64 {
    request["at_ms"].as_u64().expect("a time")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_for_too_many_requests_is_waited_out() {
    for global in [false, true] {
        let posts = answered_under(json!({
            "method": "POST", "path_regex": "/messages$",
            "status": 429, "retry_after": 0.7, "global": global,
        }))
        .await;
        assert_eq!(statuses(&posts), [429, 200]);
        let waited = at(&posts[1]) - at(&posts[0]);
        assert!(waited >= 700, "{waited} ms");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_discords_own_is_tried_again() {
    for status in [500, 502, 503] {
        let posts = answered_under(json!({
            "method": "POST", "path_regex": "/messages$", "status": status, "times": 2,
        }))
        .await;
        assert_eq!(statuses(&posts), [status, status, 200]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_answer_of_discord_is_waited_for() {
    let posts = answered_under(json!({
        "method": "POST", "path_regex": "/messages$", "delay_ms": 1500,
    }))
    .await;
    assert_eq!(statuses(&posts), [200]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_too_late_stands_once() {
    // The host gives up on the first try; what it posted stands.
    let posts = answered_under(json!({
        "method": "POST", "path_regex": "/messages$", "delay_ms": 9000, "takes_effect": true,
    }))
    .await;
    assert!(statuses(&posts).contains(&200), "{posts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_stands_though_discord_said_otherwise_stands_once() {
    let posts = answered_under(json!({
        "method": "POST", "path_regex": "/messages$", "status": 502, "times": 2,
        "takes_effect": true,
    }))
    .await;
    assert_eq!(statuses(&posts), [502, 502, 200]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_post_is_given_up_and_what_follows_is_answered() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let channel = discord.channel("general");
    let refused = json!({
        "method": "POST", "path_regex": "/messages$", "status": 403,
        "body": {"message": "Missing Permissions", "code": 50013},
    });
    fail(&discord, refused).await;
    discord.ask("operator", channel, "ping 1").await;
    discord.ask("operator", channel, "ping 2").await;
    discord.wait_for_answers(channel, 1).await;
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(discord.answers(channel).await, ["pong 2"]);
    assert!(served.logged().contains("an answer was not sent"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rest_api_that_is_dead_for_seconds_delays_answers_and_loses_none() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let (general, other) = (discord.channel("general"), discord.channel("other"));
    let began = Instant::now();
    // More tries than one request has.
    fail(
        &discord,
        json!({"path_regex": "/channels/", "status": 503, "times": 24}),
    )
    .await;
    discord.ask("operator", general, "ping 1").await;
    discord.ask("operator", general, "ping 2").await;
    discord.ask("guest", other, "ping 3").await;
    discord.wait_for_answers(general, 2).await;
    discord.wait_for_answers(other, 1).await;
    assert!(began.elapsed() > Duration::from_secs(2));
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(discord.answers(general).await, ["pong 1", "pong 2"]);
    assert_eq!(discord.answers(other).await, ["pong 3"]);
}

/// How often the host was connected, as its log has it.
fn connections(served: &Served) -> usize {
    served.logged().matches("the gateway is connected").count()
}

/// Breaks a host's gateway in each of these ways, one after the other, and asks during and after
/// each: everything is answered once.
async fn survives(options: Options, actions: &[Value]) {
    let discord = Discord::with(options).await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let channel = discord.channel("general");
    discord.ask("operator", channel, "ping 0").await;
    discord.wait_for_answers(channel, 1).await;
    let mut expected = vec!["pong 0".to_owned()];
    for action in actions {
        let before = connections(&served);
        gateway(&discord, action.clone()).await;
        let mut number = expected.len();
        discord
            .ask("operator", channel, &format!("ping {number}"))
            .await;
        expected.push(format!("pong {number}"));
        wait_until_connected(&served, before + 1, action).await;
        number += 1;
        discord
            .ask("operator", channel, &format!("ping {number}"))
            .await;
        expected.push(format!("pong {number}"));
        discord.wait_for_answers(channel, expected.len()).await;
        assert_eq!(
            discord.answers(channel).await,
            expected,
            "{action}\n{}",
            served.logged()
        );
    }
    end(host, &actions[0]).await;
    assert_eq!(discord.answers(channel).await, expected, "{actions:?}");
}

async fn end(host: Serving, action: &Value) {
    let (code, took) = host.terminate().await;
    assert_eq!(code, 0, "{action}");
    assert!(took < Duration::from_secs(5), "{action}: {took:?}");
}

async fn wait_until_connected(served: &Served, count: usize, action: &Value) {
    let began = Instant::now();
    while connections(served) < count {
        let log = served.logged();
        assert!(
            began.elapsed() < PATIENCE,
            "{action}: not connected again\n{log}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn unlimited() -> Options {
    Options {
        rate_limits: RateLimits::none(),
        ..Options::default()
    }
}

fn close(code: u16) -> Value {
    json!({"action": "close", "code": code})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_ends_without_a_word_is_resumed() {
    let ways = [
        json!({"action": "drop"}),
        json!({"action": "close"}),
        json!({"action": "reconnect"}),
    ];
    survives(unlimited(), &ways).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_closes_for_a_passing_reason_is_resumed() {
    let groups = [
        vec![close(1000), close(4000), close(4001)],
        vec![close(4002), close(4005), close(4008)],
    ];
    join_all(groups.iter().map(|group| survives(unlimited(), group))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_the_gateway_gave_up_is_begun_anew_and_nothing_is_lost() {
    let ways = [
        close(4003),
        close(4007),
        close(4009),
        json!({"action": "invalid_session", "resumable": false}),
    ];
    join_all(ways.map(async |way| survives(unlimited(), &[way]).await)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_session_that_may_be_resumed_is_resumed() {
    let way = json!({"action": "invalid_session", "resumable": true});
    survives(unlimited(), &[way]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_falls_silent_is_left_and_resumed() {
    let options = Options {
        heartbeat_interval: Duration::from_millis(1000),
        ..unlimited()
    };
    survives(options, &[json!({"action": "silence"})]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_flaps_is_come_back_to() {
    // The second to fourth end right after HELLO.
    survives(unlimited(), &[json!({"action": "drop", "times": 4})]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_that_nothing_repairs_ends_the_host_and_the_log_says_why() {
    let ways = [
        (4004, "token-refused", "reset it"),
        (4010, "invalid-shard", "shard"),
        (4011, "sharding-required", "too many servers"),
        (4012, "gateway-version-retired", "update Ostler"),
        (4013, "invalid-intents", "intents"),
    ];
    join_all(ways.map(async |(code, name, advice)| {
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        let host = served.serve().await;
        gateway(&discord, close(code)).await;
        assert_eq!(host.wait_for_end().await, 1, "{code}");
        let log = served.logged();
        assert!(log.contains(name), "{code}: {log}");
        assert!(log.contains(advice), "{code}: {log}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_discord_does_not_know_ends_the_host_before_it_is_ready() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    served.set_secret("DISCORD_TOKEN", "another-token-of-a-test");
    assert_eq!(served.start(&[]).wait_for_end().await, 1);
    let log = served.logged();
    assert!(log.contains("token-refused"), "{log}");
    assert!(!log.contains("another-token-of-a-test"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_privileged_intents_a_mention_is_answered_and_the_log_says_what_is_missing() {
    let discord = Discord::start().await;
    let bot = json!({"id": discord.bot(), "username": "ostler", "privileged_intents": false});
    discord.control("POST", "users", Some(bot)).await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let channel = discord.channel("general");
    discord.ask("operator", channel, "ping 1").await;
    discord.wait_for_answers(channel, 1).await;
    let direct = discord.direct("operator").await;
    discord.say("operator", &direct, "ping 2").await;
    discord.wait_for_answers(&direct, 1).await;
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(discord.answers(channel).await, ["pong 1"]);
    assert_eq!(discord.answers(&direct).await, ["pong 2"]);
    let log = served.logged();
    for words in [
        "GUILD_MEMBERS",
        "MESSAGE_CONTENT",
        "stays hidden unless they mention the bot",
        "developer portal",
    ] {
        assert!(log.contains(words), "{words}: {log}");
    }
}
