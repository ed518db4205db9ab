//! Who may answer a card: one pure function over the row, the click's own payload and the
//! configuration.
//!
//! | card | who |
//! |---|---|
//! | `host` | the owner; in a server also operators: `allowed_users` who are members now, and members with one of `allowed_roles` |
//! | `tool` | a current Administrator of the server, or the asker while they hold the tier that the tool needs |
//! | `clarify` | the asker |
//! | `platform` | the owner, in their direct chat |
//!
//! With no owner, nobody answers a host card. In a direct chat a payload has no member, so only
//! the owner answers there. What asks for the rights of another account is the owner's. The page
//! and the command line answer as the owner.

use ostler_config::{ProfileConfig, Snowflake};
use ostler_store::{Approval, ApprovalClass, PersonId, Via};

use super::document::AskDocument;
use crate::authority::Tier;
use crate::facts::{Fact, MemberFacts, PermissionBits};

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presser {
    /// Somebody who pressed on Discord, as the click's own payload says.
    Discord {
        /// The account.
        user: PersonId,
        /// Its name, for people.
        name: String,
        /// Roles and permissions as Discord computed them for this click; absent in a direct
        /// chat.
        member: Fact<MemberFacts>,
    },
    /// Somebody who proved to be the operator of this machine: the page's login, or the API's
    /// token, which only the home's owner can read.
    Local {
        /// By which way.
        via: Via,
        /// The owner as a member of the card's server now, read afresh.
        owner: Fact<MemberFacts>,
    },
}

impl Presser {
    /// As rows and the audit log name them.
    pub(crate) fn principal(&self) -> String {
        match self {
            Self::Discord { user, .. } => format!("discord:{user}"),
            Self::Local { via, .. } => format!("local:{}", via.as_str()),
        }
    }

    pub(crate) fn via(&self) -> Via {
        match self {
            Self::Discord { .. } => Via::Discord,
            Self::Local { via, .. } => *via,
        }
    }
}

/// Why somebody may not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PressRefusal {
    /// Nobody owns the profile.
    #[error("this profile has no owner (`owner_id`), so nobody can answer this")]
    NoOwner,
    /// It is for operators.
    #[error(
        "only the owner and the operators of this assistant can answer this: `allowed_users` who \
         are members of this server, and members with one of `allowed_roles`"
    )]
    NotOperator,
    /// It is for the owner.
    #[error("only the owner of this assistant can answer this")]
    OwnerOnly,
    /// It is for Administrators and the one who asked.
    #[error("only an Administrator of this server can answer this, or whoever asked for it")]
    NotAdministrator,
    /// The asker has lost what the tool needs.
    #[error("you asked for this, but you no longer hold what it needs on this server")]
    TierLost,
    /// It is for the one who asked.
    #[error("this question is for somebody else")]
    NotAsker,
    /// The configuration cannot be read.
    #[error("the configuration cannot be read now, so only the owner can answer")]
    ConfigUnreadable,
}

impl PressRefusal {
    /// A stable code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NoOwner => "no-owner",
            Self::NotOperator => "not-operator",
            Self::OwnerOnly => "owner-only",
            Self::NotAdministrator => "not-administrator",
            Self::TierLost => "tier-lost",
            Self::NotAsker => "not-asker",
            Self::ConfigUnreadable => "config-unreadable",
        }
    }
}

/// The part of the configuration that decides, read at the press.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operators {
    pub(crate) owner: Option<Snowflake>,
    pub(crate) users: Vec<Snowflake>,
    pub(crate) roles: Vec<Snowflake>,
    /// The file cannot be read: what stands here is the owner of the last one that could.
    pub(crate) is_unreadable: bool,
}

impl Operators {
    pub(crate) fn of(config: &ProfileConfig) -> Self {
        Self {
            owner: config.owner_id.clone(),
            users: config.discord.allowed_users.clone(),
            roles: config.discord.allowed_roles.clone(),
            is_unreadable: false,
        }
    }

    /// What is left of a configuration that cannot be read any more.
    pub(crate) fn owner_alone(config: &ProfileConfig) -> Self {
        Self {
            owner: config.owner_id.clone(),
            is_unreadable: true,
            ..Self::default()
        }
    }

    fn is_owner(&self, user: &PersonId) -> bool {
        self.owner
            .as_ref()
            .is_some_and(|owner| owner.as_str() == user.as_str())
    }

    fn is_operator(&self, user: &PersonId, member: &MemberFacts) -> bool {
        self.users.iter().any(|id| id.as_str() == user.as_str())
            || self
                .roles
                .iter()
                .any(|id| member.roles.iter().any(|role| role.as_str() == id.as_str()))
    }
}

/// Whether somebody may answer an ask.
///
/// # Errors
/// Why not.
pub(crate) fn may_press(
    approval: &Approval,
    document: &AskDocument,
    presser: &Presser,
    operators: &Operators,
) -> Result<(), PressRefusal> {
    let (is_owner, user, member) = match presser {
        Presser::Discord { user, member, .. } => (operators.is_owner(user), user.clone(), member),
        Presser::Local { owner, .. } => {
            let id = operators
                .owner
                .as_ref()
                .and_then(|owner| owner.as_str().parse().ok())
                .ok_or(PressRefusal::NoOwner)?;
            (true, id, owner)
        }
    };
    match approval.class {
        ApprovalClass::Clarify => (approval.asker.as_ref() == Some(&user))
            .then_some(())
            .ok_or(PressRefusal::NotAsker),
        ApprovalClass::Platform => match operators.owner {
            None => Err(PressRefusal::NoOwner),
            Some(_) if is_owner => Ok(()),
            Some(_) => Err(PressRefusal::OwnerOnly),
        },
        ApprovalClass::Host => host(document, is_owner, &user, member, operators),
        ApprovalClass::Tool => tool(approval, document, is_owner, &user, member),
    }
}

fn host(
    document: &AskDocument,
    is_owner: bool,
    user: &PersonId,
    member: &Fact<MemberFacts>,
    operators: &Operators,
) -> Result<(), PressRefusal> {
    if operators.owner.is_none() {
        return Err(PressRefusal::NoOwner);
    }
    if is_owner {
        return Ok(());
    }
    if document.is_for_owner {
        return Err(PressRefusal::OwnerOnly);
    }
    if operators.is_unreadable {
        return Err(PressRefusal::ConfigUnreadable);
    }
    match member.known() {
        Some(member) if operators.is_operator(user, member) => Ok(()),
        _ => Err(PressRefusal::NotOperator),
    }
}

fn tool(
    approval: &Approval,
    document: &AskDocument,
    is_owner: bool,
    user: &PersonId,
    member: &Fact<MemberFacts>,
) -> Result<(), PressRefusal> {
    let is_administrator = member
        .known()
        .is_some_and(|member| member.permissions.contains(PermissionBits::ADMINISTRATOR));
    if is_administrator {
        return Ok(());
    }
    if approval.asker.as_ref() != Some(user) {
        return Err(PressRefusal::NotAdministrator);
    }
    // What a document does not say is the most that it could be.
    let holds = match document.needs {
        Some(Tier::Guest) => member.known().is_some(),
        Some(Tier::Owner) => is_owner,
        Some(Tier::Administrator | Tier::PluginOrigin) | None => false,
    };
    holds.then_some(()).ok_or(PressRefusal::TierLost)
}

#[cfg(test)]
#[path = "press_tests.rs"]
mod tests;
