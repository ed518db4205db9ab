//! A host that is killed at any point, or stopped, goes on where it was: nothing that was admitted
//! is lost, nothing runs twice, and what is not known is said once.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use ostler_tests::discord::{Discord, PATIENCE};
use ostler_tests::serving::Served;
use serde_json::{Value, json};

const SCRIPT: &str = r#"
[[turn]]
match = "ping (\\d+)"
[[turn.step]]
say = "pong $1"
delay_ms = 20

[[turn]]
match = "slow"
[[turn.step]]
say = "That took long."
delay_ms = 60000

[[turn]]
match = "aloud"
[[turn.step]]
say = "I begin."
[[turn.step]]
say = "I go on."
delay_ms = 1500
[[turn.step]]
say = "I am done."
delay_ms = 60000
"#;

/// What an answer has below it that was sent by a later start.
const RECOVERED: &str = "\n-# recovered after a restart";
/// How a lost turn is told.
const CUT_OFF: &str = "I was cut off while I worked on this";
/// How an interrupted turn is told.
const STOPPED: &str = "I was stopped before I was done.";

/// A point of a turn at which a host ends.
fn at(point: &str) -> [(&str, &str); 1] {
    [("OSTLER_FAILPOINT", point)]
}

/// An answer without the mark of a recovered one.
fn plain(answer: &str) -> &str {
    answer.strip_suffix(RECOVERED).unwrap_or(answer)
}

fn id(object: &Value) -> String {
    object["id"].as_str().expect("an id").to_owned()
}

/// The message that a message replies to.
fn replied_to(message: &Value) -> &str {
    message["message_reference"]["message_id"]
        .as_str()
        .unwrap_or_default()
}

/// Starts a host that ends by itself at a point of the first turn, asks, and sees it end.
async fn crash_on(discord: &Discord, served: &Served, point: &str, question: &str) {
    let host = served.start(&at(point));
    host.wait_until_ready().await;
    let channel = discord.channel("general");
    discord.ask("operator", channel, question).await;
    assert_eq!(host.wait_for_end().await, -1, "{point}: ended by a signal");
}

/// Starts a host that takes up what is left and ends by itself at a point.
async fn crash_again(served: &Served, point: &str) {
    let host = served.start(&at(point));
    assert_eq!(host.wait_for_end().await, -1, "{point}: ended by a signal");
}

/// What a channel holds of the bot once a host has answered one more question, and ended.
async fn in_the_end(discord: &Discord, served: &Served, before: usize) -> Vec<String> {
    let channel = discord.channel("general");
    let host = served.serve().await;
    discord.wait_for_answers(channel, before).await;
    discord.ask("operator", channel, "ping 99").await;
    discord.wait_for_answers(channel, before + 1).await;
    assert_eq!(host.terminate().await.0, 0);
    let answers = discord.answers(channel).await;
    assert_eq!(
        answers.last().map(|answer| plain(answer)),
        Some("pong 99"),
        "{answers:?}\n{}",
        served.logged()
    );
    answers
}

/// Status and outcome of the rows of the only session, without the last one.
fn rows(served: &Served) -> Vec<(String, String)> {
    let session = served.session();
    let rows = session["row_list"].as_array().expect("rows");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut rows: Vec<_> = rows
        .iter()
        .map(|row| (text(&row["status"]), text(&row["outcome"])))
        .collect();
    assert_eq!(
        rows.pop(),
        Some(("settled".to_owned(), "completed".to_owned()))
    );
    rows
}

