use serde_json::json;

use crate::bench::{Scene, id};

#[tokio::test]
async fn a_file_is_kept_shown_in_embeds_and_downloaded() {
    let scene = Scene::new().await;
    let path = format!("/channels/{}/messages", scene.channel);
    let payload = json!({
        "content": "a picture",
        "embeds": [{"title": "x", "image": {"url": "attachment://my_cat.png"}}],
        "attachments": [{"id": 0, "filename": "my cat.png"}],
    });
    let files: [(&str, &str, &[u8]); 1] = [("files[0]", "cat.png", b"miaow")];
    let sent = scene
        .bench
        .upload(&scene.token, "POST", &path, &payload, &files)
        .await
        .ok();
    let attachment = &sent["attachments"][0];
    assert_eq!(attachment["filename"], "my_cat.png");
    assert_eq!(attachment["size"], 5);
    assert_eq!(sent["embeds"][0]["image"]["url"], attachment["url"]);
    let url = attachment["url"].as_str().unwrap();
    assert!(url.starts_with(&scene.bench.running.origin()));
    let response = scene.bench.http.get(url).send().await.unwrap();
    assert_eq!(response.headers()["content-disposition"], "attachment");
    assert_eq!(response.bytes().await.unwrap().as_ref(), b"miaow");

    let edit = format!("{path}/{}", id(&sent));
    let emptied = scene
        .call("PATCH", &edit, json!({"attachments": []}))
        .await
        .ok();
    assert_eq!(emptied["attachments"], json!([]));
    assert_eq!(emptied["content"], "a picture");
}

#[tokio::test]
async fn attachments_without_a_file_and_large_files_are_refused() {
    let scene = Scene::new().await;
    let body = json!({"content": "x", "attachments": [{"id": "3", "filename": "a.txt"}]});
    assert_eq!(scene.send(body).await.refused(), (400, 50035));
    let path = format!("/channels/{}/messages", scene.channel);
    let large = vec![0; 10 * 1024 * 1024 + 1];
    let files: [(&str, &str, &[u8]); 1] = [("files[0]", "a.bin", &large)];
    let refused = scene
        .bench
        .upload(&scene.token, "POST", &path, &json!({}), &files)
        .await;
    assert_eq!(refused.refused(), (413, 40005));
}
