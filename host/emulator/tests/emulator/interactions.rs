use std::time::Duration;

use serde_json::{Value, json};

use crate::bench::{Scene, id};
use crate::socket::Socket;

pub(crate) fn card() -> Value {
    json!({"content": "Allow?", "components": [{"type": 1, "components": [
        {"type": 2, "style": 3, "label": "Yes", "custom_id": "yes"},
        {"type": 2, "style": 4, "label": "No", "custom_id": "no", "disabled": true},
    ]}]})
}

/// A click whose answer is not waited for.
pub(crate) struct Click {
    pub(crate) event: Value,
    pub(crate) answer: tokio::task::JoinHandle<(u16, Value)>,
}

impl Click {
    pub(crate) async fn new(scene: &Scene, socket: &mut Socket, body: Value) -> Self {
        let url = format!("{}/_emulator/press", scene.bench.running.origin());
        let request = scene
            .bench
            .http
            .post(url)
            .bearer_auth(crate::bench::CONTROL)
            .json(&body);
        let answer = tokio::spawn(async move {
            let response = request.send().await.unwrap();
            (response.status().as_u16(), response.json().await.unwrap())
        });
        let event = socket.event("INTERACTION_CREATE").await;
        Self { event, answer }
    }

    pub(crate) fn callback(&self) -> String {
        let token = self.event["token"].as_str().unwrap();
        format!("/interactions/{}/{token}/callback", id(&self.event))
    }

    pub(crate) fn webhook(&self) -> String {
        let token = self.event["token"].as_str().unwrap();
        format!(
            "/webhooks/{}/{token}",
            self.event["application_id"].as_str().unwrap()
        )
    }

    pub(crate) async fn answered(self) -> Value {
        let (status, answer) = self.answer.await.unwrap();
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

pub(crate) async fn respond(scene: &Scene, click: &Click, body: Value) -> crate::bench::Reply {
    scene.bench.call("", "POST", &click.callback(), body).await
}

async fn pressed(scene: &Scene, socket: &mut Socket) -> (Value, Click) {
    let message = scene.send(card()).await.ok();
    let body = json!({"user": scene.person, "message": id(&message), "custom_id": "yes"});
    let click = Click::new(scene, socket, body).await;
    (message, click)
}

#[tokio::test]
async fn a_click_has_every_field_that_clients_need() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let (message, click) = pressed(&scene, &mut socket).await;
    let event = &click.event;
    assert_eq!(event["type"], 3);
    assert_eq!(event["version"], 1);
    assert_eq!(event["entitlements"], json!([]));
    assert_eq!(event["attachment_size_limit"], 10 * 1024 * 1024);
    assert_eq!(event["context"], 0);
    assert_eq!(
        event["authorizing_integration_owners"]["0"].as_str(),
        Some(scene.guild.as_str())
    );
    assert_eq!(event["data"]["custom_id"], "yes");
    assert_eq!(event["data"]["component_type"], 2);
    assert_eq!(event["message"]["id"], message["id"]);
    assert_eq!(
        event["member"]["user"]["id"].as_str(),
        Some(scene.person.as_str())
    );
    let permissions: u64 = event["member"]["permissions"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert_ne!(permissions & 1 << 11, 0);
    assert!(event["app_permissions"].is_string());
    assert_eq!(event["locale"], "en-US");
    let acknowledged = respond(&scene, &click, json!({"type": 6, "data": null})).await;
    assert_eq!((acknowledged.status, acknowledged.body), (204, Value::Null));
    let answer = click.answered().await;
    assert_eq!(answer["response"]["type"], 6);
    assert!(answer["acknowledged_ms"].as_u64().unwrap() < 3_000);
}

#[tokio::test]
async fn a_clicks_permissions_know_the_overwrites() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let body = json!({
        "id": scene.channel,
        "permission_overwrites": [{"id": scene.person, "type": 1, "deny": (1 << 11).to_string()}],
    });
    scene.bench.make("channels", body).await;
    let (_, click) = pressed(&scene, &mut socket).await;
    let permissions = click.event["member"]["permissions"].as_str().unwrap();
    assert_eq!(permissions.parse::<u64>().unwrap() & 1 << 11, 0);
}

#[tokio::test]
async fn a_card_is_updated_and_the_second_answer_refused() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let (message, click) = pressed(&scene, &mut socket).await;
    let update = json!({"type": 7, "data": {"content": "Allowed", "components": []}});
    assert_eq!(respond(&scene, &click, update.clone()).await.status, 204);
    assert_eq!(
        respond(&scene, &click, update).await.refused(),
        (400, 40060)
    );
    let path = format!("/channels/{}/messages/{}", scene.channel, id(&message));
    let now = scene.get(&path).await.ok();
    assert_eq!(
        (&now["content"], &now["components"]),
        (&json!("Allowed"), &json!([]))
    );
    let original = format!("{}/messages/@original", click.webhook());
    assert_eq!(click.answered().await["message"]["content"], "Allowed");
    let edited = scene
        .bench
        .call("", "PATCH", &original, json!({"content": "Done"}))
        .await
        .ok();
    assert_eq!(edited["id"], message["id"]);
    assert_eq!(edited["content"], "Done");
}

