//! A person writes in Discord and the assistant answers.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::discord::Discord;
use ostler_tests::serving::Served;

const SCRIPT: &str = r#"
[[turn]]
match = "hello"
[[turn.step]]
say = "Hello to you."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_mention_is_answered_once_and_the_host_ends_in_order() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    discord
        .ask("operator", discord.channel("general"), "hello")
        .await;
    let answers = discord
        .wait_for_answers(discord.channel("general"), 1)
        .await;
    assert_eq!(answers, ["Hello to you."]);
    let (code, took) = host.terminate().await;
    assert_eq!(code, 0);
    assert!(took.as_secs() < 5, "{took:?}");
    let session = served.session();
    assert_eq!(session["row_list"][0]["outcome"], "completed");
}
