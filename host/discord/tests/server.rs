//! A server's shape and what is changed in it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use ostler_agent::{Channel as _, ChannelError, NewChannelKind, ServerChange};
use ostler_discord::Adapter;
use ostler_store::{ChannelId, MessageId};
use serde_json::json;
use support::{Connected, Discord, connect};

async fn channels(discord: &Discord, adapter: &Adapter) -> Vec<(String, String)> {
    let guild = discord.guild.parse().unwrap();
    let view = adapter.server(&guild).await.unwrap();
    let channels = view.channels.into_iter();
    channels.map(|channel| (channel.id, channel.name)).collect()
}

fn new(discord: &Discord, name: &str, kind: NewChannelKind) -> ServerChange {
    ServerChange::CreateChannel {
        guild: discord.guild.parse().unwrap(),
        name: name.to_owned(),
        kind,
        topic: None,
        parent: None,
    }
}

#[tokio::test]
async fn a_server_has_its_channels_in_order_and_its_roles_from_the_highest() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let first = json!({"guild": discord.guild, "name": "rules", "type": 0, "position": 0});
    discord.make("channels", first).await;
    let moved = json!({"guild": discord.guild, "id": discord.channel, "position": 4});
    discord.control("channels", moved).await;
    let role = json!({"guild": discord.guild, "name": "grooms"});
    let role = discord.make("roles", role).await;
    let thread = json!({"user": discord.ada, "channel": discord.channel, "name": "aside"});
    discord.make("threads", thread).await;
    let view = adapter.server(&discord.guild.parse().unwrap()).await;
    let view = view.unwrap();
    assert_eq!(view.name, "stable");
    let names: Vec<_> = view.channels.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["rules", "general"], "threads are not among them");
    assert_eq!(view.channels[1].id, discord.channel);
    let roles: Vec<_> = view.roles.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(roles, ["ostler", "grooms", "@everyone"]);
    assert_eq!(view.roles[1].id, role);
    let nowhere = adapter.server(&"4242".parse().unwrap()).await;
    assert_eq!(nowhere, Err(ChannelError::NotFound("server")));
    adapter.shutdown().await;
}

#[tokio::test]
async fn channels_are_made_renamed_and_deleted_with_a_reason() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let category = new(&discord, "Yard", NewChannelKind::Category);
    let category = adapter.change(&category, "tidy").await.unwrap().unwrap();
    let mut forum = new(&discord, "ideas", NewChannelKind::Forum);
    if let ServerChange::CreateChannel { topic, parent, .. } = &mut forum {
        *topic = Some("one each".to_owned());
        *parent = Some(category.parse().unwrap());
    }
    let reason = "Ada: 100 % sure\nX-Evil: é";
    let forum = adapter.change(&forum, reason).await.unwrap().unwrap();
    let state = discord.look("state").await;
    let all = state["channels"].as_array().unwrap();
    let made = all.iter().find(|channel| channel["id"] == forum).unwrap();
    assert_eq!(
        (&made["type"], &made["topic"], &made["parent_id"]),
        (&json!(15), &json!("one each"), &json!(category))
    );
    let sent = discord.requests("POST", "/channels").await;
    assert_eq!(sent[1]["reason"], reason, "it arrives as it was given");

    let edit = ServerChange::EditChannel {
        channel: discord.channel.parse().unwrap(),
        name: Some("yard".to_owned()),
        topic: Some("hay".to_owned()),
    };
    assert_eq!(adapter.change(&edit, "").await, Ok(None));
    let sent = discord.requests("PATCH", "/channels/").await.remove(0);
    assert_eq!(sent["body"], json!({"name": "yard", "topic": "hay"}));
    assert_eq!(sent["reason"], "Ostler, profile main", "none was given");
    assert!(
        channels(&discord, &adapter)
            .await
            .contains(&(discord.channel.clone(), "yard".to_owned()))
    );
    let delete = ServerChange::DeleteChannel {
        channel: forum.parse().unwrap(),
    };
    assert_eq!(adapter.change(&delete, &"ß".repeat(600)).await, Ok(None));
    let sent = discord.requests("DELETE", "/channels/").await.remove(0);
    assert_eq!(sent["reason"], "ß".repeat(512));
    let again = adapter.change(&delete, "again").await;
    assert_eq!(again, Err(ChannelError::NotFound("channel")));
    adapter.shutdown().await;
}