#[tokio::test]
async fn a_late_answer_is_unknown_and_the_person_sees_a_failure() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let (_, click) = pressed(&scene, &mut socket).await;
    tokio::time::sleep(Duration::from_millis(3_100)).await;
    let late = respond(&scene, &click, json!({"type": 6})).await;
    assert_eq!(late.refused(), (404, 10062));
    let follow_up = scene
        .bench
        .call("", "POST", &click.webhook(), json!({"content": "x"}))
        .await;
    assert_eq!(follow_up.refused(), (404, 10015));
    assert_eq!(click.answered().await["failed"], "This interaction failed");
}

#[tokio::test]
async fn an_ephemeral_answer_is_seen_by_one_person() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let (_, click) = pressed(&scene, &mut socket).await;
    let body = json!({"type": 4, "data": {"content": "only you", "flags": 64}});
    let path = format!("{}?with_response=true", click.callback());
    let described = scene.bench.call("", "POST", &path, body).await.ok();
    let message = id(&described["resource"]["message"]);
    assert_eq!(described["interaction"]["response_message_ephemeral"], true);
    let contents = |listed: Value| {
        let list = listed.as_array().unwrap().clone();
        list.iter().filter(|m| m["content"] == "only you").count()
    };
    let look = |query: String| {
        let path = format!("messages?channel={}{query}", scene.channel);
        let bench = &scene.bench;
        async move { bench.look(&path).await }
    };
    assert_eq!(contents(look(format!("&as={}", scene.person)).await), 1);
    assert_eq!(contents(look(format!("&as={}", scene.owner)).await), 0);
    assert_eq!(contents(look(String::new()).await), 0);
    let path = format!("/channels/{}/messages/{message}", scene.channel);
    assert_eq!(scene.get(&path).await.refused(), (404, 10008));
    let original = format!("{}/messages/@original", click.webhook());
    scene
        .bench
        .call("", "GET", &original, Value::Null)
        .await
        .ok();
    assert_eq!(
        scene
            .bench
            .call("", "DELETE", &original, Value::Null)
            .await
            .status,
        204
    );
    assert_eq!(
        scene
            .bench
            .call("", "GET", &original, Value::Null)
            .await
            .refused(),
        (404, 10008)
    );
}

#[tokio::test]
async fn a_deferred_reply_is_filled_by_the_first_follow_up() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let (_, click) = pressed(&scene, &mut socket).await;
    respond(&scene, &click, json!({"type": 5})).await;
    let original = format!("{}/messages/@original", click.webhook());
    let loading = scene
        .bench
        .call("", "GET", &original, Value::Null)
        .await
        .ok();
    assert_eq!(loading["flags"], 128);
    let first = scene
        .bench
        .call("", "POST", &click.webhook(), json!({"content": "first"}))
        .await;
    let first = first.ok();
    assert_eq!((&first["id"], &first["flags"]), (&loading["id"], &json!(0)));
    let second = json!({"content": "second", "flags": 64});
    let second = scene
        .bench
        .call("", "POST", &click.webhook(), second)
        .await
        .ok();
    assert_ne!(second["id"], first["id"]);
    let path = format!("{}/messages/{}", click.webhook(), id(&second));
    let edited = scene
        .bench
        .call("", "PATCH", &path, json!({"content": "2nd"}))
        .await
        .ok();
    assert_eq!(edited["content"], "2nd");
    assert_eq!(
        scene
            .bench
            .call("", "DELETE", &path, Value::Null)
            .await
            .status,
        204
    );
}

