//! Secrets: names, and values that never show.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// The longest value, in bytes.
const BYTES: usize = 8_192;

/// A secret's name: `[A-Z][A-Z0-9_]{0,63}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretName(String);

impl SecretName {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SecretName {
    type Err = ConfigError;

    /// # Errors
    /// `secret-name-invalid`.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let good = text.len() <= 64
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text
                .bytes()
                .all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
        if good {
            Ok(Self(text.to_owned()))
        } else {
            // A token that stands where its name belongs must not be printed in whole.
            let name: String = text.chars().take(12).collect();
            let more = if name.len() < text.len() { "…" } else { "" };
            Err(ConfigError::SecretName { name: name + more })
        }
    }
}

impl TryFrom<String> for SecretName {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<SecretName> for String {
    fn from(name: SecretName) -> Self {
        name.0
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for SecretName {
    fn schema_name() -> Cow<'static, str> {
        "SecretName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "title": "secret's name", "pattern": "^[A-Z][A-Z0-9_]{0,63}$"
        })
    }
}

/// A secret's value: 1 to 8,192 bytes of UTF-8. It is never printed, and its memory is overwritten
/// when it is dropped.
pub struct Secret(Vec<u8>);

impl Secret {
    /// Takes a value. The bytes are overwritten if they are refused.
    ///
    /// # Errors
    /// `secret-value-invalid`: it is empty, longer than 8,192 bytes, no UTF-8, holds a NUL, or
    /// begins or ends with a line break. The error holds no part of it.
    pub fn new(value: Vec<u8>) -> Result<Self, ConfigError> {
        let secret = Self(value);
        let refused = |reason| Err(ConfigError::SecretValue { reason });
        let is_break = |byte: Option<&u8>| matches!(byte, Some(b'\n' | b'\r'));
        match secret.0.as_slice() {
            [] => refused("is empty"),
            value if value.len() > BYTES => refused("is longer than 8,192 bytes"),
            value if value.contains(&0) => refused("holds a NUL character"),
            value if is_break(value.first()) || is_break(value.last()) => {
                refused("begins or ends with a line break")
            }
            value if str::from_utf8(value).is_err() => refused("is no UTF-8 text"),
            _ => Ok(secret),
        }
    }

    /// The value. Whoever takes it out keeps it out of logs, errors and messages.
    #[must_use]
    pub fn expose(&self) -> &str {
        // `new` has checked it.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Overwrites bytes that are not needed any more.
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    // The compiler must take it that somebody reads the zeros, else it may leave them out.
    std::hint::black_box(bytes);
}
