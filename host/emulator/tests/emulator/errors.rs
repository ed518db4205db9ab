use serde_json::{Value, json};

use crate::bench::{Scene, id};

/// The codes at one field of an error tree.
fn codes(body: &Value, pointer: &str) -> Vec<String> {
    let list = body.pointer(&format!("/errors{pointer}/_errors"));
    let list = list.and_then(Value::as_array).cloned().unwrap_or_default();
    list.iter()
        .map(|error| error["code"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn wrong_tokens_and_unknown_things_are_refused() {
    let scene = Scene::new().await;
    for token in ["", "nonsense"] {
        let reply = scene
            .bench
            .call(token, "GET", "/users/@me", Value::Null)
            .await;
        assert_eq!(reply.status, 401);
        assert_eq!(
            reply.body,
            json!({"message": "401: Unauthorized", "code": 0})
        );
    }
    assert_eq!(scene.get("/channels/4242").await.refused(), (404, 10003));
    assert_eq!(scene.get("/guilds/4242").await.refused(), (404, 10004));
    assert_eq!(scene.get("/users/4242").await.refused(), (404, 10013));
    let member = format!("/guilds/{}/members/4242", scene.guild);
    assert_eq!(scene.get(&member).await.refused(), (404, 10007));
    let role = format!("/guilds/{}/roles/4242", scene.guild);
    assert_eq!(
        scene.call("PATCH", &role, json!({})).await.refused(),
        (404, 10011)
    );
    assert_eq!(scene.get("/channels/abc").await.refused(), (400, 50035));
}

#[tokio::test]
async fn unknown_routes_are_not_found_with_code_0() {
    let scene = Scene::new().await;
    for path in ["/nothing", "/guilds/1/audit-logs", "/stage-instances/1"] {
        let reply = scene.get(path).await;
        assert_eq!(reply.refused(), (404, 0), "{path}");
        assert_eq!(reply.body["message"], "404: Not Found");
    }
}

#[tokio::test]
async fn empty_messages_are_refused() {
    let scene = Scene::new().await;
    let buttons = json!([{"type": 1, "components": [
        {"type": 2, "style": 1, "label": "A", "custom_id": "a"},
    ]}]);
    for body in [
        json!({}),
        json!({"content": "   "}),
        json!({"embeds": [{}]}),
        json!({"components": buttons}),
    ] {
        assert_eq!(
            scene.send(body.clone()).await.refused(),
            (400, 50006),
            "{body}"
        );
    }
}

#[tokio::test]
async fn limits_are_named_where_they_are_broken() {
    let scene = Scene::new().await;
    let button =
        |n: usize| json!({"type": 2, "style": 1, "label": "A", "custom_id": format!("b{n}")});
    let row = |from: usize, count: usize| json!({"type": 1, "components": (from..from + count).map(button).collect::<Vec<_>>()});
    let twice = json!({"type": 1, "components": [button(1), button(1)]});
    let anonymous = json!({"type": 1, "components": [{"type": 2, "style": 1, "label": "A"}]});
    let long = json!({"description": "x".repeat(3001)});
    let cases = [
        (
            json!({"content": "x".repeat(2001)}),
            "/content",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (
            json!({"content": "x", "components": (0..6).map(|n| row(n, 1)).collect::<Vec<_>>()}),
            "/components",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (
            json!({"content": "x", "components": [row(0, 6)]}),
            "/components/0/components",
            "BASE_TYPE_BAD_LENGTH",
        ),
        (
            json!({"content": "x", "components": [twice]}),
            "/components",
            "COMPONENT_CUSTOM_ID_DUPLICATED",
        ),
        (
            json!({"content": "x", "components": [anonymous]}),
            "/components/0/components/0/custom_id",
            "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED",
        ),
        (
            json!({"embeds": [long, long]}),
            "/embeds",
            "MAX_EMBED_SIZE_EXCEEDED",
        ),
        (
            json!({"content": "x", "contents": "y"}),
            "/contents",
            "UNKNOWN_FIELD",
        ),
        (
            json!({"content": "x", "nonce": "n".repeat(26)}),
            "/nonce",
            "NONCE_TYPE_TOO_LONG",
        ),
        (
            json!({"content": "x", "embeds": [{"url": "nowhere"}]}),
            "/embeds/0/url",
            "URL_TYPE_INVALID_URL",
        ),
        (
            json!({"content": "x", "allowed_mentions": {"parse": ["all"]}}),
            "/allowed_mentions/parse/0",
            "BASE_TYPE_CHOICES",
        ),
    ];
    for (body, pointer, code) in cases {
        let reply = scene.send(body.clone()).await;
        assert_eq!(reply.refused(), (400, 50035), "{body}");
        assert_eq!(reply.body["message"], "Invalid Form Body");
        assert!(
            codes(&reply.body, pointer).iter().any(|c| c == code),
            "{body}: {}",
            reply.body
        );
    }
    // Counted in characters, not in bytes.
    assert_eq!(
        scene
            .send(json!({"content": "ü".repeat(2000)}))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn garbage_is_answered_and_nothing_breaks() {
    let scene = Scene::new().await;
    let origin = scene.bench.running.origin();
    let path = format!("/channels/{}/messages", scene.channel);
    let url = format!("{origin}/api/v10{path}");
    let post = |content_type: &str, body: &'static [u8]| {
        scene
            .bench
            .http
            .post(&url)
            .header("authorization", format!("Bot {}", scene.token))
            .header("content-type", content_type)
            .body(body)
    };
    let broken = scene
        .bench
        .finish("POST", &path, post("application/json", b"{\"content\""))
        .await;
    assert_eq!(broken.refused(), (400, 50109));
    let form = post("multipart/form-data; boundary=x", b"no form at all");
    assert_eq!(scene.bench.finish("POST", &path, form).await.status, 400);
    for body in [
        json!([]),
        json!("text"),
        json!({"embeds": {"a": 1}}),
        json!({"components": [1]}),
    ] {
        assert_eq!(
            scene.send(body.clone()).await.refused(),
            (400, 50035),
            "{body}"
        );
    }
    for path in [
        "//",
        "/%FF%00/%zz",
        "/channels//messages",
        "/webhooks/1/2/messages/x",
    ] {
        let status = scene.get(path).await.status;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
    assert_eq!(
        scene.send(json!({"content": "still here"})).await.status,
        200
    );
}

#[tokio::test]
async fn an_audit_log_reason_is_kept_and_has_a_limit() {
    let scene = Scene::new().await;
    let url = |path: &str| format!("{}/api/v10{path}", scene.bench.running.origin());
    let path = format!("/channels/{}", scene.channel);
    let patch = |reason: String| {
        scene
            .bench
            .http
            .patch(url(&path))
            .header("authorization", format!("Bot {}", scene.token))
            .header("x-audit-log-reason", reason)
            .json(&json!({"topic": "hay"}))
    };
    scene
        .bench
        .finish("PATCH", &path, patch("spring%20cleaning".into()))
        .await
        .ok();
    let seen = scene.bench.look("requests").await;
    assert_eq!(
        seen.as_array().unwrap().last().unwrap()["reason"],
        "spring cleaning"
    );
    let refused = scene
        .bench
        .finish("PATCH", &path, patch("x".repeat(513)))
        .await;
    assert_eq!(refused.refused(), (400, 50035));
}

#[tokio::test]
async fn system_messages_cannot_be_touched() {
    let scene = Scene::new().await;
    let body = json!({"name": "loose", "type": 11});
    let path = format!("/channels/{}/threads", scene.channel);
    scene.call("POST", &path, body).await.ok();
    let listed = scene
        .get(&format!("/channels/{}/messages", scene.channel))
        .await
        .ok();
    assert_eq!(listed[0]["type"], 18);
    let path = format!("/channels/{}/messages/{}", scene.channel, id(&listed[0]));
    let edit = scene.call("PATCH", &path, json!({"content": "x"})).await;
    assert_eq!(edit.refused(), (403, 50021));
}
