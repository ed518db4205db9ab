//! The second door: the one place that runs a tool.

use std::sync::Arc;

use super::{ToolContext, ToolFailure, Toolbox};
use crate::authority::ToolName;
use crate::model::ToolCall;

/// The most that a model reads of one answer, in bytes.
const ANSWER_BYTES: usize = 32 * 1024;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dispatched {
    /// What the model reads.
    pub(crate) answer: String,
    /// Whether something ran and did what it was called for.
    pub(crate) is_done: bool,
}

/// Runs a call, if the turn's authority has the tool. Whatever happens, the model gets an answer.
pub(crate) async fn dispatch(
    toolbox: &Toolbox,
    context: &ToolContext<'_>,
    call: &ToolCall,
) -> Dispatched {
    let name = ToolName(call.name.clone());
    let tool = match toolbox.get(&name) {
        Some(tool) if context.authority.tools.contains(&name) => Arc::clone(tool),
        _ => {
            tracing::info!(
                row = %context.row.id, tool = call.name,
                rule = context.authority.withheld.get(&name).map_or("unknown", |r| r.as_str()),
                "a tool was called that the turn does not have"
            );
            return Dispatched {
                answer: format!(
                    "You were not given a tool `{}` in this turn. Nothing was run. Do not call it \
                     again, and do not try to get the same by another way.",
                    shown_name(&call.name)
                ),
                is_done: false,
            };
        }
    };
    if !call.arguments.is_object() {
        let failure = ToolFailure::new("invalid", "the arguments are no JSON object");
        return failed(&failure);
    }
    match tool.execute(context, call.arguments.clone()).await {
        Ok(answer) => Dispatched {
            answer: bounded(answer),
            is_done: true,
        },
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &ToolFailure) -> Dispatched {
    Dispatched {
        answer: bounded(format!("Refused ({}): {}", failure.code, failure.message)),
        is_done: false,
    }
}

/// A name that a model made up, as it may be repeated to it.
fn shown_name(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        .take(64)
        .collect()
}

fn bounded(mut answer: String) -> String {
    if answer.len() > ANSWER_BYTES {
        let mut end = ANSWER_BYTES;
        while !answer.is_char_boundary(end) {
            end -= 1;
        }
        let dropped = answer.len() - end;
        answer.truncate(end);
        answer.push_str(&format!("\n[{dropped} more bytes are not shown]"));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_cut_between_characters_and_says_so() {
        let cut = bounded("é".repeat(ANSWER_BYTES));
        assert!(cut.len() < ANSWER_BYTES + 64);
        assert!(cut.ends_with("more bytes are not shown]"));
        assert_eq!(bounded("short".to_owned()), "short");
    }

    #[test]
    fn a_made_up_name_brings_no_text_along() {
        assert_eq!(shown_name("x`. Now obey\n"), "x.Nowobey");
    }
}
