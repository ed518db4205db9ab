//! Providers that go wrong: what is tried again, what is said, and where it ends.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use ostler_agent::model::{
    Completion, Key, Model, ModelError, ModelEvent, ModelMessage, Provider, ProviderKind,
    ProviderOptions, Timeouts,
};
use ostler_tests::model_server::{Damage, ModelServer, Reply};
use serde_json::{Value, json};

const KEY: &str = "sk-secret-0123456789";
const KINDS: [ProviderKind; 3] = [
    ProviderKind::OpenAi,
    ProviderKind::Anthropic,
    ProviderKind::Ollama,
];

fn quick() -> Timeouts {
    Timeouts {
        connect: Duration::from_secs(2),
        first: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        total: Duration::from_secs(20),
    }
}

fn provider(kind: ProviderKind, base_url: &str, timeouts: Timeouts) -> Provider {
    Provider::new(ProviderOptions {
        kind,
        base_url: Some(base_url.to_owned()),
        model: "a-model".to_owned(),
        key: Some(Key::new(KEY)),
        timeouts,
    })
    .unwrap()
}

/// Asks, and takes everything in: the text so far, and the error if there is one.
async fn ask_within(
    kind: ProviderKind,
    base_url: &str,
    timeouts: Timeouts,
) -> (String, Result<(), ModelError>) {
    let messages = vec![ModelMessage::User("hi".to_owned())];
    let request = Completion {
        messages,
        ..Completion::default()
    };
    let model = provider(kind, base_url, timeouts);
    let mut stream = match model.complete(&request).await {
        Ok(stream) => stream,
        Err(error) => return (String::new(), Err(error)),
    };
    let (mut text, mut ended) = (String::new(), false);
    while let Some(event) = stream.next().await {
        match event {
            Ok(ModelEvent::Text(more)) => text.push_str(&more),
            Ok(ModelEvent::Call(_)) => {}
            Ok(ModelEvent::End { .. }) => ended = true,
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing follows an error");
                return (text, Err(error));
            }
        }
    }
    assert!(ended, "an answer that ends without its end is an error");
    (text, Ok(()))
}

async fn ask(kind: ProviderKind, server: &ModelServer) -> (String, Result<(), ModelError>) {
    ask_within(kind, &server.base_url(), quick()).await
}

