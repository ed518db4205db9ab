//! Permissions: the ids that members derive, grants hold and installers read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::members::{self, PermissionText};

/// A permission id, e.g. `agentApi:todo.write`. Only ids of the table exist, so whoever holds a
/// value holds a known one; the groups in `members` give each a constant, such as
/// [`Permission::TODO_WRITE`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permission(&'static str);

/// Every permission of the table by its id.
static TEXTS: LazyLock<BTreeMap<&'static str, &'static PermissionText>> = LazyLock::new(|| {
    members::permission_texts()
        .map(|text| (text.permission.as_str(), text))
        .collect()
});

impl Permission {
    /// Only the groups of the table make permissions, each next to its sentence.
    pub(crate) const fn new(id: &'static str) -> Self {
        Self(id)
    }

    /// The id, as manifests, grants and lists spell it.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// What the permission lets a plugin do, in plain language for installers. It completes
    /// *This plugin can …* and has no full stop.
    pub fn sentence(self) -> &'static str {
        // A test holds that every permission has a text; the id is the honest answer without one.
        TEXTS.get(self.0).map_or(self.0, |text| text.sentence)
    }

    /// Every permission that exists, sorted by id.
    pub fn all() -> impl Iterator<Item = Self> {
        TEXTS.values().map(|text| text.permission)
    }
}

impl fmt::Debug for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permission({})", self.0)
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl AsRef<str> for Permission {
    fn as_ref(&self) -> &str {
        self.0
    }
}

/// A text that is no permission id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no permission {text:?}{}", did_you_mean(*nearest))]
pub struct UnknownPermission {
    /// The text, cut after [`UnknownPermission::LONGEST`] characters.
    pub text: String,
    /// The permission that was probably meant, if one comes close.
    pub nearest: Option<Permission>,
}

fn did_you_mean(nearest: Option<Permission>) -> String {
    nearest.map_or_else(String::new, |permission| {
        format!("; did you mean `{permission}`?")
    })
}

impl UnknownPermission {
    /// How much of a text is kept and compared: it may come from anywhere, and comparing takes
    /// time that grows with its length.
    pub const LONGEST: usize = 80;

    fn new(text: &str) -> Self {
        let text: String = text.chars().take(Self::LONGEST).collect();
        let folded = text.to_lowercase();
        let nearest = Permission::all()
            .map(|permission| {
                let id = permission.as_str().to_lowercase();
                (
                    strsim::normalized_damerau_levenshtein(&id, &folded),
                    permission,
                )
            })
            .filter(|(likeness, _)| *likeness >= 0.6)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, permission)| permission);
        Self { text, nearest }
    }
}

impl FromStr for Permission {
    type Err = UnknownPermission;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        TEXTS
            .get(text)
            .map(|known| known.permission)
            .ok_or_else(|| UnknownPermission::new(text))
    }
}

impl Serialize for Permission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Permission {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_sorted_without_doubles() {
        let all: Vec<_> = Permission::all().collect();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    }

    #[test]
    fn a_mistyped_id_names_the_nearest_one() {
        let error = "agentApi:todos.write".parse::<Permission>().unwrap_err();
        assert_eq!(error.nearest, Some(Permission::TODO_WRITE));
        assert_eq!(
            error.to_string(),
            "there is no permission \"agentApi:todos.write\"; did you mean `agentApi:todo.write`?"
        );
        let cased = "agentapi:cronjobs.READ".parse::<Permission>().unwrap_err();
        assert_eq!(cased.nearest, Some(Permission::CRON_JOBS_READ));
    }

    #[test]
    fn a_text_that_is_like_no_id_names_none() {
        let error = "everything".parse::<Permission>().unwrap_err();
        assert_eq!(error.nearest, None);
        assert_eq!(error.to_string(), "there is no permission \"everything\"");
    }

    #[test]
    fn a_huge_text_is_cut_before_it_is_compared() {
        let error = "é".repeat(10_000_000).parse::<Permission>().unwrap_err();
        assert_eq!(error.text.chars().count(), UnknownPermission::LONGEST);
    }

    #[test]
    fn a_permission_is_a_string_in_json_and_an_unknown_one_is_refused() {
        let json = serde_json::to_string(&Permission::THREADS_CREATE).unwrap();
        assert_eq!(json, "\"host:threads:create\"");
        assert_eq!(
            serde_json::from_str::<Permission>(&json).unwrap(),
            Permission::THREADS_CREATE
        );
        // An escape makes the text owned instead of borrowed.
        let escaped = "\"host:threads:\\u0063reate\"";
        assert_eq!(
            serde_json::from_str::<Permission>(escaped).unwrap(),
            Permission::THREADS_CREATE
        );
        let refused = serde_json::from_str::<Permission>("\"host:everything\"").unwrap_err();
        assert!(
            refused.to_string().contains("there is no permission"),
            "{refused}"
        );
    }
}
