//! The scripted model: which step comes when, and what stands in it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use ostler_agent::model::{
    Completion, Model, ModelError, ModelEvent, ModelMessage, Scripted, StopReason, ToolCall,
};
use serde_json::json;

/// What a completion came to: text, calls, or the error.
#[derive(Debug, PartialEq)]
enum Came {
    Answer(String, Vec<ToolCall>),
    Broke(String, ModelError),
}

async fn ask(model: &Scripted, messages: &[ModelMessage]) -> Came {
    let request = Completion {
        messages: messages.to_vec(),
        ..Completion::default()
    };
    let mut stream = match model.complete(&request).await {
        Ok(stream) => stream,
        Err(error) => return Came::Broke(String::new(), error),
    };
    let (mut text, mut calls, mut ended) = (String::new(), Vec::new(), false);
    while let Some(event) = stream.next().await {
        assert!(!ended, "nothing follows the end");
        match event {
            Ok(ModelEvent::Text(more)) => text.push_str(&more),
            Ok(ModelEvent::Call(call)) => calls.push(call),
            Ok(ModelEvent::End { stop, usage }) => {
                assert_eq!((stop, usage), (StopReason::Done, None));
                ended = true;
            }
            Err(error) => return Came::Broke(text, error),
        }
    }
    assert!(ended, "an answer ends");
    Came::Answer(text, calls)
}

/// Runs a turn as a host does: until an answer calls nothing, or fails. A tool answers with
/// `<name>#<how many calls there were>`. Each completion as `text|calls`.
async fn run(model: &Scripted, incoming: &str) -> Vec<String> {
    let mut messages = vec![ModelMessage::User(incoming.to_owned())];
    let (mut seen, mut count) = (Vec::new(), 0);
    for _ in 0..10 {
        match ask(model, &messages).await {
            Came::Broke(text, error) => {
                seen.push(format!("{text}!{error}"));
                return seen;
            }
            Came::Answer(text, calls) => {
                let names: Vec<_> = calls
                    .iter()
                    .map(|call| format!("{}{}", call.name, call.arguments))
                    .collect();
                seen.push(format!("{text}|{}", names.join(",")));
                if calls.is_empty() {
                    return seen;
                }
                messages.push(ModelMessage::Assistant {
                    text,
                    calls: calls.clone(),
                });
                for call in calls {
                    count += 1;
                    let content = format!("{}#{count}", call.name);
                    messages.push(ModelMessage::ToolResult {
                        call: call.id,
                        name: call.name,
                        content,
                    });
                }
            }
        }
    }
    panic!("the turn does not end: {seen:?}");
}

fn script(steps: &str) -> Scripted {
    let mut text = "[[turn]]\nmatch = \"(?<verb>go) ?(\\\\w*)\"\n".to_owned();
    for step in steps.split(';') {
        text.push_str("[[turn.step]]\n");
        text.push_str(step.trim());
        text.push('\n');
    }
    Scripted::parse(&text).unwrap()
}

#[tokio::test]
async fn each_completion_runs_the_steps_up_to_the_next_call() {
    let gone = "the model's provider is not reachable";
    let cases: &[(&str, &[&str])] = &[
        ("say = 'a'", &["a|"]),
        ("tool = 't'; say = 'a'", &["|t{}", "a|"]),
        ("say = 'a'; tool = 't'; say = 'b'", &["a|t{}", "b|"]),
        ("tool = 't'; tool = 'u'", &["|t{}", "|u{}", "|"]),
        ("tool = 't'", &["|t{}", "|"]),
        ("say = 'a'; say = 'b'", &["a\n\nb|"]),
        ("say = 'a'; tool = 't'", &["a|t{}", "|"]),
        (
            "tool = 't'; say = 'a'; tool = 'u'; say = 'b'",
            &["|t{}", "a|u{}", "b|"],
        ),
        (
            "tool = 't'; say = '$result'; tool = 'u'; say = '$result'",
            &["|t{}", "t#1|u{}", "u#2|"],
        ),
        ("fail = 'x'", &["!{gone}: x"]),
        ("say = 'a'; fail = 'x'", &["a!{gone}: x"]),
        ("tool = 't'; fail = '$result'", &["|t{}", "!{gone}: t#1"]),
        ("fail = 'x'; say = 'never'", &["!{gone}: x"]),
    ];
    for (steps, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|one| one.replace("{gone}", gone))
            .collect();
        assert_eq!(run(&script(steps), "go on").await, expected, "{steps}");
    }
}

#[tokio::test]
async fn names_are_replaced_in_text_and_in_every_string_of_the_arguments() {
    let cases = [
        ("$verb", "go"),
        ("${verb}", "go"),
        ("$0/$1/$2", "go on/go/on"),
        ("${2}x", "onx"),
        ("$2nd", "onnd"),
        ("$$verb", "$verb"),
        ("$$$verb", "$go"),
        ("$nothing ${nothing} $9", "$nothing ${nothing} $9"),
        ("100$ and $", "100$ and $"),
        ("${verb", "${verb"),
        ("${}$-", "${}$-"),
        ("<$result>", "<>"),
        ("ä$verb.ö", "ägo.ö"),
    ];
    for (template, expected) in cases {
        let model = script(&format!("say = '{template}'"));
        assert_eq!(
            run(&model, "go on").await,
            [format!("{expected}|")],
            "{template}"
        );
    }

    let model = script(
        "tool = 't'\nargs = { \"$verb\" = '$verb', n = 3, f = 1.5, b = true, d = 2026-01-02, \
         list = ['$2', { deep = '$1 $2' }] }",
    );
    let Came::Answer(_, calls) = ask(&model, &[ModelMessage::User("go far".into())]).await else {
        panic!("it answers");
    };
    assert_eq!(
        calls[0].arguments,
        json!({
            "$verb": "go", "n": 3, "f": 1.5, "b": true, "d": "2026-01-02",
            "list": ["far", {"deep": "go far"}],
        })
    );
}