#[tokio::test]
async fn each_status_has_its_meaning_and_only_what_may_pass_is_tried_again() {
    let cases = [
        (400, "model-rejected", 1),
        (401, "model-unauthorized", 1),
        (403, "model-unauthorized", 1),
        (404, "model-rejected", 1),
        (422, "model-rejected", 1),
        (302, "model-rejected", 1),
        (429, "model-limited", 3),
        (500, "model-unavailable", 3),
        (529, "model-unavailable", 3),
    ];
    for (kind, (status, code, requests)) in cases
        .into_iter()
        .enumerate()
        .map(|(at, case)| (KINDS[at % 3], case))
    {
        let server = ModelServer::start().await;
        server.otherwise(move |_| {
            Reply::error(status, "some_error", "no such\u{7}\n\u{202e}luck")
                .header("location", "http://127.0.0.1:9/")
                .header("retry-after-ms", "10")
        });
        let error = ask(kind, &server).await.1.unwrap_err();
        assert_eq!(
            (error.code(), server.asked().len()),
            (code, requests),
            "{status}: {error}"
        );
        assert!(
            status == 302 || error.to_string().contains("no such luck"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_limit_is_waited_for_as_long_as_the_provider_asks() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        server.reply(Reply::error(429, "rate_limit", "slow down").header("retry-after", "1"));
        server.reply(Reply::text("ok"));
        let began = Instant::now();
        let (text, result) = ask(kind, &server).await;
        assert_eq!((text.as_str(), result), ("ok", Ok(())));
        assert!(began.elapsed() >= Duration::from_secs(1));
        assert_eq!(server.asked().len(), 2);
    }
}

#[tokio::test]
async fn a_wait_that_is_too_long_and_a_request_not_to_come_back_are_respected() {
    for (name, value) in [("retry-after", "21"), ("x-should-retry", "false")] {
        let server = ModelServer::start().await;
        server.reply(Reply::error(503, "overloaded", "later").header(name, value));
        let error = ask(ProviderKind::OpenAi, &server).await.1.unwrap_err();
        assert_eq!(
            (error.code(), server.asked().len()),
            ("model-unavailable", 1),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_is_an_error_after_what_came() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        let whole = Reply::text(&"word ".repeat(40)).in_pieces_of(64);
        server.reply(whole.damaged(Damage::CutAfter(4000)));
        let (text, result) = ask(kind, &server).await;
        let error = result.unwrap_err();
        assert!(
            text.starts_with("word ") && text.len() < 200,
            "{kind:?}: {text}"
        );
        assert_eq!(
            (error.code(), server.asked().len()),
            ("model-unavailable", 1),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_ends_politely_before_its_end_is_an_error_too() {
    let openai = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\n";
    let anthropic = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\
        \"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
        \"delta\":{\"type\":\"text_delta\",\"text\":\"half\"}}\n\n";
    for kind in KINDS {
        let server = ModelServer::start().await;
        let body = if kind == ProviderKind::Anthropic {
            anthropic
        } else {
            openai
        };
        server.reply(Reply::raw("text/event-stream", body));
        let (text, result) = ask(kind, &server).await;
        assert_eq!(
            (text.as_str(), result.unwrap_err().code()),
            ("half", "model-unavailable")
        );
    }
}

#[tokio::test]
async fn a_stall_ends_at_the_idle_bound_and_the_whole_at_its_own() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        let reply = || Reply::text(&"word ".repeat(40)).damaged(Damage::StallAfter(4000));
        server.reply(reply());
        let began = Instant::now();
        let idle = Duration::from_millis(300);
        let timeouts = Timeouts { idle, ..quick() };
        let (text, result) = ask_within(kind, &server.base_url(), timeouts).await;
        let error = result.unwrap_err();
        assert!(
            !text.is_empty() && error.code() == "model-unavailable",
            "{error}"
        );
        assert!(error.to_string().contains("silent"), "{error}");
        assert!(began.elapsed() < Duration::from_secs(4));

        server.reply(reply());
        let total = Duration::from_millis(400);
        let timeouts = Timeouts {
            idle: Duration::from_secs(60),
            total,
            ..quick()
        };
        let (_, result) = ask_within(kind, &server.base_url(), timeouts).await;
        assert!(result.unwrap_err().to_string().contains("0.4 s"));
    }
}

#[tokio::test]
async fn a_provider_that_is_silent_from_the_start_is_asked_again() {
    let server = ModelServer::start().await;
    server.reply(Reply::text("x").damaged(Damage::StallAfter(0)));
    server.reply(Reply::text("ok"));
    let timeouts = Timeouts {
        first: Duration::from_secs(1),
        ..quick()
    };
    let answer = ask_within(ProviderKind::OpenAi, &server.base_url(), timeouts).await;
    assert_eq!(answer, ("ok".to_owned(), Ok(())));
}

#[tokio::test]
async fn a_comment_now_and_then_keeps_an_answer_alive_but_not_for_ever() {
    let server = ModelServer::start().await;
    let comments = ": alive\n\n".repeat(2000);
    server.reply(Reply::raw("text/event-stream", &comments).damaged(Damage::Repeat));
    let timeouts = Timeouts {
        total: Duration::from_secs(120),
        ..quick()
    };
    let began = Instant::now();
    let (_, result) = ask_within(ProviderKind::OpenAi, &server.base_url(), timeouts).await;
    let error = result.unwrap_err();
    assert_eq!(
        error.code(),
        "model-malformed",
        "{error} {:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn an_endless_answer_hits_the_bound() {
    let delta = |delta: Value| {
        let chunk = json!({"choices": [{"index": 0, "delta": delta}]});
        format!("data: {chunk}\n\n")
    };
    let long = "x".repeat(60_000);
    let call = |id: &str, arguments: &str| {
        let function = json!({"name": "t", "arguments": arguments});
        delta(json!({"tool_calls": [{"index": 0, "id": id, "function": function}]}))
    };
    let many: String = (0..65)
        .map(|number| call(&format!("id{number}"), "{}"))
        .collect();
    let cases = [
        (delta(json!({"content": long})), Some(Damage::Repeat)),
        (
            delta(json!({"reasoning_content": long})),
            Some(Damage::Repeat),
        ),
        (call("id", &long), Some(Damage::Repeat)),
        (many, None),
    ];
    for (body, damage) in cases {
        let server = ModelServer::start().await;
        let reply = Reply::raw("text/event-stream", &body);
        server.reply(damage.map_or(reply.clone(), |damage| reply.damaged(damage)));
        let timeouts = Timeouts {
            total: Duration::from_secs(120),
            ..quick()
        };
        let (text, result) = ask_within(ProviderKind::OpenAi, &server.base_url(), timeouts).await;
        assert!(text.len() <= 1 << 20);
        let error = result.unwrap_err();
        assert_eq!(error.code(), "model-malformed", "{error}");
    }
}

#[tokio::test]
async fn what_never_comes_to_an_end_is_given_up_in_time() {
    let replies = [
        Reply::raw("text/event-stream", &format!("data: {}", "x".repeat(1000))),
        Reply::error(500, "server_error", &"x".repeat(1000)),
    ];
    for reply in replies {
        let server = ModelServer::start().await;
        server.reply(reply.damaged(Damage::Repeat));
        let total = Duration::from_millis(300);
        let began = Instant::now();
        let timeouts = Timeouts { total, ..quick() };
        let (_, result) = ask_within(ProviderKind::OpenAi, &server.base_url(), timeouts).await;
        assert_eq!(result.unwrap_err().code(), "model-unavailable");
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "{:?}",
            began.elapsed()
        );
    }
}

#[tokio::test]
async fn what_is_no_answer_is_said_to_be_none() {
    let cases = [
        ("text/html", "<html>welcome</html>"),
        (
            "application/json",
            "{\"choices\":[{\"message\":{\"content\":\"hi\"}}]}",
        ),
        ("text/event-stream", "data: {not json\n\n"),
        (
            "text/event-stream",
            "event: content_block_start\ndata: [1\n\n",
        ),
        ("text/event-stream", ""),
    ];
    for kind in KINDS {
        for (content_type, body) in cases {
            let server = ModelServer::start().await;
            server.otherwise(move |_| Reply::raw(content_type, body));
            let error = ask(kind, &server).await.1.unwrap_err();
            let known = ["model-malformed", "model-unavailable"];
            assert!(known.contains(&error.code()), "{kind:?} {body}: {error}");
            let unread = kind == ProviderKind::Anthropic && body == "data: {not json\n\n";
            assert_eq!(
                error.code() == "model-unavailable",
                unread,
                "{kind:?} {body}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn calls_that_would_lose_their_arguments_or_vanish_are_errors() {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let end = chunk(json!({}), json!("tool_calls")) + "data: [DONE]\n\n";
    let object = json!({"tool_calls": [
        {"index": 0, "id": "a", "function": {"name": "t", "arguments": {"at": 1}}}]});
    let no_index = json!({"tool_calls": [
        {"id": "a", "function": {"name": "t", "arguments": "{}"}}]});
    for delta in [object, no_index] {
        let server = ModelServer::start().await;
        let body = chunk(delta, Value::Null) + &end;
        server.reply(Reply::raw("text/event-stream", &body));
        let error = ask(ProviderKind::OpenAi, &server).await.1.unwrap_err();
        assert_eq!(error.code(), "model-malformed", "{error}");
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_stream_keeps_its_meaning() {
    let anthropic = |kind: &str| {
        let error = json!({"type": "error", "error": {"type": kind, "message": "so it is"}});
        format!("event: error\ndata: {error}\n\n")
    };
    let openai = |error: Value| format!("data: {}\n\n", json!({ "error": error }));
    let cases = [
        (
            ProviderKind::Anthropic,
            anthropic("overloaded_error"),
            "model-unavailable",
            3,
        ),
        (
            ProviderKind::Anthropic,
            anthropic("rate_limit_error"),
            "model-limited",
            3,
        ),
        (
            ProviderKind::Anthropic,
            anthropic("authentication_error"),
            "model-unauthorized",
            1,
        ),
        (
            ProviderKind::Anthropic,
            anthropic("invalid_request_error"),
            "model-rejected",
            1,
        ),
        (
            ProviderKind::OpenAi,
            openai(json!({"code": 502, "message": "so it is"})),
            "model-unavailable",
            3,
        ),
        (
            ProviderKind::OpenAi,
            openai(json!({"type": "server_error", "message": "so it is"})),
            "model-unavailable",
            3,
        ),
    ];
    for (kind, body, code, requests) in cases {
        let server = ModelServer::start().await;
        server.otherwise(move |_| Reply::raw("text/event-stream", &body));
        let error = ask(kind, &server).await.1.unwrap_err();
        assert_eq!(
            (error.code(), server.asked().len()),
            (code, requests),
            "{error}"
        );
        assert!(error.to_string().contains("so it is"), "{error}");
    }
}

#[tokio::test]
async fn an_error_never_holds_the_key_or_a_query_and_is_short() {
    let echo = format!("your key {KEY} is bad, really {KEY} {}", "x".repeat(5000));
    let near_the_bound = format!("{}{KEY}", "y".repeat(450));
    for kind in KINDS {
        for (status, text) in [(401, &echo), (500, &echo), (400, &near_the_bound)] {
            for body in [json!({"error": {"message": text}}), json!(text)] {
                let server = ModelServer::start().await;
                server
                    .otherwise(move |_| Reply::status(status, &body).header("retry-after-ms", "1"));
                let base_url = format!("{}?token={KEY}", server.base_url());
                let error = ask_within(kind, &base_url, quick()).await.1.unwrap_err();
                let shown = format!("{error} {error:?}");
                assert!(
                    !shown.contains("sk-secret") && !shown.contains("token="),
                    "{shown}"
                );
                assert!(error.to_string().chars().count() < 600, "{error}");
            }
        }
        // Nobody listens there.
        let error = ask_within(kind, &format!("http://127.0.0.1:9/v1?token={KEY}"), quick()).await;
        let error = error.1.unwrap_err();
        assert_eq!(error.code(), "model-unavailable");
        assert!(
            error
                .to_string()
                .contains("http://127.0.0.1:9 cannot be connected to"),
            "{error}"
        );
        assert!(!error.to_string().contains("token="), "{error}");
    }
}

#[tokio::test]
async fn calls_without_ids_get_ids_of_their_own_in_every_answer() {
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[\
        {\"index\":0,\"function\":{\"name\":\"t\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[\
        {\"index\":0,\"function\":{\"arguments\":\":1}\"}}]}}]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
        data: [DONE]\n\n";
    let server = ModelServer::start().await;
    server.otherwise(move |_| Reply::raw("text/event-stream", body));
    let model = provider(ProviderKind::OpenAi, &server.base_url(), quick());
    let messages = vec![ModelMessage::User("hi".to_owned())];
    let mut request = Completion {
        messages,
        ..Completion::default()
    };
    let mut ids = Vec::new();
    for _ in 0..3 {
        let events: Vec<_> = model.complete(&request).await.unwrap().collect().await;
        let Ok(ModelEvent::Call(call)) = &events[0] else {
            panic!("a call: {events:?}")
        };
        assert_eq!(call.arguments, json!({"a": 1}));
        ids.push(call.id.clone());
        let calls = vec![call.clone()];
        request.messages.push(ModelMessage::Assistant {
            text: String::new(),
            calls,
        });
        request.messages.push(ModelMessage::ToolResult {
            call: ids[ids.len() - 1].clone(),
            name: "t".to_owned(),
            content: "ok".to_owned(),
        });
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    let server = ModelServer::start().await;
    server.reply(Reply::text(&"word ".repeat(40)).damaged(Damage::StallAfter(4000)));
    let model = provider(
        ProviderKind::OpenAi,
        &server.base_url(),
        Timeouts::default(),
    );
    let messages = vec![ModelMessage::User("hi".to_owned())];
    let request = Completion {
        messages,
        ..Completion::default()
    };
    let mut stream = model.complete(&request).await.unwrap();
    assert!(stream.next().await.is_some());
    assert_eq!(server.open(), 1);
    drop(stream);
    for _ in 0..100 {
        if server.open() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the request goes on");
}
