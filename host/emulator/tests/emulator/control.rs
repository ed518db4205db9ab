use std::time::{Duration, Instant};

use futures_util::StreamExt;
use ostler_emulator::{Emulator, Options};
use serde_json::{Value, json};

use crate::bench::{Bench, CONTROL, Scene, id, options};

#[tokio::test]
async fn the_control_api_needs_its_token_and_a_loopback_name() {
    let bench = Bench::start().await;
    let url = format!("{}/_emulator/state", bench.running.origin());
    let send = |headers: Vec<(&'static str, String)>| {
        let mut request = bench.http.get(&url);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        async move { request.send().await.unwrap().status().as_u16() }
    };
    let good = || ("authorization", format!("Bearer {CONTROL}"));
    let port = bench.running.address().port();
    assert_eq!(send(vec![good()]).await, 200);
    assert_eq!(send(vec![]).await, 401);
    assert_eq!(
        send(vec![("authorization", "Bearer wrong".into())]).await,
        401
    );
    assert_eq!(
        send(vec![good(), ("host", "evil.example".into())]).await,
        403
    );
    assert_eq!(
        send(vec![good(), ("host", format!("127.0.0.1:{}", port ^ 1))]).await,
        403
    );
    assert_eq!(
        send(vec![good(), ("host", format!("localhost:{port}"))]).await,
        200
    );
    assert_eq!(
        send(vec![good(), ("origin", "http://evil.example".into())]).await,
        403
    );
    assert_eq!(send(vec![good(), ("origin", "null".into())]).await, 403);
    assert_eq!(
        send(vec![good(), ("origin", bench.running.origin())]).await,
        200
    );
}

#[tokio::test]
async fn without_a_token_there_is_no_control_api() {
    let bench = Bench::with(Options {
        control_token: None,
        ..options()
    })
    .await;
    assert_eq!(bench.control("GET", "state", Value::Null).await.0, 404);
    assert_eq!(bench.running.control_token(), None);
}

#[tokio::test]
async fn only_loopback_is_listened_on() {
    let options = Options {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..options()
    };
    let error = Emulator::start(options).await.unwrap_err();
    assert_eq!(error.code(), "emulator-not-loopback");
    let bench = Bench::start().await;
    let options = Options {
        listen: bench.running.address(),
        ..options_again()
    };
    assert_eq!(
        Emulator::start(options).await.unwrap_err().code(),
        "emulator-listen"
    );
}

fn options_again() -> Options {
    options()
}

