use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use tokio_tungstenite::connect_async;

use crate::bench::Scene;
use crate::socket::{Came, Socket};

async fn fault(scene: &Scene, body: serde_json::Value) -> serde_json::Value {
    scene.bench.make("gateway", body).await
}

#[tokio::test]
async fn connections_are_dropped_and_closed_as_asked() {
    let scene = Scene::new().await;
    for (body, expected) in [
        (json!({"action": "drop"}), Came::Dropped),
        (
            json!({"action": "close", "code": 4000}),
            Came::Closed(Some(4000)),
        ),
        (json!({"action": "close"}), Came::Closed(None)),
    ] {
        let (mut socket, ready) = Socket::online(&scene).await;
        let applied = fault(&scene, body.clone()).await;
        assert_eq!(applied, json!({"applied": 1, "waiting": 0}));
        assert_eq!(socket.next().await, expected, "{body}");
        let seen = socket.sequence;
        drop(socket);
        let mut socket = Socket::greeted(&scene.bench).await;
        socket
            .resume(&scene.token, &ready["session_id"], seen)
            .await;
        socket.event("RESUMED").await;
    }
}

#[tokio::test]
async fn reconnects_and_invalid_sessions_are_sent() {
    let scene = Scene::new().await;
    let (mut socket, ready) = Socket::online(&scene).await;
    fault(&scene, json!({"action": "reconnect"})).await;
    assert_eq!(socket.payload().await["op"], 7);
    fault(
        &scene,
        json!({"action": "invalid_session", "resumable": true}),
    )
    .await;
    let answer = socket.payload().await;
    assert_eq!(
        (answer["op"].as_u64(), answer["d"].as_bool()),
        (Some(9), Some(true))
    );
    let seen = socket.sequence;
    socket
        .resume(&scene.token, &ready["session_id"], seen)
        .await;
    socket.event("RESUMED").await;
    fault(
        &scene,
        json!({"action": "invalid_session", "resumable": false}),
    )
    .await;
    assert_eq!(socket.payload().await["d"], false);
    let seen = socket.sequence;
    socket
        .resume(&scene.token, &ready["session_id"], seen)
        .await;
    assert_eq!(socket.payload().await["op"], 9);
}

#[tokio::test]
async fn a_hang_happens_at_the_stage_that_is_named() {
    let scene = Scene::new().await;
    let url = format!("ws://{}/?v=10&encoding=json", scene.bench.running.address());
    fault(&scene, json!({"action": "hang"})).await;
    assert!(
        timeout(Duration::from_millis(300), connect_async(&url))
            .await
            .is_err()
    );
    fault(&scene, json!({"action": "hang", "at": "hello"})).await;
    let mut socket = Socket::open(&scene.bench, "/?v=10").await;
    assert!(socket.is_quiet().await);
    fault(&scene, json!({"action": "hang", "at": "ready"})).await;
    let mut socket = Socket::greeted(&scene.bench).await;
    socket.identify(&scene.token, json!({"intents": 1})).await;
    assert!(socket.is_quiet().await);
    Socket::online(&scene).await;
}

#[tokio::test]
async fn a_silent_gateway_acknowledges_nothing_and_keeps_the_events() {
    let scene = Scene::new().await;
    let (mut socket, ready) = Socket::online(&scene).await;
    let seen = socket.sequence;
    fault(&scene, json!({"action": "silence"})).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    socket.send(json!({"op": 1, "d": seen})).await;
    scene.say(&scene.person, "unheard").await;
    assert!(socket.is_quiet().await);
    let mut socket = Socket::greeted(&scene.bench).await;
    socket
        .resume(&scene.token, &ready["session_id"], seen)
        .await;
    assert_eq!(socket.event("MESSAGE_CREATE").await["content"], "unheard");
}

#[tokio::test]
async fn faults_happen_as_often_as_asked() {
    let scene = Scene::new().await;
    fault(&scene, json!({"action": "close", "code": 4000, "times": 2})).await;
    for _ in 0..2 {
        let mut socket = Socket::greeted(&scene.bench).await;
        assert_eq!(socket.closed().await, Some(4000));
    }
    fault(&scene, json!({"action": "drop", "at": "ready"})).await;
    let mut socket = Socket::greeted(&scene.bench).await;
    socket.identify(&scene.token, json!({"intents": 0})).await;
    assert_eq!(socket.payload().await["t"], "READY");
    assert_eq!(socket.next().await, Came::Dropped);
    Socket::online(&scene).await;
}
