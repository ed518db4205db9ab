//! What changes in a server is told over the gateway, to those who may know of it.

use serde_json::{Value, json};

use crate::bench::{Scene, id};
use crate::socket::Socket;

#[tokio::test]
async fn channels_that_come_change_and_go_are_told() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let path = format!("/guilds/{}/channels", scene.guild);
    let category = json!({"name": "Yard", "type": 4});
    let category = id(&scene.call("POST", &path, category).await.ok());
    assert_eq!(socket.event("CHANNEL_CREATE").await["type"], 4);
    let body = json!({"name": "loft", "parent_id": category});
    let made = id(&scene.call("POST", &path, body).await.ok());
    let told = socket.event("CHANNEL_CREATE").await;
    assert_eq!(told["parent_id"].as_str(), Some(category.as_str()));

    let channel = format!("/channels/{made}");
    let renamed = json!({"name": "barn", "topic": "dry"});
    scene.call("PATCH", &channel, renamed).await.ok();
    let told = socket.event("CHANNEL_UPDATE").await;
    assert_eq!(
        (&told["name"], &told["topic"]),
        (&json!("barn"), &json!("dry"))
    );

    let gone = scene
        .call("DELETE", &format!("/channels/{category}"), Value::Null)
        .await;
    assert_eq!(gone.status, 200);
    assert_eq!(socket.event("CHANNEL_DELETE").await["id"], category);
    let orphan = socket.event("CHANNEL_UPDATE").await;
    assert_eq!(
        (&orphan["id"], &orphan["parent_id"]),
        (&json!(made), &Value::Null)
    );
}

#[tokio::test]
async fn a_channel_goes_with_its_threads_and_takes_managing_channels() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let thread = json!({"user": scene.person, "channel": scene.channel, "name": "aside"});
    let thread = id(&scene.bench.make("threads", thread).await);
    let (_, weak) = scene.another_bot(1 << 13).await;
    for place in [&scene.channel, &thread] {
        let path = format!("/channels/{place}");
        let refused = scene.bench.call(&weak, "DELETE", &path, Value::Null).await;
        assert_eq!(refused.refused(), (403, 50013));
    }
    let path = format!("/channels/{}", scene.channel);
    assert_eq!(scene.call("DELETE", &path, Value::Null).await.status, 200);
    assert_eq!(socket.event("THREAD_DELETE").await["id"], thread);
    assert_eq!(socket.event("CHANNEL_DELETE").await["id"], scene.channel);
    for gone in [path, format!("/channels/{thread}")] {
        assert_eq!(scene.get(&gone).await.refused(), (404, 10003));
    }
}

#[tokio::test]
async fn a_role_that_is_given_and_taken_is_told_once_each() {
    let scene = Scene::new().await;
    let role = json!({"guild": scene.guild, "name": "grooms"});
    let role = id(&scene.bench.make("roles", role).await);
    let (mut socket, _) = Socket::online(&scene).await;
    let path = format!(
        "/guilds/{}/members/{}/roles/{role}",
        scene.guild, scene.person
    );
    for (method, roles) in [("PUT", json!([role])), ("DELETE", json!([]))] {
        for _ in 0..2 {
            assert_eq!(scene.call(method, &path, Value::Null).await.status, 204);
        }
        let told = socket.event("GUILD_MEMBER_UPDATE").await;
        assert_eq!(told["roles"], roles);
        assert!(socket.is_quiet().await, "a second {method} changes nothing");
    }
    let nobody = format!("/guilds/{}/members/4242/roles/{role}", scene.guild);
    let refused = scene.call("PUT", &nobody, Value::Null).await;
    assert_eq!(refused.refused(), (404, 10007));
}

#[tokio::test]
async fn a_pin_is_told_and_taken_away_by_either_address() {
    let scene = Scene::new().await;
    let said = id(&scene.say(&scene.owner, "look").await);
    let (mut socket, _) = Socket::online(&scene).await;
    let channel = format!("/channels/{}", scene.channel);
    let old = format!("{channel}/pins/{said}");
    let new = format!("{channel}/messages/pins/{said}");
    for (put, delete) in [(&old, &new), (&new, &old)] {
        assert_eq!(scene.call("PUT", put, Value::Null).await.status, 204);
        let told = socket.event("CHANNEL_PINS_UPDATE").await;
        assert!(told["last_pin_timestamp"].is_string());
        assert_eq!(scene.call("DELETE", delete, Value::Null).await.status, 204);
        socket.event("CHANNEL_PINS_UPDATE").await;
        let left = scene.get(&format!("{channel}/messages/pins")).await.ok();
        assert_eq!(left["items"], json!([]));
    }
    let gone = format!("{channel}/messages/pins/4242");
    let refused = scene.call("PUT", &gone, Value::Null).await;
    assert_eq!(refused.refused(), (404, 10008));
}

