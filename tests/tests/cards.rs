//! A command that needs consent: a card appears, the right person presses, it happens once; and
//! every other way that it could go is told apart. Effects are counted from outside.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use ostler_tests::cards::Card;
use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::serving::{Served, Serving};
use serde_json::{Value, json};

/// `mark TOKEN` appends the token to `marks` in the workspace, by a command that asks.
const SCRIPT: &str = r#"
[[turn]]
match = "mark (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = { command = "echo $token >> marks" }
[[turn.step]]
say = "$result"

[[turn]]
match = "insist (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = { command = "echo $token >> marks" }
[[turn.step]]
tool = "shell"
args = { command = "  'echo'   $token >>marks" }
[[turn.step]]
tool = "shell"
args = { command = "sh -c 'echo $token >> marks'" }
[[turn.step]]
say = "$result"

[[turn]]
match = "hello"
[[turn.step]]
say = "Hello."
"#;

struct Scene {
    discord: Discord,
    served: Served,
    host: Serving,
    general: String,
}

impl Scene {
    async fn new() -> Self {
        Self::with("").await
    }

    /// `approvals` stands in `[approvals]`.
    async fn with(approvals: &str) -> Self {
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        if !approvals.is_empty() {
            served.add_to_table("approvals", approvals);
        }
        let host = served.serve().await;
        let general = discord.channel("general").to_owned();
        Self {
            discord,
            served,
            host,
            general,
        }
    }

    /// The owner asks for a mark, and the card for it.
    async fn asked(&self, token: &str) -> Card {
        self.discord
            .ask("operator", &self.general, &format!("mark {token}"))
            .await;
        self.discord.wait_for_card(&self.general).await
    }