#[tokio::test]
async fn the_state_names_everything() {
    let scene = Scene::new().await;
    let state = scene.bench.look("state").await;
    assert_eq!(
        state["guilds"][0]["id"].as_str(),
        Some(scene.guild.as_str())
    );
    assert_eq!(state["channels"].as_array().unwrap().len(), 2);
    assert_eq!(state["threads"], json!([]));
    let names: Vec<_> = state["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|user| user["username"].clone())
        .collect();
    assert_eq!(names, ["operator", "guest", "ostler"]);
    assert!(!state.to_string().contains(&scene.token));
    assert_eq!(
        state["members"][0]["guild"].as_str(),
        Some(scene.guild.as_str())
    );
}

#[tokio::test]
async fn requests_are_kept_without_the_token() {
    let scene = Scene::new().await;
    scene.send(json!({"content": "hello"})).await.ok();
    scene.get("/channels/1").await;
    let seen = scene.bench.look("requests").await;
    let [first, second] = seen.as_array().unwrap().as_slice() else {
        panic!("{seen}")
    };
    assert_eq!(first["method"], "POST");
    assert_eq!(
        first["path"],
        format!("/api/v10/channels/{}/messages", scene.channel)
    );
    assert_eq!(first["body"], json!({"content": "hello"}));
    assert_eq!(first["status"], 200);
    assert_eq!(first["response"]["content"], "hello");
    assert_eq!(second["status"], 404);
    assert!(!seen.to_string().contains(&scene.token));
    let since = scene
        .bench
        .look(&format!("requests?since={}", first["n"]))
        .await;
    assert_eq!(since.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn requests_fail_and_are_late_as_asked() {
    let scene = Scene::new().await;
    let fail = json!({"method": "GET", "path_regex": "/users/@me$", "status": 500, "times": 2});
    scene.bench.make("fail", fail).await;
    for _ in 0..2 {
        let url = format!("{}/api/v10/users/@me", scene.bench.running.origin());
        let response = scene.bench.http.get(url).send().await.unwrap();
        assert_eq!(response.status(), 500);
    }
    scene.get("/users/@me").await.ok();
    let limited = json!({"path_regex": ".", "status": 429, "retry_after": 0.25});
    scene.bench.make("fail", limited).await;
    let refused = scene.get("/users/@me").await;
    assert_eq!(refused.header("retry-after"), Some("0.25"));
    assert_eq!(refused.body["retry_after"], 0.25);
    scene
        .bench
        .make("fail", json!({"path_regex": ".", "delay_ms": 200}))
        .await;
    let started = Instant::now();
    scene.get("/users/@me").await.ok();
    assert!(started.elapsed() >= Duration::from_millis(200));
    let broken = scene
        .bench
        .control("POST", "fail", json!({"path_regex": "(", "status": 500}))
        .await;
    assert_eq!(broken.0, 400);
}

#[tokio::test]
async fn a_reset_empties_everything_and_ids_go_on() {
    let scene = Scene::new().await;
    let before: u64 = scene.channel.parse().unwrap();
    scene.bench.make("reset", json!({})).await;
    let state = scene.bench.look("state").await;
    assert_eq!(state["guilds"], json!([]));
    assert_eq!(state["users"], json!([]));
    assert_eq!(scene.get("/users/@me").await.status, 401);
    let user = scene
        .bench
        .make("users", json!({"username": "first"}))
        .await;
    assert!(id(&user).parse::<u64>().unwrap() > before);
}

#[tokio::test]
async fn a_bot_may_be_made_with_a_token() {
    let bench = Bench::start().await;
    let body = json!({"username": "ostler", "bot": true, "token": "a.b.c"});
    let bot = bench.make("users", body.clone()).await;
    assert_eq!(
        (&bot["bot"], &bot["token"]),
        (&json!(true), &json!("a.b.c"))
    );
    bench
        .call("a.b.c", "GET", "/users/@me", Value::Null)
        .await
        .ok();
    assert_eq!(bench.control("POST", "users", body).await.0, 409);
    let person = bench.make("users", json!({"username": "guest"})).await;
    assert!(person.get("token").is_none());
}

#[tokio::test]
async fn wrong_requests_are_told_what_is_wrong() {
    let scene = Scene::new().await;
    for (path, body) in [
        ("users", json!({})),
        ("guilds", json!({"name": 1})),
        ("say", json!({"user": "x"})),
        ("press", json!({"user": scene.person, "custom_id": "x"})),
        ("gateway", json!({"action": "explode"})),
        ("gateway", json!({"action": "close", "code": 1006})),
        ("channels", json!([])),
    ] {
        let (status, answer) = scene.bench.control("POST", path, body).await;
        assert_eq!(
            (status, answer["code"].as_str()),
            (400, Some("bad-request")),
            "{path}"
        );
    }
    assert_eq!(
        scene
            .bench
            .control("GET", "messages?channel=1", Value::Null)
            .await
            .0,
        404
    );
}

#[tokio::test]
async fn changes_are_streamed() {
    let scene = Scene::new().await;
    let url = format!("{}/_emulator/events", scene.bench.running.origin());
    let response = scene
        .bench
        .http
        .get(url)
        .bearer_auth(CONTROL)
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut stream = response.bytes_stream();
    stream.next().await.unwrap().unwrap();
    let said = scene.say(&scene.person, "hello").await;
    let mut text = String::new();
    while !text.contains("message_create") {
        let part = tokio::time::timeout(Duration::from_secs(5), stream.next())
            .await
            .unwrap();
        text.push_str(std::str::from_utf8(&part.unwrap().unwrap()).unwrap());
    }
    let line = text
        .lines()
        .find(|line| line.starts_with("data: "))
        .unwrap();
    let notice: Value = serde_json::from_str(line.trim_start_matches("data: ")).unwrap();
    assert_eq!(notice["type"], "message_create");
    assert_eq!(
        (&notice["channel"], &notice["id"]),
        (&said["channel_id"], &said["id"])
    );
}

#[tokio::test]
async fn a_page_says_what_this_is() {
    let bench = Bench::start().await;
    let page = bench.http.get(bench.running.origin()).send().await.unwrap();
    assert!(page.text().await.unwrap().contains("emulator"));
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_open_connections() {
    let scene = Scene::new().await;
    let (_socket, _) = crate::socket::Socket::online(&scene).await;
    let url = format!("{}/_emulator/events", scene.bench.running.origin());
    let _events = scene
        .bench
        .http
        .get(url)
        .bearer_auth(CONTROL)
        .send()
        .await
        .unwrap();
    let started = Instant::now();
    scene.bench.running.shutdown().await;
    assert!(started.elapsed() < Duration::from_millis(1_500));
}
