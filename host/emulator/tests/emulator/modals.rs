use serde_json::{Value, json};

use crate::bench::{Scene, id};
use crate::interactions::{Click, card, respond};
use crate::socket::Socket;

fn modal(components: &Value) -> Value {
    json!({"type": 9, "data": {"custom_id": "why", "title": "Why?", "components": components}})
}

async fn shown(scene: &Scene, socket: &mut Socket, components: Value) -> String {
    let message = id(&scene.send(card()).await.ok());
    let body = json!({"user": scene.person, "message": message, "custom_id": "yes"});
    let click = Click::new(scene, socket, body).await;
    assert_eq!(respond(scene, &click, modal(&components)).await.status, 204);
    assert_eq!(click.answered().await["response"]["type"], 9);
    message
}

fn row() -> Value {
    json!([{"type": 1, "components": [
        {"type": 4, "custom_id": "reason", "style": 2, "label": "Reason", "max_length": 20},
    ]}])
}

#[tokio::test]
async fn a_modal_is_shown_filled_in_and_submitted() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let message = shown(&scene, &mut socket, row()).await;
    let submit = json!({
        "user": scene.person, "message": message, "custom_id": "why",
        "fields": {"reason": "because"},
    });
    let click = Click::new(&scene, &mut socket, submit.clone()).await;
    assert_eq!(click.event["type"], 5);
    let input = &click.event["data"]["components"][0]["components"][0];
    assert_eq!(
        (&input["custom_id"], &input["value"]),
        (&json!("reason"), &json!("because"))
    );
    assert_eq!(
        click.event["message"]["id"].as_str(),
        Some(message.as_str())
    );
    let again = modal(&row());
    assert_eq!(
        respond(&scene, &click, again).await.refused(),
        (400, 50035),
        "no modal from a modal"
    );
    respond(
        &scene,
        &click,
        json!({"type": 7, "data": {"content": "because"}}),
    )
    .await;
    assert_eq!(click.answered().await["message"]["content"], "because");
    // It is closed.
    let (status, answer) = scene.bench.control("POST", "press", submit).await;
    assert_eq!(
        (status, answer["code"].as_str()),
        (404, Some("unknown-modal"))
    );
}

#[tokio::test]
async fn a_modal_with_labels_is_submitted_in_its_own_form() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let labels = json!([{"type": 18, "label": "Reason", "component":
        {"type": 4, "custom_id": "reason", "style": 1, "required": false}}]);
    shown(&scene, &mut socket, labels).await;
    let submit = json!({"user": scene.person, "custom_id": "why", "fields": {}});
    let click = Click::new(&scene, &mut socket, submit).await;
    assert_eq!(
        click.event["data"]["components"][0]["component"]["value"],
        ""
    );
    respond(
        &scene,
        &click,
        json!({"type": 4, "data": {"content": "fine"}}),
    )
    .await;
    let answer = click.answered().await;
    assert_eq!(answer["message"]["interaction_metadata"]["type"], 5);
    let path = format!("/channels/{}/messages", scene.channel);
    scene.get(&path).await.ok();
}

#[tokio::test]
async fn what_a_modal_does_not_take_is_refused() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    shown(&scene, &mut socket, row()).await;
    for fields in [
        json!({}),
        json!({"reason": "x".repeat(21)}),
        json!({"other": "x"}),
    ] {
        let submit = json!({"user": scene.person, "custom_id": "why", "fields": fields});
        let (status, answer) = scene.bench.control("POST", "press", submit).await;
        assert_eq!(
            (status, answer["code"].as_str()),
            (422, Some("modal-incomplete"))
        );
    }
    let other = json!({"user": scene.owner, "custom_id": "why", "fields": {"reason": "x"}});
    assert_eq!(scene.bench.control("POST", "press", other).await.0, 404);
}
