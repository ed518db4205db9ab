//! What the adapter writes and reads for the rest of the host.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use ostler_agent::{
    Channel as _, ChannelError, ChannelKind, Edit, NewForumPost, NewThread, PermissionBits, Post,
    ServerChange, Window,
};
use ostler_store::{ChannelId, MessageId};
use serde_json::json;
use support::{Connected, Discord, button, connect};

fn post(discord: &Discord, text: &str) -> Post {
    Post::text(
        discord.channel.parse().unwrap(),
        text.to_owned(),
        "n".to_owned(),
    )
}

#[tokio::test]
async fn one_post_with_one_nonce_shows_once() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let one = adapter.post(&post(&discord, "once")).await.unwrap();
    let again = adapter.post(&post(&discord, "once")).await.unwrap();
    assert_eq!(one, again);
    assert_eq!(
        discord.messages(&discord.channel, &discord.ada).await.len(),
        1
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_message_mentions_only_whom_it_names_and_may_be_silent() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let asked = discord.say("a question").await;
    let text = format!("@everyone <@{}> <@{}>", discord.ada, discord.owner);
    let mut message = post(&discord, &text);
    message.mentions = vec![discord.ada.parse().unwrap()];
    message.is_silent = true;
    message.reply_to = Some(asked.parse().unwrap());
    adapter.post(&message).await.unwrap();
    let shown = discord
        .messages(&discord.channel, &discord.ada)
        .await
        .remove(0);
    assert_eq!(shown["mention_everyone"], false);
    let sent = discord.requests("POST", "/messages").await.remove(0);
    let body = &sent["body"];
    assert_eq!(body["allowed_mentions"]["users"], json!([discord.ada]));
    assert_eq!(body["allowed_mentions"]["parse"], json!([]));
    assert_eq!(body["enforce_nonce"], true);
    assert_eq!(shown["flags"].as_u64().unwrap() & (1 << 12), 1 << 12);
    assert_eq!(shown["message_reference"]["message_id"], asked.as_str());
    message.reply_to = Some("1234".parse().unwrap());
    message.nonce = "gone".to_owned();
    adapter.post(&message).await.unwrap();
    adapter.shutdown().await;
}

#[tokio::test]
async fn content_that_is_too_long_is_refused_before_anything_is_sent() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    assert_eq!(adapter.content_limit(), 2000);
    for text in ["🦦".repeat(1001), "a".repeat(2001), String::new()] {
        let error = adapter.post(&post(&discord, &text)).await.unwrap_err();
        assert_eq!(error.code(), "invalid");
    }
    let id = adapter
        .post(&post(&discord, &"🦦".repeat(1000)))
        .await
        .unwrap();
    let edit = Edit {
        channel: discord.channel.parse().unwrap(),
        message: id,
        content: Some("é".repeat(2001)),
        components: None,
    };
    assert_eq!(adapter.edit(&edit).await.unwrap_err().code(), "invalid");
    assert_eq!(discord.requests("POST", "/messages").await.len(), 1);
    assert!(discord.requests("PATCH", "/messages").await.is_empty());
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_card_is_posted_changed_and_deleted() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let mut card = post(&discord, "Allow?");
    card.components = Some(button("yes"));
    let id = adapter.post(&card).await.unwrap();
    let shown = discord
        .messages(&discord.channel, &discord.ada)
        .await
        .remove(0);
    assert_eq!(shown["components"][0]["components"][0]["custom_id"], "yes");
    let edit = Edit {
        channel: card.channel.clone(),
        message: id.clone(),
        content: Some("Allowed.".to_owned()),
        components: Some(json!([])),
    };
    adapter.edit(&edit).await.unwrap();
    let shown = discord
        .messages(&discord.channel, &discord.ada)
        .await
        .remove(0);
    assert_eq!(
        (&shown["content"], &shown["components"]),
        (&json!("Allowed."), &json!([]))
    );
    adapter.delete(&card.channel, &id).await.unwrap();
    adapter.delete(&card.channel, &id).await.unwrap();
    assert!(
        discord
            .messages(&discord.channel, &discord.ada)
            .await
            .is_empty()
    );
    let deleted = discord.requests("DELETE", "/messages/").await.remove(0);
    assert_eq!(deleted["reason"], "Ostler, profile main");
    adapter.typing(&card.channel).await.unwrap();
    adapter.shutdown().await;
}

