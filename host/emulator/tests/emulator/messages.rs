use serde_json::{Value, json};

use crate::bench::{Scene, id};

#[tokio::test]
async fn a_message_is_listed_edited_and_deleted() {
    let scene = Scene::new().await;
    let sent = scene.send(json!({"content": "  hello  "})).await.ok();
    assert_eq!(sent["content"], "hello");
    let path = format!("/channels/{}/messages/{}", scene.channel, id(&sent));
    let edited = scene
        .call("PATCH", &path, json!({"content": "bye"}))
        .await
        .ok();
    assert_eq!(edited["content"], "bye");
    assert!(edited["edited_timestamp"].is_string());
    let listed = scene
        .get(&format!("/channels/{}/messages", scene.channel))
        .await
        .ok();
    assert_eq!(listed[0]["content"], "bye");
    assert_eq!(scene.call("DELETE", &path, Value::Null).await.status, 204);
    assert_eq!(scene.get(&path).await.refused(), (404, 10008));
}

#[tokio::test]
async fn pages_of_messages_are_newest_first() {
    let scene = Scene::new().await;
    let mut ids = Vec::new();
    for number in 0..7 {
        ids.push(id(&scene.say(&scene.owner, &number.to_string()).await));
    }
    let list = |query: String| {
        let path = format!("/channels/{}/messages?{query}", scene.channel);
        let scene = &scene;
        async move {
            let listed = scene.get(&path).await.ok();
            let contents = listed.as_array().unwrap().iter();
            contents
                .map(|m| m["content"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        }
    };
    assert_eq!(list("limit=2".into()).await, ["6", "5"]);
    assert_eq!(list(format!("limit=2&before={}", ids[3])).await, ["2", "1"]);
    assert_eq!(list(format!("limit=2&after={}", ids[3])).await, ["5", "4"]);
    assert_eq!(
        list(format!("limit=3&around={}", ids[3])).await,
        ["4", "3", "2"]
    );
    let wrong = scene
        .get(&format!("/channels/{}/messages?limit=101", scene.channel))
        .await;
    assert_eq!(wrong.refused(), (400, 50035));
}

#[tokio::test]
async fn allowed_mentions_decide_who_is_mentioned() {
    let scene = Scene::new().await;
    let text = format!("<@{}> and <@{}>", scene.person, scene.owner);
    let all = scene.send(json!({"content": text})).await.ok();
    assert_eq!(all["mentions"].as_array().unwrap().len(), 2);
    let none = json!({"content": text, "allowed_mentions": {"parse": []}});
    assert_eq!(scene.send(none).await.ok()["mentions"], json!([]));
    let one = json!({"content": text, "allowed_mentions": {"users": [scene.person]}});
    let one = scene.send(one).await.ok();
    assert_eq!(one["mentions"].as_array().unwrap().len(), 1);
    assert_eq!(
        one["mentions"][0]["id"].as_str(),
        Some(scene.person.as_str())
    );
    let both =
        json!({"content": text, "allowed_mentions": {"parse": ["users"], "users": [scene.person]}});
    assert_eq!(scene.send(both).await.refused(), (400, 50035));
}

#[tokio::test]
async fn everyone_is_mentioned_only_by_those_who_may() {
    let scene = Scene::new().await;
    // The scene's bot has the right by `@everyone`'s defaults.
    assert_eq!(
        scene.send(json!({"content": "@everyone"})).await.ok()["mention_everyone"],
        true
    );
    let body = json!({
        "id": scene.channel,
        "permission_overwrites": [{"id": scene.guild, "type": 0, "deny": (1 << 17).to_string()}],
    });
    scene.bench.make("channels", body).await;
    assert_eq!(
        scene.send(json!({"content": "@everyone"})).await.ok()["mention_everyone"],
        false
    );
}

#[tokio::test]
async fn a_reply_refers_and_mentions() {
    let scene = Scene::new().await;
    let said = scene.say(&scene.person, "question").await;
    let body = json!({"content": "answer", "message_reference": {"message_id": id(&said)}});
    let reply = scene.send(body).await.ok();
    assert_eq!(reply["type"], 19);
    assert_eq!(reply["referenced_message"]["content"], "question");
    assert_eq!(
        reply["mentions"][0]["id"].as_str(),
        Some(scene.person.as_str())
    );
    let body = json!({"content": "answer", "message_reference": {"message_id": "4242"}});
    let refused = scene.send(body).await;
    assert_eq!(refused.refused(), (400, 50035));
    assert_eq!(
        refused.body["errors"]["message_reference"]["_errors"][0]["code"],
        "REPLIES_UNKNOWN_MESSAGE"
    );
}

#[tokio::test]
async fn others_messages_are_not_edited_and_deleted_only_by_moderators() {
    let scene = Scene::new().await;
    let said = scene.say(&scene.person, "mine").await;
    let path = format!("/channels/{}/messages/{}", scene.channel, id(&said));
    let edit = scene
        .call("PATCH", &path, json!({"content": "yours"}))
        .await;
    assert_eq!(edit.refused(), (403, 50005));
    let (_, other) = scene.another_bot(0).await;
    let delete = scene.bench.call(&other, "DELETE", &path, Value::Null).await;
    assert_eq!(delete.refused(), (403, 50013));
    assert_eq!(scene.call("DELETE", &path, Value::Null).await.status, 204);
}

#[tokio::test]
async fn components_and_embeds_come_back_as_discord_gives_them() {
    let scene = Scene::new().await;
    let body = json!({
        "embeds": [{"title": "A", "fields": [{"name": "n", "value": "v"}], "timestamp": "2026-01-01T00:00:00Z"}],
        "components": [{"type": 1, "components": [
            {"type": 2, "style": 1, "label": "Yes", "custom_id": "yes", "emoji": null},
            {"type": 2, "style": 5, "label": "Docs", "url": "https://example.com/"},
        ]}],
    });
    let sent = scene.send(body).await.ok();
    assert_eq!(sent["embeds"][0]["type"], "rich");
    assert_eq!(sent["embeds"][0]["fields"][0]["inline"], false);
    let row = &sent["components"][0];
    assert_eq!(row["id"], 1);
    assert_eq!(
        row["components"][0],
        json!({
            "type": 2, "id": 2, "style": 1, "label": "Yes", "custom_id": "yes",
        })
    );
}

#[tokio::test]
async fn v2_components_stand_alone() {
    let scene = Scene::new().await;
    let components = json!([{"type": 17, "accent_color": 255, "components": [
        {"type": 10, "content": "# Title"},
        {"type": 9, "components": [{"type": 10, "content": "text"}],
         "accessory": {"type": 2, "style": 2, "label": "Go", "custom_id": "go"}},
        {"type": 14},
        {"type": 1, "components": [{"type": 3, "custom_id": "pick", "options": [
            {"label": "One", "value": "1"},
        ]}]},
    ]}]);
    let sent = scene
        .send(json!({"flags": 1 << 15, "components": components}))
        .await
        .ok();
    assert_eq!(sent["flags"], 1 << 15);
    assert_eq!(sent["components"][0]["components"][2]["divider"], true);
    let refused = scene
        .send(json!({"flags": 1 << 15, "content": "x", "components": components}))
        .await;
    assert_eq!(refused.refused(), (400, 50035));
    assert_eq!(
        scene
            .send(json!({"components": components}))
            .await
            .refused(),
        (400, 50035)
    );
}

#[tokio::test]
async fn direct_messages_are_opened_once_and_only_with_people() {
    let scene = Scene::new().await;
    let body = json!({"recipient_id": scene.person});
    let opened = scene
        .call("POST", "/users/@me/channels", body.clone())
        .await
        .ok();
    assert_eq!(opened["type"], 1);
    let again = scene.call("POST", "/users/@me/channels", body).await.ok();
    assert_eq!(id(&opened), id(&again));
    let path = format!("/channels/{}/messages", id(&opened));
    scene
        .call("POST", &path, json!({"content": "psst"}))
        .await
        .ok();
    let (other, token) = scene.another_bot(0).await;
    let refused = scene
        .call(
            "POST",
            "/users/@me/channels",
            json!({"recipient_id": other}),
        )
        .await;
    assert_eq!(refused.refused(), (403, 50007));
    assert_eq!(
        scene
            .bench
            .call(&token, "GET", &path, Value::Null)
            .await
            .refused(),
        (403, 50001)
    );
}

#[tokio::test]
async fn typing_is_accepted() {
    let scene = Scene::new().await;
    let path = format!("/channels/{}/typing", scene.channel);
    assert_eq!(scene.call("POST", &path, Value::Null).await.status, 204);
}
