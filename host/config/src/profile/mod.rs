//! A profile's configuration, `profiles/<name>/profile.toml`. The comments are its documentation.

mod agents;
mod approvals;
mod discord;
mod mesh;
mod models;
mod shell;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use agents::AgentConfig;
pub use approvals::{ApprovalMode, Approvals, ScheduleApprovals};
pub use discord::{DiscordConfig, WidePostChannels};
pub use mesh::{MeshChannel, MeshConfig, MeshToken, NatsUrl};
pub use models::{ModelConfig, Provider};
pub use shell::ShellConfig;

use crate::read::{Configuration, Misfit};
use crate::{ConfigError, Home, Name, Snowflake, ToolsetName};

/// The agent that every profile has.
pub const MAIN_AGENT: &str = "main";

/// What an operator sets for one assistant. A file that is missing is the same as an empty one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileConfig {
    /// The owner's Discord account. Unset, nobody is the owner: every tool of the owner is
    /// withheld from everybody, and no card of the host can be answered.
    pub owner_id: Option<Snowflake>,
    /// Whether the platform may ask the owner, in their direct chat, to add or change plugins.
    /// Not read yet.
    pub may_set_up: bool,
    /// The model for small work and for plugins' `llm`, by its name under `[models]`. Unset, that
    /// member is absent. Not read yet.
    pub utility_model: Option<Name>,
    /// How much of a turn shows while it runs: `verbose` streams the answer and shows a trail of
    /// tool calls, `quiet` shows typing, then the answer, and `auto` is verbose in direct chats and
    /// quiet in shared ones.
    pub turn_verbosity: TurnVerbosity,
    /// The channel for output that has no other place, such as a schedule's.
    pub home_channel: Option<Snowflake>,
    /// Which attachments the model is given: `model` all of them, `images-protected` all but
    /// images, `visual-protected` all but images and PDFs. What is withheld is replaced by a
    /// marker without a path.
    pub inbound_media: InboundMedia,
    /// The folder that the assistant's shell works in, an absolute path outside of the home.
    /// Unset, it is `HOME-workspaces/<profile>`, beside the home.
    pub workspace: Option<PathBuf>,
    /// The assistant on Discord.
    pub discord: DiscordConfig,
    /// Which tools are offered where, by families, tools and plugins.
    pub platform_toolsets: PlatformToolsets,
    /// Who is asked before something happens.
    pub approvals: Approvals,
    /// What the assistant's shell gives its commands.
    pub shell: ShellConfig,
    /// The Cotal space that the assistant takes part in. Without this table it takes part in
    /// none. Not read yet.
    pub mesh: Option<MeshConfig>,
    /// The model that answers. Without this table no turn can run.
    pub model: Option<ModelConfig>,
    /// Other models, by name.
    pub models: BTreeMap<Name, ModelConfig>,
    /// Personas, by name. Every session belongs to one; `main` is there without being written
    /// down, and may be.
    pub agents: BTreeMap<Name, AgentConfig>,
    /// What is allowed to plugins beyond their accepted access, by plugin.
    pub plugins: BTreeMap<Name, PluginConfig>,
}

/// How much of a turn shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnVerbosity {
    /// Verbose in direct chats, quiet in shared ones.
    #[default]
    Auto,
    /// The answer streams, beside a trail of tool calls.
    Verbose,
    /// Typing, then the answer.
    Quiet,
}

/// Which attachments the model is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InboundMedia {
    /// All of them.
    #[default]
    Model,
    /// All but images.
    ImagesProtected,
    /// All but images and PDFs.
    VisualProtected,
}

/// Which tools are offered where. A list that is unset is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlatformToolsets {
    /// What the owner is offered on Discord beside the tools that their turns always have:
    /// `discord`, `discord_admin` and `plugin:<id>`. Other names change nothing here.
    pub discord: Vec<ToolsetName>,
    /// All that turns of mesh peers and of plugins' notes are offered. `discord_admin` is never
    /// among it.
    pub cotal: Vec<ToolsetName>,
    /// All that turns of schedules are offered. Not read yet.
    pub cron: Vec<ToolsetName>,
    /// All that notes of plugins with `inherit_session` are offered.
    pub automation: Vec<ToolsetName>,
}

/// What is allowed to one plugin.
///
/// These keys are read afresh at every check, by [`crate::read_plugin_keys`]; a decision must not
/// be made from this copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PluginConfig {
    /// The plugin may put notes into sessions. Written when an access that asks for it is
    /// accepted; take it away at any time, and the next check refuses.
    pub allow_gateway_injection: bool,
    /// The plugin may start sessions in threads that the bot opened. Written and taken away like
    /// the other.
    pub allow_origin_sessions: bool,
    /// The plugin's notes into a session run as that session's own automation, with its policy for
    /// approvals, instead of narrowly. Without effect for a plugin with `allow_origin_sessions`.
    /// Only you write this key.
    pub inherit_session: bool,
}

