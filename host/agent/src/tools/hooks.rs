//! Plugins' rules before a call.

use serde_json::Value;

use super::{ToolContext, ToolFailure};
use crate::authority::ToolName;
use crate::gate::RuleAsk;

/// Has each plugin's rule look at a call, in the order of installation: the arguments as they left
/// them, and the first question.
///
/// # Errors
/// A rule blocked it.
pub(super) async fn before(
    _context: &ToolContext<'_>,
    _name: &ToolName,
    arguments: Value,
) -> Result<(Value, Option<RuleAsk>), ToolFailure> {
    Ok((arguments, None))
}
