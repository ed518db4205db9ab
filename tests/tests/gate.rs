//! The gate's order: floors that nothing passes, the operator's bypasses, the guardian.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::serving::{Served, Serving};
use serde_json::Value;

const SCRIPT: &str = r#"
[[turn]]
match = "mark (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = { command = "echo $token >> marks" }
[[turn.step]]
say = "$result"

[[turn]]
match = "destroy"
[[turn.step]]
tool = "shell"
args = { command = "sh -c 'rm -rf /'" }
[[turn.step]]
say = "$result"

[[turn]]
match = "forbidden (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = { command = "frobnicate $token" }
[[turn.step]]
say = "$result"

[[turn]]
match = "job"
[[turn.step]]
tool = "shell"
args = { command = "sh job.sh" }
[[turn.step]]
say = "$result"

[[turn]]
match = "write (?<path>\\S+)"
[[turn.step]]
tool = "write_file"
args = { path = "$path", content = "written" }
[[turn.step]]
say = "$result"

[[turn]]
match = "thrice (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = { command = "echo a$token >> marks" }
[[turn.step]]
tool = "shell"
args = { command = "echo b$token >> marks" }
[[turn.step]]
tool = "shell"
args = { command = "echo c$token >> marks" }
[[turn.step]]
tool = "shell"
args = { command = "echo d$token >> marks" }
[[turn.step]]
say = "I went on."
"#;

struct Scene {
    discord: Discord,
    served: Served,
    general: String,
}

impl Scene {
    async fn new() -> Self {
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        let general = discord.channel("general").to_owned();
        Self {
            discord,
            served,
            general,
        }
    }

    async fn start(&self, more: &[&str]) -> Serving {
        let host = self.served.start_with(more, &[]);
        host.wait_until_ready().await;
        host
    }

    /// The owner asks for something that runs unasked: what was answered.
    async fn unasked(&self, text: &str) -> String {
        let before = self.discord.answers(&self.general).await.len();
        self.discord.ask("operator", &self.general, text).await;
        let answers = self
            .discord
            .wait_for_answers(&self.general, before + 1)
            .await;
        answers.last().cloned().unwrap_or_default()
    }

    fn marks(&self, token: &str) -> usize {
        self.served.count("marks", token)
    }

    fn run(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--format", "json"]].concat();
        self.served.host().run(&arguments).ended(0).json()
    }

    fn session(&self) -> String {
        self.served.sessions()[0]["key"]
            .as_str()
            .expect("a key")
            .to_owned()
    }

