//! The API: what waits, and the answers of whoever holds its token.

use serde_json::{Value, json};

use crate::code;
use crate::elsewhere_support::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn the_api_shows_what_waits_and_takes_the_owners_answer() {
    let scene = Scene::new().await;
    let api = scene.api();
    assert_eq!(api.get("approvals").await, (200, json!({"approvals": []})));
    let card = scene.asked("mark one").await;
    let ask = card.ask();
    let (status, listed) = api.get("approvals").await;
    assert_eq!(status, 200);
    let [shown] = listed["approvals"].as_array().expect("a list").as_slice() else {
        panic!("one ask: {listed}");
    };
    for (key, value) in [
        ("id", json!(ask)),
        ("class", json!("host")),
        ("tool", json!("shell")),
        ("tier", json!("owner")),
        ("state", json!("pending")),
        ("ending", Value::Null),
        ("asker", json!(scene.discord.user("operator"))),
        ("channel", json!(scene.general)),
        ("message", json!(card.id())),
        ("is_for_owner", json!(false)),
    ] {
        assert_eq!(shown[key], value, "{key}: {shown}");
    }
    assert_eq!(shown["subject"]["kind"], "command");
    assert_eq!(shown["subject"]["command"], "echo one >> marks");
    assert_eq!(shown["reasons"][0]["by"], "host");
    let digest = shown["text_digest"].as_str().expect("a digest");
    assert!(card.content().contains(&digest[7..]), "{}", card.content());

    let path = format!("approvals/{ask}");
    assert_eq!(
        api.post_as_a_stranger(&format!("{path}/approve")).await.0,
        401
    );
    let (status, body) = api
        .post(&format!("{path}/approve"), "{\"always\": true}")
        .await;
    assert_eq!((status, code(&body)), (400, "body-invalid"));
    assert_eq!(scene.marks("one"), 0);

    let (status, settled) = api.post(&format!("{path}/approve"), "").await;
    assert_eq!(status, 200, "{settled}");
    assert_eq!(settled["ending"], "approved");
    assert_eq!(settled["decided_via"], "cli");
    assert_eq!(settled["decided_by"], "local:cli");
    scene.wait_for_mark("one").await;
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(
        ended.content().contains("the owner on the command line"),
        "{}",
        ended.content()
    );

    // A second answer changes nothing, and tells what stands.
    for verb in ["approve", "deny"] {
        let (status, body) = api.post(&format!("{path}/{verb}"), "").await;
        assert_eq!((status, code(&body)), (409, "approval-settled"), "{verb}");
        assert_eq!(body["approval"]["ending"], "approved");
    }
    assert_eq!(scene.marks("one"), 1);
    assert_eq!(api.get("approvals").await.1, json!({"approvals": []}));
    for state in ["past", "all"] {
        let (_, listed) = api.get(&format!("approvals?state={state}")).await;
        assert_eq!(listed["approvals"][0]["id"], ask, "{state}");
    }
    let (_, none) = api.get("approvals?state=past&limit=0").await;
    assert_eq!(none, json!({"approvals": []}));
    assert_eq!(api.get("approvals?state=mine").await.0, 400);
    // The mark is there a moment before the host has noted that the effect ended.
    let one = scene
        .wait_for_ask(&ask, |ask| ask["effect_outcome"] == "done")
        .await;
    let kinds: Vec<&str> = one["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| step["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(
        kinds,
        ["asked", "approved", "effect-started", "effect-ended"]
    );
    for id in ["0".repeat(32), "zzz".to_owned(), ask[..31].to_owned()] {
        let (status, body) = api.get(&format!("approvals/{id}")).await;
        assert_eq!((status, code(&body)), (404, "approval-unknown"), "{id}");
        let (status, body) = api.post(&format!("approvals/{id}/deny"), "").await;
        assert_eq!((status, code(&body)), (404, "approval-unknown"), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_its_askers_and_without_an_owner_nobody_answers() {
    let scene = Scene::new().await;
    let api = scene.api();
    let question = scene.asked("choose").await;
    let (status, body) = api
        .post(&format!("approvals/{}/approve", question.ask()), "")
        .await;
    assert_eq!((status, code(&body)), (422, "approval-is-question"));
    scene.run(&["approvals", "deny", &question.ask()]).ended(1);
    let pages = scene.signed_in().await;
    let page = pages.get(&format!("/approvals/{}", question.ask())).await;
    assert!(page.text.contains("Which branch?"), "{}", page.text);
    assert!(!page.text.contains("Approve once"), "{}", page.text);
    assert!(scene.discord.wait_for_card(&scene.general).await.is_open());
    scene.discord.press("operator", &question, "1. main").await;
    scene.discord.wait_for_end_of(&question).await;

    let card = scene.asked("mark two").await;
    let profile = std::fs::read_to_string(scene.served.profile_file()).expect("a profile");
    let owned = format!("owner_id = \"{}\"\n", scene.discord.user("operator"));
    assert!(profile.contains(&owned), "{profile}");
    scene.served.write_profile(&profile.replace(&owned, ""));
    let (status, body) = api
        .post(&format!("approvals/{}/approve", card.ask()), "")
        .await;
    assert_eq!((status, code(&body)), (403, "no-owner"));
    let refused = scene
        .run(&["approvals", "approve", &card.ask(), "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(code(&refused), "no-owner");
    let page = pages.answer(&card.ask(), "approve", "").await;
    assert_eq!(page.status, 403);
    assert!(page.text.contains("no owner"), "{}", page.text);
    scene.served.write_profile(&profile);
    assert_eq!(scene.marks("two"), 0);
    let (status, body) = api
        .post(&format!("approvals/{}/deny", card.ask()), "")
        .await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_its_window_nothing_can_be_answered() {
    let scene = Scene::new().await;
    let pages = scene.signed_in().await;
    let card = scene.asked("mark three").await;
    let csrf = pages.csrf().await;
    scene.expire(&card.ask());
    let path = format!("approvals/{}/approve", card.ask());
    let (status, body) = scene.api().post(&path, "").await;
    // Before the host's own sweep comes it is too late; after it, it has ended.
    let told = (status, code(&body));
    assert!(
        told == (410, "approval-expired") || told == (409, "approval-settled"),
        "{body}"
    );
    assert_ne!(body["approval"]["ending"], "approved");
    let page = pages.post(&format!("/{path}"), &[("csrf", &csrf)]).await;
    assert!([409, 410].contains(&page.status), "{}", page.text);
    assert!(page.text.contains("nothing ran"), "{}", page.text);
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Expired"), "{}", ended.content());
    let refused = scene.run(&["approvals", "approve", &card.ask()]).ended(1);
    assert!(refused.stderr().contains("nobody answered"), "{refused}");
    assert_eq!(scene.marks("three"), 0);
}
