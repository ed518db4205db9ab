//! Whether an accepted access covers an asked one, and what the difference is.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::parts::{NamedSecret, Part, parts_of};
use super::{Access, EgressHost, EgressSet, SecretAccess};
use crate::Permission;

impl Access {
    /// Whether this accepted access covers all that `asked` asks for: a subset test in every
    /// dimension, and a partial order.
    ///
    /// A permission that was accepted as declared covers the same permission when the code now
    /// shows it. The other way round asks again: the evidence that the installer saw is gone.
    #[must_use]
    pub fn covers(&self, asked: &Self) -> bool {
        self.missing_for(asked).is_nothing()
    }

    /// What `to` asks beyond `self`, and what it no longer asks.
    #[must_use]
    pub fn diff(&self, to: &Self) -> AccessDiff {
        let added = self.missing_for(to);
        // A permission that is still asked, in whatever form, is not removed.
        let still_asked: BTreeSet<Permission> = to.all_permissions().collect();
        let removed = AccessChange {
            permissions: self
                .all_permissions()
                .filter(|permission| !still_asked.contains(permission))
                .collect(),
            ..to.missing_for(self)
        };
        AccessDiff {
            covered: added.is_nothing(),
            added,
            removed,
        }
    }

    /// The parts of `asked` that this access does not cover.
    #[must_use]
    pub fn missing_for(&self, asked: &Self) -> AccessChange {
        let all: BTreeSet<Permission> = self.all_permissions().collect();
        let mut permissions: BTreeSet<Permission> =
            asked.permissions.difference(&all).copied().collect();
        permissions.extend(
            asked
                .declared_permissions
                .difference(&self.declared_permissions),
        );
        AccessChange {
            permissions,
            hooks: minus(&asked.hooks, &self.hooks),
            serves: minus(&asked.serves, &self.serves),
            egress: self.egress.not_covering(&asked.egress).cloned().collect(),
            secrets: asked
                .secrets
                .iter()
                .filter(|(name, wanted)| !covers_secret(&self.secrets, name, wanted))
                .map(|(name, wanted)| (name.clone(), wanted.clone()))
                .collect(),
            agents: minus(&asked.agents, &self.agents),
            schedules: minus(&asked.schedules, &self.schedules),
            fail_closed_hooks: minus(&asked.fail_closed_hooks, &self.fail_closed_hooks),
            anyone_sender: asked.anyone_sender && !self.anyone_sender,
            publisher: asked
                .publisher
                .clone()
                .filter(|publisher| self.publisher.as_ref() != Some(publisher)),
        }
    }
}

fn minus(a: &BTreeSet<String>, b: &BTreeSet<String>) -> BTreeSet<String> {
    a.difference(b).cloned().collect()
}

fn covers_secret(
    accepted: &BTreeMap<String, SecretAccess>,
    name: &str,
    wanted: &SecretAccess,
) -> bool {
    accepted
        .get(name)
        .is_some_and(|have| have.usage >= wanted.usage && have.hosts.covers(&wanted.hosts))
}

/// The difference between two accesses. It serialises to the JSON of `ostler diff`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessDiff {
    /// Whether nothing was added.
    pub covered: bool,
    /// What the second asks beyond the first.
    pub added: AccessChange,
    /// What the second no longer asks.
    pub removed: AccessChange,
}

/// The parts by which one access exceeds another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AccessChange {
    /// Permissions, derived or declared.
    pub permissions: BTreeSet<Permission>,
    /// Middleware hooks.
    pub hooks: BTreeSet<String>,
    /// Provider capabilities.
    pub serves: BTreeSet<String>,
    /// Egress hosts.
    #[serde(serialize_with = "as_list")]
    pub egress: BTreeSet<EgressHost>,
    /// Secrets that are new, read where they were injected, or bound to more hosts.
    #[serde(serialize_with = "secrets_as_list")]
    pub secrets: BTreeMap<String, SecretAccess>,
    /// Agents.
    pub agents: BTreeSet<String>,
    /// Schedules.
    pub schedules: BTreeSet<String>,
    /// Hooks whose failure blocks the action.
    pub fail_closed_hooks: BTreeSet<String>,
    /// Messages of anyone.
    pub anyone_sender: bool,
    /// A key that differs.
    pub publisher: Option<String>,
}

fn as_list<S: serde::Serializer>(
    hosts: &BTreeSet<EgressHost>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(hosts)
}

fn secrets_as_list<S: serde::Serializer>(
    secrets: &BTreeMap<String, SecretAccess>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(secrets.iter().map(NamedSecret::from))
}

impl AccessChange {
    /// Whether there is no difference.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The parts by their ids, as a person accepts them.
    #[must_use]
    pub fn parts(&self, declared: &BTreeSet<Permission>) -> Vec<Part> {
        let as_access = Access {
            permissions: self.permissions.difference(declared).copied().collect(),
            declared_permissions: self.permissions.intersection(declared).copied().collect(),
            hooks: self.hooks.clone(),
            serves: self.serves.clone(),
            egress: self.egress.iter().cloned().collect::<EgressSet>(),
            secrets: self.secrets.clone(),
            agents: self.agents.clone(),
            schedules: self.schedules.clone(),
            fail_closed_hooks: self.fail_closed_hooks.clone(),
            anyone_sender: self.anyone_sender,
            publisher: self.publisher.clone(),
        };
        parts_of(&as_access)
    }
}