#[tokio::test]
async fn a_wrong_answer_does_not_use_the_click_up() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let (_, click) = pressed(&scene, &mut socket).await;
    for body in [
        json!({}),
        json!({"type": 1}),
        json!({"type": 8, "data": {"choices": []}}),
        json!({"type": 4, "data": {"content": "x".repeat(2001)}}),
        json!({"type": 9, "data": {"custom_id": "m"}}),
    ] {
        assert_eq!(
            respond(&scene, &click, body.clone()).await.refused(),
            (400, 50035),
            "{body}"
        );
    }
    let empty = respond(&scene, &click, json!({"type": 4, "data": {}})).await;
    assert_eq!(empty.refused(), (400, 50006));
    assert_eq!(
        respond(&scene, &click, json!({"type": 6})).await.status,
        204
    );
}

#[tokio::test]
async fn what_a_person_cannot_press_is_refused() {
    let scene = Scene::new().await;
    let message = scene.send(card()).await.ok();
    let press = |user: String, custom_id: &str| {
        let body = json!({"user": user, "message": id(&message), "custom_id": custom_id});
        scene.bench.control("POST", "press", body)
    };
    let (status, answer) = press(scene.person.clone(), "no").await;
    assert_eq!(
        (status, answer["code"].as_str()),
        (409, Some("disabled-component"))
    );
    let (status, answer) = press(scene.person.clone(), "maybe").await;
    assert_eq!(
        (status, answer["code"].as_str()),
        (404, Some("unknown-component"))
    );
    let stranger = id(&scene
        .bench
        .make("users", json!({"username": "stranger"}))
        .await);
    let (status, answer) = press(stranger, "yes").await;
    assert_eq!(
        (status, answer["code"].as_str()),
        (403, Some("not-visible"))
    );
    assert_eq!(press(scene.bot.clone(), "yes").await.0, 403);
}

#[tokio::test]
async fn a_click_in_direct_messages_has_a_user_and_no_member() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let direct = json!({"recipients": [scene.person, scene.bot]});
    let direct = scene.bench.make("channels", direct).await;
    let path = format!("/channels/{}/messages", id(&direct));
    let message = scene.call("POST", &path, card()).await.ok();
    let body = json!({"user": scene.person, "message": id(&message), "custom_id": "yes"});
    let click = Click::new(&scene, &mut socket, body).await;
    assert_eq!(
        click.event["user"]["id"].as_str(),
        Some(scene.person.as_str())
    );
    assert!(click.event.get("member").is_none());
    assert_eq!(click.event["context"], 1);
    respond(
        &scene,
        &click,
        json!({"type": 4, "data": {"content": "ok"}}),
    )
    .await;
    assert_eq!(click.answered().await["message"]["content"], "ok");
}

#[tokio::test]
async fn menus_give_the_values_that_were_chosen() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let menu = json!({"content": "Which?", "components": [{"type": 1, "components": [
        {"type": 3, "custom_id": "pick", "options": [
            {"label": "One", "value": "1"}, {"label": "Two", "value": "2"},
        ]},
    ]}]});
    let message = scene.send(menu).await.ok();
    let body = |values: Value| json!({"user": scene.person, "message": id(&message), "custom_id": "pick", "values": values});
    for wrong in [json!([]), json!(["3"]), json!(["1", "2"])] {
        assert_eq!(
            scene.bench.control("POST", "press", body(wrong)).await.0,
            400
        );
    }
    let click = Click::new(&scene, &mut socket, body(json!(["2"]))).await;
    assert_eq!(click.event["data"]["values"], json!(["2"]));
    assert_eq!(click.event["data"]["component_type"], 3);
}

#[tokio::test]
async fn a_click_that_falls_into_a_gap_is_replayed() {
    let scene = Scene::new().await;
    let (socket, ready) = Socket::online(&scene).await;
    let message = scene.send(card()).await.ok();
    let seen = socket.sequence;
    drop(socket);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let body = json!({"user": scene.person, "message": id(&message), "custom_id": "yes"});
    let press = scene.bench.control("POST", "press", body);
    let answer = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut socket = Socket::greeted(&scene.bench).await;
        socket
            .resume(&scene.token, &ready["session_id"], seen)
            .await;
        let event = socket.event("INTERACTION_CREATE").await;
        let token = event["token"].as_str().unwrap();
        let path = format!("/interactions/{}/{token}/callback", id(&event));
        scene
            .bench
            .call("", "POST", &path, json!({"type": 6}))
            .await
    };
    let ((_, pressed), answered) = tokio::join!(press, answer);
    assert_eq!(answered.status, 204);
    assert_eq!(pressed["response"]["type"], 6);
}
