//! An answer as it is read: bounded in size and time.

use std::collections::HashSet;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use futures_util::{StreamExt, stream};
use genai::chat::{ChatStream, ChatStreamEvent, StreamEnd, Usage};
use tokio::time::{Instant, timeout_at};

use super::calls::Calls;
use super::failure::{Failure, Texts};
use super::watch::Watch;
use super::{ProviderKind, Timeouts};
use crate::model::{ModelError, ModelEvent, ModelStream, StopReason, TokenUsage};

/// The most text of one completion, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The most reasoning of one completion, in bytes. It is dropped, but it is read.
const MAX_REASONING_BYTES: usize = 8 << 20;

/// An answer that is coming in.
pub(super) struct Answer {
    stream: ChatStream,
    watch: Arc<Watch>,
    texts: Arc<Texts>,
    timeouts: Timeouts,
    deadline: Instant,
    calls: Calls,
    /// The ids that no new call may have.
    ids: HashSet<String>,
    text_bytes: usize,
    reasoning_bytes: usize,
    /// Read, but not given on; the last one first.
    ready: Vec<ModelEvent>,
    ended: bool,
}

impl Answer {
    pub(super) fn new(
        stream: ChatStream,
        watch: Arc<Watch>,
        texts: Arc<Texts>,
        kind: ProviderKind,
        ids: HashSet<String>,
        timeouts: Timeouts,
        deadline: Instant,
    ) -> Self {
        Self {
            stream,
            watch,
            texts,
            timeouts,
            deadline,
            calls: Calls::new(kind),
            ids,
            text_bytes: 0,
            reasoning_bytes: 0,
            ready: Vec::new(),
            ended: false,
        }
    }

    /// Reads up to the first piece of the answer: until then the request can be made again.
    pub(super) async fn begin(&mut self) -> Result<(), Failure> {
        loop {
            // `genai` says that it starts before it has sent anything.
            match self.read().await? {
                ChatStreamEvent::Start => {}
                event => return Ok(self.take(event)?),
            }
        }
    }

    /// The rest of it as a stream.
    pub(super) fn into_stream(self) -> ModelStream {
        Box::pin(stream::unfold(Some(self), |answer| async move {
            let mut answer = answer?;
            match answer.next().await {
                Ok(Some(event)) => Some((Ok(event), Some(answer))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        }))
    }

    async fn next(&mut self) -> Result<Option<ModelEvent>, ModelError> {
        loop {
            if let Some(event) = self.ready.pop() {
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            let event = self.read().await.map_err(|failure| failure.error)?;
            self.take(event)?;
        }
    }

    /// Makes events of ours from one of `genai`'s. A model's reasoning ends here.
    fn take(&mut self, event: ChatStreamEvent) -> Result<(), ModelError> {
        match event {
            ChatStreamEvent::Chunk(chunk) if !chunk.content.is_empty() => {
                self.text_bytes += chunk.content.len();
                if self.text_bytes > MAX_TEXT_BYTES {
                    return Err(ModelError::Malformed("it is too long".to_owned()));
                }
                self.ready.push(ModelEvent::Text(chunk.content));
            }
            ChatStreamEvent::ReasoningChunk(chunk) => {
                self.reasoning_bytes += chunk.content.len();
                if self.reasoning_bytes > MAX_REASONING_BYTES {
                    return Err(ModelError::Malformed("its reasoning has no end".to_owned()));
                }
            }
            ChatStreamEvent::ToolCallChunk(chunk) => self.calls.add(chunk.tool_call)?,
            ChatStreamEvent::End(end) => self.finish(&end)?,
            ChatStreamEvent::Start
            | ChatStreamEvent::Heartbeat
            | ChatStreamEvent::Chunk(_)
            | ChatStreamEvent::ThoughtSignatureChunk(_) => {}
        }
        Ok(())
    }

    fn finish(&mut self, end: &StreamEnd) -> Result<(), ModelError> {
        use genai::chat::StopReason as Stop;
        // genai 0.7.2: calls of servers that leave the index out are dropped without a word.
        if self.calls.is_empty() && matches!(end.captured_stop_reason, Some(Stop::ToolCall(_))) {
            let why = "it says that it calls a tool, but holds no call that can be read";
            return Err(ModelError::Malformed(why.to_owned()));
        }
        let stop = match end.captured_stop_reason {
            Some(Stop::MaxTokens(_)) => StopReason::Length,
            Some(Stop::ContentFilter(_)) => StopReason::Refused,
            _ => StopReason::Done,
        };
        let calls = std::mem::replace(&mut self.calls, Calls::new(ProviderKind::OpenAi));
        let usage = end.captured_usage.as_ref().and_then(tokens);
        self.ready.push(ModelEvent::End { stop, usage });
        let calls = calls.finish(std::mem::take(&mut self.ids));
        self.ready
            .extend(calls.into_iter().rev().map(ModelEvent::Call));
        self.ended = true;
        Ok(())
    }

    /// The next of `genai`'s events. Its end is none: without one an answer was cut off.
    async fn read(&mut self) -> Result<ChatStreamEvent, Failure> {
        let mut frames = self.watch.frames();
        loop {
            let first = frames == 0;
            let limit = if first {
                self.timeouts.first
            } else {
                self.timeouts.idle
            };
            let until = self.deadline.min(Instant::now() + limit);
            let (stream, watch) = (&mut self.stream, &self.watch);
            // The watch is asked at every poll, for a flood that makes no event is read in one.
            let next = poll_fn(|context| {
                let polled = stream.poll_next_unpin(context);
                match watch.objection() {
                    Some(objection) => Poll::Ready(Err(objection)),
                    None => polled.map(Ok),
                }
            });
            match timeout_at(until, next).await {
                Ok(Ok(Some(Ok(event)))) => return Ok(event),
                Ok(Ok(Some(Err(error)))) => return Err(self.texts.failure(error)),
                Ok(Ok(None)) => return Err(self.texts.cut_off(self.watch.had_data())),
                Ok(Err(why)) => return Err(ModelError::Malformed(why.to_owned()).into()),
                Err(_) if until == self.deadline => {
                    return Err(self
                        .texts
                        .too_slow("its answer took", self.timeouts.total, false));
                }
                // Comments keep an answer alive, although they make no event.
                Err(_) if self.watch.frames() != frames => frames = self.watch.frames(),
                Err(_) => {
                    let what = if first {
                        "it was silent for"
                    } else {
                        "it fell silent for"
                    };
                    return Err(self.texts.too_slow(what, limit, first));
                }
            }
        }
    }
}

fn tokens(usage: &Usage) -> Option<TokenUsage> {
    let count = |tokens: Option<i32>| u64::try_from(tokens.unwrap_or(0)).unwrap_or(0);
    (usage.prompt_tokens.is_some() || usage.completion_tokens.is_some()).then(|| TokenUsage {
        input: count(usage.prompt_tokens),
        output: count(usage.completion_tokens),
    })
}
