//! What the gateway may do wrong, and that the adapter comes back from it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ostler_agent::{Change, Channel as _};
use serde_json::{Value, json};
use support::{
    Connected, Discord, Disk, Memory, Told, connect, connect_with, eventually, options, start,
    within,
};

/// Breaks the connection in a way, and demands that what is said at that moment still arrives, by a
/// resume.
async fn survives(faults: &[Value]) {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    for (number, fault) in faults.iter().enumerate() {
        discord.gateway(fault.clone()).await;
        let text = format!("said after {fault}");
        discord.say(&text).await;
        inbox.message(&text).await;
        assert!(inbox.connected(number + 2).await, "{fault} was not resumed");
    }
    let lost = inbox
        .all()
        .iter()
        .filter(|told| **told == Told::Changed(Change::Lost))
        .count();
    assert_eq!(lost, faults.len());
    assert_eq!(inbox.texts().len(), faults.len(), "nothing comes twice");
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_drop_a_reconnect_and_an_invalid_session_that_may_be_resumed_lose_nothing() {
    survives(&[
        json!({"action": "drop"}),
        json!({"action": "reconnect"}),
        json!({"action": "invalid_session", "resumable": true}),
    ])
    .await;
}

#[tokio::test]
async fn closes_that_do_not_end_the_session_lose_nothing() {
    survives(&[
        json!({"action": "close", "code": 1000}),
        json!({"action": "close", "code": 1001}),
        json!({"action": "close", "code": 4000}),
    ])
    .await;
}

/// Processor time of this thread, which is the whole runtime of one test.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = after
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 10)
}

#[tokio::test]
async fn a_close_without_a_code_reconnects_at_once_without_spinning() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let (started, spent) = (Instant::now(), cpu());
    discord.gateway(json!({"action": "close"})).await;
    discord.say("still there?").await;
    inbox.message("still there?").await;
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(
        cpu() - spent < Duration::from_millis(400),
        "{:?}",
        cpu() - spent
    );
    let ending = Instant::now();
    adapter.shutdown().await;
    assert!(ending.elapsed() < Duration::from_millis(2500));
}

#[tokio::test]
async fn closes_that_end_the_session_begin_a_new_one() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    for (number, code) in [4003, 4007, 4009].into_iter().enumerate() {
        discord
            .gateway(json!({"action": "close", "code": code}))
            .await;
        assert!(
            !inbox.connected(number + 2).await,
            "{code} has no session to resume"
        );
        let text = format!("after {code}");
        discord.say(&text).await;
        inbox.message(&text).await;
    }
    assert!(adapter.fatal().borrow().is_none());
    adapter.shutdown().await;
}

#[tokio::test]
async fn an_invalid_session_begins_a_new_one() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    discord
        .gateway(json!({"action": "invalid_session", "resumable": false}))
        .await;
    assert!(!inbox.connected(2).await);
    adapter.shutdown().await;
}

#[tokio::test]
async fn fatal_closes_end_the_adapter_with_what_to_change() {
    for (code, stable, advice) in [
        (4004, "token-refused", "reset it in the developer portal"),
        (4010, "invalid-shard", "number of shards"),
        (4011, "sharding-required", "too many servers"),
        (4012, "gateway-version-retired", "update Ostler"),
        (4013, "invalid-intents", "intents"),
    ] {
        let discord = Discord::start().await;
        let Connected { adapter, .. } = connect(&discord).await;
        let mut fatal = adapter.fatal();
        discord
            .gateway(json!({"action": "close", "code": code}))
            .await;
        let fatal = within("the end", fatal.wait_for(Option::is_some))
            .await
            .unwrap()
            .clone();
        let fatal = fatal.unwrap();
        assert_eq!(fatal.code(), stable);
        assert!(fatal.to_string().contains(advice), "{fatal}");
        adapter.shutdown().await;
    }
}

