//! Who a turn is: the one place that decides it.
//!
//! [`derive()`] is pure and reads its arguments alone. Live facts are fetched before it; a fact that
//! could not be read counts as the lowest that it could be. Nothing that anybody typed takes part.
//! Every later check reads the [`TurnAuthority`] that comes out.

mod registry;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ostler_config::ToolsetName;
use ostler_store::{GuildId, Origin, PersonId, Principal, Route, Row};

pub use registry::{Audience, REGISTRY, RegisteredTool, registered};

use crate::facts::{Fact, MemberFacts, PermissionBits};

/// A tool, by the name that a model calls it by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName(pub String);

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolSource {
    /// The assistant's own, a row of [`REGISTRY`].
    Own(&'static RegisteredTool),
    /// A plugin's.
    Plugin(String),
}

impl ToolSource {
    /// The name under which a profile lists it: its family, or `plugin:<id>`.
    #[must_use]
    pub fn family(&self) -> String {
        match self {
            Self::Own(tool) => tool.family.to_owned(),
            Self::Plugin(id) => format!("plugin:{id}"),
        }
    }
}

/// What the host can run now, by name.
pub type ToolCatalog = BTreeMap<ToolName, ToolSource>;

/// How much whoever caused a turn is trusted, the least first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// A plugin's note.
    PluginOrigin,
    /// Anyone, also whoever could not be identified.
    Guest,
    /// An Administrator of the server that the turn is in.
    Administrator,
    /// The account in `owner_id`.
    Owner,
}

impl Tier {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PluginOrigin => "plugin-origin",
            Self::Guest => "guest",
            Self::Administrator => "administrator",
            Self::Owner => "owner",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a turn may reach on Discord.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Whatever the bot may; where it may post, as the profile says.
    Unscoped,
    /// One server.
    Server(GuildId),
    /// What this person can see.
    AskerSees(PersonId),
    /// The listed channels and the servers that they are in (design, *Mesh scope*).
    Mesh,
}

/// Who is asked before something that could hurt is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalPolicy {
    /// As the profile's mode and grants say.
    Configured,
    /// Whoever asked, by a card.
    CardToAsker,
    /// The operators, always by a card for this once, whatever bypass is set.
    CardToOperators,
}

/// Which members of an install's grant a turn lets a plugin use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberCeiling {
    /// All that was granted.
    Granted,
}

/// Where a turn's answers and cards go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// The route, whose adapter is live.
    pub route: Route,
}

/// The rule that kept a tool from a turn. The name is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleId {
    /// It is for the owner, and this turn is not theirs.
    OwnerOnly,
    /// It is for Administrators of this server.
    AdministratorOnly,
    /// It is offered only where the profile lists it.
    NotListed,
    /// Discord cannot draw what it does.
    NotOnDiscord,
    /// No turn that a plugin or a peer caused has it, whatever the profile lists.
    NeverNarrow,
}

impl RuleId {
    /// The rule's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OwnerOnly => "owner-only",
            Self::AdministratorOnly => "administrator-only",
            Self::NotListed => "not-listed",
            Self::NotOnDiscord => "not-on-discord",
            Self::NeverNarrow => "never-narrow",
        }
    }
}

/// Who a turn is, and what it may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnAuthority {
    /// How much its author is trusted.
    pub tier: Tier,
    /// Its author.
    pub author: Principal,
    /// The tools that it is offered; it has no others.
    pub tools: BTreeSet<ToolName>,
    /// The tools that the host has and the turn is not offered, each with the rule that says so.
    pub withheld: BTreeMap<ToolName, RuleId>,
    /// What it may reach on Discord.
    pub scope: Scope,
    /// Who is asked.
    pub approvals: ApprovalPolicy,
    /// Where its answers and cards go; none where no adapter is live.
    pub surface: Option<Surface>,
    /// What its plugins may use of their grants.
    pub members: MemberCeiling,
    /// How many plugin-caused steps led here.
    pub depth: u8,
}

/// What of a profile's configuration takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileView {
    /// The owner's account. Without one, nobody is the owner.
    pub owner: Option<PersonId>,
    /// `platform_toolsets.discord`: what the owner has listed.
    pub discord_toolset: Vec<ToolsetName>,
    /// `platform_toolsets.cotal`: all that turns of plugins and peers are offered.
    pub cotal_toolset: Vec<ToolsetName>,
}

/// What was read of the live world, before anything is decided.
#[derive(Clone, Debug)]
pub struct LiveFacts {
    /// Whether the emergency stop is set.
    pub stop: Fact<Stop>,
    /// The people of the row, as members of the route's server. Nobody is a member in a direct
    /// chat.
    pub people: BTreeMap<PersonId, Fact<MemberFacts>>,
    /// Where answers and cards can go now.
    pub surface: Fact<Surface>,
    /// What the host can run.
    pub catalog: ToolCatalog,
}

/// An emergency stop that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why, as the operator wrote.
    pub reason: Option<String>,
}

/// Why a row gets no turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The emergency stop is set, or cannot be read.
    #[error("an operator has stopped the assistant{}", .reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default())]
    Stopped {
        /// Why, as the operator wrote.
        reason: Option<String>,
    },
    /// Nothing is decided for rows of this origin.
    #[error("a row of this origin may not run")]
    Origin,
}

