use serde_json::{Value, json};

use crate::bench::{Scene, id};

async fn thread(scene: &Scene) -> (Value, Value) {
    let said = scene.say(&scene.owner, "let us talk").await;
    let path = format!("/channels/{}/messages/{}/threads", scene.channel, id(&said));
    let made = scene.call("POST", &path, json!({"name": "talk"})).await;
    assert_eq!(made.status, 201);
    (said, made.ok())
}

#[tokio::test]
async fn a_thread_from_a_message_has_its_id_and_there_is_only_one() {
    let scene = Scene::new().await;
    let (said, thread) = thread(&scene).await;
    assert_eq!(id(&thread), id(&said));
    assert_eq!(thread["owner_id"].as_str(), Some(scene.bot.as_str()));
    assert_eq!(thread["type"], 11);
    assert_eq!(thread["thread_metadata"]["auto_archive_duration"], 1440);
    let path = format!("/channels/{}/messages/{}", scene.channel, id(&said));
    let starter = scene.get(&path).await.ok();
    assert_eq!(starter["thread"]["id"], said["id"]);
    assert_eq!(starter["flags"], 32);
    let again = scene
        .call("POST", &format!("{path}/threads"), json!({"name": "talk"}))
        .await;
    assert_eq!(again.refused(), (400, 160_004));
    let inside = scene
        .get(&format!("/channels/{}/messages", id(&thread)))
        .await
        .ok();
    assert_eq!(inside[0]["type"], 21);
    assert_eq!(inside[0]["referenced_message"]["content"], "let us talk");
}

