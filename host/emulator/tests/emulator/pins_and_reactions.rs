use serde_json::{Value, json};

use crate::bench::{Scene, id};

#[tokio::test]
async fn pins_are_listed_the_last_one_first() {
    let scene = Scene::new().await;
    let channel = format!("/channels/{}", scene.channel);
    let one = id(&scene.say(&scene.owner, "one").await);
    let two = id(&scene.say(&scene.owner, "two").await);
    let pin = format!("{channel}/messages/pins/{one}");
    assert_eq!(scene.call("PUT", &pin, Value::Null).await.status, 204);
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let old = format!("{channel}/pins/{two}");
    assert_eq!(scene.call("PUT", &old, Value::Null).await.status, 204);
    let pins = scene.get(&format!("{channel}/messages/pins")).await.ok();
    assert_eq!(
        pins["items"][0]["message"]["id"].as_str(),
        Some(two.as_str())
    );
    assert_eq!(pins["items"].as_array().unwrap().len(), 2);
    assert_eq!(pins["has_more"], false);
    let pins = scene.get(&format!("{channel}/pins")).await.ok();
    assert_eq!(pins[0]["pinned"], true);
    assert_eq!(scene.call("DELETE", &pin, Value::Null).await.status, 204);
    let listed = scene.get(&format!("{channel}/messages?limit=1")).await.ok();
    assert_eq!(listed[0]["type"], 6, "a pin is told in the channel");
}

#[tokio::test]
async fn pinning_has_a_permission_of_its_own() {
    let scene = Scene::new().await;
    let said = id(&scene.say(&scene.owner, "one").await);
    let (_, other) = scene.another_bot(1 << 13).await;
    let path = format!("/channels/{}/messages/pins/{said}", scene.channel);
    let refused = scene.bench.call(&other, "PUT", &path, Value::Null).await;
    assert_eq!(refused.refused(), (403, 50013));
}

#[tokio::test]
async fn reactions_are_put_seen_and_taken_away() {
    let scene = Scene::new().await;
    let said = id(&scene.say(&scene.owner, "nice").await);
    let path = format!("/channels/{}/messages/{said}", scene.channel);
    let thumb = format!("{path}/reactions/%F0%9F%91%8D");
    assert_eq!(
        scene
            .call("PUT", &format!("{thumb}/@me"), Value::Null)
            .await
            .status,
        204
    );
    scene
        .bench
        .make(
            "react",
            json!({"user": scene.person, "message": said, "emoji": "👍"}),
        )
        .await;
    let message = scene.get(&path).await.ok();
    assert_eq!(message["reactions"][0]["count"], 2);
    assert_eq!(message["reactions"][0]["me"], true);
    let users = scene.get(&thumb).await.ok();
    assert_eq!(users.as_array().unwrap().len(), 2);
    let theirs = format!("{thumb}/{}", scene.person);
    assert_eq!(scene.call("DELETE", &theirs, Value::Null).await.status, 204);
    assert_eq!(
        scene
            .call("DELETE", &format!("{thumb}/@me"), Value::Null)
            .await
            .status,
        204
    );
    assert!(scene.get(&path).await.ok().get("reactions").is_none());
    let unknown = format!("{path}/reactions/thumbsup/@me");
    assert_eq!(
        scene.call("PUT", &unknown, Value::Null).await.refused(),
        (400, 10014)
    );
}

#[tokio::test]
async fn only_a_first_reaction_needs_the_permission() {
    let scene = Scene::new().await;
    let said = id(&scene.say(&scene.owner, "nice").await);
    let body = json!({
        "id": scene.channel,
        "permission_overwrites": [{"id": scene.bot, "type": 1, "deny": (1 << 6).to_string()}],
    });
    scene.bench.make("channels", body).await;
    let path = format!(
        "/channels/{}/messages/{said}/reactions/%F0%9F%91%8D/@me",
        scene.channel
    );
    assert_eq!(
        scene.call("PUT", &path, Value::Null).await.refused(),
        (403, 50013)
    );
    scene
        .bench
        .make(
            "react",
            json!({"user": scene.person, "message": said, "emoji": "👍"}),
        )
        .await;
    assert_eq!(scene.call("PUT", &path, Value::Null).await.status, 204);
}