#[tokio::test]
async fn an_edit_of_what_is_gone_says_what_is_gone_and_mentions_nobody() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let gone = discord.make_channel("gone", 0).await;
    let mut edits = Vec::new();
    for channel in [&discord.channel, &gone] {
        let mut card = post(&discord, "Allow?");
        card.channel = channel.parse().unwrap();
        edits.push(Edit {
            channel: card.channel.clone(),
            message: adapter.post(&card).await.unwrap(),
            content: Some(format!("@everyone <@{}>", discord.ada)),
            components: None,
        });
    }
    adapter.edit(&edits[0]).await.unwrap();
    let sent = discord.requests("PATCH", "/messages/").await.remove(0);
    assert_eq!(
        sent["body"]["allowed_mentions"],
        json!({"parse": [], "users": [], "roles": [], "replied_user": false})
    );
    assert!(sent["body"].get("attachments").is_none(), "files stay");
    adapter
        .delete(&edits[0].channel, &edits[0].message)
        .await
        .unwrap();
    let delete = ServerChange::DeleteChannel {
        channel: gone.parse().unwrap(),
    };
    adapter.change(&delete, "").await.unwrap();
    for (edit, what) in edits.iter().zip(["message", "channel"]) {
        let error = adapter.edit(edit).await.unwrap_err();
        assert_eq!(error, ChannelError::NotFound(what));
    }
    adapter.shutdown().await;
}

