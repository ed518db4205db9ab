//! Plugins' rules before tool calls: they block, ask, have reviewed and change, in the real host.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::discord::Discord;
use ostler_tests::guest::{RuleVerdict, rule};
use ostler_tests::serving::{Served, Serving};
use serde_json::Value;

const SCRIPT: &str = r#"
[[turn]]
match = "note (?<title>\\w+)"
[[turn.step]]
tool = "todo"
args = { action = "add", title = "$title" }
[[turn.step]]
say = "$result"
"#;

struct Scene {
    discord: Discord,
    served: Served,
    general: String,
}

impl Scene {
    /// A host with these rules of plugins, in the order of installation.
    async fn new(rules: &[(&str, RuleVerdict<'_>, &str)]) -> (Self, Serving) {
        Self::with(rules, "").await
    }

    /// The same with a reviewer that says this.
    async fn with(rules: &[(&str, RuleVerdict<'_>, &str)], reviewer: &str) -> (Self, Serving) {
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        for (name, verdict, more) in rules {
            served
                .host()
                .install_rule(name, &rule("todo", *verdict), more);
        }
        if !reviewer.is_empty() {
            let folder = served.host().home().join("profiles/main");
            let script =
                format!("[[turn]]\nmatch = \"(?s).*\"\n[[turn.step]]\nsay = \"{reviewer}\"\n");
            std::fs::write(folder.join("reviewer.toml"), script).expect("a script");
            served.add_to_table("approvals", "reviewer_model = \"reviewer\"");
            served.add_to_table(
                "models.reviewer",
                "provider = \"scripted\"\nscript = \"reviewer.toml\"",
            );
        }
        let host = served.serve().await;
        let general = discord.channel("general").to_owned();
        let scene = Self {
            discord,
            served,
            general,
        };
        (scene, host)
    }

    async fn answer(&self, text: &str) -> String {
        let before = self.discord.answers(&self.general).await.len();
        self.discord.ask("operator", &self.general, text).await;
        let answers = self
            .discord
            .wait_for_answers(&self.general, before + 1)
            .await;
        answers.last().cloned().unwrap_or_default()
    }

    fn asks(&self) -> Vec<Value> {
        let listed = self
            .served
            .host()
            .run(&["approvals", "list", "--all", "--format", "json"])
            .ended(0)
            .json();
        listed["approvals"].as_array().cloned().unwrap_or_default()
    }
}

const ASK: RuleVerdict<'_> = RuleVerdict::Ask {
    message: "Notes are **read** by everybody.",
    rule: "notes",
    review: false,
};
const REVIEW: RuleVerdict<'_> = RuleVerdict::Ask {
    message: "Look at this first.",
    rule: "looked-at",
    review: true,
};

#[tokio::test]
async fn a_rule_blocks_and_the_first_block_goes_before_every_question() {
    let (scene, _host) = Scene::new(&[
        ("asker", ASK, ""),
        ("guard", RuleVerdict::Block("not today"), ""),
    ])
    .await;
    let answer = scene.answer("note one").await;
    assert!(answer.contains("Refused (blocked)"), "{answer}");
    assert!(answer.contains("guard blocked this"), "{answer}");
    assert!(answer.contains("> not today"), "{answer}");
    assert!(scene.asks().is_empty());
}

#[tokio::test]
async fn a_rules_question_is_a_host_card_in_the_plugins_words() {
    let (scene, _host) = Scene::new(&[("asker", ASK, "")]).await;
    scene
        .discord
        .ask("operator", &scene.general, "note two")
        .await;
    let card = scene.discord.wait_for_card(&scene.general).await;
    assert!(card.content().contains("call `todo`"), "{}", card.content());
    assert!(
        card.content()
            .contains("The plugin asker says: Notes are \\*\\*read\\*\\* by everybody."),
        "{}",
        card.content()
    );
    scene.discord.press("guest", &card, "Approve once").await;
    scene
        .discord
        .wait_for_private("guest", &scene.general, 1)
        .await;
    scene.discord.press("operator", &card, "Approve once").await;
    scene.discord.wait_for_end_of(&card).await;
    let answers = scene.discord.wait_for_answers(&scene.general, 2).await;
    assert!(
        answers.iter().any(|a| a.contains("Added as number 1")),
        "{answers:?}"
    );
    let [ask] = scene.asks().try_into().expect("one ask");
    assert_eq!(
        (&ask["ending"], &ask["effect_outcome"]),
        (&"approved".into(), &"done".into())
    );
    // A grant by the rule's key is for that rule.
    let host = scene.served.host();
    host.run(&["allow", "add", "--rule", "asker/notes"])
        .ended(0);
    let answer = scene.answer("note three").await;
    assert!(answer.contains("Added as number 2"), "{answer}");
}

#[tokio::test]
async fn what_the_reviewer_denies_is_blocked_without_a_card() {
    let (scene, _host) = Scene::with(&[("asker", REVIEW, "")], "DENY\\nit is a secret").await;
    let answer = scene.answer("note four").await;
    assert!(answer.contains("Refused (reviewer-denied)"), "{answer}");
    assert!(answer.contains("it is a secret"), "{answer}");
    assert!(scene.asks().is_empty());
}

#[tokio::test]
async fn whatever_else_the_reviewer_says_a_person_decides() {
    for says in ["APPROVE", "ESCALATE", "APPROVE it"] {
        let (scene, _host) = Scene::with(&[("asker", REVIEW, "")], says).await;
        scene
            .discord
            .ask("operator", &scene.general, "note five")
            .await;
        let card = scene.discord.wait_for_card(&scene.general).await;
        assert!(
            card.content().contains("The reviewer says"),
            "{says}: {}",
            card.content()
        );
    }
}

#[tokio::test]
async fn a_rule_changes_what_is_called() {
    let changed = r#"{"action":"add","title":"changed"}"#;
    let (scene, _host) = Scene::new(&[("changer", RuleVerdict::Change(changed), "")]).await;
    scene.answer("note six").await;
    let (key, session) = (scene.served.sessions()[0]["key"].clone(), "x");
    assert!(key.is_string(), "{session}");
    let shown = scene.served.session().to_string();
    assert!(shown.contains("Added as number 1"), "{shown}");
}

#[tokio::test]
async fn hermes_109624_a_rule_that_breaks_blocks_only_where_that_was_accepted() {
    let (open, _host) = Scene::new(&[("broken", RuleVerdict::Trap, "")]).await;
    let answer = open.answer("note seven").await;
    assert!(answer.contains("Added as number 1"), "{answer}");
    let closed = "fail_closed = [\"pre-tool-call\"]";
    for verdict in [
        RuleVerdict::Trap,
        RuleVerdict::Error("no"),
        RuleVerdict::Spin,
    ] {
        let (scene, _host) = Scene::new(&[("broken", verdict, closed)]).await;
        let answer = scene.answer("note eight").await;
        assert!(answer.contains("Refused (blocked)"), "{answer}");
        assert!(answer.contains("must look at this first"), "{answer}");
    }
}
