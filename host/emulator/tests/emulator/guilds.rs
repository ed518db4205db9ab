use serde_json::{Value, json};

use crate::bench::{Scene, id};

#[tokio::test]
async fn a_bot_sees_itself_its_application_and_its_guilds() {
    let scene = Scene::new().await;
    let me = scene.get("/users/@me").await.ok();
    assert_eq!(me["id"].as_str(), Some(scene.bot.as_str()));
    for path in ["/applications/@me", "/oauth2/applications/@me"] {
        assert_eq!(scene.get(path).await.ok()["id"], me["id"]);
    }
    let guilds = scene.get("/users/@me/guilds?with_counts=true").await.ok();
    assert_eq!(guilds[0]["approximate_member_count"], 3);
    let gateway = scene
        .bench
        .call("", "GET", "/gateway", Value::Null)
        .await
        .ok();
    assert_eq!(
        gateway["url"],
        format!("ws://{}", scene.bench.running.address())
    );
    assert_eq!(scene.get("/gateway/bot").await.ok()["shards"], 1);
    assert_eq!(
        scene.get(&format!("/users/{}", scene.person)).await.ok()["username"],
        "guest"
    );
}

#[tokio::test]
async fn a_guild_shows_channels_members_and_roles() {
    let scene = Scene::new().await;
    let guild = format!("/guilds/{}", scene.guild);
    assert_eq!(
        scene.get(&format!("{guild}?with_counts=true")).await.ok()["approximate_member_count"],
        3
    );
    let channels = scene.get(&format!("{guild}/channels")).await.ok();
    assert_eq!(channels.as_array().unwrap().len(), 2);
    let roles = scene.get(&format!("{guild}/roles")).await.ok();
    assert_eq!(roles[0]["name"], "@everyone");
    assert_eq!(
        roles[1]["tags"]["bot_id"].as_str(),
        Some(scene.bot.as_str())
    );
    let members = scene.get(&format!("{guild}/members?limit=2")).await.ok();
    assert_eq!(members.as_array().unwrap().len(), 2);
    let found = scene
        .get(&format!("{guild}/members/search?query=GUE&limit=5"))
        .await
        .ok();
    assert_eq!(found[0]["user"]["username"], "guest");
    assert_eq!(
        scene
            .get(&format!("{guild}/members/search"))
            .await
            .refused(),
        (400, 50035)
    );
}

#[tokio::test]
async fn channels_are_made_changed_and_deleted() {
    let scene = Scene::new().await;
    let path = format!("/guilds/{}/channels", scene.guild);
    let category = scene
        .call("POST", &path, json!({"name": "Yard", "type": 4}))
        .await;
    assert_eq!(category.status, 201);
    let category = category.ok();
    let body = json!({"name": "Hay Loft", "topic": "dry", "parent_id": id(&category)});
    let made = scene.call("POST", &path, body).await.ok();
    assert_eq!(made["name"], "hay-loft");
    let channel = format!("/channels/{}", id(&made));
    let changed = scene
        .call("PATCH", &channel, json!({"topic": null, "nsfw": true}))
        .await
        .ok();
    assert_eq!(
        (&changed["topic"], &changed["nsfw"]),
        (&Value::Null, &json!(true))
    );
    assert_eq!(changed["parent_id"], category["id"]);
    let wrong = scene
        .call("PATCH", &channel, json!({"parent_id": scene.channel}))
        .await;
    assert_eq!(wrong.refused(), (400, 50035));
    let wrong = scene
        .call("POST", &path, json!({"name": "x", "type": 99}))
        .await;
    assert_eq!(wrong.refused(), (400, 50035));
    assert_eq!(
        scene.call("DELETE", &channel, Value::Null).await.status,
        200
    );
    assert_eq!(scene.get(&channel).await.refused(), (404, 10003));
    let (_, weak) = scene.another_bot(0).await;
    let refused = scene
        .bench
        .call(&weak, "POST", &path, json!({"name": "x"}))
        .await;
    assert_eq!(refused.refused(), (403, 50013));
}

#[tokio::test]
async fn roles_are_moved_below_the_bots_own() {
    let scene = Scene::new().await;
    let path = format!("/guilds/{}/roles", scene.guild);
    let low = scene.call("POST", &path, json!({"name": "low"})).await.ok();
    let high = json!([{"id": id(&low), "position": 9}]);
    assert_eq!(
        scene.call("PATCH", &path, high).await.refused(),
        (403, 50013)
    );
    let fine = json!([{"id": id(&low), "position": 1}]);
    assert_eq!(scene.call("PATCH", &path, fine).await.status, 200);
}
