//! Clicks: acknowledged at once, told once, and never lost quietly.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/double.rs"]
mod double;

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use double::{Answer, Double};
use ostler_agent::{
    Acknowledgement, Change, Channel as _, Edit, Fact, Form, FormField, PermissionBits, Post,
};
use serde_json::{Value, json};
use support::{
    Connected, Discord, Disk, Memory, Told, button, connect, eventually, options, start,
};

async fn card(discord: &Discord, connected: &Connected, custom_id: &str) -> String {
    let mut post = Post::text(
        discord.channel.parse().unwrap(),
        "Allow?".to_owned(),
        custom_id.to_owned(),
    );
    post.components = Some(button(custom_id));
    connected.adapter.post(&post).await.unwrap().to_string()
}

async fn press(discord: &Discord, user: &str, message: &str, custom_id: &str) -> Value {
    let body = json!({"user": user, "message": message, "custom_id": custom_id});
    discord.control("press", body).await
}

#[tokio::test]
async fn a_click_is_acknowledged_judged_and_answered_in_private() {
    let discord = Discord::start().await;
    let connected = connect(&discord).await;
    *connected.inbox.private.lock().unwrap() = Some("Only operators may.".to_owned());
    let card = card(&discord, &connected, "yes").await;
    let pressed = press(&discord, &discord.ada, &card, "yes").await;
    assert_eq!(pressed["response"]["type"], 6, "{pressed}");
    assert!(pressed["acknowledged_ms"].as_u64().unwrap() < 2500);
    let click = connected.inbox.click("yes").await;
    assert_eq!(click.person.id.as_str(), discord.ada);
    assert_eq!(click.message.unwrap().as_str(), card);
    assert_eq!(click.place.unwrap().channel.as_str(), discord.channel);
    let Fact::Known(member) = click.member else {
        panic!("{:?}", click.member);
    };
    assert!(member.permissions.0 != 0);
    assert!(!member.permissions.contains(PermissionBits::ADMINISTRATOR));
    let private = eventually("the private answer", async || {
        let seen = discord.messages(&discord.channel, &discord.ada).await;
        seen.into_iter()
            .find(|message| message["content"] == "Only operators may.")
    })
    .await;
    assert_eq!(
        private["flags"].as_u64().unwrap() & 64,
        64,
        "it is ephemeral"
    );
    let others = discord.messages(&discord.channel, &discord.owner).await;
    assert!(
        others
            .iter()
            .all(|message| message["content"] != "Only operators may.")
    );
    assert!(
        connected.inbox.texts().is_empty(),
        "the bot's own follow-up wakes nobody"
    );
    connected.adapter.shutdown().await;
}

#[tokio::test]
async fn a_click_does_not_wait_for_messages_of_its_channel() {
    let discord = Discord::start().await;
    let connected = connect(&discord).await;
    let card = card(&discord, &connected, "yes").await;
    *connected.inbox.held.lock().unwrap() = Some(discord.channel.parse().unwrap());
    discord.say("held").await;
    let pressed = press(&discord, &discord.owner, &card, "yes").await;
    assert_eq!(pressed["response"]["type"], 6, "{pressed}");
    let click = connected.inbox.click("yes").await;
    let member = click.member.known().unwrap().clone();
    assert!(
        member.permissions.contains(PermissionBits::ADMINISTRATOR),
        "she owns the server"
    );
    assert!(connected.inbox.texts().is_empty());
    connected.adapter.shutdown().await;
}

#[tokio::test]
async fn a_form_opens_and_its_submission_is_another_click() {
    let discord = Discord::start().await;
    let connected = connect(&discord).await;
    let card = card(&discord, &connected, "why").await;
    *connected.inbox.form.lock().unwrap() = Some(form());
    let pressed = press(&discord, &discord.ada, &card, "why").await;
    assert_eq!(pressed["response"]["type"], 9, "{pressed}");
    *connected.inbox.form.lock().unwrap() = None;
    let submission = json!({"user": discord.ada, "message": card, "custom_id": "reason",
                            "fields": {"text": "too risky"}});
    let submitted = discord.control("press", submission).await;
    assert_eq!(submitted["response"]["type"], 6, "{submitted}");
    let click = connected.inbox.click("reason").await;
    assert_eq!(click.fields, [("text".to_owned(), "too risky".to_owned())]);
    connected.adapter.shutdown().await;
}

#[tokio::test]
async fn a_click_while_the_connection_is_lost_arrives_after_the_resume() {
    let discord = Discord::start().await;
    let connected = connect(&discord).await;
    let card = card(&discord, &connected, "yes").await;
    discord.gateway(json!({"action": "drop"})).await;
    let pressed = press(&discord, &discord.ada, &card, "yes").await;
    assert_eq!(pressed["response"]["type"], 6, "{pressed}");
    connected.inbox.click("yes").await;
    connected.adapter.shutdown().await;
}

