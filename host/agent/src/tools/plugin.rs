//! A tool of an installed plugin.

use std::sync::Arc;

use async_trait::async_trait;
use ostler_registry::{CatalogueTool, LoadedInstall};
use ostler_runtime::{ExportCall, ExportResult, Outcome};
use serde_json::Value;

use super::{Tool, ToolContext, ToolFailure};
use crate::authority::MemberCeiling;
use crate::gate::Permit;
use crate::model::ToolSpec;
use crate::turn::frame;

/// The longest name that every provider takes.
const NAME: usize = 64;
/// The most of a description that a model reads, in characters.
const DESCRIPTION: usize = 2_000;

/// One tool of a plugin.
pub(super) struct PluginTool {
    plugin: String,
    install: Arc<LoadedInstall>,
    /// The name in the component.
    tool: String,
    spec: ToolSpec,
}

impl PluginTool {
    pub(super) fn new(plugin: &str, install: &Arc<LoadedInstall>, tool: &CatalogueTool) -> Self {
        let description: String = tool
            .description
            .chars()
            .filter(|c| !c.is_control() || *c == '\n')
            .take(DESCRIPTION)
            .collect();
        Self {
            plugin: plugin.to_owned(),
            install: Arc::clone(install),
            tool: tool.name.clone(),
            spec: ToolSpec {
                name: model_name(plugin, &tool.name),
                description: format!("A tool of the plugin {plugin}. {description}"),
                input_schema: tool.input_schema.clone(),
            },
        }
    }
}

/// `<plugin>__<tool>`, in the characters that every provider takes.
fn model_name(plugin: &str, tool: &str) -> String {
    format!("{plugin}__{tool}")
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .take(NAME)
        .collect()
}

#[async_trait]
impl Tool for PluginTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        _permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let invocation = match context.authority.members {
            MemberCeiling::Granted => self.install.tool_context(),
        };
        let call = ExportCall::CallTool {
            name: self.tool.clone(),
            arguments: given.to_string(),
        };
        let invoked = context
            .services
            .registry
            .runtime()
            .invoke(&self.install.plugin, call, invocation)
            .await;
        let plugin = &self.plugin;
        match invoked.outcome {
            Outcome::Returned(ExportResult::Answer(Ok(answer))) => Ok(format!(
                "[Answer of the plugin {plugin}]\n{}",
                frame::quote(&answer)
            )),
            Outcome::Returned(ExportResult::Answer(Err(error))) => Err(ToolFailure::new(
                &frame::name(&error.code),
                format!(
                    "the plugin {plugin} answered with an error:\n{}",
                    frame::quote(&error.message)
                ),
            )),
            Outcome::Returned(_) => Err(ToolFailure::new(
                "bad-output",
                format!("the plugin {plugin} gave no answer"),
            )),
            Outcome::Trap(trap) => Err(ToolFailure::new(
                "trap",
                format!(
                    "the plugin {plugin} broke off: {}",
                    frame::name(&trap.message)
                ),
            )),
            Outcome::Limit(hit) => Err(ToolFailure::new(
                "limit",
                format!("the plugin {plugin} was stopped: {hit}"),
            )),
            Outcome::BadOutput(_) => Err(ToolFailure::new(
                "bad-output",
                format!("the plugin {plugin} gave an answer that cannot be read"),
            )),
            Outcome::HostError(fault) => Err(ToolFailure::new("host-error", fault.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_such_as_every_provider_takes() {
        assert_eq!(model_name("handoff", "hand_off"), "handoff__hand_off");
        assert_eq!(model_name("a", "b.c d"), "a__b_c_d");
        assert_eq!(model_name(&"p".repeat(64), "t").len(), NAME);
    }
}
