//! In which order messages reach the inbox, and what becomes of those that it does not take.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::sync::atomic::Ordering;
use std::time::Duration;

use ostler_agent::{Change, ChannelKind};
use serde_json::json;
use support::{Connected, Discord, Told, connect, connect_with, eventually, options};

#[tokio::test]
async fn messages_of_one_channel_come_in_order_while_another_channel_is_held() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let slow = discord.make_channel("slow", 0).await;
    *inbox.held.lock().unwrap() = Some(slow.parse().unwrap());
    discord.say_in(&slow, "slow 1").await;
    discord.say_in(&slow, "slow 2").await;
    for number in 0..20 {
        discord.say(&format!("fast {number}")).await;
    }
    inbox.message("fast 19").await;
    let fast: Vec<_> = (0..20).map(|number| format!("fast {number}")).collect();
    assert_eq!(inbox.texts(), fast);
    inbox.release();
    inbox.message("slow 2").await;
    assert_eq!(inbox.texts()[20..], ["slow 1", "slow 2"]);
    adapter.shutdown().await;
}

#[tokio::test]
async fn what_the_inbox_does_not_take_is_told_again_and_what_follows_waits() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    inbox.refuse.store(3, Ordering::SeqCst);
    discord.say("one").await;
    discord.say("two").await;
    inbox.message("two").await;
    assert_eq!(inbox.texts(), ["one", "two"]);
    assert_eq!(adapter.health().undelivered, 0);
    inbox.refuse.store(6, Ordering::SeqCst);
    discord.say("three").await;
    discord.say("four").await;
    inbox.message("four").await;
    assert_eq!(
        inbox.texts(),
        ["one", "two", "four"],
        "after six refusals it is given up"
    );
    assert_eq!(adapter.health().undelivered, 1);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_full_backlog_lets_discord_hold_the_rest_and_loses_nothing() {
    let discord = Discord::start().await;
    let mut options = options(&discord.origin());
    options.backlog.channel = 4;
    let Connected { adapter, inbox, .. } = connect_with(options).await;
    *inbox.held.lock().unwrap() = Some(discord.channel.parse().unwrap());
    for number in 0..20 {
        discord.say(&format!("{number}")).await;
    }
    eventually("the close", async || {
        (!adapter.health().is_connected).then_some(())
    })
    .await;
    inbox.release();
    inbox.message("19").await;
    let all: Vec<_> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(inbox.texts(), all);
    assert!(inbox.connected(2).await, "it resumes");
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_message_says_who_wrote_it_where_and_to_whom() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    discord.say("hello").await;
    let message = inbox.message("hello").await;
    assert_eq!(message.author.id.as_str(), discord.ada);
    assert_eq!(message.author.username, "ada");
    assert!(!message.author.is_bot && !message.mentions_bot);
    assert_eq!(message.place.kind, ChannelKind::Text);
    assert_eq!(
        message.place.guild.as_ref().unwrap().as_str(),
        discord.guild
    );
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let age = i64::try_from(now.as_millis()).unwrap() - message.sent_at;
    assert!(age.abs() < 60_000, "{age}");

    let reply = json!({"user": discord.ada, "channel": discord.channel, "content": "and again",
                       "message_reference": {"message_id": message.id}});
    discord.control("say", reply).await;
    let reply = inbox.message("and again").await;
    assert_eq!(
        reply.reply_to,
        Some((message.id.clone(), Some(message.author.id.clone())))
    );

    let thread = json!({"user": discord.ada, "channel": discord.channel, "name": "aside"});
    let thread = discord.make("threads", thread).await;
    discord.say_in(&thread, "in the thread").await;
    let inside = inbox.message("in the thread").await;
    assert_eq!(inside.place.kind, ChannelKind::Thread);
    assert_eq!(inside.place.parent.unwrap().as_str(), discord.channel);

    let direct = json!({"recipients": [discord.ada, discord.bot]});
    let direct = discord.make("channels", direct).await;
    discord.say_in(&direct, "between us").await;
    let direct = inbox.message("between us").await;
    assert_eq!(
        (direct.place.kind, direct.place.guild),
        (ChannelKind::Direct, None)
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn other_bots_are_marked_and_the_bots_own_messages_are_dropped() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let other = discord
        .make("users", json!({"username": "parrot", "bot": true}))
        .await;
    let join = json!({"guild": discord.guild, "user": other, "permissions": "8"});
    discord.control("members", join).await;
    for (user, text) in [
        (&discord.bot, "mine"),
        (&other, "theirs"),
        (&discord.ada, "hers"),
    ] {
        let body = json!({"user": user, "channel": discord.channel, "content": text});
        discord.control("say", body).await;
    }
    inbox.message("hers").await;
    assert_eq!(inbox.texts(), ["theirs", "hers"]);
    assert!(inbox.message("theirs").await.author.is_bot);
    adapter.shutdown().await;
}

#[tokio::test]
async fn changes_of_members_roles_and_channels_are_told() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let role = json!({"guild": discord.guild, "name": "grooms", "permissions": "0"});
    let role = discord.make("roles", role).await;
    let member = json!({"guild": discord.guild, "user": discord.ada, "roles": [role]});
    discord.control("members", member).await;
    let change = json!({"guild": discord.guild, "id": role, "permissions": "8"});
    discord.control("roles", change).await;
    let rename = json!({"guild": discord.guild, "id": discord.channel, "name": "yard"});
    discord.control("channels", rename).await;
    for change in [
        Change::Member(discord.guild.parse().unwrap(), discord.ada.parse().unwrap()),
        Change::Role(discord.guild.parse().unwrap(), role.parse().unwrap()),
        Change::Channel(discord.channel.parse().unwrap()),
    ] {
        inbox
            .until(&format!("{change:?}"), |told| {
                told.contains(&Told::Changed(change.clone())).then_some(())
            })
            .await;
    }
    tokio::time::timeout(Duration::from_secs(3), adapter.shutdown())
        .await
        .unwrap();
}