    fn kinds(&self) -> Vec<String> {
        self.run(&["audit", "--limit", "1000"])["entries"]
            .as_array()
            .cloned()
            .unwrap_or_default()
            .iter()
            .map(|entry| entry["kind"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

#[tokio::test]
async fn floors_and_the_operators_deny_list_beat_every_bypass() {
    let scene = Scene::new().await;
    scene
        .served
        .add_to_table("approvals", "mode = \"off\"\ndeny = [\"*frobnicate*\"]");
    let _host = scene.start(&["--yolo"]).await;
    scene
        .served
        .host()
        .run(&["allow", "add", "--command", "frobnicate one"])
        .ended(1);
    for text in ["destroy", "forbidden one"] {
        let answer = scene.unasked(text).await;
        assert!(answer.contains("Refused (floor)"), "{answer}");
    }
    assert!(scene.discord.cards(&scene.general).await.is_empty());
    assert_eq!(
        scene
            .kinds()
            .iter()
            .filter(|k| *k == "floor-refused")
            .count(),
        2
    );
}

#[tokio::test]
async fn process_yolo_asks_nobody_and_is_recorded() {
    let scene = Scene::new().await;
    let _host = scene.start(&["--yolo"]).await;
    let answer = scene.unasked("mark one").await;
    assert!(answer.starts_with("[exit code 0"), "{answer}");
    assert_eq!(scene.marks("one"), 1);
    assert!(scene.kinds().contains(&"passed-unasked".to_owned()));
}

#[tokio::test]
async fn mode_off_asks_nobody() {
    let scene = Scene::new().await;
    scene.served.add_to_table("approvals", "mode = \"off\"");
    let _host = scene.start(&[]).await;
    assert!(scene.unasked("mark two").await.starts_with("[exit code 0"));
    assert_eq!(scene.marks("two"), 1);
}

#[tokio::test]
async fn session_yolo_holds_for_its_session_until_it_is_taken_back() {
    let scene = Scene::new().await;
    let _host = scene.start(&[]).await;
    scene
        .discord
        .ask("operator", &scene.general, "mark three")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    scene.discord.deny("operator", &card, "").await;
    scene.discord.wait_for_end_of(&card).await;
    let session = scene.session();
    scene
        .served
        .host()
        .run(&["sessions", "yolo", &session, "on"])
        .ended(0);
    let began = Instant::now();
    scene
        .discord
        .ask("operator", &scene.general, "mark three")
        .await;
    while scene.marks("three") == 0 {
        assert!(began.elapsed() < PATIENCE, "{}", scene.served.logged());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Another session asks.
    let direct = scene.discord.direct("operator").await;
    scene.discord.say("operator", &direct, "mark other").await;
    let card = scene.discord.wait_for_card(&direct).await;
    scene.discord.deny("operator", &card, "").await;
    scene
        .served
        .host()
        .run(&["sessions", "yolo", &session, "off"])
        .ended(0);
    scene
        .discord
        .ask("operator", &scene.general, "mark three")
        .await;
    scene.discord.wait_for_card(&scene.general).await;
    assert_eq!((scene.marks("three"), scene.marks("other")), (1, 0));
}

#[tokio::test]
async fn grants_hold_for_exactly_what_they_say_and_are_read_at_use() {
    let scene = Scene::new().await;
    let _host = scene.start(&[]).await;
    let run = |arguments: &[&str]| scene.run(arguments);
    let exact = run(&["allow", "add", "--command", "echo four >> marks"]);
    assert!(scene.unasked("mark four").await.starts_with("[exit code 0"));
    assert_eq!(scene.marks("four"), 1);
    // Another command asks, however alike.
    scene
        .discord
        .ask("operator", &scene.general, "mark fourx")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    scene.discord.deny("operator", &card, "").await;
    scene.discord.wait_for_end_of(&card).await;
    // Taken back, it asks again, in the same process.
    let id = exact["grant"]["id"].as_str().expect("an id").to_owned();
    run(&["allow", "remove", &id]);
    scene
        .discord
        .ask("operator", &scene.general, "mark four")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    scene.discord.deny("operator", &card, "").await;
    scene.discord.wait_for_end_of(&card).await;
    assert_eq!(scene.marks("four"), 1);
    // A file that cannot be read grants nothing.
    run(&["allow", "add", "--command", "echo four >> marks"]);
    let file = scene.served.host().home().join("profiles/main/allow.toml");
    let text = std::fs::read_to_string(&file).expect("grants");
    std::fs::write(&file, format!("{text}\nbroken = [")).expect("written");
    scene
        .discord
        .ask("operator", &scene.general, "mark four")
        .await;
    scene.discord.wait_for_card(&scene.general).await;
    assert_eq!(scene.marks("four"), 1);
}

#[tokio::test]
async fn three_denials_in_a_row_end_the_turn() {
    let scene = Scene::new().await;
    let _host = scene.start(&[]).await;
    scene
        .discord
        .ask("operator", &scene.general, "thrice five")
        .await;
    for _ in 0..3 {
        let card = scene.discord.wait_for_card(&scene.general).await;
        scene.discord.deny("operator", &card, "").await;
        scene.discord.wait_for_end_of(&card).await;
    }
    let answers = scene.discord.wait_for_answers(&scene.general, 4).await;
    assert!(
        answers
            .iter()
            .any(|a| a.contains("3 calls in a row were denied")),
        "{answers:?}"
    );
    assert!(
        !answers.iter().any(|a| a.contains("I went on")),
        "{answers:?}"
    );
    assert_eq!(scene.discord.cards(&scene.general).await.len(), 3);
}

/// A guardian that always says the same.
async fn guarded(verdict: &str) -> (Scene, Serving) {
    let scene = Scene::new().await;
    let folder = scene.served.host().home().join("profiles/main");
    let script = format!("[[turn]]\nmatch = \"(?s).*\"\n[[turn.step]]\nsay = \"{verdict}\"\n");
    std::fs::write(folder.join("guardian.toml"), script).expect("a script");
    scene.served.add_to_table(
        "approvals",
        "mode = \"smart\"\nguardian_model = \"guardian\"",
    );
    scene.served.add_to_table(
        "models.guardian",
        "provider = \"scripted\"\nscript = \"guardian.toml\"",
    );
    let host = scene.start(&[]).await;
    (scene, host)
}

#[tokio::test]
async fn the_guardians_leave_is_for_that_one_command() {
    let (scene, _host) = guarded("APPROVE").await;
    assert!(scene.unasked("mark six").await.starts_with("[exit code 0"));
    assert_eq!(scene.marks("six"), 1);
    assert!(scene.kinds().contains(&"second-look".to_owned()));
    let asks = scene.run(&["approvals", "list", "--all"]);
    assert_eq!(asks["approvals"], serde_json::json!([]));
}

#[tokio::test]
async fn hermes_46544_the_guardians_denial_is_the_operators_to_overrule_once() {
    let (scene, _host) = guarded("DENY\\nit writes a file").await;
    scene
        .discord
        .ask("operator", &scene.general, "mark seven")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    assert!(
        card.content().contains("The guardian says"),
        "{}",
        card.content()
    );
    assert!(
        card.content().contains("it writes a file"),
        "{}",
        card.content()
    );
    scene.discord.press("operator", &card, "Approve once").await;
    scene.discord.wait_for_end_of(&card).await;
    let began = Instant::now();
    while scene.marks("seven") == 0 {
        assert!(began.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_guardian_that_says_anything_else_asks_a_person() {
    let (scene, _host) = guarded("Sure, APPROVE").await;
    scene
        .discord
        .ask("operator", &scene.general, "mark eight")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    assert!(
        card.content().contains("verdict-malformed")
            || card.content().contains("verdict\\-malformed"),
        "{}",
        card.content()
    );
    assert_eq!(scene.marks("eight"), 0);
}

#[tokio::test]
async fn a_script_that_was_changed_after_the_card_is_asked_about_again() {
    let scene = Scene::new().await;
    let _host = scene.start(&[]).await;
    let script = scene.served.workspace().join("job.sh");
    std::fs::write(&script, "echo first >> marks\n").expect("a script");
    scene.discord.ask("operator", &scene.general, "job").await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    std::fs::write(&script, "echo second >> marks\n").expect("another");
    scene.discord.press("operator", &card, "Approve once").await;
    scene.discord.wait_for_end_of(&card).await;
    let again = scene.discord.wait_for_card(&scene.general).await;
    assert_ne!(
        again.ask(),
        card.ask(),
        "another ask, for what stands there now"
    );
    assert_eq!((scene.marks("first"), scene.marks("second")), (0, 0));
    scene
        .discord
        .press("operator", &again, "Approve once")
        .await;
    scene.discord.wait_for_end_of(&again).await;
    let began = Instant::now();
    while scene.marks("second") == 0 {
        assert!(began.elapsed() < PATIENCE, "{}", scene.served.logged());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((scene.marks("first"), scene.marks("second")), (0, 1));
}

#[tokio::test]
async fn protected_files_ask_before_they_are_written_and_others_do_not() {
    let scene = Scene::new().await;
    let _host = scene.start(&[]).await;
    let workspace = scene.served.workspace();
    scene.unasked("write notes.txt").await;
    assert!(workspace.join("notes.txt").exists());
    scene
        .discord
        .ask("operator", &scene.general, "write .bashrc")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    assert!(
        card.content().contains("write the file `.bashrc`"),
        "{}",
        card.content()
    );
    assert!(
        card.content().contains("+written"),
        "the change: {}",
        card.content()
    );
    assert!(!workspace.join(".bashrc").exists());
    scene.discord.press("operator", &card, "Approve once").await;
    scene.discord.wait_for_end_of(&card).await;
    let began = Instant::now();
    while !workspace.join(".bashrc").exists() {
        assert!(began.elapsed() < PATIENCE, "{}", scene.served.logged());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