async fn connected_double() -> (Double, ostler_discord::Adapter, Arc<Memory>, Disk) {
    let double = Double::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&double.origin), &disk, &inbox).await;
    inbox.connected(1).await;
    (double, adapter, inbox, disk)
}

fn interaction(id: &str) -> Value {
    json!({
        "id": id, "application_id": "1002", "token": "itoken", "type": 3, "version": 1,
        "guild_id": "5", "channel_id": "6", "channel": {"id": "6", "type": 0},
        "data": {"custom_id": format!("press {id}"), "component_type": 2},
        "message": {"id": "7"},
        "member": {"user": {"id": "8", "username": "ada"}, "roles": ["9"],
                   "permissions": "1267650600228229401496703205376"},
    })
}

#[tokio::test]
async fn an_interaction_with_unknown_parts_is_handled_whole_and_unknown_permission_bits_stay() {
    let (double, adapter, inbox, _disk) = connected_double().await;
    let mut odd = interaction("11");
    odd["message"] = json!({"id": "7", "type": 999, "poll": {"answers": "?"}, "components": 3});
    odd["entitlements"] = json!("none");
    odd.as_object_mut().unwrap().remove("version");
    double.event("INTERACTION_CREATE", &odd);
    let click = inbox.click("press 11").await;
    assert_eq!(click.member.known().unwrap().permissions.0, 1 << 100);
    let callbacks = double.requests("/interactions/11/itoken/callback");
    assert_eq!(callbacks.len(), 1);
    assert_eq!(callbacks[0].2, json!({"type": 6}));
    assert_eq!(adapter.health().unreadable_interactions, 0);
    adapter.shutdown().await;
}

#[tokio::test]
async fn an_interaction_that_cannot_be_read_is_counted_and_answered() {
    let (double, adapter, inbox, _disk) = connected_double().await;
    let mut nobody = interaction("12");
    nobody["member"] = json!({"user": "ada"});
    double.event("INTERACTION_CREATE", &nobody);
    let mut nothing = interaction("13");
    nothing["data"] = json!(null);
    double.event("INTERACTION_CREATE", &nothing);
    let mut nowhere = interaction("14");
    nowhere["channel"] = json!(null);
    double.event("INTERACTION_CREATE", &nowhere);
    let partial = inbox.click("press 14").await;
    assert_eq!(partial.place, None);
    eventually("both answers", async || {
        (double.requests("/callback").len() == 3).then_some(())
    })
    .await;
    for id in ["12", "13"] {
        let answer = &double.requests(&format!("/interactions/{id}/"))[0].2;
        assert_eq!(answer["type"], 4);
        assert_eq!(answer["data"]["flags"], 64);
        assert!(
            answer["data"]["content"]
                .as_str()
                .unwrap()
                .contains("Nothing was decided")
        );
    }
    assert_eq!(adapter.health().unreadable_interactions, 3);
    let clicks = inbox
        .all()
        .iter()
        .filter(|told| matches!(told, Told::Click(_)))
        .count();
    assert_eq!(clicks, 1, "only what says who pressed what is judged");
    adapter.shutdown().await;
}

#[tokio::test]
async fn absent_permissions_are_absent() {
    let (double, adapter, inbox, _disk) = connected_double().await;
    let mut bare = interaction("15");
    bare["member"]
        .as_object_mut()
        .unwrap()
        .remove("permissions");
    double.event("INTERACTION_CREATE", &bare);
    assert_eq!(inbox.click("press 15").await.member, Fact::Absent);
    adapter.shutdown().await;
}

