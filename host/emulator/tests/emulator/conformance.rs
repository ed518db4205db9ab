//! Every test's responses are held against Discord's description as they come; here is what says
//! that this happened, and that the description catches what it should.

use serde_json::{Value, json};

use crate::bench::{DESCRIPTION, Scene, id};

#[tokio::test]
async fn responses_are_held_against_discords_description() {
    let Some(description) = DESCRIPTION.as_ref() else {
        println!("ignored: OSTLER_DISCORD_OPENAPI is not set");
        return;
    };
    let wrong = description.check_response("GET", "/users/1", 200, Some(&json!({"id": 1})));
    assert!(wrong.is_err());
    let wrong = description.check_response("POST", "/channels/1/messages", 204, None);
    assert!(wrong.is_err());

    // One of each object that other tests do not list.
    let scene = Scene::new().await;
    let said = id(&scene.say(&scene.owner, "hello").await);
    let channel = format!("/channels/{}", scene.channel);
    scene
        .call(
            "PUT",
            &format!("{channel}/messages/pins/{said}"),
            Value::Null,
        )
        .await
        .ok();
    let direct = json!({"recipient_id": scene.person});
    let direct = id(&scene.call("POST", "/users/@me/channels", direct).await.ok());
    for path in [
        format!("{channel}/messages?limit=100"),
        format!("{channel}/messages/pins"),
        channel.clone(),
        format!("/channels/{}", scene.forum),
        format!("/channels/{direct}"),
        format!("/guilds/{}/roles", scene.guild),
        format!("/users/@me/guilds/{}/member", scene.guild),
    ] {
        scene.get(&path).await.ok();
    }
    let seen = scene.bench.look("requests").await;
    for request in seen.as_array().unwrap() {
        let path = request["path"]
            .as_str()
            .unwrap()
            .trim_start_matches("/api/v10");
        let method = request["method"].as_str().unwrap();
        if !request["body"].is_null() {
            description
                .check_request(method, path, &request["body"])
                .unwrap();
        }
    }
}
