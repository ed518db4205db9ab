//! Models of providers: what is asked, and what comes back, in each protocol.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use futures_util::StreamExt;
use ostler_agent::model::{
    Completion, Key, MediaPart, Model, ModelError, ModelEvent, ModelMessage, Provider,
    ProviderKind, ProviderOptions, StopReason, Timeouts, TokenUsage, ToolCall, ToolSpec,
};
use ostler_tests::model_server::{ModelServer, Reply, Stop};
use serde_json::{Value, json};

const KEY: &str = "sk-secret-0123456789";
const KINDS: [ProviderKind; 3] = [
    ProviderKind::OpenAi,
    ProviderKind::Anthropic,
    ProviderKind::Ollama,
];

fn provider(kind: ProviderKind, base_url: &str) -> Provider {
    named(kind, base_url, "a-model")
}

fn named(kind: ProviderKind, base_url: &str, model: &str) -> Provider {
    Provider::new(ProviderOptions {
        kind,
        base_url: Some(base_url.to_owned()),
        model: model.to_owned(),
        key: Some(Key::new(KEY)),
        timeouts: Timeouts::default(),
    })
    .unwrap()
}

fn user(text: &str) -> Completion {
    Completion {
        system: "You are a test.".to_owned(),
        messages: vec![ModelMessage::User(text.to_owned())],
        ..Completion::default()
    }
}

async fn events(model: &Provider, request: &Completion) -> Result<Vec<ModelEvent>, ModelError> {
    let stream = model.complete(request).await?;
    stream.collect::<Vec<_>>().await.into_iter().collect()
}

