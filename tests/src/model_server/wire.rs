//! Replies in the words of each protocol.

use serde_json::{Value, json};

use super::Asked;
use super::reply::{Reply, Stop};

/// Why the provider would refuse a request, whatever the queue says.
pub(super) fn objection(asked: &Asked) -> Option<String> {
    let body = &asked.body;
    if asked.path.ends_with("/messages") {
        if asked.header("anthropic-version").is_none() {
            return Some("anthropic-version: header is required".to_owned());
        }
        if !body["max_tokens"].is_u64() {
            return Some("max_tokens: field required".to_owned());
        }
    } else if !asked.path.ends_with("/chat/completions") {
        return Some(format!("there is nothing at {}", asked.path));
    }
    if body["stream"] != json!(true) {
        return Some("this server streams, and nothing else".to_owned());
    }
    (!body["messages"].is_array()).then(|| "messages: field required".to_owned())
}

/// A reply in the protocol of the request.
pub(super) fn render(reply: &Reply, asked: &Asked) -> String {
    if asked.path.ends_with("/messages") {
        anthropic(reply, asked)
    } else {
        openai(reply, asked)
    }
}

fn openai(reply: &Reply, asked: &Asked) -> String {
    let mut out = String::new();
    let envelope = |choices: Value, usage: Value| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
            "model": asked.body["model"], "choices": choices, "usage": usage,
        })
    };
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", envelope(json!([choice]), Value::Null))
    };
    let delta = |delta: Value| chunk(delta, Value::Null);
    out += &delta(json!({"role": "assistant", "content": ""}));
    for word in words(&reply.reasoning) {
        out += &delta(json!({"reasoning_content": word}));
    }
    for word in words(&reply.text) {
        out += &delta(json!({"content": word}));
    }
    for (index, (id, name, arguments)) in reply.calls.iter().enumerate() {
        let function = json!({"name": name, "arguments": ""});
        let head = json!({"index": index, "id": id, "type": "function", "function": function});
        out += &delta(json!({"tool_calls": [head]}));
        for piece in pieces(arguments) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            out += &delta(json!({"tool_calls": [more]}));
        }
    }
    let finish = match reply.stop {
        Stop::Done if reply.calls.is_empty() => "stop",
        Stop::Done => "tool_calls",
        Stop::Length => "length",
        Stop::Filtered => "content_filter",
    };
    out += &chunk(json!({}), json!(finish));
    if asked.body["stream_options"]["include_usage"] == json!(true) {
        let (input, output) = reply.usage;
        let usage = json!({
            "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        });
        out += &format!("data: {}\n\n", envelope(json!([]), usage));
    }
    out + "data: [DONE]\n\n"
}

fn anthropic(reply: &Reply, asked: &Asked) -> String {
    let mut blocks = Vec::new();
    if !reply.reasoning.is_empty() {
        let mut deltas: Vec<Value> = words(&reply.reasoning)
            .map(|word| json!({"type": "thinking_delta", "thinking": word}))
            .collect();
        deltas.push(json!({"type": "signature_delta", "signature": "c2lnbmVk"}));
        let head = json!({"type": "thinking", "thinking": "", "signature": ""});
        blocks.push((head, deltas));
    }
    if !reply.text.is_empty() {
        let deltas = words(&reply.text)
            .map(|word| json!({"type": "text_delta", "text": word}))
            .collect();
        blocks.push((json!({"type": "text", "text": ""}), deltas));
    }
    for (id, name, arguments) in &reply.calls {
        let deltas = std::iter::once(String::new())
            .chain(pieces(arguments))
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect();
        blocks.push((
            json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
            deltas,
        ));
    }

    let (input, output) = reply.usage;
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "model": asked.body["model"], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": input, "output_tokens": 1},
    });
    let mut out = event("message_start", json!({"message": message}));
    out += &event("ping", json!({}));
    for (index, (head, deltas)) in blocks.into_iter().enumerate() {
        out += &event(
            "content_block_start",
            json!({"index": index, "content_block": head}),
        );
        for delta in deltas {
            out += &event(
                "content_block_delta",
                json!({"index": index, "delta": delta}),
            );
        }
        out += &event("content_block_stop", json!({"index": index}));
    }
    let stop = match reply.stop {
        Stop::Done if reply.calls.is_empty() => "end_turn",
        Stop::Done => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Filtered => "refusal",
    };
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    out += &event(
        "message_delta",
        json!({"delta": delta, "usage": {"output_tokens": output}}),
    );
    out + &event("message_stop", json!({}))
}

fn event(kind: &str, mut data: Value) -> String {
    data["type"] = json!(kind);
    format!("event: {kind}\ndata: {data}\n\n")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// A text in pieces that fall anywhere.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(7)
        .map(|piece| piece.iter().collect())
        .collect::<Vec<String>>()
        .into_iter()
}
