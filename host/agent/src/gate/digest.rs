//! What is approved, to the byte: a digest over a call and everything that it depends on.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// In front of what is hashed, so that a digest of another kind of thing is never this one.
const DOMAIN: &[u8] = b"ostler approval v1\0";

/// The digest of what is asked: `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallDigest(String);

/// What a digest covers.
#[derive(Serialize)]
pub(crate) struct Covered<'a> {
    /// The tool.
    pub(crate) tool: &'a str,
    /// Its arguments.
    pub(crate) arguments: &'a serde_json::Value,
    /// The folder that it works in.
    pub(crate) folder: Option<&'a str>,
    /// The names of the environment variables that it is given.
    pub(crate) environment: Vec<&'a str>,
    /// The contents of the scripts that it names: SHA-256 in hexadecimal, or why there is none.
    pub(crate) scripts: BTreeMap<String, String>,
    /// What else it depends on, such as what a file holds that is to be changed.
    pub(crate) before: Option<String>,
}

impl CallDigest {
    /// Computes it, over canonical JSON (RFC 8785).
    ///
    /// # Errors
    /// The arguments have no canonical form.
    pub(crate) fn of(covered: &Covered<'_>) -> Result<Self, serde_json::Error> {
        let canonical = serde_json_canonicalizer::to_vec(covered)?;
        let mut hasher = Sha256::new();
        hasher.update(DOMAIN);
        hasher.update(&canonical);
        Ok(Self(format!("sha256:{}", hex::encode(hasher.finalize()))))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn digest(arguments: &serde_json::Value, scripts: &[(&str, &str)], folder: &str) -> String {
        CallDigest::of(&Covered {
            tool: "shell",
            arguments,
            folder: Some(folder),
            environment: vec!["PATH"],
            scripts: scripts
                .iter()
                .map(|(path, hash)| ((*path).to_owned(), (*hash).to_owned()))
                .collect(),
            before: None,
        })
        .unwrap()
        .to_string()
    }

    #[test]
    fn everything_that_matters_changes_it_and_the_order_of_keys_does_not() {
        let base = digest(
            &json!({"command": "sh x.sh", "a": 1}),
            &[("x.sh", "11")],
            "/w",
        );
        assert!(base.starts_with("sha256:") && base.len() == 71);
        assert_eq!(
            base,
            digest(
                &json!({"a": 1, "command": "sh x.sh"}),
                &[("x.sh", "11")],
                "/w"
            )
        );
        for other in [
            digest(
                &json!({"command": "sh x.sh ", "a": 1}),
                &[("x.sh", "11")],
                "/w",
            ),
            digest(
                &json!({"command": "sh x.sh", "a": 1}),
                &[("x.sh", "12")],
                "/w",
            ),
            digest(
                &json!({"command": "sh x.sh", "a": 1}),
                &[("x.sh", "11")],
                "/w/b",
            ),
            digest(&json!({"command": "sh x.sh", "a": 1}), &[], "/w"),
        ] {
            assert_ne!(base, other);
        }
    }
}
