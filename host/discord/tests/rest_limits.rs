//! Rate limits, retries and deadlines of the REST API.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/double.rs"]
mod double;

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use double::{Answer, Double};
use ostler_agent::{Channel as _, ChannelError, Post};
use serde_json::{Value, json};
use support::{Connected, Discord, Disk, Memory, connect, connect_with, options, start};

fn post(discord: &Discord, text: &str, nonce: &str) -> Post {
    Post::text(
        discord.channel.parse().unwrap(),
        text.to_owned(),
        nonce.to_owned(),
    )
}

#[tokio::test]
async fn a_limited_request_waits_as_long_as_it_is_told() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let limited = json!({"method": "POST", "path_regex": "/messages$", "status": 429,
                         "retry_after": 0.6, "times": 2});
    discord.fail(limited).await;
    let started = Instant::now();
    adapter
        .post(&post(&discord, "patience", "n1"))
        .await
        .unwrap();
    let waited = started.elapsed();
    assert!(waited >= Duration::from_millis(1200), "{waited:?}");
    assert!(waited < Duration::from_millis(2500), "{waited:?}");
    assert_eq!(discord.requests("POST", "/messages").await.len(), 3);
    adapter.shutdown().await;
}

#[tokio::test]
async fn endless_limits_end_after_five_tries() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let limited = json!({"method": "POST", "path_regex": "/messages$", "status": 429,
                         "retry_after": 0.05, "times": 100});
    discord.fail(limited).await;
    let error = adapter
        .post(&post(&discord, "never", "n1"))
        .await
        .unwrap_err();
    assert_eq!(error, ChannelError::Limited);
    assert_eq!(discord.requests("POST", "/messages").await.len(), 5);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_fails_at_once() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let limited = json!({"method": "POST", "path_regex": "/messages$", "status": 429,
                         "retry_after": 60.0});
    discord.fail(limited).await;
    let started = Instant::now();
    for nonce in ["n1", "n2"] {
        let error = adapter
            .post(&post(&discord, "later", nonce))
            .await
            .unwrap_err();
        assert!(error.is_transient(), "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(
        discord.requests("POST", "/messages").await.len(),
        1,
        "the bucket is known"
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_global_limit_holds_every_route() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let limited = json!({"method": "POST", "path_regex": "/messages$", "status": 429,
                         "retry_after": 0.8, "global": true});
    discord.fail(limited).await;
    let started = Instant::now();
    let one = post(&discord, "one", "n1");
    let (posted, read) = tokio::join!(adapter.post(&one), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let read = adapter.channel(&discord.channel.parse().unwrap()).await;
        (read, started.elapsed())
    });
    posted.unwrap();
    assert!(read.0.unwrap().is_some());
    assert!(read.1 >= Duration::from_millis(750), "{:?}", read.1);
    adapter.shutdown().await;
}

#[tokio::test]
async fn limits_are_kept_before_they_are_hit() {
    let mut limits = ostler_emulator::RateLimits::none();
    limits.routes.push(ostler_emulator::RouteLimit {
        method: "POST",
        route: "channels/{channel.id}/messages",
        window: ostler_emulator::Window {
            limit: 2,
            length: Duration::from_millis(400),
        },
    });
    let discord = Discord::with_limits(ostler_emulator::Options {
        rate_limits: limits,
        ..ostler_emulator::Options::default()
    })
    .await;
    let Connected { adapter, .. } = connect(&discord).await;
    for number in 0..7 {
        adapter
            .post(&post(&discord, "again", &format!("n{number}")))
            .await
            .unwrap();
    }
    let sent = discord.requests("POST", "/messages").await;
    assert!(
        sent.iter().all(|request| request["status"] == 200),
        "no 429 was provoked"
    );
    assert_eq!(sent.len(), 7);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_shows_no_second_message() {
    let discord = Discord::start().await;
    let mut options = options(&discord.origin());
    options.timings.rest = Duration::from_secs(2);
    let Connected { adapter, .. } = connect_with(options).await;
    for fault in [
        json!({"status": 500, "takes_effect": true}),
        json!({"delay_ms": 4000, "takes_effect": true}),
    ] {
        let mut fault = fault;
        fault["method"] = json!("POST");
        fault["path_regex"] = json!("/messages$");
        discord.fail(fault.clone()).await;
        let nonce = format!("n{}", fault["status"]);
        adapter.post(&post(&discord, &nonce, &nonce)).await.unwrap();
        let shown = discord.messages(&discord.channel, &discord.ada).await;
        let count = shown
            .iter()
            .filter(|message| message["content"] == nonce.as_str())
            .count();
        assert_eq!(count, 1, "{fault}");
    }
    adapter.shutdown().await;
}

#[tokio::test]
async fn typing_is_never_sent_again() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    for status in [500, 429] {
        let fault = json!({"method": "POST", "path_regex": "/typing$", "status": status,
                           "retry_after": 0.05});
        discord.fail(fault).await;
        adapter
            .typing(&discord.channel.parse().unwrap())
            .await
            .unwrap_err();
    }
    assert_eq!(discord.requests("POST", "/typing").await.len(), 2);
    adapter.shutdown().await;
}

