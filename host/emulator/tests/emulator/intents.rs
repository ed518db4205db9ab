use serde_json::json;

use crate::bench::{Scene, id};
use crate::socket::{ALL, Socket};

#[tokio::test]
async fn events_without_their_intent_are_not_sent() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::ready(&scene.bench, &scene.token, 1).await;
    let guild = socket.event("GUILD_CREATE").await;
    assert_eq!(
        guild["members"].as_array().unwrap().len(),
        1,
        "only the bot itself"
    );
    scene.say(&scene.person, "unheard").await;
    scene
        .bench
        .make("channels", json!({"guild": scene.guild, "name": "c"}))
        .await;
    assert_eq!(
        socket.names_until("CHANNEL_CREATE").await,
        ["CHANNEL_CREATE"]
    );
}

#[tokio::test]
async fn without_message_content_only_some_content_is_seen() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::ready(&scene.bench, &scene.token, ALL & !(1 << 15)).await;
    socket.event("GUILD_CREATE").await;
    scene.say(&scene.person, "secret").await;
    assert_eq!(socket.event("MESSAGE_CREATE").await["content"], "");
    let body = json!({
        "user": scene.person, "channel": scene.channel, "content": "for you", "mention_bot": true,
    });
    scene.bench.make("say", body).await;
    let mentioned = socket.event("MESSAGE_CREATE").await;
    assert_eq!(mentioned["content"], format!("<@{}> for you", scene.bot));
    assert_eq!(
        mentioned["mentions"][0]["id"].as_str(),
        Some(scene.bot.as_str())
    );
    scene.send(json!({"content": "my own"})).await.ok();
    assert_eq!(socket.event("MESSAGE_CREATE").await["content"], "my own");
    let direct = json!({"recipients": [scene.person, scene.bot]});
    let direct = scene.bench.make("channels", direct).await;
    let say = json!({"user": scene.person, "channel": id(&direct), "content": "psst"});
    scene.bench.make("say", say).await;
    assert_eq!(socket.event("MESSAGE_CREATE").await["content"], "psst");
}

#[tokio::test]
async fn an_application_without_the_privilege_reads_no_content_by_rest_either() {
    let scene = Scene::new().await;
    let body = json!({"id": scene.bot, "username": "ostler", "privileged_intents": false});
    scene.bench.make("users", body).await;
    scene.say(&scene.person, "secret").await;
    let listed = scene
        .get(&format!("/channels/{}/messages", scene.channel))
        .await
        .ok();
    assert_eq!(listed[0]["content"], "");
    let members = scene.get(&format!("/guilds/{}/members", scene.guild)).await;
    assert_eq!(members.refused(), (403, 50001));
}

#[tokio::test]
async fn what_happens_in_hidden_channels_is_not_dispatched() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let body = json!({
        "guild": scene.guild, "name": "hidden",
        "permission_overwrites": [{"id": scene.guild, "type": 0, "deny": (1 << 10).to_string()},
            {"id": scene.bot, "type": 1, "deny": (1 << 10).to_string()}],
    });
    let hidden = scene.bench.make("channels", body).await;
    let say = json!({"user": scene.owner, "channel": id(&hidden), "content": "psst"});
    scene.bench.make("say", say).await;
    scene.say(&scene.owner, "aloud").await;
    assert_eq!(
        socket.names_until("MESSAGE_CREATE").await,
        ["MESSAGE_CREATE"]
    );
    let shown = json!({"id": id(&hidden), "permission_overwrites": []});
    scene.bench.make("channels", shown).await;
    assert_eq!(socket.event("CHANNEL_CREATE").await["id"], hidden["id"]);
}
