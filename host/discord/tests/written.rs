//! Where something was written while nobody listened.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ostler_agent::{Channel as _, ChannelKind, Place};
use ostler_store::MessageId;
use serde_json::json;
use support::{Connected, Discord, Disk, Memory, connect, options, start};

/// Now, at a distance from what was before and what comes after.
async fn pause() -> i64 {
    tokio::time::sleep(Duration::from_millis(20)).await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    i64::try_from(now.as_millis()).unwrap()
}

fn ids(found: &[(Place, MessageId)]) -> Vec<String> {
    let mut ids: Vec<_> = found
        .iter()
        .map(|(place, _)| place.channel.to_string())
        .collect();
    ids.sort();
    ids
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

#[tokio::test]
async fn channels_and_threads_with_something_new_are_found_and_read_on_from() {
    let discord = Discord::start().await;
    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let (quiet, busy) = (
        discord.make_channel("quiet", 0).await,
        discord.make_channel("busy", 0).await,
    );
    let forum = discord.make_channel("ideas", 15).await;
    discord.make_channel("Yard", 4).await;
    let thread = json!({"user": discord.ada, "channel": quiet, "name": "aside"});
    let thread = discord.make("threads", thread).await;
    for place in [&quiet, &busy, &thread] {
        discord.say_in(place, "before").await;
    }
    let direct = json!({"recipients": [discord.ada, discord.bot]});
    let direct = discord.make("channels", direct).await;
    let since = pause().await;
    assert_eq!(adapter.written_since(since).await, Ok(Vec::new()));
    discord.say_in(&busy, "new 1").await;
    discord.say_in(&busy, "new 2").await;
    discord.say_in(&thread, "in the thread").await;
    discord.say_in(&direct, "between us").await;
    let new = json!({"user": discord.ada, "channel": forum, "name": "idea", "content": "a post"});
    let new = discord.make("threads", new).await;

    let found = adapter.written_since(since).await.unwrap();
    assert_eq!(
        ids(&found),
        sorted(vec![busy.clone(), thread.clone(), new.clone()])
    );
    for (place, after) in &found {
        assert_eq!(place.guild.as_ref().unwrap().as_str(), discord.guild);
        let is_thread = place.channel.as_str() != busy;
        assert_eq!(place.kind == ChannelKind::Thread, is_thread);
        let parent = place.parent.as_ref().map(ToString::to_string);
        let parents = [(&thread, &quiet), (&new, &forum)];
        let expected = parents
            .iter()
            .find(|(thread, _)| place.channel.as_str() == thread.as_str());
        assert_eq!(parent.as_ref(), expected.map(|(_, parent)| *parent));
        let after: u64 = after.as_str().parse().unwrap();
        let made = i64::try_from(after >> 22).unwrap() + 1_420_070_400_000;
        assert_eq!(made, since - 1, "the last id before that millisecond");
    }
    // Another process, which was told nothing yet, reads exactly what is new.
    adapter.shutdown().await;
    drop(inbox);
    let (disk, after) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&discord.origin()), &disk, &after).await;
    after.connected(1).await;
    adapter.catch_up(found);
    for text in ["new 2", "in the thread", "a post"] {
        after.message(text).await;
    }
    let texts = sorted(after.texts());
    assert_eq!(texts, ["a post", "in the thread", "new 1", "new 2"]);
    adapter.shutdown().await;
}

#[tokio::test]
async fn every_server_is_looked_at_and_what_the_bot_may_not_see_is_left_out() {
    let discord = Discord::start().await;
    let other = json!({"name": "meadow", "owner": discord.owner});
    let other = discord.make("guilds", other).await;
    // Not an administrator there.
    let join = json!({"guild": other, "user": discord.bot, "permissions": "0"});
    discord.control("members", join).await;
    let body = |name: &str| json!({"guild": other, "name": name, "type": 0});
    let open = discord.make("channels", body("open")).await;
    let mut secret = body("secret");
    secret["permission_overwrites"] = json!([{"id": other, "type": 0, "deny": "1024"}]);
    let secret = discord.make("channels", secret).await;
    let third = json!({"name": "strange", "owner": discord.owner});
    let third = discord.make("guilds", third).await;
    let strange = json!({"guild": third, "name": "strange", "type": 0});
    let strange = discord.make("channels", strange).await;

    let Connected { adapter, inbox, .. } = connect(&discord).await;
    let since = pause().await;
    let say = async |channel: &str| {
        let body = json!({"user": discord.owner, "channel": channel, "content": "news"});
        discord.control("say", body).await;
    };
    for channel in [&open, &secret, &strange, &discord.channel] {
        say(channel).await;
    }
    let thread = json!({"user": discord.owner, "channel": secret, "name": "hidden"});
    let hidden = discord.make("threads", thread).await;
    say(&hidden).await;
    let found = adapter.written_since(since).await.unwrap();
    assert_eq!(
        ids(&found),
        sorted(vec![discord.channel.clone(), open.clone()])
    );

    // One that cannot be read does not hide the others.
    let fault = json!({"path_regex": format!("/guilds/{other}/"), "status": 403, "times": 100});
    discord.fail(fault).await;
    let found = adapter.written_since(since).await.unwrap();
    assert_eq!(ids(&found), [discord.channel.as_str()]);
    let fault = json!({"path_regex": "/guilds/", "status": 403, "times": 100});
    discord.fail(fault).await;
    let error = adapter.written_since(since).await.unwrap_err();
    assert_eq!(error.code(), "discord-refused");
    assert!(!inbox.all().is_empty());
    adapter.shutdown().await;
}

#[tokio::test]
async fn after_a_resume_in_another_process_the_servers_are_asked_for() {
    let discord = Discord::start().await;
    let Connected { adapter, disk, .. } = connect(&discord).await;
    assert_eq!(adapter.written_since(0).await, Ok(Vec::new()));
    assert!(
        discord
            .requests("GET", "/users/@me/guilds")
            .await
            .is_empty()
    );
    adapter.shutdown().await;
    let since = pause().await;
    let said = discord.say("meanwhile").await;
    let after = Arc::new(Memory::default());
    let adapter = start(options(&discord.origin()), &disk, &after).await;
    assert!(after.connected(1).await, "there was no READY");
    let found = adapter.written_since(since).await.unwrap();
    assert_eq!(ids(&found), [discord.channel.as_str()]);
    let from: u64 = found[0].1.as_str().parse().unwrap();
    assert!(from < said.parse().unwrap());
    assert_eq!(discord.requests("GET", "/users/@me/guilds").await.len(), 1);
    assert_eq!(adapter.written_since(i64::MAX).await, Ok(Vec::new()));
    let all = adapter.written_since(i64::MIN).await.unwrap();
    assert_eq!(all[0].1.as_str(), "1");
    adapter.shutdown().await;
}