/// Waits until somebody sees the bot type: a turn runs.
async fn wait_until_typing(discord: &Discord) {
    let began = Instant::now();
    loop {
        let requests = discord.requests().await;
        let is_typing = |request: &Value| {
            request["path"]
                .as_str()
                .is_some_and(|p| p.ends_with("/typing"))
        };
        if requests.iter().any(is_typing) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "no turn begins");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until a message of the bot's was edited: the host knows the preview that it is. Its id.
async fn wait_for_an_edit(discord: &Discord, channel: &str) -> String {
    let began = Instant::now();
    loop {
        let messages = discord.messages(channel).await;
        let edited = messages.iter().find(|message| {
            message["author"]["id"] == discord.bot() && message["edited_timestamp"].is_string()
        });
        if let Some(edited) = edited {
            return id(edited);
        }
        assert!(began.elapsed() < PATIENCE, "no preview: {messages:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_admitted_before_a_crash_is_answered_once() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    crash_on(&discord, &served, "admitted:1", "ping 1").await;
    let answers = in_the_end(&discord, &served, 1).await;
    assert_eq!(answers, ["pong 1", "pong 99"]);
    assert_eq!(rows(&served), [("settled".into(), "completed".into())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_a_crash_cut_off_is_told_once_and_never_run_again() {
    let point = async |point: &str| {
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        crash_on(&discord, &served, point, "ping 1").await;
        assert_eq!(discord.answers(discord.channel("general")).await.len(), 0);
        let answers = in_the_end(&discord, &served, 1).await;
        assert_eq!(answers.len(), 2, "{point}: {answers:?}");
        assert!(answers[0].starts_with(CUT_OFF), "{point}: {answers:?}");
        assert_eq!(rows(&served)[0].0, "unknown", "{point}");
        // A later start does not tell it again.
        let answers = in_the_end(&discord, &served, 2).await;
        assert_eq!(answers[1..], ["pong 99", "pong 99"], "{point}");
    };
    tokio::join!(point("claimed:1"), point("answered:1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_committed_before_a_crash_is_sent_once() {
    let point = async |point: &str| {
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        crash_on(&discord, &served, point, "ping 1").await;
        let answers = in_the_end(&discord, &served, 1).await;
        let plain: Vec<_> = answers.iter().map(|answer| plain(answer)).collect();
        assert_eq!(plain, ["pong 1", "pong 99"], "{point}");
        assert_eq!(
            rows(&served),
            [("settled".into(), "completed".into())],
            "{point}"
        );
        let messages = discord.messages(discord.channel("general")).await;
        assert_eq!(replied_to(&messages[1]), id(&messages[0]), "{point}");
    };
    tokio::join!(point("committed:1"), point("posted:1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_stands_once_though_a_kill_came_before_its_confirmation() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let late = json!({
        "method": "POST", "path_regex": "/messages$", "delay_ms": 60_000, "takes_effect": true,
    });
    discord.control("POST", "fail", Some(late)).await;
    let channel = discord.channel("general");
    discord.ask("operator", channel, "ping 1").await;
    discord.wait_for_answers(channel, 1).await;
    host.kill();
    let answers = in_the_end(&discord, &served, 1).await;
    assert_eq!(answers, ["pong 1", "pong 99"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_crash_while_the_first_is_made_good_changes_nothing() {
    let points = async |first: &str, second: &str, is_answered: bool| {
        let what = format!("{first}, then {second}");
        let discord = Discord::start().await;
        let served = Served::new(&discord, SCRIPT, "");
        crash_on(&discord, &served, first, "ping 1").await;
        crash_again(&served, second).await;
        let answers = in_the_end(&discord, &served, 1).await;
        assert_eq!(answers.len(), 2, "{what}: {answers:?}");
        if is_answered {
            assert_eq!(plain(&answers[0]), "pong 1", "{what}");
        } else {
            assert!(answers[0].starts_with(CUT_OFF), "{what}: {answers:?}");
        }
    };
    tokio::join!(
        points("admitted:1", "claimed:1", false),
        points("admitted:1", "answered:1", false),
        points("admitted:1", "committed:1", true),
        points("admitted:1", "posted:1", true),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_in_the_turn_after_a_lost_one_leaves_each_told_or_answered_once() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    crash_on(&discord, &served, "answered:1", "ping 1").await;
    crash_on(&discord, &served, "committed:1", "ping 2").await;
    crash_on(&discord, &served, "claimed:1", "ping 3").await;
    let answers = in_the_end(&discord, &served, 3).await;
    assert_eq!(answers.len(), 4, "{answers:?}");
    assert!(answers[0].starts_with(CUT_OFF), "{answers:?}");
    assert_eq!(plain(&answers[1]), "pong 2");
    assert!(answers[2].starts_with(CUT_OFF), "{answers:?}");
    let statuses: Vec<_> = rows(&served)
        .into_iter()
        .map(|(status, _)| status)
        .collect();
    assert_eq!(statuses, ["unknown", "settled", "unknown"]);
}

/// A small generator of numbers (xorshift), the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_at_any_moment_lose_nothing_double_nothing_and_keep_the_order() {
    const KILLS: usize = 8;
    const EACH: usize = 16;
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let third = json!({"guild": discord.guild(), "name": "third", "type": 0});
    let third = id(&discord.control("POST", "channels", Some(third)).await);
    let places = [
        ("operator", discord.channel("general")),
        ("guest", discord.channel("other")),
        ("eve", third.as_str()),
    ];
    // Everybody has been heard once, so that no channel is new to the host.
    let host = served.serve().await;
    for (person, channel) in places {
        discord.ask(person, channel, "ping 0").await;
        discord.wait_for_answers(channel, 1).await;
    }
    let writing = async |number: usize| {
        let (person, channel) = places[number];
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 + number as u64);
        for n in 1..=EACH {
            discord.ask(person, channel, &format!("ping {n}")).await;
            tokio::time::sleep(Duration::from_millis(dice.below(500))).await;
        }
    };
    let killing = async {
        let mut dice = Dice(0x2545_f491_4f6c_dd1d);
        let mut host = host;
        for _ in 0..KILLS {
            tokio::time::sleep(Duration::from_millis(dice.below(900))).await;
            host.kill();
            host = served.start(&[]);
        }
        host
    };
    let (host, ..) = tokio::join!(killing, writing(0), writing(1), writing(2));
    host.wait_until_ready().await;
    for (person, channel) in places {
        discord.wait_for_answers(channel, EACH + 1).await;
        discord.ask(person, channel, "ping 99").await;
        discord.wait_for_answers(channel, EACH + 2).await;
    }
    assert_eq!(host.terminate().await.0, 0);

    for (_, channel) in places {
        let messages = discord.messages(channel).await;
        let (own, asked): (Vec<_>, Vec<_>) = messages
            .iter()
            .partition(|message| message["author"]["id"] == discord.bot());
        let place = |message: &Value| {
            asked
                .iter()
                .position(|asked| asked["id"] == replied_to(message))
        };
        let mut replies = Vec::new();
        for message in &own {
            let content = message["content"].as_str().unwrap_or_default();
            let asked = place(message).expect("a reply to a question");
            let number = if asked == EACH + 1 { 99 } else { asked };
            let is_answer = plain(content) == format!("pong {number}");
            assert!(
                is_answer || content.starts_with(CUT_OFF),
                "{asked}: {content}"
            );
            replies.push(asked);
        }
        // Each question has one reply, and the replies stand in the order of the questions.
        let all: Vec<usize> = (0..EACH + 2).collect();
        assert_eq!(replies, all, "{own:#?}\n{}", served.logged());
    }
    for session in served.sessions() {
        assert_eq!(session["queued"], 0, "{session}");
        assert_eq!(session["rows"], EACH + 2, "{session}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_stopped_in_a_turn_records_it_and_says_so_once() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let channel = discord.channel("general");
    discord.ask("operator", channel, "slow").await;
    wait_until_typing(&discord).await;
    let (code, took) = host.terminate().await;
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(5), "{took:?}");
    let row = &served.session()["row_list"][0];
    assert_eq!(row["status"], "settled");
    assert_eq!(row["outcome"], "interrupted");
    assert_eq!(row["reason"], "host-stopped");
    let answers = in_the_end(&discord, &served, 1).await;
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(answers[0].starts_with(STOPPED), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_while_the_host_is_down_is_answered_once() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let (general, other) = (discord.channel("general"), discord.channel("other"));

    let host = served.serve().await;
    discord.ask("operator", general, "ping 1").await;
    discord.wait_for_answers(general, 1).await;
    assert_eq!(host.terminate().await.0, 0);
    discord.ask("operator", general, "ping 2").await;
    // Nobody has written here before.
    discord.ask("guest", other, "ping 3").await;

    let host = served.serve().await;
    discord.wait_for_answers(general, 2).await;
    discord.wait_for_answers(other, 1).await;
    host.kill();
    discord.ask("operator", general, "ping 4").await;
    discord.ask("operator", general, "ping 5").await;
    discord.ask("guest", other, "ping 6").await;

    let host = served.serve().await;
    discord.wait_for_answers(general, 4).await;
    discord.wait_for_answers(other, 2).await;
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(
        discord.answers(general).await,
        ["pong 1", "pong 2", "pong 4", "pong 5"]
    );
    assert_eq!(discord.answers(other).await, ["pong 3", "pong 6"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_while_the_host_is_down_is_read_back_when_its_connection_is_forgotten() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let general = discord.channel("general");
    let host = served.serve().await;
    discord.ask("operator", general, "ping 1").await;
    discord.wait_for_answers(general, 1).await;
    let direct = discord.direct("guest").await;
    discord.say("guest", &direct, "ping 2").await;
    discord.wait_for_answers(&direct, 1).await;
    host.kill();

    discord.ask("operator", general, "ping 3").await;
    discord.say("guest", &direct, "ping 4").await;
    let forgotten = json!({"action": "invalid_session", "resumable": false, "at": "hello"});
    discord.control("POST", "gateway", Some(forgotten)).await;
    let host = served.serve().await;
    discord.wait_for_answers(general, 2).await;
    discord.wait_for_answers(&direct, 2).await;
    discord.ask("operator", general, "ping 5").await;
    discord.say("guest", &direct, "ping 6").await;
    discord.wait_for_answers(general, 3).await;
    discord.wait_for_answers(&direct, 3).await;
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(
        discord.answers(general).await,
        ["pong 1", "pong 3", "pong 5"]
    );
    assert_eq!(
        discord.answers(&direct).await,
        ["pong 2", "pong 4", "pong 6"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_that_a_kill_left_is_deleted_at_the_next_start() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "turn_verbosity = \"verbose\"");
    let host = served.serve().await;
    let channel = discord.channel("general");
    discord.ask("operator", channel, "aloud").await;
    let preview = wait_for_an_edit(&discord, channel).await;
    host.kill();
    let host = served.serve().await;
    let began = Instant::now();
    loop {
        let messages = discord.messages(channel).await;
        let is_there = messages.iter().any(|message| message["id"] == preview);
        let is_told = discord
            .answers(channel)
            .await
            .iter()
            .any(|a| a.starts_with(CUT_OFF));
        if is_told && !is_there {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{messages:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(discord.answers(channel).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_whose_id_a_kill_kept_from_the_host_is_deleted_too() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "turn_verbosity = \"verbose\"");
    let host = served.serve().await;
    let channel = discord.channel("general");
    let late = json!({
        "method": "POST", "path_regex": "/messages$", "delay_ms": 60_000, "takes_effect": true,
    });
    discord.control("POST", "fail", Some(late)).await;
    discord.ask("operator", channel, "aloud").await;
    // The preview stands, and nobody has told the host so.
    discord.wait_for_answers(channel, 1).await;
    host.kill();
    let host = served.serve().await;
    let began = Instant::now();
    loop {
        let answers = discord.answers(channel).await;
        if let [only] = answers.as_slice()
            && only.starts_with(CUT_OFF)
        {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{answers:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(host.terminate().await.0, 0);
    let answers = discord.answers(channel).await;
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_is_answered_before_what_is_said_at_the_return() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "turn_verbosity = \"verbose\"");
    let host = served.serve().await;
    let channel = discord.channel("general");
    discord.ask("operator", channel, "ping 1").await;
    discord.wait_for_answers(channel, 1).await;
    // Another channel has a preview that the next start deletes, which takes its time.
    let other = discord.channel("other");
    discord.ask("operator", other, "aloud").await;
    wait_for_an_edit(&discord, other).await;
    host.kill();

    discord.ask("operator", channel, "ping 2").await;
    let forgotten = json!({"action": "invalid_session", "resumable": false, "at": "hello"});
    discord.control("POST", "gateway", Some(forgotten)).await;
    let late = json!({"method": "DELETE", "path_regex": "/messages/", "delay_ms": 1000});
    discord.control("POST", "fail", Some(late)).await;
    let host = served.serve().await;
    discord.ask("operator", channel, "ping 3").await;
    discord.wait_for_answers(channel, 2).await;
    discord.ask("operator", channel, "ping 4").await;
    // The preview goes in the end, and with it what comes after it is done.
    let began = Instant::now();
    while !discord
        .answers(other)
        .await
        .iter()
        .all(|a| a.starts_with(CUT_OFF))
        || discord.answers(channel).await.len() < 4
    {
        assert!(
            began.elapsed() < Duration::from_secs(8),
            "{:?}\n{}",
            discord.answers(channel).await,
            served.logged()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(
        discord.answers(channel).await,
        ["pong 1", "pong 2", "pong 3", "pong 4"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_starts_while_discord_is_away_becomes_ready_when_it_is_back() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    crash_on(&discord, &served, "admitted:1", "ping 1").await;
    let away = json!({"method": "GET", "path_regex": "/gateway", "status": 503, "times": 4});
    discord.control("POST", "fail", Some(away)).await;
    let answers = in_the_end(&discord, &served, 1).await;
    assert_eq!(answers, ["pong 1", "pong 99"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_host_of_a_home_runs_and_the_second_says_why_it_does_not() {
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let host = served.serve().await;
    let seconds = (0..2).map(|_| served.host().command(&["serve", "--listen", "127.0.0.1:0"]));
    let ends = join_all(seconds.map(async |mut second| second.output().expect("it runs"))).await;
    for end in ends {
        assert!(!end.status.success());
        let said = String::from_utf8_lossy(&end.stderr).into_owned();
        assert!(said.contains("error"), "{said}");
    }
    let channel = discord.channel("general");
    discord.ask("operator", channel, "ping 1").await;
    discord.wait_for_answers(channel, 1).await;
    assert_eq!(host.terminate().await.0, 0);
    assert_eq!(discord.answers(channel).await, ["pong 1"]);
}
