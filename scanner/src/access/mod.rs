//! What a version asks for, and whether an earlier yes covers it.
//!
//! An [`Access`] is derived when a version is published, shown when it is installed, and kept
//! with the install: the accepted access *is* the grant. Comparing two is pure set arithmetic,
//! in one place.

mod coverage;
mod egress;
mod parts;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use self::coverage::{AccessChange, AccessDiff};
pub use self::egress::{EgressError, EgressHost, EgressSet};
pub use self::parts::Part;
use crate::Permission;

/// The record of all that a version asks for.
///
/// Two accesses that allow the same serialise to the same canonical JSON: sets are sorted,
/// egress entries that another covers are left out, a permission stands either among the derived
/// or among the declared ones. Unknown fields and unknown permissions do not deserialise, so
/// that a record of a newer host is unreadable rather than half read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Derived from the code.
    pub permissions: BTreeSet<Permission>,
    /// Added by the manifest; the code does not show them. Disjoint from `permissions`.
    pub declared_permissions: BTreeSet<Permission>,
    /// Middleware hooks that the component exports.
    pub hooks: BTreeSet<String>,
    /// Provider capabilities that the component exports.
    pub serves: BTreeSet<String>,
    /// Hosts that `fetch` may reach.
    pub egress: EgressSet,
    /// Secrets by name.
    #[serde(with = "secret_list")]
    pub secrets: BTreeMap<String, SecretAccess>,
    /// Agents that the package adds to the profile.
    pub agents: BTreeSet<String>,
    /// Schedules that the package adds to the profile.
    pub schedules: BTreeSet<String>,
    /// Hooks whose failure blocks the action.
    pub fail_closed_hooks: BTreeSet<String>,
    /// Whether the plugin's channel may admit messages of anyone, not only of operators.
    pub anyone_sender: bool,
    /// The key that signed the version, `ed25519:` and 64 hexadecimal digits. `None` for bytes
    /// that nobody published.
    pub publisher: Option<String>,
}

/// How code may use one secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretAccess {
    /// Whether the code sees the value.
    #[serde(rename = "use")]
    pub usage: SecretUse,
    /// Hosts that the secret may be sent to.
    pub hosts: EgressSet,
}

/// Whether code sees a secret's value. `Read` allows all that `Inject` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretUse {
    /// The host puts the value in on the way out; the code never has it.
    Inject,
    /// The code reads the value.
    Read,
}

impl Access {
    /// Every permission of the access, derived and declared.
    pub fn all_permissions(&self) -> impl Iterator<Item = Permission> {
        self.permissions.union(&self.declared_permissions).copied()
    }

    /// The canonical JSON of the access (RFC 8785).
    ///
    /// # Errors
    /// Never in practice: every field has a JSON form.
    pub fn canonical_json(&self) -> serde_json::Result<String> {
        serde_json_canonicalizer::to_string(self)
    }

    /// `sha256:` and the digest of the canonical JSON: a name for exactly this access.
    ///
    /// # Errors
    /// As [`Access::canonical_json`].
    pub fn digest(&self) -> serde_json::Result<String> {
        Ok(format!(
            "sha256:{}",
            hex::encode(Sha256::digest(self.canonical_json()?))
        ))
    }
}

/// Secrets stand in JSON as a list of `{name, use, hosts}`, sorted by name.
mod secret_list {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use super::{EgressSet, SecretAccess, SecretUse, parts::NamedSecret};

    pub(super) fn serialize<S: Serializer>(
        secrets: &BTreeMap<String, SecretAccess>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(secrets.iter().map(NamedSecret::from))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, SecretAccess>, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Entry {
            name: String,
            #[serde(rename = "use")]
            usage: SecretUse,
            hosts: EgressSet,
        }
        let mut secrets = BTreeMap::new();
        for Entry { name, usage, hosts } in Vec::<Entry>::deserialize(deserializer)? {
            if secrets
                .insert(name.clone(), SecretAccess { usage, hosts })
                .is_some()
            {
                return Err(D::Error::custom(format!(
                    "the secret `{name}` stands twice"
                )));
            }
        }
        Ok(secrets)
    }
}
