//! A hundred open cards: a click is acknowledged at once all the same, and each command runs once.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::serving::Served;
use serde_json::json;

const SCRIPT: &str = r#"
[[turn]]
match = "mark (?<token>\\w+)"
[[turn.step]]
tool = "shell"
args = { command = "echo $token >> marks" }
[[turn.step]]
say = "$result"
"#;

/// Cards that are open at once.
const CARDS: usize = 100;
/// The bound on the 99th of a hundred acknowledgements, in milliseconds.
const BOUND: f64 = 250.0;

#[tokio::test(flavor = "multi_thread")]
async fn with_a_hundred_open_cards_a_click_is_acknowledged_within_250_ms() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    served.add_to_table("approvals", "window_seconds = 900");
    let _host = served.serve().await;
    let mut channels = Vec::new();
    for number in 0..CARDS {
        let body = json!({"guild": discord.guild(), "name": format!("place-{number}")});
        let channel = discord.control("POST", "channels", Some(body)).await;
        channels.push(channel["id"].as_str().expect("an id").to_owned());
    }
    for (number, channel) in channels.iter().enumerate() {
        discord
            .ask("operator", channel, &format!("mark t{number}x"))
            .await;
    }
    let cards = join_all(
        channels
            .iter()
            .map(|channel| discord.wait_for_card(channel)),
    )
    .await;
    let mut took = Vec::new();
    for card in &cards {
        let answer = discord.press("operator", card, "Approve once").await;
        took.push(answer["acknowledged_ms"].as_f64().expect("a time"));
    }
    took.sort_by(f64::total_cmp);
    println!(
        "click to acknowledgement with {CARDS} open cards: median {} ms, 99th {} ms, longest {} ms",
        took[CARDS / 2],
        took[CARDS * 99 / 100 - 1],
        took[CARDS - 1]
    );
    assert!(took[CARDS * 99 / 100 - 1] < BOUND, "{took:?}");
    let began = Instant::now();
    let run = |number: usize| served.count("marks", &format!("t{number}x"));
    while (0..CARDS).any(|number| run(number) == 0) {
        assert!(began.elapsed() < PATIENCE, "{}", served.logged());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!((0..CARDS).all(|number| run(number) == 1), "each once");
}