    /// What the assistant said last, cards aside, once it said `count` things.
    async fn said(&self, count: usize) -> String {
        let began = Instant::now();
        loop {
            let cards = self.discord.cards(&self.general).await;
            let card_ids: Vec<&str> = cards.iter().map(Card::id).collect();
            let said: Vec<String> = self
                .discord
                .messages(&self.general)
                .await
                .iter()
                .filter(|m| m["author"]["id"] == self.discord.bot())
                .filter(|m| !card_ids.contains(&m["id"].as_str().unwrap_or_default()))
                .map(|m| m["content"].as_str().unwrap_or_default().to_owned())
                .collect();
            if said.len() >= count {
                return said.last().cloned().unwrap_or_default();
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{said:?}\n{}",
                self.served.logged()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn marks(&self, token: &str) -> usize {
        self.served.count("marks", token)
    }

    fn approvals(&self) -> Vec<Value> {
        approvals(&self.served)
    }

    /// The kinds of the audit log's entries about an ask, in order.
    fn audit(&self, ask: &str) -> Vec<String> {
        audit(&self.served, ask)
    }
}

/// All asks, as the command line shows them.
fn approvals(served: &Served) -> Vec<Value> {
    let listed = served
        .host()
        .run(&["approvals", "list", "--all", "--format", "json"])
        .ended(0)
        .json();
    listed["approvals"].as_array().cloned().unwrap_or_default()
}

fn audit(served: &Served, ask: &str) -> Vec<String> {
    let shown = served
        .host()
        .run(&["audit", "--limit", "1000", "--format", "json"])
        .ended(0)
        .json();
    served.host().run(&["audit", "--verify"]).ended(0);
    shown["entries"]
        .as_array()
        .cloned()
        .unwrap_or_default()
        .iter()
        .filter(|entry| entry["subject"] == ask)
        .map(|entry| entry["kind"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn an_approved_command_runs_once_and_the_card_says_who_decided() {
    let scene = Scene::new().await;
    let card = scene.asked("one").await;
    assert!(
        card.content().contains("echo one >> marks"),
        "{}",
        card.content()
    );
    assert!(card.content().contains("SHA-256"));
    assert!(card.content().contains(":R>"), "the window is a timestamp");
    assert_eq!(
        card.components()
            .iter()
            .map(|c| c["label"].clone())
            .collect::<Vec<_>>(),
        ["Approve once", "Deny"]
    );
    assert_eq!(scene.marks("one"), 0, "nothing before the press");
    let answer = scene.discord.press("operator", &card, "Approve once").await;
    assert_eq!(answer["response"]["type"], 6, "{answer}");
    assert!(scene.said(1).await.starts_with("[exit code 0"));
    assert_eq!(scene.marks("one"), 1);
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(
        ended.content().contains("Approved once"),
        "{}",
        ended.content()
    );
    assert!(
        ended
            .content()
            .contains(&format!("<@{}>", scene.discord.user("operator")))
    );
    let [ask] = scene.approvals().try_into().expect("one ask");
    assert_eq!(ask["ending"], "approved");
    assert_eq!(ask["decided_via"], "discord");
    assert_eq!(ask["effect_outcome"], "done");
    assert_eq!(
        scene.audit(&card.ask()),
        ["asked", "approved", "effect-started", "effect-ended"]
    );
}

#[tokio::test]
async fn what_only_reads_in_the_workspace_runs_unasked() {
    let discord = Discord::start().await;
    let script = "[[turn]]\nmatch = \"look\"\n[[turn.step]]\ntool = \"shell\"\n\
                  args = { command = \"ls -l . | wc -l\" }\n[[turn.step]]\nsay = \"$result\"\n";
    let served = Served::new(&discord, script, "");
    let _host = served.serve().await;
    let general = discord.channel("general");
    discord.ask("operator", general, "look").await;
    let answers = discord.wait_for_answers(general, 1).await;
    assert!(answers[0].starts_with("[exit code 0"), "{answers:?}");
    assert!(approvals(&served).is_empty());
}

#[tokio::test]
async fn a_denial_runs_nothing_and_its_reason_reaches_the_model() {
    let scene = Scene::new().await;
    let card = scene.asked("two").await;
    scene
        .discord
        .deny("operator", &card, "not on a Friday")
        .await;
    let said = scene.said(1).await;
    assert!(said.contains("Refused (denied)"), "{said}");
    assert!(said.contains("not on a Friday"), "{said}");
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Denied"), "{}", ended.content());
    assert!(ended.content().contains("not on a Friday"));
    assert_eq!(scene.marks("two"), 0);
    let [ask] = scene.approvals().try_into().expect("one ask");
    assert_eq!(ask["ending"], "denied");
    assert_eq!(ask["reason"], "not on a Friday");
    assert_eq!(scene.audit(&card.ask()), ["asked", "denied"]);
}

#[tokio::test]
async fn a_denial_needs_no_reason_and_a_dismissed_form_decides_nothing() {
    let scene = Scene::new().await;
    let card = scene.asked("three").await;
    let opened = scene.discord.press("operator", &card, "Deny").await;
    assert_eq!(opened["response"]["type"], 9, "{opened}");
    tokio::time::sleep(Duration::from_millis(300)).await;
    let still = scene.discord.wait_for_card(&scene.general).await;
    assert_eq!(still.id(), card.id(), "the card stays open");
    scene.discord.deny("operator", &card, "").await;
    let said = scene.said(1).await;
    assert!(said.contains("gave no reason"), "{said}");
    assert_eq!(scene.marks("three"), 0);
}

#[tokio::test]
async fn hermes_84552_a_reworded_command_is_refused_by_the_host_after_a_denial() {
    let scene = Scene::new().await;
    scene
        .discord
        .ask("operator", &scene.general, "insist four")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    scene.discord.deny("operator", &card, "no").await;
    let said = scene.said(1).await;
    assert!(said.contains("Refused (denied)"), "{said}");
    assert!(said.contains("was denied in this turn"), "{said}");
    assert_eq!(
        scene.discord.cards(&scene.general).await.len(),
        1,
        "one card"
    );
    assert_eq!(scene.marks("four"), 0);
    // Another turn asks again.
    let again = scene.asked("four").await;
    assert_ne!(again.id(), card.id());
    scene
        .discord
        .press("operator", &again, "Approve once")
        .await;
    scene.said(2).await;
    assert_eq!(scene.marks("four"), 1);
}

#[tokio::test]
async fn hermes_30879_silence_is_neither_consent_nor_denial() {
    let scene = Scene::with("window_seconds = 30").await;
    let card = scene.asked("five").await;
    // The window is 30 seconds at least; its end is moved in the row, as time would.
    let database = scene.served.host().home().join("ostler.db");
    let expired = expire(&database, &card.ask());
    assert!(expired, "the row is there");
    let said = scene.said(1).await;
    assert!(said.contains("Refused (unanswered)"), "{said}");
    assert!(said.contains("neither a yes nor a no"), "{said}");
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Expired"), "{}", ended.content());
    assert_eq!(scene.marks("five"), 0);
    let [ask] = scene.approvals().try_into().expect("one ask");
    assert_eq!(ask["ending"], "unanswered");
    assert_eq!(scene.audit(&card.ask()), ["asked", "unanswered"]);
    // A new message raises a fresh card.
    let again = scene.asked("five").await;
    assert_ne!(again.ask(), card.ask());
}

/// Moves the end of an ask's window to now, in the database itself.
fn expire(database: &std::path::Path, ask: &str) -> bool {
    let connection = rusqlite::Connection::open(database).expect("the database");
    connection
        .busy_timeout(Duration::from_secs(5))
        .expect("patience");
    // Nothing but time changes it otherwise: the database itself refuses.
    let triggers: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'approvals'")
        .expect("a query")
        .query_map([], |row| row.get(0))
        .expect("names")
        .collect::<Result<_, _>>()
        .expect("names");
    for trigger in triggers {
        connection
            .execute(&format!("DROP TRIGGER \"{trigger}\""), [])
            .expect("dropped");
    }
    let changed = connection
        .execute(
            "UPDATE approvals SET expires_at = created_at + 1 WHERE id = ?1",
            [ask],
        )
        .expect("an update");
    changed == 1
}

#[tokio::test]
async fn only_the_owner_and_operators_decide_and_others_are_told_in_private() {
    let scene = Scene::new().await;
    let card = scene.asked("six").await;
    for (user, count) in [("guest", 1), ("admin", 1)] {
        scene.discord.press(user, &card, "Approve once").await;
        let told = scene
            .discord
            .wait_for_private(user, &scene.general, count)
            .await;
        assert!(told.contains("only the owner and the operators"), "{told}");
    }
    assert_eq!(scene.marks("six"), 0);
    assert!(scene.discord.wait_for_card(&scene.general).await.is_open());
    assert_eq!(
        scene.audit(&card.ask()),
        ["asked", "press-refused", "press-refused"]
    );
    scene.discord.press("operator", &card, "Approve once").await;
    scene.said(1).await;
    assert_eq!(scene.marks("six"), 1);
}

#[tokio::test]
async fn an_operator_presses_until_they_are_taken_out_of_the_list() {
    let scene = Scene::new().await;
    let admin = scene.discord.user("admin").to_owned();
    scene
        .served
        .add_to_table("discord", &format!("allowed_users = [\"{admin}\"]"));
    let card = scene.asked("seven").await;
    scene.discord.press("admin", &card, "Approve once").await;
    scene.said(1).await;
    assert_eq!(scene.marks("seven"), 1);
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains(&format!("<@{admin}>")));

    let card = scene.asked("eight").await;
    let text = std::fs::read_to_string(scene.served.profile_file()).expect("a profile");
    scene
        .served
        .write_profile(&text.replace(&format!("allowed_users = [\"{admin}\"]\n"), ""));
    // Read at the press, not when it is noticed that the file changed.
    scene.discord.press("admin", &card, "Approve once").await;
    let told = scene
        .discord
        .wait_for_private("admin", &scene.general, 1)
        .await;
    assert!(told.contains("only the owner and the operators"), "{told}");
    assert_eq!(scene.marks("eight"), 0);
}

#[tokio::test]
async fn two_operators_at_once_see_one_result() {
    let scene = Scene::new().await;
    let admin = scene.discord.user("admin").to_owned();
    scene
        .served
        .add_to_table("discord", &format!("allowed_users = [\"{admin}\"]"));
    for round in 0..4 {
        let token = format!("nine{round}");
        let card = scene.asked(&token).await;
        tokio::join!(
            scene.discord.press("operator", &card, "Approve once"),
            scene.discord.press("admin", &card, "Approve once"),
        );
        scene.said(round + 1).await;
        assert_eq!(scene.marks(&token), 1);
        let steps = scene.audit(&card.ask());
        assert_eq!(steps.iter().filter(|step| *step == "approved").count(), 1);
    }
}

#[tokio::test]
async fn a_second_press_settles_nothing() {
    let scene = Scene::new().await;
    let card = scene.asked("ten").await;
    scene.discord.press("operator", &card, "Approve once").await;
    scene.said(1).await;
    scene.discord.wait_for_end_of(&card).await;
    // Discord's own buttons are disabled by then; a client that has not seen it presses a copy.
    let copy = forged(&scene, &card.button("Approve once")).await;
    scene
        .discord
        .press_id("operator", &copy, &card.button("Approve once"))
        .await;
    let told = scene
        .discord
        .wait_for_private("operator", &scene.general, 1)
        .await;
    assert!(told.contains("approved already"), "{told}");
    assert_eq!(scene.marks("ten"), 1);
}

/// A message of the bot's with a button that the host did not make.
async fn forged(scene: &Scene, custom_id: &str) -> String {
    let body = json!({"content": "?", "components": [{"type": 1, "components": [
        {"type": 2, "style": 3, "label": "Approve once", "custom_id": custom_id}
    ]}]});
    let url = format!(
        "{}/api/v10/channels/{}/messages",
        scene.discord.origin(),
        scene.general
    );
    let posted: Value = reqwest::Client::new()
        .post(url)
        .header(
            "authorization",
            format!("Bot {}", scene.discord.bot_token()),
        )
        .json(&body)
        .send()
        .await
        .expect("the emulator answers")
        .json()
        .await
        .expect("JSON");
    posted["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn forged_ids_and_a_stale_always_answer_and_store_nothing() {
    let scene = Scene::new().await;
    let card = scene.asked("eleven").await;
    let ask = card.ask();
    let mut told = 0;
    for id in [
        "ostler1:h:00000000000000000000000000000000:approve".to_owned(),
        format!("ostler1:h:{ask}:always"),
        format!("ostler1:h:{ask}:session"),
        format!("ostler1:t:{ask}:approve"),
        format!("ostler1:c:{ask}:0"),
        format!("ostler0:h:{ask}:approve"),
        "always".to_owned(),
    ] {
        let message = forged(&scene, &id).await;
        scene.discord.press_id("operator", &message, &id).await;
        told += 1;
        let text = scene
            .discord
            .wait_for_private("operator", &scene.general, told)
            .await;
        assert!(text.contains("Nothing was decided"), "{id}: {text}");
    }
    assert_eq!(scene.marks("eleven"), 0);
    let grants = scene.served.host().home().join("profiles/main/allow.toml");
    assert!(!grants.exists(), "nothing is stored");
    scene.discord.press("operator", &card, "Approve once").await;
    let began = Instant::now();
    while scene.marks("eleven") == 0 {
        assert!(began.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn in_a_direct_chat_the_owner_decides() {
    let scene = Scene::new().await;
    let direct = scene.discord.direct("operator").await;
    scene.discord.say("operator", &direct, "mark twelve").await;
    let card = scene.discord.wait_for_card(&direct).await;
    scene.discord.press("operator", &card, "Approve once").await;
    scene.discord.wait_for_end_of(&card).await;
    let began = Instant::now();
    while scene.marks("twelve") == 0 {
        assert!(began.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn nobody_without_an_owner_has_a_shell_or_a_card() {
    let scene = Scene::new().await;
    scene
        .discord
        .ask("guest", &scene.general, "mark thirteen")
        .await;
    let said = scene.said(1).await;
    assert!(said.contains("You were not given a tool `shell`"), "{said}");
    assert!(scene.approvals().is_empty());
    assert_eq!(scene.marks("thirteen"), 0);
}

#[tokio::test]
async fn a_host_that_stops_ends_its_cards_and_a_press_after_the_restart_runs_nothing() {
    let mut scene = Scene::new().await;
    let card = scene.asked("fourteen").await;
    let host = scene.host;
    let (code, took) = host.terminate().await;
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(5), "{took:?}");
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Cancelled"), "{}", ended.content());
    assert!(ended.content().contains("Nothing ran"));
    let [ask] = approvals(&scene.served).try_into().expect("one ask");
    assert_eq!(ask["ending"], "cancelled");
    scene.host = scene.served.serve().await;
    let copy = forged(&scene, &card.button("Approve once")).await;
    scene
        .discord
        .press_id("operator", &copy, &card.button("Approve once"))
        .await;
    let told = scene
        .discord
        .wait_for_private("operator", &scene.general, 1)
        .await;
    assert!(told.contains("Nothing ran"), "{told}");
    assert_eq!(scene.marks("fourteen"), 0);
}

#[tokio::test]
async fn other_work_goes_on_while_cards_wait() {
    let scene = Scene::new().await;
    let _card = scene.asked("fifteen").await;
    let direct = scene.discord.direct("guest").await;
    scene.discord.say("guest", &direct, "hello").await;
    let answers = scene.discord.wait_for_answers(&direct, 1).await;
    assert_eq!(answers, ["Hello."]);
}
