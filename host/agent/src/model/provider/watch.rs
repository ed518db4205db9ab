//! What came over the wire, seen before `genai` reads it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};

/// The most that a completion may take on the wire, in bytes: some 250,000 tokens in pieces of one
/// token, each in its envelope. What is dropped on the way, such as reasoning, counts.
const MAX_WIRE_BYTES: u64 = 128 << 20;
/// What a piece counts beside its text, so that empty ones do not come for free.
const FRAME_BYTES: u64 = 256;

/// Counts the pieces of an answer, those too that make no event.
///
/// genai 0.7.2: a piece without an end, and the body of an error, are buffered whole before
/// anything is seen of them here; time alone bounds them.
#[derive(Debug, Default)]
pub(super) struct Watch {
    frames: AtomicU64,
    bytes: AtomicU64,
    /// A piece held data.
    data: AtomicBool,
    /// A call's arguments came as an object.
    object_arguments: AtomicBool,
}

impl Watch {
    /// How many pieces came, comments among them.
    pub(super) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// Whether a piece held data.
    pub(super) fn had_data(&self) -> bool {
        self.data.load(Ordering::Relaxed)
    }

    /// Why nothing more may be read, if so.
    pub(super) fn objection(&self) -> Option<&'static str> {
        if self.bytes.load(Ordering::Relaxed) > MAX_WIRE_BYTES {
            return Some("it is endless");
        }
        if self.object_arguments.load(Ordering::Relaxed) {
            return Some("a call's arguments are an object, where the protocol has a string");
        }
        None
    }
}

impl ChatFrameSink for Watch {
    fn on_frame(&self, ctx: &FrameCtx, frame: RawFrameRef<'_>) {
        self.frames.fetch_add(1, Ordering::Relaxed);
        self.bytes
            .fetch_add(frame.data.len() as u64 + FRAME_BYTES, Ordering::Relaxed);
        if !frame.data.is_empty() {
            self.data.store(true, Ordering::Relaxed);
        }
        // genai 0.7.2: such arguments are taken for none, and a tool would run without them.
        let openai = ctx.model_iden.adapter_kind == genai::adapter::AdapterKind::OpenAI;
        if openai && has_object_arguments(frame.data) {
            self.object_arguments.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether a JSON text has a key `arguments` with an object. Within a string of the JSON the
/// quotation marks would be escaped, so text cannot look like it.
fn has_object_arguments(json: &str) -> bool {
    const KEY: &str = "\"arguments\"";
    json.match_indices(KEY).any(|(at, _)| {
        let rest = json[at + KEY.len()..].trim_start();
        rest.strip_prefix(':')
            .is_some_and(|value| value.trim_start().starts_with('{'))
    })
}
