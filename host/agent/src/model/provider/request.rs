//! A completion as `genai` takes it.

use std::collections::HashSet;
use std::sync::Arc;

use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ContentPart, MessageContent, Tool, ToolResponse,
};
use serde_json::{Value, json};

use super::watch::Watch;
use crate::model::{Completion, MediaPart, ModelError, ModelMessage, ToolCall, ToolSpec};

/// The longest name of a tool, in bytes.
const MAX_TOOL_NAME: usize = 64;

/// Whether every provider would take the request.
pub(super) fn check(request: &Completion) -> Result<(), ModelError> {
    let bad = request.tools.iter().find(|tool| !is_tool_name(&tool.name));
    match bad {
        Some(tool) => Err(ModelError::Rejected(format!(
            "the tool name {:?} is not 1 to {MAX_TOOL_NAME} letters, digits, `_` or `-`",
            tool.name
        ))),
        None => Ok(()),
    }
}

/// The name under which `genai` is told the model. The request names the true one: [`options`].
///
/// genai 0.7.2: a name that ends in an effort (`mistral-medium`, `qwen-max`) loses its end and
/// gains a `reasoning_effort`, and a name with `::` in it loses its beginning.
pub(super) fn model_alias(model: &str) -> String {
    const EFFORTS: [&str; 8] = [
        "zero", "none", "minimal", "low", "medium", "high", "xhigh", "max",
    ];
    let last = model.rsplit_once('-').map_or("", |(_, last)| last);
    let guard = if EFFORTS.contains(&last) { "-" } else { "" };
    format!("as-named::{model}{guard}")
}

/// The options of a request.
///
/// Nothing is captured but the usage. genai 0.7.2: capturing calls takes as much memory as the
/// index in a provider's chunk says, and merges calls of one index into one.
pub(super) fn options(model: &str, max_tokens: Option<u32>, watch: Arc<Watch>) -> ChatOptions {
    ChatOptions {
        max_tokens,
        capture_usage: Some(true),
        raw_frame_sink: Some(watch),
        extra_body: Some(json!({ "model": model })),
        ..ChatOptions::default()
    }
}

/// The ids of calls that the conversation has already.
pub(super) fn call_ids(request: &Completion) -> HashSet<String> {
    let mut ids = HashSet::new();
    for message in &request.messages {
        if let ModelMessage::Assistant { calls, .. } = message {
            ids.extend(calls.iter().map(|call| call.id.clone()));
        }
    }
    ids
}

/// The conversation and its tools.
pub(super) fn chat(request: &Completion) -> ChatRequest {
    let mut messages: Vec<ChatMessage> = Vec::new();
    let mut results: Vec<ToolResponse> = Vec::new();
    for message in &request.messages {
        if let ModelMessage::ToolResult {
            call,
            name,
            content,
        } = message
        {
            let result = ToolResponse::new(call.as_str(), content.as_str());
            results.push(result.with_fn_name(sent_name(name)));
            continue;
        }
        messages.extend(tool_message(&mut results));
        match message {
            ModelMessage::User(text) => messages.push(ChatMessage::user(sent_text(text))),
            ModelMessage::UserWithMedia { text, media } => {
                messages.push(ChatMessage::user(with_media(text, media)));
            }
            ModelMessage::Assistant { text, calls } => {
                messages.extend(assistant_message(text, calls));
            }
            ModelMessage::ToolResult { .. } => {}
        }
    }
    messages.extend(tool_message(&mut results));
    ChatRequest {
        system: Some(request.system.clone()).filter(|system| !system.trim().is_empty()),
        messages,
        // An empty list is refused where no list is fine.
        tools: Some(request.tools.iter().map(tool).collect())
            .filter(|all: &Vec<_>| !all.is_empty()),
        ..ChatRequest::default()
    }
}

/// What is shown goes before the text that speaks of it: Anthropic advises so, and the others do
/// not mind.
fn with_media(text: &str, media: &[MediaPart]) -> MessageContent {
    let shown = media.iter().map(|part| {
        let name = Some(part.name.clone());
        ContentPart::from_binary_base64(part.media_type, Arc::clone(&part.base64), name)
    });
    let parts: Vec<_> = shown.chain([ContentPart::Text(sent_text(text))]).collect();
    MessageContent::from_parts(parts)
}

/// The results of calls that were made together go together: Anthropic wants them in one message.
fn tool_message(results: &mut Vec<ToolResponse>) -> Option<ChatMessage> {
    if results.is_empty() {
        return None;
    }
    let parts = results
        .drain(..)
        .map(ContentPart::ToolResponse)
        .collect::<Vec<_>>();
    Some(ChatMessage::tool(MessageContent::from_parts(parts)))
}

/// Nothing, where the model said and called nothing: Anthropic takes no empty message.
fn assistant_message(text: &str, calls: &[ToolCall]) -> Option<ChatMessage> {
    let mut parts = Vec::with_capacity(calls.len() + 1);
    if !text.trim().is_empty() {
        parts.push(ContentPart::Text(text.to_owned()));
    }
    parts.extend(calls.iter().map(|call| {
        ContentPart::ToolCall(genai::chat::ToolCall {
            call_id: call.id.clone(),
            fn_name: sent_name(&call.name),
            fn_arguments: sent_arguments(&call.arguments),
            thought_signatures: None,
        })
    }));
    (!parts.is_empty()).then(|| ChatMessage::assistant(MessageContent::from_parts(parts)))
}

fn tool(spec: &ToolSpec) -> Tool {
    Tool::new(spec.name.as_str())
        .with_description(spec.description.as_str())
        .with_schema(spec.input_schema.clone())
}

/// Anthropic takes no text without a letter.
fn sent_text(text: &str) -> String {
    if text.trim().is_empty() {
        "(an empty message)".to_owned()
    } else {
        text.to_owned()
    }
}

/// A model may have called a tool by a name that no provider takes back.
fn sent_name(name: &str) -> String {
    if is_tool_name(name) {
        return name.to_owned();
    }
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().take(MAX_TOOL_NAME).map(kept).collect();
    if name.is_empty() {
        "_".to_owned()
    } else {
        name
    }
}

/// Arguments that were no object go back as one: Anthropic takes nothing else, and the templates
/// of local models read the text of a string as one.
fn sent_arguments(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        Value::Null => json!({}),
        Value::String(text) => json!({ "unreadable": text }),
        other => json!({ "unreadable": other.to_string() }),
    }
}

fn is_tool_name(name: &str) -> bool {
    (1..=MAX_TOOL_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
