use serde_json::{Value, json};

use crate::bench::{BOT, Scene, id};

async fn overwrite(scene: &Scene, allow: u64, deny: u64) {
    let body = json!({
        "id": scene.channel,
        "permission_overwrites": [
            {"id": scene.bot, "type": 1, "allow": allow.to_string(), "deny": deny.to_string()},
        ],
    });
    scene.bench.make("channels", body).await;
}

#[tokio::test]
async fn a_hidden_channel_gives_missing_access_and_a_mute_one_missing_permissions() {
    let scene = Scene::new().await;
    overwrite(&scene, 0, 1 << 10).await;
    let path = format!("/channels/{}", scene.channel);
    assert_eq!(scene.get(&path).await.refused(), (403, 50001));
    assert_eq!(
        scene.send(json!({"content": "x"})).await.refused(),
        (403, 50001)
    );
    overwrite(&scene, 0, 1 << 11).await;
    assert_eq!(scene.get(&path).await.status, 200);
    assert_eq!(
        scene.send(json!({"content": "x"})).await.refused(),
        (403, 50013)
    );
    let typing = scene
        .call("POST", &format!("{path}/typing"), Value::Null)
        .await;
    assert_eq!(typing.refused(), (403, 50013));
}

#[tokio::test]
async fn a_members_overwrite_outweighs_a_roles_and_that_everyones() {
    let scene = Scene::new().await;
    let role = scene
        .bench
        .make("roles", json!({"guild": scene.guild, "name": "readers"}))
        .await;
    let member = json!({"guild": scene.guild, "user": scene.person, "roles": [id(&role)]});
    scene.bench.make("members", member).await;
    let send = (1_u64 << 11).to_string();
    let say = || json!({"user": scene.person, "channel": scene.channel, "content": "x"});
    let set = |list: Value| {
        let body = json!({"id": scene.channel, "permission_overwrites": list});
        let bench = &scene.bench;
        async move { bench.make("channels", body).await }
    };
    let everyone = json!({"id": scene.guild, "type": 0, "deny": send});
    set(json!([everyone])).await;
    assert_eq!(scene.bench.control("POST", "say", say()).await.0, 403);
    let readers = json!({"id": id(&role), "type": 0, "allow": send});
    set(json!([everyone, readers])).await;
    assert_eq!(scene.bench.control("POST", "say", say()).await.0, 200);
    let own = json!({"id": scene.person, "type": 1, "deny": send});
    set(json!([everyone, readers, own])).await;
    let (status, answer) = scene.bench.control("POST", "say", say()).await;
    assert_eq!(
        (status, answer["discord"]["code"].as_u64()),
        (403, Some(50013))
    );
}

#[tokio::test]
async fn administrators_pass_every_overwrite() {
    let scene = Scene::new().await;
    let (other, token) = scene.another_bot(1 << 3).await;
    let body = json!({
        "id": scene.channel,
        "permission_overwrites": [{"id": other, "type": 1, "deny": (1 << 10 | 1 << 11).to_string()}],
    });
    scene.bench.make("channels", body).await;
    let path = format!("/channels/{}/messages", scene.channel);
    let sent = scene
        .bench
        .call(&token, "POST", &path, json!({"content": "x"}))
        .await;
    assert_eq!(sent.status, 200);
}

#[tokio::test]
async fn without_the_history_there_is_nothing_to_read() {
    let scene = Scene::new().await;
    let said = scene.say(&scene.owner, "secret").await;
    overwrite(&scene, 0, 1 << 16).await;
    let path = format!("/channels/{}/messages", scene.channel);
    assert_eq!(scene.get(&path).await.ok(), json!([]));
    let one = scene.get(&format!("{path}/{}", id(&said))).await;
    assert_eq!(one.refused(), (403, 50013));
    let body = json!({"content": "re", "message_reference": {"message_id": id(&said)}});
    assert_eq!(scene.send(body).await.refused(), (400, 160_002));
}

#[tokio::test]
async fn embeds_and_files_need_their_permissions() {
    let scene = Scene::new().await;
    overwrite(&scene, 0, 1 << 14 | 1 << 15).await;
    let embed = scene.send(json!({"embeds": [{"title": "x"}]})).await;
    assert_eq!(embed.refused(), (403, 50013));
    let path = format!("/channels/{}/messages", scene.channel);
    let files: [(&str, &str, &[u8]); 1] = [("files[0]", "a.txt", b"hi")];
    let file = scene
        .bench
        .upload(&scene.token, "POST", &path, &json!({}), &files)
        .await;
    assert_eq!(file.refused(), (403, 50013));
}