#[tokio::test]
async fn events_that_are_replayed_are_told_once() {
    let (double, adapter, inbox, _disk) = connected_double().await;
    let message = |id: &str, text: &str| {
        json!({"id": id, "channel_id": "6", "type": 0, "content": text,
               "author": {"id": "8", "username": "ada"}})
    };
    let one = double.event("MESSAGE_CREATE", &message("21", "one"));
    let two = double.event("INTERACTION_CREATE", &interaction("22"));
    inbox.message("one").await;
    inbox.click("press 22").await;
    double.event_again("MESSAGE_CREATE", &message("21", "one"), one);
    double.event_again("INTERACTION_CREATE", &interaction("22"), two);
    double.event("MESSAGE_CREATE", &message("23", "two"));
    inbox.message("two").await;
    double.event("INTERACTION_CREATE", &interaction("24"));
    inbox.click("press 24").await;
    assert_eq!(inbox.texts(), ["one", "two"]);
    assert_eq!(double.requests("/interactions/22/").len(), 1);
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_click_counts_once_whatever_discord_says_of_its_acknowledgement() {
    let (double, adapter, inbox, _disk) = connected_double().await;
    *inbox.private.lock().unwrap() = Some("Noted.".to_owned());
    let acknowledged =
        json!({"code": 40060, "message": "Interaction has already been acknowledged."});
    double.answer("/interactions/31/", Answer::Json(400, acknowledged));
    let unknown = json!({"code": 10062, "message": "Unknown interaction"});
    double.answer("/interactions/32/", Answer::Json(404, unknown));
    let refused = json!({"code": 50035, "message": "Invalid Form Body"});
    double.answer("/interactions/33/", Answer::Json(400, refused));
    let broken = json!({"message": "500: Internal Server Error", "code": 0});
    double.answer("/interactions/34/", Answer::Json(500, broken));
    let limited = json!({"message": "limited", "retry_after": 9.0, "global": false});
    double.answer("/interactions/35/", Answer::Json(429, limited));
    let all = ["31", "32", "33", "34", "35"];
    let mut sequences = Vec::new();
    for id in all {
        let mut click = interaction(id);
        click["token"] = json!(format!("token-{id}"));
        sequences.push(double.event("INTERACTION_CREATE", &click));
        inbox.click(&format!("press {id}")).await;
        double.event_again("INTERACTION_CREATE", &click, *sequences.last().unwrap());
    }
    // One was acknowledged before, another one perhaps: only these may take a private answer.
    eventually("the private answers", async || {
        let told = |id: &str| {
            !double
                .requests(&format!("/webhooks/1002/token-{id}"))
                .is_empty()
        };
        (told("31") && told("34")).then_some(())
    })
    .await;
    for id in ["32", "33", "35"] {
        let told = double.requests(&format!("/webhooks/1002/token-{id}"));
        assert!(told.is_empty(), "{id}");
    }
    assert_eq!(adapter.health().expired_interactions, 1);
    for id in all {
        let pressed = format!("press {id}");
        let told = inbox.all();
        let count = told
            .iter()
            .filter(|told| matches!(told, Told::Click(click) if click.custom_id == pressed))
            .count();
        assert_eq!(count, 1, "{id}");
    }
    adapter.shutdown().await;
}

fn form() -> Acknowledgement {
    Acknowledgement::Form(Form {
        custom_id: "reason".to_owned(),
        title: "Why not?".to_owned(),
        fields: vec![FormField {
            custom_id: "text".to_owned(),
            label: "Reason".to_owned(),
            is_required: true,
            is_paragraph: true,
            max_length: 500,
        }],
    })
}

fn callback_fault(more: &Value) -> Value {
    let mut fault = more.clone();
    fault["method"] = json!("POST");
    fault["path_regex"] = json!("/interactions/.*/callback");
    fault
}

fn clicks(connected: &Connected) -> usize {
    let told = connected.inbox.all();
    let clicks = told.iter().filter(|told| matches!(told, Told::Click(_)));
    clicks.count()
}

async fn private(discord: &Discord, text: &str) -> Option<Value> {
    let seen = discord.messages(&discord.channel, &discord.ada).await;
    seen.into_iter().find(|message| message["content"] == text)
}

#[tokio::test]
async fn an_acknowledgement_that_meets_a_fault_is_sent_again_and_the_press_counts_once() {
    for fault in [
        json!({"status": 429, "retry_after": 0.2}),
        json!({"status": 500}),
        json!({"status": 503, "takes_effect": true}),
        json!({"delay_ms": 2000}),
        json!({"delay_ms": 2000, "takes_effect": true}),
    ] {
        let discord = Discord::start().await;
        let connected = connect(&discord).await;
        *connected.inbox.private.lock().unwrap() = Some("Noted.".to_owned());
        let card = card(&discord, &connected, "yes").await;
        discord.fail(callback_fault(&fault)).await;
        let pressed = press(&discord, &discord.ada, &card, "yes").await;
        assert_eq!(pressed["response"]["type"], 6, "{fault}: {pressed}");
        eventually("the private answer", async || {
            private(&discord, "Noted.").await
        })
        .await;
        assert_eq!(clicks(&connected), 1, "{fault}");
        connected.adapter.shutdown().await;
    }
}

#[tokio::test]
async fn a_press_whose_acknowledgement_never_arrives_counts_all_the_same() {
    // Where Discord may have taken it, a private answer is tried once, and refused.
    for (fault, tries) in [
        (json!({"status": 429, "retry_after": 9.0, "times": 9}), 0),
        (json!({"status": 500, "times": 9}), 1),
        (json!({"delay_ms": 60_000, "times": 9}), 1),
        (
            json!({"status": 404, "body": {"code": 10062, "message": "Unknown interaction"}}),
            0,
        ),
    ] {
        let discord = Discord::start().await;
        let connected = connect(&discord).await;
        *connected.inbox.private.lock().unwrap() = Some("Noted.".to_owned());
        let card = card(&discord, &connected, "yes").await;
        discord.fail(callback_fault(&fault)).await;
        let pressed = press(&discord, &discord.ada, &card, "yes").await;
        assert!(pressed["failed"].is_string(), "{fault}: {pressed}");
        connected.inbox.click("yes").await;
        let told = async || discord.requests("POST", "/webhooks/").await;
        if tries > 0 {
            let all = async || (told().await.len() >= tries).then_some(());
            eventually("the try", all).await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        let told = told().await;
        assert_eq!(told.len(), tries, "{fault}");
        assert!(told.iter().all(|request| request["status"] == 404));
        assert!(private(&discord, "Noted.").await.is_none(), "{fault}");
        assert_eq!(clicks(&connected), 1, "{fault}");
        connected.adapter.shutdown().await;
    }
}

#[tokio::test]
async fn a_form_and_its_submission_are_both_answered_in_private() {
    let discord = Discord::start().await;
    let connected = connect(&discord).await;
    let card = card(&discord, &connected, "why").await;
    *connected.inbox.form.lock().unwrap() = Some(form());
    let pressed = press(&discord, &discord.ada, &card, "why").await;
    assert_eq!(pressed["response"]["type"], 9, "{pressed}");
    connected.inbox.click("why").await;
    *connected.inbox.form.lock().unwrap() = None;
    *connected.inbox.private.lock().unwrap() = Some("Denied, with your reason.".to_owned());
    let submission = json!({"user": discord.ada, "message": card, "custom_id": "reason",
                            "fields": {"text": "too risky"}});
    let submitted = discord.control("press", submission).await;
    assert_eq!(submitted["response"]["type"], 6, "{submitted}");
    let click = connected.inbox.click("reason").await;
    assert_eq!(
        click.message.unwrap().as_str(),
        card,
        "it came from the card"
    );
    let told = eventually("the private answer", async || {
        private(&discord, "Denied, with your reason.").await
    })
    .await;
    assert_eq!(told["flags"].as_u64().unwrap() & 64, 64);
    let others = discord.messages(&discord.channel, &discord.owner).await;
    assert_eq!(others.len(), 1, "nobody else sees it");
    // The card is edited as any message, long after the interaction's token died.
    let edit = Edit {
        channel: discord.channel.parse().unwrap(),
        message: card.parse().unwrap(),
        content: Some("Denied.".to_owned()),
        components: Some(json!([])),
    };
    connected.adapter.edit(&edit).await.unwrap();
    connected.adapter.shutdown().await;
}

#[tokio::test]
async fn a_callback_that_is_limited_for_too_long_is_not_waited_for() {
    let (double, adapter, inbox, _disk) = connected_double().await;
    let limited = json!({"message": "limited", "retry_after": 4.0, "global": false});
    double.answer("/interactions/41/", Answer::Json(429, limited));
    let started = Instant::now();
    double.event("INTERACTION_CREATE", &interaction("41"));
    inbox.click("press 41").await;
    assert!(
        started.elapsed() < Duration::from_millis(1000),
        "{:?}",
        started.elapsed()
    );
    double.answer("/interactions/42/", Answer::Stall);
    let started = Instant::now();
    double.event("INTERACTION_CREATE", &interaction("42"));
    inbox.click("press 42").await;
    assert!(
        started.elapsed() < Duration::from_millis(3000),
        "{:?}",
        started.elapsed()
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn a_session_resumes_at_its_own_url_with_its_own_sequence() {
    let (double, adapter, inbox, _disk) = connected_double().await;
    let message = json!({"id": "51", "channel_id": "6", "type": 0, "content": "one",
                         "author": {"id": "8", "username": "ada"}});
    let sequence = double.event("MESSAGE_CREATE", &message);
    inbox.message("one").await;
    double.close(4000);
    assert!(inbox.connected(2).await);
    let (resume, query) = double.heard(6)[0].clone();
    assert_eq!(resume["d"]["seq"], sequence);
    assert_eq!(resume["d"]["session_id"], "session");
    assert!(query.starts_with("/resume/?v=10"), "{query}");
    assert!(
        query.contains("compress=zstd-stream"),
        "{query}; the double answers in plain text"
    );
    assert_eq!(double.heard(2)[0].1.split('?').next(), Some("/"));
    assert!(inbox.all().contains(&Told::Changed(Change::Lost)));
    adapter.shutdown().await;
}
