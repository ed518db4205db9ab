//! Starting: which base, which gateway, and when Discord is away.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/double.rs"]
mod double;

mod support;

use std::sync::Arc;
use std::time::Duration;

use double::{Answer, Double};
use ostler_agent::Channel as _;
use serde_json::json;
use support::{
    Connected, Discord, Disk, Memory, TOKEN, connect, eventually, options, start, within,
};

#[tokio::test]
async fn every_request_goes_to_the_configured_base_with_the_limiter_on() {
    let double = Double::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&double.origin), &disk, &inbox).await;
    inbox.connected(1).await;
    double.answer(
        "/channels/6",
        Answer::Json(200, json!({"id": "6", "type": 0})),
    );
    adapter
        .channel(&"6".parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    let requests = double.requests("");
    let paths: Vec<_> = requests.iter().map(|(_, path, ..)| path.as_str()).collect();
    assert_eq!(paths, ["/api/v10/gateway/bot", "/api/v10/channels/6"]);
    for (_, path, _, headers) in &requests {
        assert_eq!(headers["authorization"], format!("Bot {TOKEN}"), "{path}");
        let agent = headers["user-agent"].to_str().unwrap();
        let named = agent
            .strip_prefix("DiscordBot (https://")
            .and_then(|rest| rest.strip_suffix(')'));
        let (address, version) = named.unwrap().split_once(", ").unwrap();
        assert!(!address.is_empty(), "{agent}");
        assert_eq!(version, env!("CARGO_PKG_VERSION"), "{agent}");
    }
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_local_base_that_names_discords_gateway_is_refused_and_the_token_stays() {
    let double = Double::start().await;
    double.name_gateway("wss://gateway.discord.gg");
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&double.origin), &disk, &inbox).await;
    let mut fatal = adapter.fatal();
    let ended = within("the end", fatal.wait_for(Option::is_some))
        .await
        .unwrap()
        .clone()
        .unwrap();
    assert_eq!(ended.code(), "gateway-elsewhere");
    assert!(ended.to_string().contains("discord.api_base"), "{ended}");
    assert_eq!(adapter.health().connections, 0);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_resume_url_of_another_world_or_none_at_all_is_not_used() {
    for url in ["wss://gateway.discord.gg", "no address at all", ""] {
        let double = Double::start().await;
        double.name_resume_url(url);
        let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
        let adapter = start(options(&double.origin), &disk, &inbox).await;
        inbox.connected(1).await;
        double.close(4000);
        assert!(inbox.connected(2).await, "{url:?}");
        let (_, query) = double.heard(6)[0].clone();
        assert!(query.starts_with("/?v=10"), "{query}");
        adapter.shutdown().await;
    }
}

#[tokio::test]
async fn an_adapter_starts_while_discord_is_away_and_connects_when_it_is_back() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&format!("http://{address}")), &disk, &inbox).await;
    assert!(!adapter.health().is_connected);
    assert_eq!(adapter.own_id(), None);
    let _double = Double::start_at(address).await;
    assert!(!inbox.connected(1).await);
    assert_eq!(adapter.own_id().unwrap().as_str(), double::BOT);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_dispatch_that_cannot_be_read_is_counted_and_the_rest_goes_on() {
    let double = Double::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&double.origin), &disk, &inbox).await;
    inbox.connected(1).await;
    double.text("no JSON at all");
    double.text(r#"{"op": 0, "d": {}}"#);
    double.event("MESSAGE_CREATE", &json!({"content": "from nowhere"}));
    double.event("CHANNEL_UPDATE", &json!([]));
    let message = json!({"id": "61", "channel_id": "6", "type": 0, "content": "still here",
                         "author": {"id": "8", "username": "ada"}});
    double.event("MESSAGE_CREATE", &message);
    inbox.message("still here").await;
    assert_eq!(adapter.health().unreadable_events, 4);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_channel_that_the_gateway_never_told_is_asked_for() {
    let double = Double::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&double.origin), &disk, &inbox).await;
    inbox.connected(1).await;
    let thread = json!({"id": "6", "type": 11, "guild_id": "5", "parent_id": "4"});
    double.answer("/channels/6", Answer::Json(200, thread));
    let message = |id: &str, text: &str| {
        json!({"id": id, "channel_id": "6", "guild_id": "5", "type": 0, "content": text,
               "author": {"id": "8", "username": "ada"}})
    };
    double.event("MESSAGE_CREATE", &message("71", "one"));
    double.event("MESSAGE_CREATE", &message("72", "two"));
    let two = inbox.message("two").await;
    assert_eq!(two.place.parent.unwrap().as_str(), "4");
    assert_eq!(
        double.requests("/channels/6").len(),
        1,
        "the answer is kept"
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn health_tells_of_the_connection() {
    let discord = Discord::with_heartbeat(Duration::from_millis(300)).await;
    let Connected { adapter, .. } = connect(&discord).await;
    let healthy = eventually("a latency", async || {
        let health = adapter.health();
        health.latency.is_some().then_some(health)
    })
    .await;
    assert!(healthy.is_connected && healthy.last_heard.is_some());
    assert_eq!((healthy.connections, healthy.undelivered), (1, 0));
    assert!(!format!("{adapter:?}").contains(TOKEN));
    adapter.shutdown().await;
}
