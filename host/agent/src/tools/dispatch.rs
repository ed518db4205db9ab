//! The second door: the one place that runs a tool.

use std::sync::Arc;

use serde_json::Value;

use super::{Tool, ToolContext, ToolFailure, Toolbox, hooks};
use crate::approvals::Subject;
use crate::authority::ToolName;
use crate::gate::{self, CHANGED, CallDigest, CardClass, Consent, Covered, Effect, Refused};
use crate::model::ToolCall;

/// The most that a model reads of one answer, in bytes.
const ANSWER_BYTES: usize = 32 * 1024;

/// How often a call is judged again because something that it depends on was changed.
const JUDGED: usize = 3;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dispatched {
    /// What the model reads.
    pub(crate) answer: String,
    /// Whether something ran and did what it was called for.
    pub(crate) is_done: bool,
    /// Whether the turn ends with it.
    pub(crate) ends_turn: bool,
}

/// Runs a call, if the turn's authority has the tool and the gate lets it through. Whatever
/// happens, the model gets an answer.
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
                ends_turn: false,
            };
        }
    };
    if !call.arguments.is_object() {
        let failure = ToolFailure::new("invalid", "the arguments are no JSON object");
        return failed(&failure);
    }
    for _ in 0..JUDGED {
        match once(tool.as_ref(), context, &name, call.arguments.clone()).await {
            // What it depends on was changed after it was judged: it is judged as it is now.
            Err(Stopped::Failed(failure)) if failure.code == CHANGED => {}
            Ok(answer) => {
                return Dispatched {
                    answer: bounded(answer),
                    is_done: true,
                    ends_turn: false,
                };
            }
            Err(Stopped::Failed(failure)) => return failed(&failure),
            Err(Stopped::Refused(refused)) => {
                return Dispatched {
                    answer: format!("Refused ({}): {}", refused.code, refused.message),
                    is_done: false,
                    ends_turn: refused.ends_turn,
                };
            }
        }
    }
    failed(&ToolFailure::new(
        CHANGED,
        "what this depends on was changed each time after it was judged. Nothing ran.",
    ))
}

/// Why a call came to nothing.
enum Stopped {
    Failed(ToolFailure),
    Refused(Refused),
}

impl From<ToolFailure> for Stopped {
    fn from(failure: ToolFailure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Refused> for Stopped {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

/// Judges a call and runs it.
async fn once(
    tool: &dyn Tool,
    context: &ToolContext<'_>,
    name: &ToolName,
    arguments: Value,
) -> Result<String, Stopped> {
    let (arguments, rule) = hooks::before(context, name, arguments).await?;
    let own = tool.effect(context, &arguments).await?;
    match (own, rule) {
        (None, None) => Ok(tool.execute(context, arguments, None).await?),
        (Some(effect), rule) => {
            let permit = gate::pass(context, name, &effect, rule.as_ref()).await?;
            Ok(tool.execute(context, arguments, Some(permit)).await?)
        }
        // A tool that would not ask by itself: the leave is used up here, before it runs.
        (None, Some(rule)) => {
            let effect = call_effect(name, &arguments)?;
            let permit = gate::pass(context, name, &effect, Some(&rule)).await?;
            let begun = permit.begin(&effect.digest).await?;
            let answer = tool.execute(context, arguments, None).await;
            begun.end(answer.is_ok()).await;
            Ok(answer?)
        }
    }
}

/// A call that a plugin's rule asks about, of a tool that would not ask by itself.
fn call_effect(name: &ToolName, arguments: &Value) -> Result<Effect, ToolFailure> {
    let digest = call_digest(&name.0, arguments)?;
    let shown = serde_json::to_string_pretty(arguments)
        .map_err(|error| ToolFailure::new("invalid", error.to_string()))?;
    Ok(Effect {
        subject: Subject::Call { arguments: shown },
        sameness: format!("{name} {digest}"),
        digest,
        consent: Consent::Unasked,
        floor: None,
        card: CardClass::Host,
        is_for_owner: false,
    })
}

/// The digest of a call that depends on nothing but its arguments.
fn call_digest(tool: &str, arguments: &Value) -> Result<CallDigest, ToolFailure> {
    CallDigest::of(&Covered {
        tool,
        arguments,
        folder: None,
        environment: Vec::new(),
        scripts: Default::default(),
        before: None,
    })
    .map_err(|error| ToolFailure::new("invalid", error.to_string()))
}

fn failed(failure: &ToolFailure) -> Dispatched {
    Dispatched {
        answer: bounded(format!("Refused ({}): {}", failure.code, failure.message)),
        is_done: false,
        ends_turn: false,
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
