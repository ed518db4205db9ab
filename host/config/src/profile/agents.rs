//! `[agents.<name>]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Name, ToolsetName};

/// A persona of the assistant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// What it is told about itself and its work, at the head of every turn.
    pub instructions: Option<String>,
    /// The model that it runs on, by its name under `[models]`. Unset, the profile's `[model]`.
    pub model: Option<Name>,
    /// The families and tools that its turns keep of those they are offered. Unset, all of them;
    /// a name that a turn is not offered adds nothing.
    pub families: Option<Vec<ToolsetName>>,
}
