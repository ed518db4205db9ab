//! Tools: what a turn may do besides answering.
//!
//! Three doors stand before an effect. The first is the list that the model is given, made from
//! the turn's authority. The second is [`dispatch`](dispatch::dispatch), the only caller of a
//! tool's [`Tool::execute`]. The third stands at the top of each tool that reaches the server: it
//! looks at the authority and at facts that are read afresh, never at an argument.
//!
//! Between the second and the third stands the [gate](crate::gate): a tool that could hurt tells
//! by [`Tool::effect`] what it would do, and does it with the [`Permit`] that the gate gave for
//! exactly that.

mod clarify;
mod discord;
mod dispatch;
mod files;
mod guild;
mod hooks;
mod plugin;
mod plugins;
mod secrets;
mod shell;
mod todo;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use ostler_config::ProfileConfig;
use ostler_registry::Registry;
use ostler_store::{Epoch, Profile, Row, SessionStore};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub(crate) use discord::OperatorGuilds;
pub(crate) use dispatch::dispatch;
use hooks::Rule;
pub(crate) use plugins::Plugins;
pub(crate) use shell::ShellPlace;

use crate::approvals::Approvals;
use crate::authority::{ToolCatalog, ToolName, ToolSource, TurnAuthority, registered};
use crate::channel::Channel;
use crate::clock::Clock;
use crate::gate::{Effect, Memory, Permit};
use crate::model::{ModelSource, ToolSpec};
use crate::turn::waiting::Waiting;

/// What tools work with.
pub(crate) struct Services {
    pub(crate) profile: Profile,
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) config: watch::Receiver<Arc<ProfileConfig>>,
    pub(crate) models: ModelSource,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) shell: ShellPlace,
    /// The servers that narrow turns may read.
    pub(crate) operator_guilds: OperatorGuilds,
    /// The profile's standing grants, read at each use.
    pub(crate) grants_file: PathBuf,
    /// Whether the host was started to ask nobody.
    pub(crate) yolo: bool,
}

/// The circumstances of one call.
pub(crate) struct ToolContext<'a> {
    /// Who the turn is.
    pub(crate) authority: &'a TurnAuthority,
    /// The row that the turn runs on.
    pub(crate) row: &'a Row,
    /// The live adapter.
    pub(crate) channel: &'a Arc<dyn Channel>,
    pub(crate) services: &'a Services,
    /// Under which the row was claimed.
    pub(crate) epoch: Epoch,
    /// What the host can run now.
    pub(crate) toolbox: &'a Toolbox,
    /// What waiting for a person stops.
    pub(crate) waiting: &'a Waiting,
    /// What the turn was refused.
    pub(crate) memory: &'a Memory,
    /// Ends the turn.
    pub(crate) cancel: &'a CancellationToken,
    /// Which call of the turn it is, from 0.
    pub(crate) number: u16,
}

/// Why a tool did not do what it was called for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub(crate) struct ToolFailure {
    /// A stable code.
    pub(crate) code: String,
    /// For the model, which tells the person.
    pub(crate) message: String,
}

impl ToolFailure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
        }
    }
}

impl From<crate::channel::ChannelError> for ToolFailure {
    fn from(error: crate::channel::ChannelError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<ostler_store::StoreError> for ToolFailure {
    fn from(error: ostler_store::StoreError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// Something that a turn may do.
#[async_trait]
pub(crate) trait Tool: Send + Sync {
    /// What the model reads of it. Its name is the one in the catalogue.
    fn spec(&self) -> ToolSpec;

    /// What the call would bring about, before anything is done; none if it can hurt nobody.
    async fn effect(
        &self,
        _context: &ToolContext<'_>,
        _arguments: &Value,
    ) -> Result<Option<Effect>, ToolFailure> {
        Ok(None)
    }

    /// Does it. Called by [`dispatch`] alone. A tool that has an effect needs a permit and refuses
    /// without one; the others are given none.
    async fn execute(
        &self,
        context: &ToolContext<'_>,
        arguments: Value,
        permit: Option<Permit>,
    ) -> Result<String, ToolFailure>;
}

/// The tools that the host can run now.
#[derive(Clone, Default)]
pub(crate) struct Toolbox {
    tools: BTreeMap<ToolName, (ToolSource, Arc<dyn Tool>)>,
    /// The plugins that have a say before calls, in the order of installation.
    rules: Vec<Rule>,
}

impl Toolbox {
    /// The assistant's own tools.
    pub(crate) fn own() -> Self {
        let mut toolbox = Self::default();
        toolbox.add_own(Arc::new(todo::Todo));
        toolbox.add_own(Arc::new(clarify::Clarify));
        toolbox.add_own(Arc::new(discord::Discord));
        toolbox.add_own(Arc::new(guild::Read));
        toolbox.add_own(Arc::new(guild::Act));
        toolbox.add_own(Arc::new(shell::Shell));
        toolbox.add_own(Arc::new(files::ReadFile));
        toolbox.add_own(Arc::new(files::SearchFiles));
        toolbox.add_own(Arc::new(files::WriteFile));
        toolbox.add_own(Arc::new(files::Patch));
        toolbox
    }

    /// Adds a tool of the registry's. One without a row there is offered to nobody.
    fn add_own(&mut self, tool: Arc<dyn Tool>) {
        let name = tool.spec().name;
        match registered(&name) {
            Some(row) => {
                self.tools
                    .insert(ToolName(name), (ToolSource::Own(row), tool));
            }
            None => tracing::error!(tool = name, "a tool has no row in the registry of tools"),
        }
    }

    /// Adds the tools of a plugin.
    pub(crate) fn add_plugin(&mut self, plugin: &str, tools: Vec<Arc<dyn Tool>>) {
        for tool in tools {
            let name = ToolName(tool.spec().name);
            if self.tools.contains_key(&name) {
                tracing::warn!(plugin, tool = %name, "another tool has this name; it is left out");
                continue;
            }
            self.tools
                .insert(name, (ToolSource::Plugin(plugin.to_owned()), tool));
        }
    }

    /// What there is, for [`derive`](crate::authority::derive).
    pub(crate) fn catalog(&self) -> ToolCatalog {
        self.tools
            .iter()
            .map(|(name, (source, _))| (name.clone(), source.clone()))
            .collect()
    }

    /// What a turn is offered: the first door.
    pub(crate) fn specs(&self, authority: &TurnAuthority) -> Vec<ToolSpec> {
        self.tools
            .iter()
            .filter(|(name, _)| authority.tools.contains(name))
            .map(|(_, (_, tool))| tool.spec())
            .collect()
    }

    /// Adds a plugin that has a say before calls.
    pub(crate) fn add_rule(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The family that a tool belongs to; empty for one that there is not.
    fn family(&self, name: &ToolName) -> String {
        self.tools
            .get(name)
            .map(|(source, _)| source.family())
            .unwrap_or_default()
    }

    fn get(&self, name: &ToolName) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).map(|(_, tool)| tool)
    }
}

/// Reads a tool's arguments; the failure names what is wrong with them.
fn arguments<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolFailure> {
    serde_json::from_value(arguments)
        .map_err(|error| ToolFailure::new("invalid", format!("the arguments are wrong: {error}")))
}
