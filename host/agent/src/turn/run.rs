//! The loop of a turn: the model goes on, tools answer, until there is an answer.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use ostler_store::{Epoch, Row};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::preview::Preview;
use super::prompt::Incoming;
use super::waiting::Waiting;
use crate::authority::TurnAuthority;
use crate::channel::Channel;
use crate::gate::{DENIALS, Memory};
use crate::model::{
    Completion, Model, ModelError, ModelEvent, ModelMessage, StopReason, ToolCall, ToolSpec,
};
use crate::tools::{Services, ToolContext, Toolbox, dispatch};

/// How often a turn may ask its model.
const COMPLETIONS: usize = 32;
/// How many calls a turn may make.
const CALLS: u16 = 64;
/// How long a turn may run; the time in which it waits for people is not counted.
const DEADLINE: Duration = Duration::from_secs(15 * 60);
/// The control verb that ends a turn without an answer. It stands outside the registry of tools.
const NO_REPLY: &str = "no_reply";

/// What a turn works on.
pub(crate) struct Turn<'a> {
    pub(crate) row: &'a Row,
    pub(crate) authority: &'a TurnAuthority,
    pub(crate) system: String,
    /// Earlier turns, the oldest first.
    pub(crate) history: Vec<ModelMessage>,
    /// What came in.
    pub(crate) incoming: Incoming,
    pub(crate) model: &'a dyn Model,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) channel: &'a Arc<dyn Channel>,
    pub(crate) services: &'a Services,
    pub(crate) epoch: Epoch,
    pub(crate) waiting: &'a Waiting,
    pub(crate) memory: &'a Memory,
    pub(crate) cancel: &'a CancellationToken,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With this answer.
    Answer(String),
    /// It was right to say nothing.
    Silence,
    /// It could not go on.
    Failed {
        /// A stable code.
        code: &'static str,
        /// For people.
        message: String,
    },
    /// It was stopped.
    Interrupted,
}

/// A turn that ended, with what it read and said.
pub(crate) struct Ended {
    pub(crate) end: End,
    /// In order, `incoming` first.
    pub(crate) messages: Vec<ModelMessage>,
}

/// Runs a turn to its end.
pub(crate) async fn run(turn: &Turn<'_>, preview: &mut Preview) -> Ended {
    let mut messages = vec![turn.incoming.message()];
    let end = tokio::select! {
        biased;
        () = turn.cancel.cancelled() => End::Interrupted,
        ended = go_on(turn, preview, &mut messages) => ended,
        () = turn.waiting.deadline(DEADLINE) => End::Failed {
            code: "turn-timeout",
            message: format!("the turn took longer than {} minutes", DEADLINE.as_secs() / 60),
        },
    };
    close_calls(&mut messages);
    Ended { end, messages }
}

async fn go_on(turn: &Turn<'_>, preview: &mut Preview, messages: &mut Vec<ModelMessage>) -> End {
    let mut tools = turn.toolbox.specs(turn.authority);
    tools.push(no_reply_spec());
    let mut said = Vec::new();
    let mut calls_made = 0;
    for _ in 0..COMPLETIONS {
        let mut spoken = listen(turn, messages, &tools, &said, preview).await;
        if let Err(ModelError::Rejected(why)) = &spoken
            && let Some(shown @ ModelMessage::UserWithMedia { .. }) = messages.first_mut()
            && let Some(without_media) = turn.incoming.without_media()
        {
            // Perhaps it takes no pictures, or not these: the turn goes on without them.
            tracing::warn!(row = %turn.row.id, why, "the model is asked again without the files");
            *shown = without_media;
            spoken = listen(turn, messages, &tools, &said, preview).await;
        }
        let spoken = match spoken {
            Ok(spoken) => spoken,
            Err(error) => return model_failed(turn, &error),
        };
        if !spoken.text.trim().is_empty() {
            said.push(spoken.text.clone());
        }
        messages.push(ModelMessage::Assistant {
            text: spoken.text,
            calls: spoken.calls.clone(),
        });
        if spoken.calls.is_empty() {
            return answer(&said, spoken.stop);
        }
        for call in spoken.calls {
            if call.name == NO_REPLY {
                return End::Silence;
            }
            if calls_made == CALLS {
                return End::Failed {
                    code: "turn-too-long",
                    message: format!("the turn made more than {CALLS} calls"),
                };
            }
            preview.step(&call.name);
            let context = ToolContext {
                authority: turn.authority,
                row: turn.row,
                channel: turn.channel,
                services: turn.services,
                epoch: turn.epoch,
                toolbox: turn.toolbox,
                waiting: turn.waiting,
                memory: turn.memory,
                cancel: turn.cancel,
                number: calls_made,
            };
            let dispatched = dispatch(turn.toolbox, &context, &call).await;
            tracing::info!(
                row = %turn.row.id, tool = call.name, done = dispatched.is_done, "tool call"
            );
            calls_made += 1;
            messages.push(ModelMessage::ToolResult {
                call: call.id,
                name: call.name,
                content: dispatched.answer,
            });
            if dispatched.ends_turn {
                return End::Failed {
                    code: "denied",
                    message: format!("{DENIALS} calls in a row were denied, so I stopped"),
                };
            }
        }
    }
    End::Failed {
        code: "turn-too-long",
        message: format!("the turn asked its model {COMPLETIONS} times without an answer"),
    }
}