#[tokio::test]
async fn what_is_made_is_never_made_twice_and_what_is_deleted_may_be_gone() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let lost = |method: &str| json!({"method": method, "path_regex": "/channels", "status": 502, "takes_effect": true});
    discord.fail(lost("POST")).await;
    let change = new(&discord, "once", NewChannelKind::Text);
    let error = adapter.change(&change, "").await.unwrap_err();
    assert_eq!(error.code(), "discord-unavailable");
    let made = channels(&discord, &adapter).await;
    let made: Vec<_> = made.iter().filter(|(_, name)| name == "once").collect();
    assert_eq!(made.len(), 1, "nobody knows whether it was made");
    assert_eq!(discord.requests("POST", "/channels").await.len(), 1);

    let limited = json!({"method": "POST", "path_regex": "/channels", "status": 429,
                         "retry_after": 0.1});
    discord.fail(limited).await;
    let change = new(&discord, "limited", NewChannelKind::Text);
    assert!(adapter.change(&change, "").await.unwrap().is_some());

    discord.fail(lost("DELETE")).await;
    let delete = ServerChange::DeleteChannel {
        channel: made[0].0.parse().unwrap(),
    };
    assert_eq!(adapter.change(&delete, "").await, Ok(None));
    assert_eq!(discord.requests("DELETE", "/channels/").await.len(), 2);
    discord.fail(lost("PATCH")).await;
    let edit = ServerChange::EditChannel {
        channel: discord.channel.parse().unwrap(),
        name: None,
        topic: Some("twice is once".to_owned()),
    };
    assert_eq!(adapter.change(&edit, "").await, Ok(None));
    adapter.shutdown().await;
}

#[tokio::test]
async fn roles_are_given_and_taken_below_the_bots_own() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let role = json!({"guild": discord.guild, "name": "grooms"});
    let role = discord.make("roles", role).await;
    let guild = discord.guild.parse().unwrap();
    let person = discord.ada.parse().unwrap();
    let add = |role: &str| ServerChange::AddRole {
        guild: discord.guild.parse().unwrap(),
        person: discord.ada.parse().unwrap(),
        role: role.parse().unwrap(),
    };
    for _ in 0..2 {
        assert_eq!(adapter.change(&add(&role), "earned").await, Ok(None));
        let member = adapter.member(&guild, &person).await.unwrap().unwrap();
        assert!(member.roles.contains(&role.parse().unwrap()));
    }
    let remove = ServerChange::RemoveRole {
        guild: guild.clone(),
        person: person.clone(),
        role: role.parse().unwrap(),
    };
    assert_eq!(adapter.change(&remove, "").await, Ok(None));
    let member = adapter.member(&guild, &person).await.unwrap().unwrap();
    assert!(member.roles.is_empty());
    let high = json!({"guild": discord.guild, "name": "stewards", "position": 9});
    let high = discord.make("roles", high).await;
    let refused = adapter.change(&add(&high), "").await.unwrap_err();
    assert!(
        matches!(
            refused,
            ChannelError::Refused {
                status: 403,
                code: 50013,
                ..
            }
        ),
        "{refused:?}"
    );
    let unknown = adapter.change(&add("4242"), "").await;
    assert_eq!(unknown, Err(ChannelError::NotFound("role")));
    let odd = adapter.change(&add("grooms"), "").await.unwrap_err();
    assert_eq!(odd.code(), "invalid");
    adapter.shutdown().await;
}

#[tokio::test]
async fn messages_are_pinned_unpinned_and_deleted() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let channel: ChannelId = discord.channel.parse().unwrap();
    let message: MessageId = discord.say("look").await.parse().unwrap();
    let is_pinned = async || {
        let shown = discord.messages(&discord.channel, &discord.ada).await;
        let said = shown.iter().find(|shown| shown["content"] == "look");
        said.map(|said| said["pinned"].clone())
    };
    let pin = ServerChange::PinMessage {
        channel: channel.clone(),
        message: message.clone(),
    };
    let unpin = ServerChange::UnpinMessage {
        channel: channel.clone(),
        message: message.clone(),
    };
    let delete = ServerChange::DeleteMessage {
        channel: channel.clone(),
        message: message.clone(),
    };
    assert_eq!(adapter.change(&pin, "keep").await, Ok(None));
    assert_eq!(is_pinned().await, Some(json!(true)));
    assert_eq!(adapter.change(&unpin, "").await, Ok(None));
    assert_eq!(is_pinned().await, Some(json!(false)));
    assert_eq!(adapter.change(&delete, "spam").await, Ok(None));
    assert_eq!(is_pinned().await, None);
    let deleted = discord.requests("DELETE", "/messages/").await;
    assert_eq!(deleted.last().unwrap()["reason"], "spam");
    for change in [pin, unpin, delete] {
        let gone = adapter.change(&change, "").await;
        assert_eq!(gone, Err(ChannelError::NotFound("message")), "{change:?}");
    }
    adapter.shutdown().await;
}