impl Refusal {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Stopped { .. } => "stopped",
            Self::Origin => "permission_denied",
        }
    }
}

/// Decides who a row's turn is.
///
/// # Errors
/// The reason why the row gets no turn.
pub fn derive(
    row: &Row,
    route: &Route,
    config: &ProfileView,
    facts: &LiveFacts,
) -> Result<TurnAuthority, Refusal> {
    match &facts.stop {
        Fact::Absent => {}
        Fact::Known(stop) => {
            return Err(Refusal::Stopped {
                reason: stop.reason.clone(),
            });
        }
        Fact::Unreadable(_) => return Err(Refusal::Stopped { reason: None }),
    }
    match &row.origin {
        Origin::Person { id } => Ok(person(row, id, route, config, facts)),
        Origin::Plugin { .. } => Ok(plugin_origin(row, config, facts)),
        Origin::Peer { .. } | Origin::Schedule { .. } | Origin::System => Err(Refusal::Origin),
    }
}

/// A plugin's note: the narrow toolset, mesh scope, and a card to the operators for whatever could
/// hurt. Whether it may run at all is [`crate::origin`]'s to say; nobody's principal takes part.
fn plugin_origin(row: &Row, config: &ProfileView, facts: &LiveFacts) -> TurnAuthority {
    let mut tools = BTreeSet::new();
    let mut withheld = BTreeMap::new();
    for (name, source) in &facts.catalog {
        let family = source.family();
        let is_listed = config
            .cotal_toolset
            .iter()
            .any(|listed| listed.lists(&name.0, &family));
        // The toolset `discord_admin` runs on Discord alone.
        if family == DISCORD_ADMIN {
            withheld.insert(name.clone(), RuleId::NeverNarrow);
        } else if is_listed {
            tools.insert(name.clone());
        } else {
            withheld.insert(name.clone(), RuleId::NotListed);
        }
    }
    TurnAuthority {
        tier: Tier::PluginOrigin,
        author: row.principal.clone(),
        tools,
        withheld,
        scope: Scope::Mesh,
        approvals: ApprovalPolicy::CardToOperators,
        surface: facts.surface.known().cloned(),
        members: MemberCeiling::Granted,
        depth: plugin_steps(row),
    }
}

/// The family that no narrow turn has.
const DISCORD_ADMIN: &str = "discord_admin";

/// How many plugin-caused steps led to a row.
fn plugin_steps(row: &Row) -> u8 {
    let steps = row
        .causes
        .iter()
        .filter(|cause| matches!(cause.origin, Origin::Plugin { .. }))
        .count();
    u8::try_from(steps).unwrap_or(u8::MAX)
}

fn person(
    row: &Row,
    id: &PersonId,
    route: &Route,
    config: &ProfileView,
    facts: &LiveFacts,
) -> TurnAuthority {
    let is_owner = config.owner.as_ref() == Some(id);
    let is_administrator = route.guild.is_some()
        && facts
            .people
            .get(id)
            .and_then(Fact::known)
            .is_some_and(|member| member.permissions.contains(PermissionBits::ADMINISTRATOR));
    let tier = match (is_owner, is_administrator) {
        (true, _) => Tier::Owner,
        (false, true) => Tier::Administrator,
        (false, false) => Tier::Guest,
    };
    let mut tools = BTreeSet::new();
    let mut withheld = BTreeMap::new();
    for (name, source) in &facts.catalog {
        let family = source.family();
        let is_listed = config
            .discord_toolset
            .iter()
            .any(|listed| listed.lists(&name.0, &family));
        match rule(source, is_owner, is_administrator, is_listed) {
            None => _ = tools.insert(name.clone()),
            Some(rule) => _ = withheld.insert(name.clone(), rule),
        }
    }
    TurnAuthority {
        tier,
        author: row.principal.clone(),
        tools,
        withheld,
        scope: match (tier, &route.guild) {
            (Tier::Owner, _) => Scope::Unscoped,
            (Tier::Administrator, Some(guild)) => Scope::Server(guild.clone()),
            (Tier::Administrator | Tier::Guest | Tier::PluginOrigin, _) => {
                Scope::AskerSees(id.clone())
            }
        },
        approvals: match tier {
            Tier::Owner => ApprovalPolicy::Configured,
            Tier::Administrator | Tier::Guest | Tier::PluginOrigin => ApprovalPolicy::CardToAsker,
        },
        surface: facts.surface.known().cloned(),
        members: MemberCeiling::Granted,
        depth: 0,
    }
}

/// What keeps a tool from a person's turn, if anything.
fn rule(
    source: &ToolSource,
    is_owner: bool,
    is_administrator: bool,
    is_listed: bool,
) -> Option<RuleId> {
    let audience = match source {
        ToolSource::Own(tool) => tool.audience,
        ToolSource::Plugin(_) => Audience::OwnerIfListed,
    };
    match audience {
        Audience::Guest => None,
        Audience::Administrator => (!is_administrator).then_some(RuleId::AdministratorOnly),
        Audience::Owner => (!is_owner).then_some(RuleId::OwnerOnly),
        Audience::OwnerIfListed if !is_owner => Some(RuleId::OwnerOnly),
        Audience::OwnerIfListed => (!is_listed).then_some(RuleId::NotListed),
        Audience::Nobody => Some(RuleId::NotOnDiscord),
    }
}

#[cfg(test)]
mod tests;