#[tokio::test]
async fn what_a_name_stands_for_is_not_read_again() {
    let model = Scripted::parse(
        "[[turn]]\nmatch = 'say (.*)'\n[[turn.step]]\ntool = 't'\n[[turn.step]]\nsay = '$1'\n",
    )
    .unwrap();
    assert_eq!(run(&model, "say $result $$ $0").await[1], "$result $$ $0|");
}

#[tokio::test]
async fn the_first_turn_that_matches_runs_and_a_group_that_took_no_part_is_empty() {
    let model = Scripted::parse(
        "[[turn]]\nmatch = 'b(c)?'\n[[turn.step]]\nsay = 'one<$1>'\n\
         [[turn]]\nmatch = 'a'\n[[turn.step]]\nsay = 'two'\n",
    )
    .unwrap();
    assert_eq!(run(&model, "ab").await, ["one<>|"]);
    assert_eq!(run(&model, "a").await, ["two|"]);
}

#[tokio::test]
async fn only_the_newest_incoming_message_counts_and_its_turn_begins_anew() {
    let model = script("tool = 't'; say = 'done $result'");
    let call = |id: &str| ToolCall {
        id: id.into(),
        name: "t".into(),
        arguments: json!({}),
    };
    let result = |id: &str, content: &str| ModelMessage::ToolResult {
        call: id.into(),
        name: "t".into(),
        content: content.into(),
    };
    let mut messages = vec![
        ModelMessage::User("go one".into()),
        ModelMessage::Assistant {
            text: String::new(),
            calls: vec![call("call_1")],
        },
        result("call_1", "old"),
        ModelMessage::Assistant {
            text: "done old".into(),
            calls: vec![],
        },
        ModelMessage::User("go two".into()),
    ];
    let Came::Answer(text, calls) = ask(&model, &messages).await else {
        panic!("it answers")
    };
    assert_eq!((text.as_str(), calls.len()), ("", 1));
    assert_ne!(
        calls[0].id, "call_1",
        "an id of the conversation is not used again"
    );

    let id = calls[0].id.clone();
    messages.push(ModelMessage::Assistant { text, calls });
    messages.push(result(&id, "new"));
    assert_eq!(
        ask(&model, &messages).await,
        Came::Answer("done new".into(), vec![])
    );
    // The same conversation again, as after a restart: the same step again.
    assert_eq!(
        ask(&model, &messages).await,
        Came::Answer("done new".into(), vec![])
    );
}

#[tokio::test]
async fn without_a_match_it_says_what_it_is_unless_it_is_strict() {
    let turn = "[[turn]]\nmatch = 'x'\n[[turn.step]]\nsay = 'x'\n";
    let lenient = Scripted::parse(turn).unwrap();
    let answer = run(&lenient, "hello").await.remove(0);
    assert!(
        answer.contains("scripted model") && answer.contains("no turn"),
        "{answer}"
    );

    let strict = Scripted::parse(&format!("strict = true\n{turn}")).unwrap();
    let Came::Broke(_, error) = ask(&strict, &[ModelMessage::User("hello".into())]).await else {
        panic!("a strict script fails");
    };
    assert_eq!(error.code(), "model-no-script");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn text_streams_in_words_and_a_delay_is_waited_for() {
    let model = script("say = 'one two  three'\ndelay_ms = 120");
    let request = Completion {
        messages: vec![ModelMessage::User("go".into())],
        ..Completion::default()
    };
    let began = Instant::now();
    let stream = model.complete(&request).await.unwrap();
    let pieces = stream.filter_map(|event| async {
        match event.unwrap() {
            ModelEvent::Text(text) => Some(text),
            _ => None,
        }
    });
    let pieces: Vec<String> = pieces.collect().await;
    assert!(began.elapsed() >= Duration::from_millis(120));
    assert!(pieces.len() >= 3, "{pieces:?}");
    assert_eq!(pieces.concat(), "one two  three");
}

#[tokio::test]
async fn the_demo_script_says_that_it_is_scripted_in_every_answer() {
    let model = Scripted::demo().unwrap();
    assert!(model.name().contains("scripted"), "{}", model.name());
    for incoming in [
        "hello",
        "todo buy milk",
        "list",
        "fetch <#123456789012345678>",
        "else",
    ] {
        let completions = run(&model, incoming).await;
        let answer = completions.last().unwrap();
        assert!(answer.contains("scripted"), "{incoming}: {answer}");
    }
    let todo = run(&model, "please todo: buy milk").await;
    assert_eq!(todo[0], r#"|todo{"action":"add","title":"buy milk"}"#);
    let fetch = run(&model, "fetch <#123456789012345678>").await;
    let call = r#"discord{"action":"fetch_messages","channel_id":"123456789012345678"}"#;
    assert!(fetch[0].ends_with(call), "{fetch:?}");
}