#[tokio::test]
async fn components_of_version_two_go_out_as_they_are() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let mut card = post(&discord, "Allow?");
    card.components = Some(json!([{"type": 17, "components": [
        {"type": 10, "content": "shell: `ls`"},
        {"type": 1, "components": [{"type": 2, "style": 3, "label": "Yes", "custom_id": "yes"}]},
    ]}]));
    adapter.post(&card).await.unwrap();
    let shown = discord
        .messages(&discord.channel, &discord.ada)
        .await
        .remove(0);
    assert_eq!(shown["flags"].as_u64().unwrap() & (1 << 15), 1 << 15);
    assert_eq!(shown["components"][0]["content"], "Allow?");
    assert_eq!(
        shown["components"][1]["components"][0]["content"],
        "shell: `ls`"
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn threads_open_in_a_channel_and_at_a_message() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let asked: MessageId = discord.say("let us talk").await.parse().unwrap();
    let mut thread = NewThread {
        channel: discord.channel.parse().unwrap(),
        name: "talk".to_owned(),
        at: Some(asked.clone()),
        auto_archive_minutes: 1440,
    };
    let at_message = adapter.create_thread(&thread).await.unwrap();
    assert_eq!(at_message.as_str(), asked.as_str());
    let facts = adapter.channel(&at_message).await.unwrap().unwrap();
    assert_eq!(
        (facts.kind, facts.name.as_str()),
        (ChannelKind::Thread, "talk")
    );
    assert_eq!(facts.owner, adapter.own_id());
    assert_eq!(facts.parent.unwrap().as_str(), discord.channel);
    let twice = adapter.create_thread(&thread).await.unwrap_err();
    assert!(
        matches!(twice, ChannelError::Refused { code: 160_004, .. }),
        "{twice:?}"
    );
    thread.at = None;
    let alone = adapter.create_thread(&thread).await.unwrap();
    assert_eq!(
        adapter.channel(&alone).await.unwrap().unwrap().kind,
        ChannelKind::Thread
    );
    thread.auto_archive_minutes = 61;
    assert_eq!(
        adapter.create_thread(&thread).await.unwrap_err().code(),
        "invalid"
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_thread_whose_answer_was_lost_is_found_again() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let asked = discord.say("let us talk").await;
    let lost = json!({"method": "POST", "path_regex": "/threads$", "status": 500,
                      "takes_effect": true});
    discord.fail(lost).await;
    let thread = NewThread {
        channel: discord.channel.parse().unwrap(),
        name: "talk".to_owned(),
        at: Some(asked.parse().unwrap()),
        auto_archive_minutes: 60,
    };
    assert_eq!(
        adapter.create_thread(&thread).await.unwrap().as_str(),
        asked
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn forum_posts_are_opened_with_tags_and_listed() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let forum = json!({"guild": discord.guild, "name": "ideas", "type": 15,
                       "available_tags": [{"name": "bug"}, {"name": "wish"}]});
    let forum: ChannelId = discord.make("channels", forum).await.parse().unwrap();
    let mut new = NewForumPost {
        channel: forum.clone(),
        name: "Faster".to_owned(),
        message: "Please.".to_owned(),
        tags: vec!["wish".to_owned()],
    };
    let first = adapter.create_forum_post(&new).await.unwrap();
    let messages = adapter.messages(&first, Window::Newest, 10).await.unwrap();
    assert_eq!(messages[0].content, "Please.");
    assert_eq!(messages[0].id.as_str(), first.as_str());
    new.name = "Slower".to_owned();
    new.tags.clear();
    let second = adapter.create_forum_post(&new).await.unwrap();
    let listed = adapter.forum_posts(&forum, 10).await.unwrap();
    let ids: Vec<_> = listed.iter().map(|post| post.id.clone()).collect();
    assert_eq!(ids, [second, first]);
    assert_eq!(listed[0].owner, adapter.own_id());
    assert_eq!(adapter.forum_posts(&forum, 1).await.unwrap().len(), 1);
    new.tags = vec!["wishes".to_owned()];
    let error = adapter.create_forum_post(&new).await.unwrap_err();
    assert_eq!(error.code(), "invalid");
    assert!(error.to_string().contains(r#""bug", "wish""#), "{error}");
    adapter.shutdown().await;
}

#[tokio::test]
async fn messages_are_read_oldest_first_in_every_window() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let mut ids: Vec<MessageId> = Vec::new();
    for number in 0..6 {
        ids.push(discord.say(&format!("{number}")).await.parse().unwrap());
    }
    let channel: ChannelId = discord.channel.parse().unwrap();
    for (window, expected) in [
        (Window::Newest, ["4", "5"]),
        (Window::Before(&ids[3]), ["1", "2"]),
        (Window::After(&ids[1]), ["2", "3"]),
    ] {
        let read = adapter.messages(&channel, window, 2).await.unwrap();
        let texts: Vec<_> = read.iter().map(|message| message.content.clone()).collect();
        assert_eq!(texts, expected, "{window:?}");
        assert_eq!(read[0].author_name, "ada");
    }
    assert_eq!(
        adapter
            .messages(&channel, Window::Newest, 0)
            .await
            .unwrap_err()
            .code(),
        "invalid"
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn members_have_what_their_roles_give_and_owners_have_all() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let guild = discord.guild.parse().unwrap();
    let manage = PermissionBits::MANAGE_THREADS;
    let ada = discord.ada.parse().unwrap();
    let before = adapter.member(&guild, &ada).await.unwrap().unwrap();
    assert!(!before.permissions.contains(manage) && before.roles.is_empty());
    let role =
        json!({"guild": discord.guild, "name": "grooms", "permissions": manage.0.to_string()});
    let role = discord.make("roles", role).await;
    let member = json!({"guild": discord.guild, "user": discord.ada, "roles": [role]});
    discord.control("members", member).await;
    let after = adapter.member(&guild, &ada).await.unwrap().unwrap();
    assert!(after.permissions.contains(manage));
    assert!(!after.permissions.contains(PermissionBits::ADMINISTRATOR));
    assert_eq!(after.roles.iter().next().unwrap().as_str(), role);
    let owner = adapter
        .member(&guild, &discord.owner.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(owner.permissions.0, u128::MAX);
    let stranger = discord.make("users", json!({"username": "stranger"})).await;
    assert_eq!(
        adapter
            .member(&guild, &stranger.parse().unwrap())
            .await
            .unwrap(),
        None
    );
    let found = adapter.search_members(&guild, "ad", 5).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].username.as_str(), found[0].is_bot),
        ("ada", false)
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_channel_that_is_not_there_is_none() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    assert_eq!(
        adapter.channel(&"999".parse().unwrap()).await.unwrap(),
        None
    );
    let here = adapter
        .channel(&discord.channel.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (here.kind, here.name.as_str()),
        (ChannelKind::Text, "general")
    );
    adapter.shutdown().await;
}
