//! In which order messages reach the inbox, and what becomes of those that it does not take.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/double.rs"]
mod double;

mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use double::Double;
use ostler_agent::{Change, Channel as _, ChannelKind};
use serde_json::json;
use support::{
    Connected, Discord, Disk, Memory, Told, connect, connect_with, eventually, options, start,
};

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

/// What was told of servers and deleted messages, in order.
fn changes(inbox: &Memory) -> Vec<Change> {
    let told = inbox.all().into_iter();
    told.filter_map(|told| match told {
        Told::Changed(change @ (Change::Guild(_) | Change::MessageDeleted(..))) => Some(change),
        _ => None,
    })
    .collect()
}

async fn told(inbox: &Memory, expected: &[Change]) {
    let enough = async || (changes(inbox).len() >= expected.len()).then_some(());
    eventually("the changes", enough).await;
    assert_eq!(changes(inbox), expected);
}

#[tokio::test]
async fn a_server_that_changes_comes_or_goes_is_told_and_those_of_the_start_are_not() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let guild = |id: &str| Change::Guild(id.parse().unwrap());
    let handed_over = json!({"id": discord.guild, "owner": discord.ada});
    discord.control("guilds", handed_over).await;
    let mut expected = vec![guild(&discord.guild)];
    told(&inbox, &expected).await;
    let other = json!({"name": "meadow", "owner": discord.owner});
    let other = discord.make("guilds", other).await;
    let join = json!({"guild": other, "user": discord.bot});
    discord.control("members", join.clone()).await;
    expected.push(guild(&other));
    told(&inbox, &expected).await;
    let mut leave = join;
    leave["remove"] = json!(true);
    discord.control("members", leave).await;
    expected.push(guild(&other));
    told(&inbox, &expected).await;
    // A new session names its servers again: that is no news.
    discord
        .gateway(json!({"action": "invalid_session", "resumable": false}))
        .await;
    assert!(!inbox.connected(2).await);
    discord.say("after the new session").await;
    inbox.message("after the new session").await;
    assert_eq!(changes(&inbox), expected);
    adapter.shutdown().await;
}

#[tokio::test]
async fn an_outage_of_a_server_and_its_end_are_told() {
    let double = Double::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&double.origin), &disk, &inbox).await;
    inbox.connected(1).await;
    let guild = Change::Guild("5".parse().unwrap());
    double.event("GUILD_DELETE", &json!({"id": "5", "unavailable": true}));
    double.event("GUILD_CREATE", &json!({"id": "5", "channels": []}));
    told(&inbox, &[guild.clone(), guild]).await;
    double.event("GUILD_UPDATE", &json!({"name": "nowhere"}));
    double.event("MESSAGE_DELETE", &json!({"id": "9"}));
    let half = json!({"channel_id": "6", "ids": ["9", 10]});
    double.event("MESSAGE_DELETE_BULK", &half);
    eventually("the counts", async || {
        (adapter.health().unreadable_events == 3).then_some(())
    })
    .await;
    assert_eq!(changes(&inbox).len(), 2);
    adapter.shutdown().await;
}

#[tokio::test]
async fn messages_that_are_deleted_are_told_one_by_one() {
    let discord = Discord::start().await;
    let Connected {
        adapter,
        inbox,
        disk,
    } = connect(&discord).await;
    let mut said = Vec::new();
    for text in ["one", "two", "three"] {
        said.push(discord.say(text).await);
    }
    inbox.message("three").await;
    let channel: ostler_store::ChannelId = discord.channel.parse().unwrap();
    adapter
        .delete(&channel, &said[0].parse().unwrap())
        .await
        .unwrap();
    let deleted = |id: &str| Change::MessageDeleted(channel.clone(), id.parse().unwrap());
    told(&inbox, &[deleted(&said[0])]).await;
    let url = format!(
        "{}/api/v10/channels/{channel}/messages/bulk-delete",
        discord.origin()
    );
    let answer = reqwest::Client::new()
        .post(url)
        .header("authorization", format!("Bot {}", support::TOKEN))
        .json(&json!({"messages": [said[1], said[2]]}))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 204);
    told(
        &inbox,
        &[deleted(&said[0]), deleted(&said[1]), deleted(&said[2])],
    )
    .await;
    // All of it was handed on, so that the next process is told none of it again.
    adapter.shutdown().await;
    let after = Arc::new(Memory::default());
    let adapter = start(options(&discord.origin()), &disk, &after).await;
    assert!(after.connected(1).await);
    discord.say("later").await;
    after.message("later").await;
    assert_eq!(changes(&after), []);
    adapter.shutdown().await;
}
