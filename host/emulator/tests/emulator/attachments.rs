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

#[tokio::test]
async fn a_file_that_does_not_say_what_it_is_is_told_by_its_name() {
    let scene = Scene::new().await;
    let form = "--edge\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\r\n\
                {\"content\": \"x\", \"attachments\": [{\"id\": \"1\", \"filename\": \"b.PNG\"}]}\r\n\
                --edge\r\nContent-Disposition: form-data; name=\"files[0]\"; \
                filename=\"a.txt\"\r\n\r\nhi\r\n\
                --edge\r\nContent-Disposition: form-data; name=\"files[1]\"; \
                filename=\"b\"\r\n\r\npicture\r\n--edge--\r\n";
    let path = format!("/channels/{}/messages", scene.channel);
    let url = format!("{}/api/v10{path}", scene.bench.running.origin());
    let request = scene
        .bench
        .http
        .post(url)
        .header("authorization", format!("Bot {}", scene.token))
        .header("content-type", "multipart/form-data; boundary=edge")
        .body(form);
    let sent = scene.bench.finish("POST", &path, request).await.ok();
    let files = sent["attachments"].as_array().unwrap().iter();
    let types: Vec<_> = files.map(|file| file["content_type"].clone()).collect();
    assert_eq!(
        types,
        [json!("text/plain; charset=utf-8"), json!("image/png")]
    );
}

#[tokio::test]
async fn a_person_sends_files_and_their_downloads_are_noted_and_can_fail() {
    let scene = Scene::new().await;
    let body = json!({
        "user": scene.person, "channel": scene.channel, "content": "look",
        "files": [
            {"name": "my notes.txt", "base64": "bWlhb3c="},
            {"name": "b", "base64": "", "content_type": "image/png"},
        ],
    });
    let said = scene.bench.make("say", body).await;
    let files = said["attachments"].as_array().unwrap();
    assert_eq!(files[0]["filename"], "my_notes.txt");
    assert_eq!(files[0]["content_type"], "text/plain; charset=utf-8");
    assert_eq!(
        (&files[0]["size"], &files[1]["size"]),
        (&json!(5), &json!(0))
    );
    assert_eq!(files[1]["content_type"], "image/png");
    let url = files[0]["url"].as_str().unwrap();
    let path = url
        .strip_prefix(&scene.bench.running.origin())
        .unwrap()
        .to_owned();
    let failure = json!({"method": "GET", "path_regex": "^/attachments/", "status": 404});
    scene.bench.make("fail", failure).await;
    let refused = scene.bench.http.get(url).send().await.unwrap();
    assert_eq!(refused.status(), 404);
    let given = scene.bench.http.get(url).send().await.unwrap();
    assert_eq!(given.bytes().await.unwrap().as_ref(), b"miaow");
    let noted = scene.bench.look("requests").await;
    let noted = noted.as_array().unwrap().iter();
    let statuses: Vec<_> = noted
        .filter(|request| request["path"] == path.as_str())
        .map(|request| request["status"].clone())
        .collect();
    assert_eq!(statuses, [json!(404), json!(200)]);
}

#[tokio::test]
async fn files_that_cannot_be_read_are_refused() {
    let scene = Scene::new().await;
    for files in [
        json!("x"),
        json!([{"name": "a"}]),
        json!([{"base64": "YQ=="}]),
        json!([{"name": "a", "base64": "no base64!"}]),
    ] {
        let body = json!({
            "user": scene.person, "channel": scene.channel, "content": "x", "files": files,
        });
        let (status, answer) = scene.bench.control("POST", "say", body).await;
        assert_eq!((status, &answer["code"]), (400, &json!("bad-request")));
    }
}