fn text(events: &[ModelEvent]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        ModelEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn calls(events: &[ModelEvent]) -> Vec<ToolCall> {
    let calls = events.iter().filter_map(|event| match event {
        ModelEvent::Call(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

#[tokio::test]
async fn text_streams_in_pieces_and_reasoning_is_left_out() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        let reply = Reply::text("Grüße aus dem Hafen 🚢").reasoning("secret thoughts about it");
        server.reply(reply.usage(21, 9));
        let events = events(&provider(kind, &server.base_url()), &user("hi"))
            .await
            .unwrap();
        assert_eq!(text(&events), "Grüße aus dem Hafen 🚢", "{kind:?}");
        assert!(events.len() > 4, "{kind:?}: it streams: {events:?}");
        let usage = Some(TokenUsage {
            input: 21,
            output: 9,
        });
        assert_eq!(
            events.last(),
            Some(&ModelEvent::End {
                stop: StopReason::Done,
                usage
            })
        );
    }
}

#[tokio::test]
async fn pieces_may_be_split_at_any_byte() {
    for kind in KINDS {
        for bytes in [1, 2, 3, 5, 17] {
            let server = ModelServer::start().await;
            let reply = Reply::text("é🚢 ü").and_call("id_1", "look", &json!({"at": "🚢 é"}));
            server.reply(reply.in_pieces_of(bytes));
            let events = events(&provider(kind, &server.base_url()), &user("hi"))
                .await
                .unwrap();
            assert_eq!(text(&events), "é🚢 ü", "{kind:?} {bytes}");
            assert_eq!(
                calls(&events)[0].arguments,
                json!({"at": "🚢 é"}),
                "{kind:?} {bytes}"
            );
        }
    }
}

#[tokio::test]
async fn a_call_its_result_and_the_answer_go_round() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        let first = Reply::text("I look. ")
            .and_call("id_1", "look", &json!({"at": "one"}))
            .and_call("id_2", "look", &json!({}));
        server.reply(first);
        server.reply(Reply::text("Seen."));
        let model = provider(kind, &server.base_url());
        let mut request = user("look twice");
        request.max_tokens = Some(300);
        request.tools = vec![ToolSpec {
            name: "look".to_owned(),
            description: "Looks.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"at": {"type": "string"}}}),
        }];

        let seen = events(&model, &request).await.unwrap();
        let made = calls(&seen);
        let expected =
            [("id_1", json!({"at": "one"})), ("id_2", json!({}))].map(|(id, arguments)| ToolCall {
                id: id.to_owned(),
                name: "look".to_owned(),
                arguments,
            });
        assert_eq!(made, expected, "{kind:?}");

        request.messages.push(ModelMessage::Assistant {
            text: text(&seen),
            calls: made,
        });
        for (id, content) in [("id_1", "a ship"), ("id_2", "a gull")] {
            request.messages.push(ModelMessage::ToolResult {
                call: id.to_owned(),
                name: "look".to_owned(),
                content: content.to_owned(),
            });
        }
        assert_eq!(
            text(&events(&model, &request).await.unwrap()),
            "Seen.",
            "{kind:?}"
        );

        let asked = server.asked();
        assert_eq!(asked.len(), 2);
        let body = &asked[1].body;
        assert_eq!(body["model"], "a-model");
        assert_eq!(body["max_tokens"], 300);
        if kind == ProviderKind::Anthropic {
            assert_eq!(asked[1].path, "/v1/messages");
            assert_eq!(asked[1].header("x-api-key"), Some(KEY));
            assert_eq!(body["system"], "You are a test.");
            assert_eq!(
                body["tools"][0]["input_schema"],
                request.tools[0].input_schema
            );
            assert_eq!(body["messages"], anthropic_messages());
        } else {
            assert_eq!(asked[1].path, "/v1/chat/completions");
            assert_eq!(
                asked[1].header("authorization"),
                Some(&*format!("Bearer {KEY}"))
            );
            assert_eq!(body["tools"][0]["function"]["name"], "look");
            assert_eq!(body["messages"], openai_messages());
        }
    }
}

fn openai_messages() -> Value {
    let call = |id: &str, arguments: &str| {
        let function = json!({"name": "look", "arguments": arguments});
        json!({"id": id, "type": "function", "function": function})
    };
    json!([
        {"role": "system", "content": "You are a test."},
        {"role": "user", "content": "look twice"},
        {"role": "assistant", "content": "I look. ",
         "tool_calls": [call("id_1", "{\"at\":\"one\"}"), call("id_2", "{}")]},
        {"role": "tool", "tool_call_id": "id_1", "content": "a ship"},
        {"role": "tool", "tool_call_id": "id_2", "content": "a gull"},
    ])
}

fn anthropic_messages() -> Value {
    json!([
        {"role": "user", "content": "look twice"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "I look. "},
            {"type": "tool_use", "id": "id_1", "name": "look", "input": {"at": "one"}},
            {"type": "tool_use", "id": "id_2", "name": "look", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "id_1", "content": "a ship"},
            {"type": "tool_result", "tool_use_id": "id_2", "content": "a gull"},
        ]},
    ])
}

#[tokio::test]
async fn why_it_stopped_is_told() {
    for kind in KINDS {
        for (stop, expected) in [
            (Stop::Length, StopReason::Length),
            (Stop::Filtered, StopReason::Refused),
        ] {
            let server = ModelServer::start().await;
            server.reply(Reply::text("half").stop(stop));
            let events = events(&provider(kind, &server.base_url()), &user("hi"))
                .await
                .unwrap();
            let Some(ModelEvent::End { stop, .. }) = events.last() else {
                panic!("it ends")
            };
            assert_eq!(*stop, expected, "{kind:?}");
        }
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_passed_on_as_text_and_go_back_as_an_object() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        server.reply(Reply::text("").and_raw_call("id_1", "no such tool!", "{\"at\": "));
        server.reply(Reply::text("ok"));
        let model = provider(kind, &server.base_url());
        let mut request = user("hi");
        let made = calls(&events(&model, &request).await.unwrap());
        assert_eq!(made[0].arguments, json!("{\"at\": "), "{kind:?}");
        assert_eq!(made[0].name, "no such tool!");
        request.messages.push(ModelMessage::Assistant {
            text: String::new(),
            calls: made,
        });
        request.messages.push(ModelMessage::ToolResult {
            call: "id_1".to_owned(),
            name: "no such tool!".to_owned(),
            content: "there is no such tool".to_owned(),
        });
        events(&model, &request).await.unwrap();
        let body = &server.asked()[1].body;
        let unreadable = json!({"unreadable": "{\"at\": "});
        if kind == ProviderKind::Anthropic {
            assert_eq!(body["messages"][1]["content"][0]["input"], unreadable);
            assert_eq!(body["messages"][1]["content"][0]["name"], "no_such_tool_");
        } else {
            let function = &body["messages"][2]["tool_calls"][0]["function"];
            assert_eq!(function["arguments"], unreadable.to_string());
            assert_eq!(function["name"], "no_such_tool_");
        }
    }
}