#[tokio::test]
async fn a_guild_that_is_renamed_or_handed_over_is_told() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let bench = &scene.bench;
    let change = json!({"id": scene.guild, "name": "Mews"});
    bench.make("guilds", change).await;
    let told = socket.event("GUILD_UPDATE").await;
    assert_eq!(
        (&told["name"], &told["owner_id"]),
        (&json!("Mews"), &json!(scene.owner))
    );
    let change = json!({"id": scene.guild, "owner": scene.person});
    bench.make("guilds", change).await;
    let told = socket.event("GUILD_UPDATE").await;
    assert_eq!(
        (&told["name"], &told["owner_id"]),
        (&json!("Mews"), &json!(scene.person))
    );
    let stranger = id(&bench.make("users", json!({"username": "stranger"})).await);
    let change = json!({"id": scene.guild, "owner": stranger});
    assert_eq!(bench.control("POST", "guilds", change).await.0, 404);
    let change = json!({"id": "4242", "name": "Nowhere"});
    assert_eq!(bench.control("POST", "guilds", change).await.0, 404);
}

#[tokio::test]
async fn messages_that_are_deleted_together_are_told_together() {
    let scene = Scene::new().await;
    let mut said = Vec::new();
    for text in ["one", "two", "three"] {
        said.push(id(&scene.say(&scene.person, text).await));
    }
    let (mut socket, _) = Socket::online(&scene).await;
    let messages = format!("/channels/{}/messages", scene.channel);
    let one = format!("{messages}/{}", said[0]);
    let (_, weak) = scene.another_bot(0).await;
    let refused = scene.bench.call(&weak, "DELETE", &one, Value::Null).await;
    assert_eq!(
        refused.refused(),
        (403, 50013),
        "it takes managing messages"
    );
    assert_eq!(scene.call("DELETE", &one, Value::Null).await.status, 204);
    assert_eq!(socket.event("MESSAGE_DELETE").await["id"], said[0]);
    let refused = scene.call("DELETE", &one, Value::Null).await;
    assert_eq!(refused.refused(), (404, 10008));

    let both = json!({"messages": [said[1], said[2], "4242"]});
    let bulk = format!("{messages}/bulk-delete");
    assert_eq!(scene.call("POST", &bulk, both).await.status, 400, "too old");
    let both = json!({"messages": [said[1], said[2]]});
    assert_eq!(scene.call("POST", &bulk, both).await.status, 204);
    let told = socket.event("MESSAGE_DELETE_BULK").await;
    assert_eq!(told["ids"], json!([said[1], said[2]]));
    assert_eq!(told["channel_id"].as_str(), Some(scene.channel.as_str()));
    assert!(socket.is_quiet().await, "none is told for itself");
    assert_eq!(scene.get(&messages).await.ok(), json!([]));
}

#[tokio::test]
async fn channels_threads_and_forums_name_what_was_written_last() {
    let scene = Scene::new().await;
    let listed = || async {
        let path = format!("/guilds/{}/channels", scene.guild);
        let channels = scene.get(&path).await.ok();
        let last = |wanted: &str| {
            let all = channels.as_array().unwrap().iter();
            let found = all.clone().find(|channel| channel["id"] == wanted).unwrap();
            found["last_message_id"].clone()
        };
        (last(&scene.channel), last(&scene.forum))
    };
    assert_eq!(listed().await, (Value::Null, Value::Null));
    let said = id(&scene.say(&scene.person, "hello").await);
    let thread = json!({"user": scene.person, "channel": scene.channel, "name": "aside",
                        "message": said});
    let thread = id(&scene.bench.make("threads", thread).await);
    let inside = json!({"user": scene.person, "channel": thread, "content": "inside"});
    let inside = id(&scene.bench.make("say", inside).await);
    let post = json!({"user": scene.person, "channel": scene.forum, "name": "idea",
                      "content": "?"});
    let post = id(&scene.bench.make("threads", post).await);
    assert_eq!(listed().await, (json!(said), json!(post)));
    let active = format!("/guilds/{}/threads/active", scene.guild);
    let active = scene.get(&active).await.ok();
    let threads = active["threads"].as_array().unwrap();
    assert_eq!(
        threads[0]["last_message_id"], post,
        "a post's first message has its id"
    );
    assert_eq!(threads[1]["last_message_id"], inside);
    let path = format!("/channels/{thread}/messages/{inside}");
    assert_eq!(scene.call("DELETE", &path, Value::Null).await.status, 204);
    let after = scene.get(&format!("/channels/{thread}")).await.ok();
    assert_eq!(
        after["last_message_id"], inside,
        "a deleted one stays named"
    );
}
