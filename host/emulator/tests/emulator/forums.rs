use serde_json::json;

use crate::bench::{Scene, id};

#[tokio::test]
async fn a_post_is_a_thread_with_a_message_of_the_same_id() {
    let scene = Scene::new().await;
    let path = format!("/channels/{}/threads", scene.forum);
    let body = json!({"name": "An idea", "message": {"content": "listen"}});
    let made = scene.call("POST", &path, body).await;
    assert_eq!(made.status, 201);
    let made = made.ok();
    assert_eq!(made["message"]["id"], made["id"]);
    assert_eq!(made["message"]["content"], "listen");
    let messages = scene
        .get(&format!("/channels/{}/messages", id(&made)))
        .await
        .ok();
    assert_eq!(messages.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_post_may_come_as_a_form_with_files() {
    let scene = Scene::new().await;
    let path = format!("/channels/{}/threads", scene.forum);
    let payload = json!({
        "name": "With a file",
        "message": {"content": "see", "attachments": [{"id": "0", "description": "notes"}]},
    });
    let files: [(&str, &str, &[u8]); 1] = [("files[0]", "notes.txt", b"oats")];
    let made = scene
        .bench
        .upload(&scene.token, "POST", &path, &payload, &files)
        .await;
    assert_eq!(made.status, 201);
    let attachment = made.ok()["message"]["attachments"][0].clone();
    assert_eq!(attachment["filename"], "notes.txt");
    assert_eq!(attachment["description"], "notes");
    let bare = json!({"name": "Bare", "message": {"content": "no files"}});
    let made = scene
        .bench
        .upload(&scene.token, "POST", &path, &bare, &[])
        .await;
    assert_eq!(made.status, 201);
}

#[tokio::test]
async fn a_forum_takes_posts_and_nothing_else() {
    let scene = Scene::new().await;
    let messages = format!("/channels/{}/messages", scene.forum);
    assert_eq!(
        scene
            .call("POST", &messages, json!({"content": "x"}))
            .await
            .refused(),
        (400, 50008)
    );
    let path = format!("/channels/{}/threads", scene.forum);
    let without = scene.call("POST", &path, json!({"name": "x"})).await;
    assert_eq!(without.refused(), (400, 50035));
    let empty = scene
        .call(
            "POST",
            &path,
            json!({"name": "x", "message": {"content": ""}}),
        )
        .await;
    assert_eq!(empty.refused(), (400, 50006));
    let active = format!("/guilds/{}/threads/active", scene.guild);
    assert_eq!(
        scene.get(&active).await.ok()["threads"],
        json!([]),
        "a refused post leaves nothing"
    );
}

#[tokio::test]
async fn tags_are_known_ones_and_may_be_required() {
    let scene = Scene::new().await;
    let body = json!({
        "guild": scene.guild, "name": "tagged", "type": 15,
        "available_tags": [{"name": "bug"}, {"name": "mod", "moderated": true}],
    });
    let forum = scene.bench.make("channels", body).await;
    scene
        .bench
        .make("channels", json!({"id": id(&forum), "flags": 1 << 4}))
        .await;
    let (_, other) = scene.another_bot(0).await;
    let path = format!("/channels/{}/threads", id(&forum));
    let post = |tags: serde_json::Value| {
        let body = json!({"name": "x", "message": {"content": "y"}, "applied_tags": tags});
        scene.bench.call(&other, "POST", &path, body)
    };
    let tag = |index: usize| forum["available_tags"][index]["id"].clone();
    let made = post(json!([tag(0)])).await.ok();
    assert_eq!(made["applied_tags"], json!([tag(0)]));
    assert_eq!(post(json!([])).await.refused(), (400, 40067));
    assert_eq!(post(json!([tag(1)])).await.refused(), (403, 50013));
    assert_eq!(post(json!(["4242"])).await.refused(), (400, 50035));
}

#[tokio::test]
async fn people_post_in_forums() {
    let scene = Scene::new().await;
    let body = json!({
        "user": scene.person, "channel": scene.forum, "name": "Mine", "content": "hello",
    });
    let thread = scene.bench.make("threads", body).await;
    let listed = scene
        .bench
        .look(&format!("messages?channel={}", id(&thread)))
        .await;
    assert_eq!(listed[0]["content"], "hello");
}