#[tokio::test]
async fn the_models_name_is_sent_as_it_stands() {
    for kind in KINDS {
        for name in [
            "mistral-medium",
            "qwen3-max",
            "claude-x-high",
            "org::model",
            "gpt-4o",
            "x",
        ] {
            let server = ModelServer::start().await;
            server.reply(Reply::text("ok"));
            let model = named(kind, &server.base_url(), name);
            events(&model, &user("hi")).await.unwrap();
            assert_eq!(model.name(), format!("{}/{name}", kind.as_str()));
            let body = server.asked().remove(0).body;
            assert_eq!(body["model"], name, "{kind:?}");
            for added in ["reasoning_effort", "thinking", "output_config"] {
                assert_eq!(body.get(added), None, "{kind:?} {name}");
            }
        }
    }
}

#[tokio::test]
async fn the_base_url_is_taken_as_people_write_it() {
    let cases = [
        (ProviderKind::OpenAi, "/v1", "/v1/chat/completions", ""),
        (ProviderKind::OpenAi, "/v1/", "/v1/chat/completions", ""),
        (
            ProviderKind::OpenAi,
            "/gate/x?api-version=3",
            "/gate/x/chat/completions",
            "api-version=3",
        ),
        (ProviderKind::OpenAi, "", "/chat/completions", ""),
        (ProviderKind::Ollama, "", "/v1/chat/completions", ""),
        (ProviderKind::Ollama, "/v1/", "/v1/chat/completions", ""),
        (ProviderKind::Anthropic, "", "/v1/messages", ""),
        (ProviderKind::Anthropic, "/v1", "/v1/messages", ""),
        (ProviderKind::Anthropic, "/gate/", "/gate/v1/messages", ""),
    ];
    for (kind, tail, path, query) in cases {
        let server = ModelServer::start().await;
        server.reply(Reply::text("ok"));
        let base_url = format!("{}{tail}", server.origin());
        events(&provider(kind, &base_url), &user("hi"))
            .await
            .unwrap();
        let asked = server.asked().remove(0);
        assert_eq!(
            (asked.path.as_str(), asked.query.as_str()),
            (path, query),
            "{kind:?} {tail}"
        );
    }
}

#[tokio::test]
async fn without_a_key_no_key_is_sent() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        server.reply(Reply::text("ok"));
        let options = ProviderOptions {
            kind,
            base_url: Some(server.base_url()),
            model: "m".to_owned(),
            key: None,
            timeouts: Timeouts::default(),
        };
        events(&Provider::new(options).unwrap(), &user("hi"))
            .await
            .unwrap();
        let asked = server.asked().remove(0);
        assert_eq!(
            (asked.header("authorization"), asked.header("x-api-key")),
            (None, None)
        );
    }
}

