use serde_json::json;

use crate::bench::{Scene, id};

#[tokio::test]
async fn an_enforced_nonce_gives_the_message_that_is_there() {
    let scene = Scene::new().await;
    let body = json!({"content": "once", "nonce": "n-1", "enforce_nonce": true});
    let first = scene.send(body.clone()).await.ok();
    let second = scene.send(body).await.ok();
    assert_eq!(id(&first), id(&second));
    assert_eq!(second["nonce"], "n-1");
    let listed = scene
        .get(&format!("/channels/{}/messages", scene.channel))
        .await
        .ok();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert!(listed[0].get("nonce").is_none());
}

#[tokio::test]
async fn a_nonce_counts_for_its_author_and_only_when_it_is_enforced() {
    let scene = Scene::new().await;
    let plain = json!({"content": "twice", "nonce": 7});
    let first = scene.send(plain.clone()).await.ok();
    let second = scene.send(plain).await.ok();
    assert_ne!(id(&first), id(&second));
    let (_, other) = scene.another_bot(0).await;
    let body = json!({"content": "mine", "nonce": "7", "enforce_nonce": true});
    let path = format!("/channels/{}/messages", scene.channel);
    let theirs = scene.bench.call(&other, "POST", &path, body).await.ok();
    assert_ne!(id(&theirs), id(&second));
}

#[tokio::test]
async fn an_answer_that_is_lost_can_be_asked_for_again() {
    let scene = Scene::new().await;
    let body =
        json!({"method": "POST", "path_regex": "/messages$", "status": 502, "takes_effect": true});
    scene.bench.make("fail", body).await;
    let body = json!({"content": "once", "nonce": "n", "enforce_nonce": true});
    assert_eq!(scene.send(body.clone()).await.status, 502);
    scene.send(body).await.ok();
    let listed = scene
        .bench
        .look(&format!("messages?channel={}", scene.channel))
        .await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
}
