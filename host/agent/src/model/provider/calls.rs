//! The calls of an answer, put together from their pieces.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::ProviderKind;
use crate::model::{ModelError, ToolCall};

/// The most calls of one completion.
const MAX_CALLS: usize = 64;
/// The most that their arguments may take together, in bytes.
const MAX_ARGUMENT_BYTES: usize = 256 << 10;
/// The longest id, and the longest name, in bytes.
const MAX_ID_BYTES: usize = 256;

/// Calls that are still coming in.
#[derive(Debug)]
pub(super) struct Calls {
    /// Whether a piece holds all that came of its call so far, or what came since the last.
    cumulative: bool,
    pending: Vec<Pending>,
}

#[derive(Debug)]
struct Pending {
    id: String,
    name: String,
    arguments: String,
}

impl Calls {
    pub(super) fn new(kind: ProviderKind) -> Self {
        Self {
            cumulative: kind == ProviderKind::Anthropic,
            pending: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Takes a piece in.
    pub(super) fn add(&mut self, piece: genai::chat::ToolCall) -> Result<(), ModelError> {
        let genai::chat::ToolCall {
            call_id,
            fn_name,
            fn_arguments,
            ..
        } = piece;
        if call_id.len() > MAX_ID_BYTES || fn_name.len() > MAX_ID_BYTES {
            return Err(malformed("a call has an id or a name without end"));
        }
        let arguments = match fn_arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        };
        match self.position(&call_id, &fn_name) {
            Some(at) if self.cumulative => self.pending[at].arguments = arguments,
            Some(at) => self.pending[at].arguments.push_str(&arguments),
            None if fn_name.is_empty() => {
                return Err(malformed("it holds a part of a call that has no beginning"));
            }
            None if self.pending.len() == MAX_CALLS => {
                return Err(malformed("it calls too many tools at once"));
            }
            None => self.pending.push(Pending {
                id: call_id,
                name: fn_name,
                arguments,
            }),
        }
        if self
            .pending
            .iter()
            .map(|call| call.arguments.len())
            .sum::<usize>()
            > MAX_ARGUMENT_BYTES
        {
            return Err(malformed("the arguments of its calls are too long"));
        }
        Ok(())
    }

    /// The call that a piece continues.
    ///
    /// OpenAI's later pieces have an index alone; `genai` hides it, but makes `call_<index>` of it
    /// where there is no id. Some servers repeat the id, some send an empty one, and some send
    /// several whole calls under one index: a new id with a name is a new call.
    fn position(&self, id: &str, name: &str) -> Option<usize> {
        if !id.is_empty()
            && let Some(at) = self.pending.iter().rposition(|call| call.id == id)
        {
            return Some(at);
        }
        if !name.is_empty() {
            return None;
        }
        let index = id
            .strip_prefix("call_")
            .and_then(|index| index.parse::<usize>().ok());
        index
            .filter(|index| *index < self.pending.len())
            .or_else(|| self.pending.len().checked_sub(1))
    }

    /// The whole calls, in the order in which they began. Each has an id that neither another nor
    /// one of `taken` has, as servers without ids count from 0 in every answer.
    pub(super) fn finish(self, mut taken: HashSet<String>) -> Vec<ToolCall> {
        let mut calls = Vec::with_capacity(self.pending.len());
        for Pending {
            id,
            name,
            arguments,
        } in self.pending
        {
            let mut id = id;
            let mut number = taken.len();
            while id.is_empty() || taken.contains(&id) {
                number += 1;
                id = format!("call_{number}");
            }
            taken.insert(id.clone());
            calls.push(ToolCall {
                id,
                name,
                arguments: parsed(arguments),
            });
        }
        calls
    }
}

/// Arguments as an object; as the text itself, where they are none.
fn parsed(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        Ok(Value::Null) => Value::Object(Map::new()),
        _ => Value::String(text),
    }
}

fn malformed(why: &str) -> ModelError {
    ModelError::Malformed(why.to_owned())
}