#[tokio::test]
async fn names_and_durations_of_threads_are_checked() {
    let scene = Scene::new().await;
    let said = scene.say(&scene.owner, "x").await;
    let path = format!("/channels/{}/messages/{}/threads", scene.channel, id(&said));
    for body in [
        json!({"name": ""}),
        json!({"name": "x".repeat(101)}),
        json!({}),
        json!({"name": "x", "auto_archive_duration": 61}),
    ] {
        assert_eq!(
            scene.call("POST", &path, body.clone()).await.refused(),
            (400, 50035),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_message_reopens_an_archived_thread_and_edits_do_not() {
    let scene = Scene::new().await;
    let (_, thread) = thread(&scene).await;
    let path = format!("/channels/{}", id(&thread));
    let messages = format!("{path}/messages");
    let sent = scene
        .call("POST", &messages, json!({"content": "in here"}))
        .await
        .ok();
    let archived = scene
        .call("PATCH", &path, json!({"archived": true}))
        .await
        .ok();
    assert_eq!(archived["thread_metadata"]["archived"], true);
    let edit = format!("{messages}/{}", id(&sent));
    assert_eq!(
        scene
            .call("PATCH", &edit, json!({"content": "late"}))
            .await
            .refused(),
        (400, 50083)
    );
    assert_eq!(
        scene
            .call("PATCH", &path, json!({"name": "x"}))
            .await
            .refused(),
        (400, 50083)
    );
    scene
        .call("POST", &messages, json!({"content": "again"}))
        .await
        .ok();
    let open = scene.get(&path).await.ok();
    assert_eq!(open["thread_metadata"]["archived"], false);
    assert_eq!(open["message_count"], 2);
}

#[tokio::test]
async fn a_locked_thread_takes_moderators_only() {
    let scene = Scene::new().await;
    let (_, thread) = thread(&scene).await;
    let path = format!("/channels/{}", id(&thread));
    let lock = json!({"locked": true, "archived": true});
    scene.call("PATCH", &path, lock).await.ok();
    let say = json!({"user": scene.person, "channel": id(&thread), "content": "me too"});
    let (status, answer) = scene.bench.control("POST", "say", say).await;
    assert_eq!(
        (status, answer["discord"]["code"].as_u64()),
        (400, Some(160_005))
    );
    let (_, other) = scene.another_bot(0).await;
    let messages = format!("{path}/messages");
    let refused = scene
        .bench
        .call(&other, "POST", &messages, json!({"content": "x"}))
        .await;
    assert_eq!(refused.refused(), (400, 160_005));
    // The scene's bot manages threads.
    scene
        .call("POST", &messages, json!({"content": "x"}))
        .await
        .ok();
}

#[tokio::test]
async fn writing_in_threads_has_a_permission_of_its_own() {
    let scene = Scene::new().await;
    let (_, thread) = thread(&scene).await;
    let body = json!({
        "id": scene.channel,
        "permission_overwrites": [{"id": scene.bot, "type": 1, "deny": (1_u64 << 38).to_string()}],
    });
    scene.bench.make("channels", body).await;
    let path = format!("/channels/{}/messages", id(&thread));
    assert_eq!(
        scene
            .call("POST", &path, json!({"content": "x"}))
            .await
            .refused(),
        (403, 50013)
    );
    assert_eq!(scene.send(json!({"content": "x"})).await.status, 200);
}

#[tokio::test]
async fn private_threads_are_seen_by_their_members() {
    let scene = Scene::new().await;
    let path = format!("/channels/{}/threads", scene.channel);
    let made = scene
        .call("POST", &path, json!({"name": "quiet"}))
        .await
        .ok();
    assert_eq!(made["type"], 12);
    let (other_id, other) = scene.another_bot(0).await;
    let thread = format!("/channels/{}", id(&made));
    let hidden = scene.bench.call(&other, "GET", &thread, Value::Null).await;
    assert_eq!(hidden.refused(), (403, 50001));
    let member = format!("{thread}/thread-members/{other_id}");
    assert_eq!(scene.call("PUT", &member, Value::Null).await.status, 204);
    assert_eq!(
        scene
            .bench
            .call(&other, "GET", &thread, Value::Null)
            .await
            .status,
        200
    );
    let members = scene.get(&format!("{thread}/thread-members")).await.ok();
    assert_eq!(members.as_array().unwrap().len(), 2);
    assert_eq!(
        scene.get(&member).await.ok()["user_id"].as_str(),
        Some(other_id.as_str())
    );
    assert_eq!(scene.call("DELETE", &member, Value::Null).await.status, 204);
}

#[tokio::test]
async fn active_and_archived_threads_are_listed() {
    let scene = Scene::new().await;
    let (_, thread) = thread(&scene).await;
    let active = format!("/guilds/{}/threads/active", scene.guild);
    let listed = scene.get(&active).await.ok();
    assert_eq!(listed["threads"][0]["id"], thread["id"]);
    assert_eq!(
        listed["members"][0]["user_id"].as_str(),
        Some(scene.bot.as_str())
    );
    let path = format!("/channels/{}", id(&thread));
    scene
        .call("PATCH", &path, json!({"archived": true}))
        .await
        .ok();
    assert_eq!(scene.get(&active).await.ok()["threads"], json!([]));
    let archived = format!("/channels/{}/threads/archived/public", scene.channel);
    let listed = scene.get(&archived).await.ok();
    assert_eq!(listed["threads"][0]["id"], thread["id"]);
    assert_eq!(listed["has_more"], false);
}

#[tokio::test]
async fn people_start_threads_too() {
    let scene = Scene::new().await;
    let said = scene.say(&scene.person, "hm").await;
    let body = json!({
        "user": scene.person, "channel": scene.channel, "name": "mine", "message": id(&said),
    });
    let thread = scene.bench.make("threads", body).await;
    assert_eq!(thread["owner_id"].as_str(), Some(scene.person.as_str()));
    assert_eq!(
        scene
            .call("DELETE", &format!("/channels/{}", id(&thread)), Value::Null)
            .await
            .status,
        200
    );
    assert_eq!(
        scene
            .get(&format!("/channels/{}", id(&thread)))
            .await
            .refused(),
        (404, 10003)
    );
}
