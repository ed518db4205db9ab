use std::time::Duration;

use ostler_emulator::{Options, RateLimits, RouteLimit, Window};
use serde_json::{Value, json};

use crate::bench::{Bench, Scene, options};

async fn scene(rate_limits: RateLimits) -> Scene {
    Scene::on(
        Bench::with(Options {
            rate_limits,
            ..options()
        })
        .await,
    )
    .await
}

fn window(limit: u32, milliseconds: u64) -> Window {
    Window {
        limit,
        length: Duration::from_millis(milliseconds),
    }
}

#[tokio::test]
async fn a_full_bucket_answers_429_until_it_is_empty() {
    let route = "channels/{channel.id}/messages";
    let routes = vec![RouteLimit {
        method: "POST",
        route,
        window: window(2, 600),
    }];
    let scene = scene(RateLimits {
        routes,
        ..RateLimits::none()
    })
    .await;
    let first = scene.send(json!({"content": "1"})).await;
    assert_eq!(first.header("x-ratelimit-limit"), Some("2"));
    assert_eq!(first.header("x-ratelimit-remaining"), Some("1"));
    assert!(first.header("x-ratelimit-bucket").is_some());
    let after: f64 = first
        .header("x-ratelimit-reset-after")
        .unwrap()
        .parse()
        .unwrap();
    assert!(after <= 0.6);
    scene.send(json!({"content": "2"})).await.ok();
    let third = scene.send(json!({"content": "3"})).await;
    assert_eq!(third.status, 429);
    assert_eq!(third.header("retry-after"), Some("1"));
    assert_eq!(third.header("x-ratelimit-scope"), Some("user"));
    assert_eq!(third.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(third.body["global"], false);
    let wait = third.body["retry_after"].as_f64().unwrap();
    assert!(wait > 0.0 && wait <= 0.6, "{wait}");
    // Another channel is another bucket.
    let body = json!({"guild": scene.guild, "name": "other"});
    let other = crate::bench::id(&scene.bench.make("channels", body).await);
    let path = format!("/channels/{other}/messages");
    scene
        .call("POST", &path, json!({"content": "x"}))
        .await
        .ok();
    tokio::time::sleep(Duration::from_secs_f64(wait + 0.02)).await;
    scene.send(json!({"content": "3"})).await.ok();
}

#[tokio::test]
async fn the_global_limit_spares_callbacks() {
    let scene = scene(RateLimits {
        global_per_second: 3,
        ..RateLimits::none()
    })
    .await;
    for _ in 0..3 {
        scene.get("/users/@me").await.ok();
    }
    let refused = scene.get("/users/@me").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.body["global"], true);
    assert_eq!(refused.header("x-ratelimit-scope"), Some("global"));
    assert_eq!(refused.header("x-ratelimit-global"), Some("true"));
    let callback = scene
        .call("POST", "/interactions/1/x/callback", json!({"type": 6}))
        .await;
    assert_eq!(callback.refused(), (404, 10062));
    let other = scene.another_bot(0).await.1;
    scene
        .bench
        .call(&other, "GET", "/users/@me", Value::Null)
        .await
        .ok();
}

#[tokio::test]
async fn the_defaults_are_like_discords() {
    let limits = RateLimits::default();
    assert_eq!(limits.global_per_second, 50);
    let scene = scene(limits).await;
    for _ in 0..5 {
        scene.send(json!({"content": "x"})).await.ok();
    }
    assert_eq!(scene.send(json!({"content": "x"})).await.status, 429);
}