#[test]
fn options_that_cannot_work_are_refused_before_anything_is_sent() {
    let options = |base_url: &str, model: &str, key: &str| ProviderOptions {
        kind: ProviderKind::OpenAi,
        base_url: Some(base_url.to_owned()),
        model: model.to_owned(),
        key: Some(Key::new(key)),
        timeouts: Timeouts::default(),
    };
    let cases = [
        ("not a url", "m", "k", "model-base-url-invalid"),
        ("ftp://host/v1", "m", "k", "model-base-url-invalid"),
        ("mailto:x@y", "m", "k", "model-base-url-invalid"),
        (
            "https://user:pass@host/v1",
            "m",
            "k",
            "model-base-url-invalid",
        ),
        ("http://host/v1", " ", "k", "model-name-missing"),
        ("http://host/v1", "m", "a\nb", "model-key-invalid"),
    ];
    for (base_url, model, key, code) in cases {
        let error = Provider::new(options(base_url, model, key)).unwrap_err();
        assert_eq!(error.code(), code, "{base_url}");
        assert!(!error.to_string().contains("pass@"), "{error}");
    }
    let error = ModelError::from(Provider::new(options("http://h", "m", "a\nb")).unwrap_err());
    assert_eq!(error.code(), "model-unauthorized");
    let usual = ProviderOptions::new(
        ProviderKind::OpenAi,
        None,
        "m".to_owned(),
        Some(KEY.to_owned()),
    );
    assert_eq!(
        (usual.timeouts, usual.key),
        (Timeouts::default(), Some(Key::new(KEY)))
    );
    assert_eq!(format!("{:?}", Key::new(KEY)), "Key(…)");
    let shown = format!(
        "{:?}",
        Provider::new(options("http://host/v1", "m", KEY)).unwrap()
    );
    assert!(!shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn empty_messages_and_strange_tool_names_do_not_reach_the_provider() {
    let server = ModelServer::start().await;
    server.reply(Reply::text("ok"));
    let model = provider(ProviderKind::Anthropic, &server.base_url());
    let mut request = user(" ");
    request.messages.push(ModelMessage::Assistant {
        text: "\n".to_owned(),
        calls: vec![],
    });
    request
        .messages
        .push(ModelMessage::User("go on".to_owned()));
    events(&model, &request).await.unwrap();
    let sent = json!([
        {"role": "user", "content": "(an empty message)"},
        {"role": "user", "content": "go on"},
    ]);
    assert_eq!(server.asked()[0].body["messages"], sent);

    request.tools = vec![ToolSpec {
        name: "a tool".to_owned(),
        description: String::new(),
        input_schema: json!({"type": "object"}),
    }];
    assert_eq!(
        events(&model, &request).await.unwrap_err().code(),
        "model-rejected"
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn what_is_shown_goes_before_the_text_that_speaks_of_it() {
    let part = |name: &str, media_type, base64: &str| MediaPart {
        name: name.to_owned(),
        media_type,
        base64: base64.into(),
    };
    let shown = ModelMessage::UserWithMedia {
        text: " ".to_owned(),
        media: vec![
            part("a.jpg", "image/jpeg", "/9j/"),
            part("b.pdf", "application/pdf", "JVBERi0="),
        ],
    };
    assert!(!format!("{shown:?}").contains("JVBERi0="));
    for kind in KINDS {
        let server = ModelServer::start().await;
        server.reply(Reply::text("ok"));
        let mut request = user("before");
        request.messages.push(shown.clone());
        events(&provider(kind, &server.base_url()), &request)
            .await
            .unwrap();
        let body = server.asked().remove(0).body;
        let sent = body["messages"].as_array().unwrap().last().unwrap();
        let text = json!({"type": "text", "text": "(an empty message)"});
        let expected = if kind == ProviderKind::Anthropic {
            let source = |media_type: &str, data: &str| json!({"type": "base64", "media_type": media_type, "data": data});
            json!([
                {"type": "image", "source": source("image/jpeg", "/9j/")},
                {"type": "document", "source": source("application/pdf", "JVBERi0=")},
                text,
            ])
        } else {
            json!([
                {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9j/"}},
                {"type": "file", "file": {
                    "filename": "b.pdf", "file_data": "data:application/pdf;base64,JVBERi0=",
                }},
                text,
            ])
        };
        assert_eq!(
            sent,
            &json!({"role": "user", "content": expected}),
            "{kind:?}"
        );
    }
}