/// What a model said in one completion.
struct Spoken {
    text: String,
    calls: Vec<ToolCall>,
    stop: StopReason,
}

async fn listen(
    turn: &Turn<'_>,
    messages: &[ModelMessage],
    tools: &[ToolSpec],
    said: &[String],
    preview: &mut Preview,
) -> Result<Spoken, ModelError> {
    let completion = Completion {
        system: turn.system.clone(),
        messages: turn.history.iter().chain(messages).cloned().collect(),
        tools: tools.to_vec(),
        max_tokens: turn.max_tokens,
    };
    let mut stream = turn.model.complete(&completion).await?;
    let (mut text, mut calls) = (String::new(), Vec::new());
    while let Some(event) = stream.next().await {
        match event? {
            ModelEvent::Text(more) => {
                text.push_str(&more);
                preview.text(said, &text);
            }
            ModelEvent::Call(call) => calls.push(call),
            ModelEvent::End { stop, .. } => return Ok(Spoken { text, calls, stop }),
        }
    }
    Err(ModelError::Unavailable(
        "the answer broke off before its end".to_owned(),
    ))
}

fn answer(said: &[String], stop: StopReason) -> End {
    let mut text = said.join("\n\n");
    if text.trim().is_empty() {
        text = match stop {
            StopReason::Refused => "*(The model's provider withheld the answer.)*",
            StopReason::Done | StopReason::Length => "*(The model ended without an answer.)*",
        }
        .to_owned();
    } else if stop == StopReason::Length {
        text.push_str("\n\n*(The answer is cut off: the model came to its bound.)*");
    }
    End::Answer(text)
}

fn model_failed(turn: &Turn<'_>, error: &ModelError) -> End {
    tracing::warn!(row = %turn.row.id, code = error.code(), %error, "the model failed");
    End::Failed {
        code: error.code(),
        message: error.to_string(),
    }
}

/// Gives every call that has no answer one, since a later turn reads them back and providers take
/// no call without an answer.
fn close_calls(messages: &mut Vec<ModelMessage>) {
    let answered: std::collections::BTreeSet<String> = messages
        .iter()
        .filter_map(|message| match message {
            ModelMessage::ToolResult { call, .. } => Some(call.clone()),
            _ => None,
        })
        .collect();
    let open: Vec<ToolCall> = messages
        .iter()
        .filter_map(|message| match message {
            ModelMessage::Assistant { calls, .. } => Some(calls),
            _ => None,
        })
        .flatten()
        .filter(|call| !answered.contains(&call.id))
        .cloned()
        .collect();
    messages.extend(open.into_iter().map(|call| ModelMessage::ToolResult {
        content: if call.name == NO_REPLY {
            "Nothing is posted.".to_owned()
        } else {
            "The turn ended first. It is not known whether this was done.".to_owned()
        },
        call: call.id,
        name: call.name,
    }));
}

fn no_reply_spec() -> ToolSpec {
    ToolSpec {
        name: NO_REPLY.to_owned(),
        description: "Ends this turn without posting anything.".to_owned(),
        input_schema: json!({"type": "object", "properties": {}, "additionalProperties": false}),
    }
}
