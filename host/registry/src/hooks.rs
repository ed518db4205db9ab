//! The hooks of an install: which ones were accepted, and asking them.

use std::collections::BTreeSet;

use ostler_runtime::{
    CallVerdict, ExportCall, ExportResult, InvocationContext, InvocationKind, Outcome, PendingCall,
    Trap, TurnContext,
};

use crate::load::LoadedInstall;

/// The name of the hook that judges tool calls, as an access has it.
pub const PRE_TOOL_CALL: &str = "pre-tool-call";

/// The most of a failure that is told, in characters.
const FAILURE: usize = 500;

/// The innermost of the guest's functions that a trap is told with.
const FRAMES: usize = 3;

/// What came of asking a hook.
#[derive(Clone, Debug, PartialEq)]
pub enum HookOutcome {
    /// What it says. It is within the bounds of [`CallVerdict::check`]; whether changed arguments
    /// follow the tool's schema is for whoever knows the tool.
    Verdict(CallVerdict),
    /// It gave no verdict: how it ended (`error`, `trap`, `limit`, `bad-output`, `host-error`), a
    /// colon, and why, in one line of at most 500 characters. Parts of it are the plugin's own
    /// words: data, not to be trusted.
    ///
    /// The hook is skipped, unless it [fails closed](LoadedInstall::fails_closed): then what it
    /// was asked about is blocked.
    Failed(String),
}

impl LoadedInstall {
    /// The hooks that the accepted access holds, such as [`PRE_TOOL_CALL`]. No other is called.
    #[must_use]
    pub fn hooks(&self) -> &BTreeSet<String> {
        &self.accepted.hooks
    }

    /// Whether the accepted access lists a hook among those whose failure blocks what it was
    /// asked about.
    #[must_use]
    pub fn fails_closed(&self, hook: &str) -> bool {
        self.accepted.fail_closed_hooks.contains(hook)
    }

    /// The circumstances of a hook that is asked in a turn: its session, agent and depth, all that
    /// was accepted, and 5 seconds. The caller narrows them by the turn's authority, and by what
    /// the operator set for the install.
    #[must_use]
    pub fn hook_context(&self, turn: &TurnContext) -> InvocationContext {
        InvocationContext {
            has_session: turn.session.is_some(),
            has_agent: turn.agent.is_some(),
            // Deeper than that, everything that depth takes away is away.
            depth: u8::try_from(turn.depth).unwrap_or(u8::MAX),
            ..self.context(InvocationKind::Middleware)
        }
    }

    /// Asks the hook `pre-tool-call` about a call, in the circumstances of
    /// [`LoadedInstall::hook_context`].
    ///
    /// An install that was not granted the hook has no say: its code does not run, and the call is
    /// allowed.
    pub async fn pre_tool_call(&self, call: PendingCall) -> HookOutcome {
        let context = self.hook_context(&call.context);
        self.pre_tool_call_in(call, context).await
    }

    /// As [`LoadedInstall::pre_tool_call`], in other circumstances: narrower members, other limits.
    pub async fn pre_tool_call_in(
        &self,
        call: PendingCall,
        context: InvocationContext,
    ) -> HookOutcome {
        if !self.hooks().contains(PRE_TOOL_CALL) {
            return HookOutcome::Verdict(CallVerdict::Allow);
        }
        let call = ExportCall::PreToolCall(Box::new(call));
        let outcome = self
            .runtime
            .invoke(&self.plugin, call, context)
            .await
            .outcome;
        let name = outcome.name();
        let (name, why) = match outcome {
            Outcome::Returned(ExportResult::CallVerdict(Ok(verdict))) => {
                return HookOutcome::Verdict(verdict);
            }
            Outcome::Returned(ExportResult::CallVerdict(Err(message))) => ("error", message),
            Outcome::Returned(_) => ("host-error", "another export answered".to_owned()),
            Outcome::Trap(trap) => (name, with_frames(&trap)),
            Outcome::Limit(hit) => (name, hit.to_string()),
            Outcome::BadOutput(what) => (name, what),
            Outcome::HostError(fault) => (name, fault.to_string()),
        };
        HookOutcome::Failed(one_line(&format!("{name}: {why}")))
    }
}

/// A trap, and where it happened.
fn with_frames(trap: &Trap) -> String {
    let frames: Vec<&str> = trap
        .backtrace
        .iter()
        .take(FRAMES)
        .map(String::as_str)
        .collect();
    if frames.is_empty() {
        trap.message.clone()
    } else {
        format!("{} (in {})", trap.message, frames.join(", called by "))
    }
}

/// A text in one line, cut to [`FAILURE`] characters. A line break in a plugin's words could forge
/// the lines of a log that follow.
fn one_line(text: &str) -> String {
    let words: String = text
        .chars()
        // Line and paragraph separators (U+2028, U+2029) are no control characters.
        .map(|c| {
            if c.is_control() || c.is_whitespace() {
                ' '
            } else {
                c
            }
        })
        .collect();
    let line = words
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    if line.chars().count() <= FAILURE {
        return line;
    }
    line.chars().take(FAILURE - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_of_at_most_500_characters() {
        assert_eq!(
            one_line("error: no\r\nrules\u{2028}today\u{1b}[2J \n"),
            "error: no rules today [2J"
        );
        let line = one_line(&"ä".repeat(501));
        assert_eq!(line.chars().count(), 500);
        assert!(line.ends_with("ä…"), "{line}");
        assert_eq!(one_line(&"ä".repeat(500)), "ä".repeat(500));
    }

    #[test]
    fn a_trap_is_told_with_the_innermost_functions() {
        let trap = |frames: &[&str]| Trap {
            message: "unreachable".to_owned(),
            backtrace: frames.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(with_frames(&trap(&[])), "unreachable");
        assert_eq!(
            with_frames(&trap(&["a", "b", "c", "d"])),
            "unreachable (in a, called by b, called by c)"
        );
    }
}