#[tokio::test]
async fn a_wrong_token_ends_the_adapter() {
    let discord = Discord::start().await;
    let mut options = options(&discord.origin());
    options.token = ostler_discord::Token::new("some.other.token").unwrap();
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options, &disk, &inbox).await;
    let mut fatal = adapter.fatal();
    let fatal = within("the end", fatal.wait_for(Option::is_some))
        .await
        .unwrap()
        .clone();
    assert_eq!(fatal.unwrap().code(), "token-refused");
    assert_eq!(
        discord.requests("GET", "/gateway").await.len(),
        1,
        "it is not tried again"
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn without_privileged_intents_it_connects_and_says_what_will_not_work() {
    let discord = Discord::start().await;
    let switched_off =
        json!({"id": discord.bot, "username": "ostler", "privileged_intents": false});
    discord.control("users", switched_off).await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let missing: Vec<_> = adapter
        .health()
        .missing_intents
        .iter()
        .map(|intent| intent.name)
        .collect();
    assert_eq!(missing, ["GUILD_MEMBERS", "MESSAGE_CONTENT"]);
    assert!(adapter.health().is_connected);
    let mention = json!({"user": discord.ada, "channel": discord.channel, "content": "hello",
                         "mention_bot": true});
    discord.control("say", mention).await;
    inbox
        .until("a mention", |told| {
            told.iter().find_map(|told| match told {
                Told::Message(message) if message.mentions_bot => Some(()),
                _ => None,
            })
        })
        .await;
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_missed_acknowledgement_is_answered_by_a_resume() {
    let discord = Discord::with_heartbeat(Duration::from_millis(600)).await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    discord.gateway(json!({"action": "silence"})).await;
    discord.say("said into the silence").await;
    inbox.message("said into the silence").await;
    assert!(inbox.connected(2).await, "it resumes");
    adapter.shutdown().await;
}

#[tokio::test]
async fn an_upgrade_that_is_never_answered_is_tried_again() {
    let discord = Discord::start().await;
    discord
        .gateway(json!({"action": "hang", "at": "upgrade"}))
        .await;
    let mut options = options(&discord.origin());
    options.timings.connect = Duration::from_millis(500);
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let started = Instant::now();
    let adapter = start(options, &disk, &inbox).await;
    inbox.connected(1).await;
    assert!(started.elapsed() >= Duration::from_millis(500));
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn no_hello_and_no_ready_are_ended_by_the_watchdog() {
    for at in ["hello", "ready"] {
        let discord = Discord::start().await;
        discord.gateway(json!({"action": "hang", "at": at})).await;
        let mut options = options(&discord.origin());
        options.timings.handshake = Duration::from_millis(500);
        let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
        let adapter = start(options, &disk, &inbox).await;
        inbox.connected(1).await;
        assert_eq!(adapter.health().connections, 2, "{at}");
        assert_eq!(adapter.health().silences, 1, "{at}");
        assert!(!adapter.health().is_silent, "{at}");
        adapter.shutdown().await;
    }
}

#[tokio::test]
async fn a_gateway_that_falls_silent_raises_the_alarm_and_is_resumed() {
    let discord = Discord::with_heartbeat(Duration::from_secs(1)).await;
    let mut options = options(&discord.origin());
    // The library notices a missing acknowledgement itself, after one to two heartbeats.
    options.timings.silent_heartbeats = 1;
    let Connected { adapter, inbox, .. } = connect_with(options).await;
    discord.gateway(json!({"action": "silence"})).await;
    discord.say("said into the silence").await;
    inbox.message("said into the silence").await;
    assert!(inbox.connected(2).await, "it resumes");
    assert_eq!(adapter.health().silences, 1);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_gateway_that_flaps_is_braked() {
    let discord = Discord::start().await;
    let flapping = json!({"action": "close", "code": 4000, "at": "hello", "times": 10_000});
    discord.gateway(flapping).await;
    let mut options = options(&discord.origin());
    options.timings.first_wait = Duration::from_secs(1);
    options.timings.longest_wait = Duration::from_secs(30);
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options, &disk, &inbox).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    let connections = adapter.health().connections;
    assert!((4..=7).contains(&connections), "{connections} in 4 s");
    adapter.shutdown().await;
}

#[tokio::test]
async fn shutdown_ends_within_two_and_a_half_seconds_in_every_state() {
    for fault in [
        json!({"action": "drop"}),
        json!({"action": "close"}),
        json!({"action": "hang", "at": "upgrade", "times": 100}),
        json!({"action": "hang", "at": "hello", "times": 100}),
        json!({"action": "hang", "at": "ready", "times": 100}),
        json!({"action": "silence"}),
        json!({"action": "close", "code": 4000, "at": "hello", "times": 1000}),
    ] {
        let discord = Discord::start().await;
        let Connected { adapter, .. } = connect(&discord).await;
        discord.gateway(fault.clone()).await;
        if fault.get("at").is_some() {
            discord.gateway(json!({"action": "drop"})).await;
            let losing = async || (!adapter.health().is_connected).then_some(());
            eventually("the loss", losing).await;
        }
        let started = Instant::now();
        adapter.shutdown().await;
        assert!(
            started.elapsed() < Duration::from_millis(2500),
            "{fault}: {:?}",
            started.elapsed()
        );
    }
}

#[tokio::test]
async fn a_restart_resumes_and_tells_what_was_said_meanwhile() {
    let discord = Discord::start().await;
    let Connected {
        adapter,
        inbox,
        disk,
    } = connect(&discord).await;
    discord.say("before").await;
    inbox.message("before").await;
    adapter.shutdown().await;
    discord.say("meanwhile").await;
    let after = Arc::new(Memory::default());
    let adapter = start(options(&discord.origin()), &disk, &after).await;
    assert!(after.connected(1).await, "it resumes across the restart");
    after.message("meanwhile").await;
    assert_eq!(
        after.texts(),
        ["meanwhile"],
        "what was handed on before does not come again"
    );
    assert_eq!(adapter.own_id().unwrap().as_str(), discord.bot);
    let session = disk.store.gateway_session(&support::profile(), 0).await;
    let session = session.unwrap().unwrap();
    assert_eq!(session.application.as_deref(), Some(discord.bot.as_str()));
    let asked = discord.requests("GET", "/applications/@me").await;
    assert!(asked.is_empty(), "the application is known");
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_session_that_was_stored_without_its_application_learns_it_and_keeps_it() {
    let discord = Discord::start().await;
    let Connected { adapter, disk, .. } = connect(&discord).await;
    adapter.shutdown().await;
    let profile = support::profile();
    let mut old = disk.store.gateway_session(&profile, 0).await.unwrap();
    let old = old.as_mut().unwrap();
    old.application = None;
    disk.store
        .save_gateway_session(&profile, 0, old)
        .await
        .unwrap();
    for _ in 0..2 {
        let inbox = Arc::new(Memory::default());
        let adapter = start(options(&discord.origin()), &disk, &inbox).await;
        assert!(inbox.connected(1).await);
        let asked = discord.requests("GET", "/applications/@me").await;
        assert_eq!(asked.len(), 1, "once, and not by the process after");
        adapter.shutdown().await;
    }
}

#[tokio::test]
async fn an_event_that_was_not_handed_on_comes_again_after_a_restart() {
    let discord = Discord::start().await;
    let Connected {
        adapter,
        inbox,
        disk,
    } = connect(&discord).await;
    *inbox.held.lock().unwrap() = Some(discord.channel.parse().unwrap());
    discord.say("held").await;
    eventually("the message", async || {
        (inbox.holding.load(std::sync::atomic::Ordering::SeqCst) > 0).then_some(())
    })
    .await;
    adapter.shutdown().await;
    assert!(inbox.texts().is_empty());
    let after = Arc::new(Memory::default());
    let adapter = start(options(&discord.origin()), &disk, &after).await;
    after.message("held").await;
    adapter.shutdown().await;
}

#[tokio::test]
async fn what_was_said_between_two_sessions_is_read_back_in_order_and_once() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    discord.say("first").await;
    let first = inbox.message("first").await;
    adapter.shutdown().await;
    for number in 0..120 {
        discord.say(&format!("missed {number}")).await;
    }
    let (disk, after) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&discord.origin()), &disk, &after).await;
    assert!(!after.connected(1).await, "another store has no session");
    adapter.catch_up(vec![(first.place.clone(), first.id.clone())]);
    discord.say("live").await;
    after.message("live").await;
    let mut expected: Vec<_> = (0..120).map(|number| format!("missed {number}")).collect();
    expected.push("live".to_owned());
    assert_eq!(after.texts(), expected);
    adapter.catch_up(vec![(first.place, first.id)]);
    discord.say("later").await;
    after.message("later").await;
    assert_eq!(
        after.texts().len(),
        122,
        "a second reading tells nothing again"
    );
    adapter.shutdown().await;
}