#[tokio::test]
async fn roles_are_given_only_below_ones_own() {
    let scene = Scene::new().await;
    let bench = &scene.bench;
    let low = id(&bench
        .make("roles", json!({"guild": scene.guild, "name": "low"}))
        .await);
    let high = json!({"guild": scene.guild, "name": "high", "position": 9});
    let high = id(&bench.make("roles", high).await);
    let path = |role: &str| {
        format!(
            "/guilds/{}/members/{}/roles/{role}",
            scene.guild, scene.person
        )
    };
    assert_eq!(
        scene.call("PUT", &path(&low), Value::Null).await.status,
        204
    );
    let member = scene
        .get(&format!("/guilds/{}/members/{}", scene.guild, scene.person))
        .await;
    assert_eq!(member.ok()["roles"], json!([low]));
    assert_eq!(
        scene.call("PUT", &path(&high), Value::Null).await.refused(),
        (403, 50013)
    );
    assert_eq!(
        scene.call("DELETE", &path(&low), Value::Null).await.status,
        204
    );
    let (_, weak) = scene.another_bot(0).await;
    let refused = bench.call(&weak, "PUT", &path(&low), Value::Null).await;
    assert_eq!(refused.refused(), (403, 50013));
    assert_eq!(
        scene
            .call("PUT", &path("4242"), Value::Null)
            .await
            .refused(),
        (404, 10011)
    );
}

#[tokio::test]
async fn nobody_hands_out_what_they_do_not_have() {
    let scene = Scene::new().await;
    let path = format!("/guilds/{}/roles", scene.guild);
    let admin = json!({"name": "boss", "permissions": (1 << 3).to_string()});
    assert_eq!(
        scene.call("POST", &path, admin).await.refused(),
        (403, 50013)
    );
    let fine = json!({"name": "helper", "permissions": (1 << 13).to_string(), "color": 255});
    let made = scene.call("POST", &path, fine).await.ok();
    assert_eq!(made["permissions"], (1 << 13).to_string());
    let changed = scene
        .call(
            "PATCH",
            &format!("{path}/{}", id(&made)),
            json!({"name": "aide"}),
        )
        .await
        .ok();
    assert_eq!(changed["name"], "aide");
    let gone = scene
        .call("DELETE", &format!("{path}/{}", id(&made)), Value::Null)
        .await;
    assert_eq!(gone.status, 204);
}

#[tokio::test]
async fn a_bot_outside_a_guild_has_no_access() {
    let scene = Scene::new().await;
    let bot = scene
        .bench
        .make("users", json!({"username": "stray", "bot": true}))
        .await;
    let token = bot["token"].as_str().unwrap();
    for path in [
        format!("/guilds/{}", scene.guild),
        format!("/guilds/{}/channels", scene.guild),
        format!("/channels/{}", scene.channel),
    ] {
        let refused = scene.bench.call(token, "GET", &path, Value::Null).await;
        assert_eq!(refused.refused(), (403, 50001), "{path}");
    }
}

#[tokio::test]
async fn overwrites_are_set_and_removed_one_by_one() {
    let scene = Scene::new().await;
    let path = format!("/channels/{}/permissions/{}", scene.channel, scene.person);
    let body = json!({"type": 1, "deny": (1 << 11).to_string()});
    assert_eq!(scene.call("PUT", &path, body).await.status, 204);
    let channel = scene
        .get(&format!("/channels/{}", scene.channel))
        .await
        .ok();
    assert_eq!(
        channel["permission_overwrites"][0]["id"].as_str(),
        Some(scene.person.as_str())
    );
    let say = json!({"user": scene.person, "channel": scene.channel, "content": "x"});
    assert_eq!(scene.bench.control("POST", "say", say).await.0, 403);
    assert_eq!(scene.call("DELETE", &path, Value::Null).await.status, 204);
    assert_eq!(
        scene.call("DELETE", &path, Value::Null).await.refused(),
        (404, 10009)
    );
    let too_much = json!({"type": 1, "allow": (!BOT & 1 << 5).to_string()});
    assert_eq!(
        scene.call("PUT", &path, too_much).await.refused(),
        (403, 50013)
    );
}