impl ProfileConfig {
    /// The configuration in force as TOML, defaults included. It reads back as the same.
    #[must_use]
    pub fn to_toml(&self) -> String {
        // Every value has a TOML form: its types are made of strings, whole numbers and tables.
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// An agent of the profile; `main` is there even when it is not
    /// written down. None for an agent that the profile does not have.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<Cow<'_, AgentConfig>> {
        match self.agents.get(name) {
            Some(agent) => Some(Cow::Borrowed(agent)),
            None if name == MAIN_AGENT => Some(Cow::Owned(AgentConfig::default())),
            None => None,
        }
    }

    /// The model that an agent's turns run on: its own, else the profile's.
    #[must_use]
    pub fn agent_model(&self, agent: &AgentConfig) -> Option<&ModelConfig> {
        match &agent.model {
            Some(name) => self.models.get(name),
            None => self.model.as_ref(),
        }
    }

    /// The folder that the assistant's shell works in: `workspace`, else
    /// `HOME-workspaces/<profile>`. It need not exist.
    ///
    /// # Errors
    /// - `invalid-name`: `profile` is not `[a-z][a-z0-9-]{0,63}`;
    /// - `workspace-in-home`: it is the home, lies in it, or holds it.
    pub fn workspace(&self, home: &Home, profile: &str) -> Result<PathBuf, ConfigError> {
        let folder = match &self.workspace {
            Some(folder) => folder.clone(),
            None => home.workspaces(profile)?,
        };
        let (inside, outside) = (resolved(&folder), resolved(home.path()));
        if inside.starts_with(&outside) || outside.starts_with(&inside) {
            return Err(ConfigError::WorkspaceInHome {
                workspace: folder,
                home: home.path().to_owned(),
            });
        }
        Ok(folder)
    }
}

/// The path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for existing in path.ancestors() {
        if let Ok(found) = existing.canonicalize()
            && let Ok(rest) = path.strip_prefix(existing)
        {
            // `.join("")` would add a slash, which `starts_with` does not mind.
            return found.join(rest);
        }
    }
    path
}

impl Configuration for ProfileConfig {
    fn misfits(&self) -> Vec<Misfit> {
        let mut misfits = Vec::new();
        if let Some(folder) = &self.workspace
            && (!folder.is_absolute() || folder.components().any(|part| part.as_os_str() == ".."))
        {
            misfits.push(Misfit::new(
                ["workspace"],
                "it must be an absolute path without `..`",
            ));
        }
        let named = [
            (&["utility_model"][..], &self.utility_model),
            (
                &["approvals", "guardian_model"],
                &self.approvals.guardian_model,
            ),
            (
                &["approvals", "reviewer_model"],
                &self.approvals.reviewer_model,
            ),
        ];
        for (key, name) in named {
            misfits.extend(self.unknown_model(key.iter().copied(), name.as_ref()));
        }
        let approvals = self.approvals.misfits();
        misfits.extend(approvals.map(|misfit| misfit.under(["approvals"])));
        let shell = self.shell.misfits();
        misfits.extend(shell.map(|misfit| misfit.under(["shell"])));
        for (name, agent) in &self.agents {
            let key = ["agents", name.as_str(), "model"];
            misfits.extend(self.unknown_model(key, agent.model.as_ref()));
        }
        if let Some(model) = &self.model {
            misfits.extend(model.misfits().map(|misfit| misfit.under(["model"])));
        }
        for (name, model) in &self.models {
            let under = ["models", name.as_str()];
            misfits.extend(model.misfits().map(|misfit| misfit.under(under)));
        }
        misfits
    }
}

impl ProfileConfig {
    /// A key that names a model which is not there.
    fn unknown_model<'a>(
        &self,
        key: impl IntoIterator<Item = &'a str>,
        name: Option<&Name>,
    ) -> Option<Misfit> {
        let name = name.filter(|name| !self.models.contains_key(name.as_str()))?;
        let known = self.models.keys().map(Name::as_str);
        let reason = match crate::nearest::to(name.as_str(), known) {
            Some(nearest) => format!("there is no [models.{name}]; did you mean {nearest:?}?"),
            None => format!("there is no [models.{name}]"),
        };
        Some(Misfit::new(key, reason))
    }
}
