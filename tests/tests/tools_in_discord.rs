//! What the assistant can do in Discord besides answering, and for whom.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use ostler_tests::discord::Discord;
use ostler_tests::host::{Host, workspace};
use ostler_tests::model_server::{ModelServer, Reply};
use ostler_tests::serving::Served;
use serde_json::Value;

/// A turn that calls one tool and tells its answer.
fn calls(pattern: &str, tool: &str, args: &str) -> String {
    format!(
        "[[turn]]\nmatch = '(?m){pattern}'\n[[turn.step]]\ntool = \"{tool}\"\n\
         args = {{ {args} }}\n[[turn.step]]\nsay = \"$result\"\n"
    )
}

/// A turn for each action, with the ids in the person's words.
fn script() -> String {
    [
        calls(
            r"\bread (?<id>\d+)",
            "discord",
            r#"action = "fetch_messages", channel_id = "$id""#,
        ),
        calls(
            r"\bfind (?<id>\d+) (?<name>\w+)",
            "discord",
            r#"action = "search_members", guild_id = "$id", query = "$name""#,
        ),
        calls(
            r"\bthread (?<id>\d+) (?<name>\w+)",
            "discord",
            r#"action = "create_thread", channel_id = "$id", name = "$name", message = "The $name.""#,
        ),
        calls(
            r"\bforum (?<id>\d+) (?<name>\w+)",
            "discord",
            r#"action = "create_forum_post", channel_id = "$id", name = "$name", message = "The $name.""#,
        ),
        calls(
            r"\bposts (?<id>\d+)",
            "discord",
            r#"action = "list_forum_posts", channel_id = "$id""#,
        ),
        calls(
            r"\bwrite (?<id>\d+) (?<text>\w+)",
            "discord",
            r#"action = "post_message", channel_id = "$id", content = "$text @everyone""#,
        ),
        calls(
            r"\btodos add (?<title>.+)$",
            "todo",
            r#"action = "add", title = "$title""#,
        ),
        calls(r"\btodos list", "todo", r#"action = "list""#),
        calls(r"\btodos complete", "todo", r#"action = "complete", id = 1"#),
        calls(r"\btodos miss", "todo", r#"action = "complete", id = 99"#),
        calls(
            r"\bnote (?<title>\w+) (?<text>\w+)",
            "notebook__add_note",
            r#"title = "$title", text = "$text""#,
        ),
        calls(
            r"\brecall (?<title>\w+)",
            "notebook__read_note",
            r#"title = "$title""#,
        ),
        calls(r"\bfly", "fly_away", r#"how = "high""#),
    ]
    .join("")
}

/// Somebody asks in `general` and is answered.
async fn answer(discord: &Discord, user: &str, text: &str) -> String {
    let general = discord.channel("general");
    let before = discord.answers(general).await.len();
    discord.ask(user, general, text).await;
    let mut answers = discord.wait_for_answers(general, before + 1).await;
    assert_eq!(answers.len(), before + 1, "{answers:?}");
    answers.pop().expect("an answer")
}

/// The bot's requests on a channel.
async fn requests_on(discord: &Discord, channel: &str) -> Vec<Value> {
    let path = format!("/channels/{channel}");
    let all = discord.requests().await;
    all.into_iter()
        .filter(|request| request["path"].as_str().is_some_and(|p| p.contains(&path)))
        .collect()
}

async fn threads(discord: &Discord) -> Vec<Value> {
    let state = discord.control("GET", "state", None).await;
    state["threads"].as_array().cloned().unwrap_or_default()
}

fn install_notebook(host: &Host) {
    let folder = workspace().join("examples/notebook").display().to_string();
    let refused = host
        .run(&["install", &folder, "--format", "json"])
        .ended(3)
        .json();
    let publisher = refused["asks"][0]["id"].as_str().expect("a publisher");
    host.run(&["install", &folder, "--accept", publisher])
        .ended(0);
}

fn is_not_given(answer: &str, tool: &str) -> bool {
    answer.starts_with(&format!("You were not given a tool `{tool}` in this turn."))
        && answer.contains("Nothing was run.")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_has_six_actions_and_each_does_what_it_says() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script(), "");
    let _host = served.serve().await;
    let (other, ideas) = (discord.channel("other"), discord.channel("ideas"));

    discord.say("eve", other, "the rain in Spain").await;
    let read = answer(&discord, "operator", &format!("read {other}")).await;
    assert!(read.contains(" by eve, id "), "{read}");
    assert!(read.contains("]\n> the rain in Spain"), "{read}");

    let find = format!("find {} ev", discord.guild());
    let found = answer(&discord, "operator", &find).await;
    assert_eq!(found, format!("eve (eve), id {}", discord.user("eve")));

    let opened = answer(&discord, "operator", &format!("thread {other} Plans")).await;
    let all = threads(&discord).await;
    assert_eq!(all.len(), 1, "{all:?}");
    let thread = all[0]["id"].as_str().expect("an id");
    assert_eq!(opened, format!("Opened thread {thread}."));
    assert_eq!(all[0]["name"], "Plans");
    assert_eq!(all[0]["parent_id"], other);
    assert_eq!(all[0]["owner_id"], discord.bot());
    assert_eq!(discord.answers(thread).await, ["The Plans."]);

    let posted = answer(&discord, "operator", &format!("forum {ideas} Stable")).await;
    let all = threads(&discord).await;
    let post = all
        .iter()
        .find(|thread| thread["parent_id"] == ideas)
        .expect("a post");
    let post_id = post["id"].as_str().expect("an id");
    assert_eq!(posted, format!("Opened the forum post {post_id}."));
    assert_eq!(post["name"], "Stable");
    assert_eq!(discord.answers(post_id).await, ["The Stable."]);

    let listed = answer(&discord, "operator", &format!("posts {ideas}")).await;
    assert_eq!(listed, format!("Post {post_id}:\n> Stable"));

    let written = answer(&discord, "operator", &format!("write {other} whinny")).await;
    let message = discord.messages(other).await.pop().expect("a message");
    assert_eq!(message["content"], "whinny @everyone");
    assert_eq!(message["mention_everyone"], false);
    assert_eq!(
        written,
        format!(
            "Posted as message {}.",
            message["id"].as_str().expect("an id")
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_and_an_administrator_are_not_given_the_owners_tool() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script(), "");
    let _host = served.serve().await;
    let (other, ideas) = (discord.channel("other"), discord.channel("ideas"));
    let guild = discord.guild();
    for person in ["guest", "admin"] {
        for ask in [
            format!("read {other}"),
            format!("find {guild} ev"),
            format!("thread {other} Plans"),
            format!("forum {ideas} Stable"),
            format!("posts {ideas}"),
            format!("write {other} whinny"),
        ] {
            let told = answer(&discord, person, &ask).await;
            assert!(is_not_given(&told, "discord"), "{person} {ask}: {told}");
        }
    }
    assert!(requests_on(&discord, other).await.is_empty());
    assert!(requests_on(&discord, ideas).await.is_empty());
    let requests = discord.requests().await;
    let searched = |request: &Value| {
        let path = request["path"].as_str().unwrap_or_default();
        path.contains("/members/search")
    };
    assert!(!requests.iter().any(searched));
    assert!(threads(&discord).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_told_of_the_tools_of_the_turn_and_no_others() {
    let discord = Discord::start().await;
    let model = ModelServer::start().await;
    model.otherwise(|_| Reply::text("Yes."));
    let table = format!(
        "provider = \"openai\"\nname = \"m\"\nbase_url = \"{}\"",
        model.base_url()
    );
    let served = Served::with_model(&discord, "", "", &table);
    install_notebook(served.host());
    let _host = served.serve().await;
    for (number, (person, tools)) in [
        (
            "operator",
            &[
                "clarify",
                "discord",
                // They own the server as well.
                "discord_act",
                "discord_guild_read",
                "no_reply",
                "notebook__add_note",
                "notebook__list_notes",
                "notebook__read_note",
                "notebook__remove_note",
                "patch",
                "read_file",
                "search_files",
                "shell",
                "todo",
                "write_file",
            ][..],
        ),
        (
            "admin",
            &[
                "clarify",
                "discord_act",
                "discord_guild_read",
                "no_reply",
                "todo",
            ][..],
        ),
        ("guest", &["clarify", "no_reply", "todo"][..]),
    ]
    .into_iter()
    .enumerate()
    {
        answer(&discord, person, "hello").await;
        let asked = model.asked().swap_remove(number);
        let mut names: Vec<String> = asked.body["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .filter_map(|tool| tool["function"]["name"].as_str().map(str::to_owned))
            .collect();
        names.sort();
        assert_eq!(names, tools, "{person}");
        let body = asked.body["messages"].to_string();
        let prompt_names_discord = body.contains("notebook__add_note");
        assert_eq!(prompt_names_discord, person == "operator", "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn post_channels_bound_what_is_written_and_not_what_is_read() {
    let discord = Discord::start().await;
    let (other, general) = (discord.channel("other"), discord.channel("general"));
    let ideas = discord.channel("ideas");
    let served = Served::new(&discord, &script(), "");
    served.add_to_table("discord", &format!("post_channels = [\"{other}\"]"));
    let _host = served.serve().await;

    let read = answer(&discord, "operator", &format!("read {general}")).await;
    assert!(read.contains(" by operator, id "), "{read}");
    answer(&discord, "operator", &format!("thread {other} Plans")).await;
    let all = threads(&discord).await;
    let thread = all[0]["id"].as_str().expect("an id");
    for allowed in [other, thread] {
        let told = answer(&discord, "operator", &format!("write {allowed} whinny")).await;
        assert!(told.starts_with("Posted as message "), "{told}");
        let last = discord.answers(allowed).await.pop();
        assert_eq!(last.as_deref(), Some("whinny @everyone"));
    }

    let secret = discord.direct("eve").await;
    for ask in [
        format!("write {general} whinny"),
        format!("write {secret} whinny"),
        format!("thread {general} More"),
        format!("forum {ideas} Stable"),
    ] {
        let told = answer(&discord, "operator", &ask).await;
        assert!(
            told.starts_with("Refused (out-of-scope): "),
            "{ask}: {told}"
        );
        assert!(told.contains("`post_channels`"), "{ask}: {told}");
    }
    assert!(discord.messages(&secret).await.is_empty());
    assert!(
        !discord
            .answers(general)
            .await
            .contains(&"whinny @everyone".to_owned())
    );
    assert_eq!(threads(&discord).await.len(), 1);

    let listed = answer(&discord, "operator", &format!("posts {ideas}")).await;
    assert_eq!(listed, "There are no posts.");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_ask_nothing_of_discord_and_the_turn_goes_on() {
    let discord = Discord::start().await;
    let long = "9".repeat(21);
    let served = Served::new(&discord, &script(), "");
    let _host = served.serve().await;
    let told = answer(&discord, "operator", &format!("read {long}")).await;
    assert!(told.starts_with("Refused (invalid): "), "{told}");
    assert!(requests_on(&discord, &long).await.is_empty());
    // A channel that nobody knows is Discord's to refuse.
    let told = answer(&discord, "operator", "read 1").await;
    assert!(told.starts_with("Refused (not-found): "), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn todos_are_added_listed_and_completed_each_session_its_own() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script(), "");
    let host = served.serve().await;
    let operator = discord.user("operator");
    assert_eq!(
        answer(&discord, "operator", "todos list").await,
        "There are no to-dos."
    );
    assert_eq!(
        answer(&discord, "operator", "todos add buy oats").await,
        "Added as number 1."
    );
    let listed = answer(&discord, "operator", "todos list").await;
    assert!(listed.starts_with("1 [open] by "), "{listed}");
    assert!(listed.contains(operator), "{listed}");
    assert!(listed.ends_with("\n> buy oats"), "{listed}");
    // A guest has the tool too, and a list of their own.
    assert_eq!(
        answer(&discord, "guest", "todos list").await,
        "There are no to-dos."
    );
    assert_eq!(
        answer(&discord, "guest", "todos add graze").await,
        "Added as number 1."
    );
    let done = answer(&discord, "operator", "todos complete").await;
    assert!(done.starts_with("1 [done] by "), "{done}");
    let missed = answer(&discord, "operator", "todos miss").await;
    assert!(missed.starts_with("Refused (not-found): "), "{missed}");

    assert_eq!(host.terminate().await.0, 0);
    let _host = served.serve().await;
    let listed = answer(&discord, "operator", "todos list").await;
    assert!(listed.starts_with("1 [done] by "), "{listed}");
    assert!(!listed.contains("graze"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugins_tool_works_for_the_owner_alone_from_its_install_to_its_uninstall() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script(), "");
    let host = served.serve().await;
    let told = answer(&discord, "operator", "note Key flowerpot").await;
    assert!(is_not_given(&told, "notebook__add_note"), "{told}");

    install_notebook(served.host());
    let told = answer(&discord, "operator", "note Key flowerpot").await;
    assert!(
        told.starts_with("[Answer of the plugin notebook]\n> "),
        "{told}"
    );
    let told = answer(&discord, "operator", "recall Key").await;
    assert!(told.contains("flowerpot"), "{told}");
    // It is the install's own memory, which the command line reads as well.
    let read = served
        .host()
        .run(&[
            "call",
            "notebook",
            "read_note",
            "--args",
            r#"{"title": "Key"}"#,
        ])
        .ended(0)
        .stdout();
    assert!(read.contains("flowerpot"), "{read}");
    let told = answer(&discord, "operator", "recall Nothing").await;
    assert!(told.starts_with("Refused ("), "{told}");

    for person in ["guest", "admin"] {
        let told = answer(&discord, person, "recall Key").await;
        assert!(is_not_given(&told, "notebook__read_note"), "{told}");
    }

    served
        .host()
        .run(&["uninstall", "notebook", "--yes"])
        .ended(0);
    let told = answer(&discord, "operator", "recall Key").await;
    assert!(is_not_given(&told, "notebook__read_note"), "{told}");
    assert_eq!(host.terminate().await.0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_that_the_profile_does_not_list_is_offered_to_nobody() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script(), "");
    let text = std::fs::read_to_string(served.profile_file()).expect("a profile");
    served.write_profile(&text.replace(", \"plugin:notebook\"", ""));
    install_notebook(served.host());
    let _host = served.serve().await;
    let told = answer(&discord, "operator", "recall Key").await;
    assert!(is_not_given(&told, "notebook__read_note"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_does_not_exist_runs_nothing_and_the_turn_goes_on() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, &script(), "");
    let _host = served.serve().await;
    let told = answer(&discord, "operator", "fly").await;
    assert!(is_not_given(&told, "fly_away"), "{told}");
    let session = served.session();
    let row = &session["row_list"][0];
    assert_eq!(row["outcome"], "completed");
    let kinds: Vec<&str> = row["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter_map(|item| item["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["text", "calls", "result", "text"]);
}