async fn connected_double(rest: Duration) -> (Double, ostler_discord::Adapter, Disk) {
    let double = Double::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let mut options = options(&double.origin);
    options.timings.rest = rest;
    let adapter = start(options, &disk, &inbox).await;
    inbox.connected(1).await;
    (double, adapter, disk)
}

#[tokio::test]
async fn a_stalled_server_ends_at_the_deadline_after_one_more_try() {
    let (double, adapter, _disk) = connected_double(Duration::from_secs(1)).await;
    double.answer("/channels/6", Answer::Stall);
    let started = Instant::now();
    let error = adapter.channel(&"6".parse().unwrap()).await.unwrap_err();
    assert_eq!(error.code(), "discord-unavailable");
    assert!(
        started.elapsed() >= Duration::from_millis(400),
        "{:?}",
        started.elapsed()
    );
    assert!(
        started.elapsed() < Duration::from_millis(1500),
        "{:?}",
        started.elapsed()
    );
    assert!(double.requests("/channels/6").len() >= 2);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_redirect_is_never_followed() {
    let (double, adapter, _disk) = connected_double(Duration::from_secs(5)).await;
    let elsewhere = Double::start().await;
    double.answer(
        "/channels/6",
        Answer::Redirect(format!("{}/stolen", elsewhere.origin)),
    );
    let error = adapter.channel(&"6".parse().unwrap()).await.unwrap_err();
    assert!(
        matches!(error, ChannelError::Refused { status: 307, .. }),
        "{error:?}"
    );
    assert!(elsewhere.requests("").is_empty());
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_token_that_is_refused_later_ends_the_adapter_and_is_not_shown_again() {
    let (double, adapter, _disk) = connected_double(Duration::from_secs(5)).await;
    let refused = json!({"message": "401: Unauthorized", "code": 0});
    double.answer("/channels/6", Answer::Json(401, refused));
    let mut fatal = adapter.fatal();
    for _ in 0..3 {
        let error = adapter.channel(&"6".parse().unwrap()).await.unwrap_err();
        assert!(
            matches!(error, ChannelError::Refused { status: 401, .. }),
            "{error:?}"
        );
    }
    let ended = support::within("the end", fatal.wait_for(Option::is_some))
        .await
        .unwrap()
        .clone();
    assert_eq!(ended.unwrap().code(), "token-refused");
    assert_eq!(double.requests("/channels/6").len(), 1);
    adapter.shutdown().await;
}

#[tokio::test]
async fn refusals_say_what_discord_said() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let nowhere = Post::text("999".parse().unwrap(), "hello".to_owned(), "n".to_owned());
    assert_eq!(
        adapter.post(&nowhere).await,
        Err(ChannelError::NotFound("channel"))
    );
    let mut odd = post(&discord, "hello", "n");
    odd.components = Some(json!([{"type": 1, "components": []}]));
    let error = adapter.post(&odd).await.unwrap_err();
    let ChannelError::Refused {
        status: 400,
        code: 50035,
        message,
    } = error
    else {
        panic!("{error:?}");
    };
    assert!(message.contains("components.0"), "{message}");
    let path = Post::text("..".parse().unwrap(), "hello".to_owned(), "n".to_owned());
    assert_eq!(adapter.post(&path).await.unwrap_err().code(), "invalid");
    let _: Value = discord.look("state").await;
    adapter.shutdown().await;
}
