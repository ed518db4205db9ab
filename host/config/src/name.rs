//! Names that an operator gives: of profiles, plugins, models and agents.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// `[a-z][a-z0-9-]{0,63}`: the name of a plugin, a model or an agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = ConfigError;

    /// # Errors
    /// `invalid-name`.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        check("plugin, model or agent", text)?;
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Name {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "title": "name", "pattern": "^[a-z][a-z0-9-]{0,63}$"})
    }
}

/// Checks `[a-z][a-z0-9-]{0,63}`, which also keeps a name from being a path.
pub(crate) fn check(kind: &'static str, name: &str) -> Result<(), ConfigError> {
    let good = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if good {
        Ok(())
    } else {
        Err(ConfigError::InvalidName {
            kind,
            name: name.to_owned(),
        })
    }
}
