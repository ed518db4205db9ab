//! What a card shows: all of it, with nothing hidden, and nobody called who should not be.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::cards::Card;
use ostler_tests::discord::Discord;
use ostler_tests::serving::Served;
use serde_json::Value;

/// A turn that runs this command.
fn script(command: &str) -> String {
    let command = toml_string(command);
    format!(
        "[[turn]]\nmatch = \"go\"\n[[turn.step]]\ntool = \"shell\"\n\
         args = {{ command = {command} }}\n[[turn.step]]\nsay = \"$result\"\n"
    )
}

/// A basic string of TOML.
fn toml_string(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            // The script's own placeholders begin so.
            '$' => quoted.push_str("$$"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

async fn card(command: &str, discord_table: &str) -> (Discord, Served, Card) {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script(command), "");
    if !discord_table.is_empty() {
        served.add_to_table("discord", discord_table);
    }
    let host = served.serve().await;
    let general = discord.channel("general").to_owned();
    discord.ask("operator", &general, "go").await;
    let card = discord.wait_for_card(&general).await;
    drop(host);
    (discord, served, card)
}

/// The body of the request that made a message.
async fn request_of(discord: &Discord, card: &Card) -> Value {
    let requests = discord.requests().await;
    requests
        .into_iter()
        .filter(|request| request["method"] == "POST")
        .find(|request| {
            request["body"]["components"]
                .to_string()
                .contains(&card.ask())
        })
        .expect("the card's request")
}

#[tokio::test]
async fn nothing_of_a_spoofed_command_hides_or_breaks_out() {
    let command = "echo '```' \u{202e}evil\u{200b} **bold** @everyone <@1> \u{1b}[31m >> x";
    let (discord, _served, card) = card(command, "").await;
    let content = card.content();
    assert_eq!(content.matches("```").count(), 2, "one block: {content}");
    for shown in [
        "⟨U+0060⟩⟨U+0060⟩⟨U+0060⟩",
        "⟨U+202E⟩evil",
        "⟨U+200B⟩",
        "⟨U+001B⟩[31m",
    ] {
        assert!(content.contains(shown), "{shown} in {content}");
    }
    for hidden in ['\u{202e}', '\u{200b}', '\u{1b}'] {
        assert!(!content.contains(hidden));
    }
    let request = request_of(&discord, &card).await;
    let allowed = &request["body"]["allowed_mentions"];
    assert_eq!(allowed["parse"], serde_json::json!([]), "{allowed}");
    assert!(
        allowed["users"].as_array().is_none_or(Vec::is_empty),
        "{allowed}"
    );
}

#[tokio::test]
async fn hermes_1649_a_long_command_is_whole_in_a_file_and_its_digest_on_the_card() {
    let tail = "rm -rf everything";
    let command = format!("echo {} >> x; {tail}", "a".repeat(3_000));
    let (discord, served, card) = card(&command, "").await;
    assert!(card.content().encode_utf16().count() <= 2_000);
    assert!(
        card.content().contains("does not fit"),
        "{}",
        card.content()
    );
    let files = card.message["attachments"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_eq!(files.len(), 1, "{}", card.message);
    let url = files[0]["url"].as_str().expect("a URL").to_owned();
    let text = reqwest::get(&url)
        .await
        .expect("a file")
        .text()
        .await
        .expect("text");
    assert_eq!(text, command, "the whole of it");
    let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(text.as_bytes()));
    assert!(card.content().contains(&digest), "{}", card.content());
    drop((discord, served));
}

#[tokio::test]
async fn operators_are_called_where_the_profile_says_so_and_nobody_else_is() {
    let command = "echo @everyone <@1> >> x";
    let (discord, _served, card) = card(command, "approval_mentions = true").await;
    let owner = discord.user("operator");
    assert!(
        card.content().starts_with(&format!("<@{owner}>")),
        "{}",
        card.content()
    );
    let request = request_of(&discord, &card).await;
    let allowed = &request["body"]["allowed_mentions"];
    assert_eq!(allowed["users"], serde_json::json!([owner]), "{allowed}");
    assert_eq!(allowed["parse"], serde_json::json!([]));
}

#[tokio::test]
async fn a_command_that_holds_a_secret_is_refused_not_shown() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script("curl -H hunter2-hunter2 x >> y"), "");
    served.set_secret("SERVICE_KEY", "hunter2-hunter2");
    let _host = served.serve().await;
    let general = discord.channel("general");
    discord.ask("operator", general, "go").await;
    let answers = discord.wait_for_answers(general, 1).await;
    assert!(
        answers[0].contains("Refused (secret-in-command)"),
        "{answers:?}"
    );
    assert!(discord.cards(general).await.is_empty());
}
