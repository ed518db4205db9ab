use std::fs;
use std::path::Path;
use std::time::Duration;

use ostler_emulator::{Emulator, Options, Seed, SeedUser};
use serde_json::{Value, json};

use crate::bench::{BOT, Bench, Scene, id, options};

fn kept(path: &Path) -> Options {
    Options {
        state_file: Some(path.to_owned()),
        ..options()
    }
}

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("emulator.json");
    let mut scene = Scene::on(Bench::with(kept(&path)).await).await;
    let messages = format!("/channels/{}/messages", scene.channel);
    let files: [(&str, &str, &[u8]); 1] = [("files[0]", "a.txt", b"oats")];
    let sent = scene
        .bench
        .upload(&scene.token, "POST", &messages, &json!({}), &files)
        .await
        .ok();
    let before = scene.bench.look("state").await;
    scene.bench.running.shutdown().await;

    scene.bench = Bench::with(kept(&path)).await;
    let after = scene.bench.look("state").await;
    assert_eq!(before, after);
    let listed = scene.get(&messages).await.ok();
    assert_eq!(listed[0]["id"], sent["id"]);
    let url = listed[0]["attachments"][0]["url"].as_str().unwrap();
    let bytes = scene
        .bench
        .http
        .get(url)
        .send()
        .await
        .unwrap()
        .bytes()
        .await
        .unwrap();
    assert_eq!(bytes.as_ref(), b"oats");
    let next = scene.send(json!({"content": "next"})).await.ok();
    assert!(id(&next).parse::<u64>().unwrap() > id(&sent).parse::<u64>().unwrap());
}

#[tokio::test]
async fn a_change_is_on_disk_soon_without_a_shutdown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("emulator.json");
    let scene = Scene::on(Bench::with(kept(&path)).await).await;
    scene.send(json!({"content": "remember me"})).await.ok();
    tokio::time::sleep(Duration::from_millis(500)).await;
    // What a kill would leave behind.
    let copy = folder.path().join("copy.json");
    fs::copy(&path, &copy).unwrap();
    let second = Bench::with(kept(&copy)).await;
    let listed = second
        .look(&format!("messages?channel={}", scene.channel))
        .await;
    assert_eq!(listed[0]["content"], "remember me");
}

#[tokio::test]
async fn a_damaged_state_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("emulator.json");
    for text in [
        "",
        "{",
        "{\"format\":\"other\",\"world\":{}}",
        "{\"format\":\"ostler-emulator-1\",\"world\":{}}",
    ] {
        fs::write(&path, text).unwrap();
        let error = Emulator::start(kept(&path)).await.unwrap_err();
        assert_eq!(error.code(), "emulator-state-corrupt", "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, [0xFF, 0xFE]).unwrap();
    let error = Emulator::start(kept(&path)).await.unwrap_err();
    assert_eq!(error.code(), "emulator-state-corrupt");
}

#[cfg(unix)]
#[tokio::test]
async fn the_state_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("emulator.json");
    let _running = Emulator::start(kept(&path)).await.unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[tokio::test]
async fn seeding_twice_makes_nothing_new() {
    let bench = Bench::start().await;
    let seed = Seed {
        guild: "Stables".to_owned(),
        bot: "ostler".to_owned(),
        bot_permissions: BOT,
        text_channels: vec!["general".to_owned()],
        forums: vec!["ideas".to_owned()],
        users: ["operator", "admin", "guest"]
            .map(|name| SeedUser {
                username: name.to_owned(),
                administrator: name == "admin",
            })
            .to_vec(),
        ..Seed::default()
    };
    let first = bench.running.seed(&seed).unwrap();
    assert!(first.created);
    let state = bench.look("state").await;
    let second = bench.running.seed(&seed).unwrap();
    assert!(!second.created);
    assert_eq!(bench.look("state").await, state);
    assert_eq!(first.bot_token, second.bot_token);
    let path = format!("/channels/{}/messages", first.channels["general"]);
    bench
        .call(&first.bot_token, "POST", &path, json!({"content": "hi"}))
        .await
        .ok();
    let path = format!("/guilds/{}/members/{}", first.guild, first.users["admin"]);
    let admin = bench
        .call(&first.bot_token, "GET", &path, Value::Null)
        .await
        .ok();
    assert_eq!(admin["roles"].as_array().unwrap().len(), 1);
}
