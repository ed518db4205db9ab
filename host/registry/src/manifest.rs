//! `ostler.toml`: what an author says of a package.

use std::collections::BTreeSet;

use ostler_scanner::Permission;
use ostler_scanner::members::Capability;
use ostler_scanner::rules::Declared;
use ostler_store::PackageName;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::RegistryError;

/// A package's manifest. Unknown keys are errors, so that a misspelled `fail_closed` does not
/// pass in silence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The package's name, which is the plugin's id: `[a-z][a-z0-9-]{0,63}`.
    pub name: PackageName,
    /// A semantic version.
    pub version: Version,
    /// One line about what the plugin does for a person, at most 200 characters.
    pub description: String,
    /// An SPDX licence expression.
    pub license: String,
    /// A Markdown file beside the manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readme: Option<String>,
    /// What the component exports.
    pub capabilities: BTreeSet<Capability>,
    /// Hosts that `fetch` may reach.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub egress: Vec<String>,
    /// Permissions beyond those that the code shows.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub permissions: BTreeSet<Permission>,
    /// Agents that the package adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<NamedEntry>,
    /// Schedules that the package adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<NamedEntry>,
    /// Secrets that the code uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretEntry>,
    /// Middleware hooks whose failure blocks the action.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub fail_closed: BTreeSet<String>,
    /// Whose messages the package's channel admits.
    #[serde(default)]
    pub sender_policy: SenderPolicy,
    /// How the component is built, and where it stands.
    pub build: Build,
}

/// An agent or a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEntry {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
}

/// A secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretEntry {
    /// Its name.
    pub name: String,
    /// Hosts that it may be sent to.
    #[serde(default)]
    pub hosts: Vec<String>,
}

/// Whose messages a plugin's channel may admit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SenderPolicy {
    /// Only operators'.
    #[default]
    Operators,
    /// Anyone's.
    Anyone,
}

/// The `[build]` table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The language that `ostler build` builds from; without it, the component is made elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The component, as a path within the package's folder.
    pub component: String,
}

/// A language that `ostler build` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Rust, built with cargo.
    Rust,
}

impl Manifest {
    /// Reads a manifest. `file` is its name for messages.
    ///
    /// # Errors
    /// [`RegistryError::Manifest`] with line and column.
    pub fn parse(file: &str, text: &str) -> Result<Self, RegistryError> {
        let manifest: Self = toml::from_str(text).map_err(|error| {
            let (line, column) = error
                .span()
                .map_or((1, 1), |span| position(text, span.start));
            RegistryError::Manifest {
                file: file.to_owned(),
                line,
                column,
                message: error.message().trim().to_owned(),
                help: nearest_key(error.message()),
            }
        })?;
        manifest.check(file)?;
        Ok(manifest)
    }

    fn check(&self, file: &str) -> Result<(), RegistryError> {
        let invalid = |message: String| {
            Err(RegistryError::Manifest {
                file: file.to_owned(),
                line: 1,
                column: 1,
                message,
                help: None,
            })
        };
        let length = self.description.chars().count();
        if !(1..=200).contains(&length) {
            return invalid(format!(
                "`description` has 1 to 200 characters, not {length}"
            ));
        }
        // One line of a review each: a line break could forge the lines that follow.
        let texts = [
            ("description", &self.description),
            ("license", &self.license),
        ];
        let entries = self.agents.iter().chain(&self.schedules);
        for (key, text) in texts
            .into_iter()
            .chain(entries.map(|entry| ("description", &entry.description)))
        {
            if text.chars().any(char::is_control) || text.chars().count() > 200 {
                return invalid(format!(
                    "`{key}` is one line of at most 200 characters, without control characters"
                ));
            }
        }
        for (key, path) in [
            ("build.component", Some(&self.build.component)),
            ("readme", self.readme.as_ref()),
        ] {
            if let Some(path) = path
                && !is_inside(path)
            {
                return invalid(format!(
                    "`{key}` is a path within the package, not `{path}`"
                ));
            }
        }
        for (key, names) in [
            (
                "agents",
                self.agents
                    .iter()
                    .map(|entry| &entry.name)
                    .collect::<Vec<_>>(),
            ),
            (
                "schedules",
                self.schedules.iter().map(|entry| &entry.name).collect(),
            ),
            (
                "secrets",
                self.secrets.iter().map(|entry| &entry.name).collect(),
            ),
        ] {
            let mut seen = BTreeSet::new();
            for name in names {
                if !is_name(name) {
                    return invalid(format!(
                        "`{name}` in `{key}` is no name: letters, digits, `-` and `_`, at most 64"
                    ));
                }
                if !seen.insert(name) {
                    return invalid(format!("`{name}` stands twice in `{key}`"));
                }
            }
        }
        Ok(())
    }

    /// What the rules at publish look at.
    #[must_use]
    pub fn declared(&self) -> Declared {
        let names = |entries: &[NamedEntry]| entries.iter().map(|e| e.name.clone()).collect();
        Declared {
            capabilities: self.capabilities.clone(),
            permissions: self.permissions.clone(),
            egress: self.egress.clone(),
            secrets: self
                .secrets
                .iter()
                .map(|secret| (secret.name.clone(), secret.hosts.clone()))
                .collect(),
            agents: names(&self.agents),
            schedules: names(&self.schedules),
            fail_closed_hooks: self.fail_closed.clone(),
            anyone_sender: self.sender_policy == SenderPolicy::Anyone,
        }
    }
}

/// Names that appear in ids of access parts and on one line of a review.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Whether a path leads nowhere but into the folder that it starts from.
fn is_inside(path: &str) -> bool {
    let path = std::path::Path::new(path);
    path.components().next().is_some()
        && path
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// 1-based line and column of a byte offset, columns counted in Unicode scalar values.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// The key that an author most likely meant, taken from serde's message (``unknown field `x`,
/// expected one of `a`, `b` ``).
fn nearest_key(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown field `")?;
    let (unknown, expected) = rest.split_once('`')?;
    expected
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|known| (strsim::jaro_winkler(unknown, known), known))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| format!("did you mean `{known}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
name = "handoff"
version = "0.1.0"
description = "Hands a conversation over."
license = "MIT"
capabilities = ["tools"]
[build]
component = "handoff.wasm"
"#;

    #[test]
    fn a_small_manifest_reads() {
        let manifest = Manifest::parse("ostler.toml", GOOD).unwrap();
        assert_eq!(manifest.name.to_string(), "handoff");
        assert_eq!(manifest.sender_policy, SenderPolicy::Operators);
    }

    #[test]
    fn broken_manifests_say_where_and_what() {
        let cases: &[(&str, &str, &str)] = &[
            ("name = \"handoff\"", "name = \"Hand Off\"", "name"),
            ("version = \"0.1.0\"", "version = \"1\"", "version"),
            (
                "capabilities = [\"tools\"]",
                "capabilities = [\"magic\"]",
                "magic",
            ),
            ("license = \"MIT\"", "licence = \"MIT\"", "licence"),
            ("license = \"MIT\"", "license = ", "string"),
            (
                "component = \"handoff.wasm\"",
                "component = \"../x.wasm\"",
                "within the package",
            ),
            (
                "component = \"handoff.wasm\"",
                "component = \"/x.wasm\"",
                "within the package",
            ),
            (
                "description = \"Hands a conversation over.\"",
                "description = \"\"",
                "200",
            ),
            (
                "description = \"Hands a conversation over.\"",
                "description = \"Harmless.\\n\\nIt can\\n  nothing\"",
                "one line",
            ),
        ];
        for (good, bad, part) in cases {
            let text = GOOD.replace(good, bad);
            let error = Manifest::parse("ostler.toml", &text).unwrap_err();
            assert_eq!(error.code(), "manifest-invalid");
            assert!(error.to_string().contains(part), "{bad}: {error}");
        }
    }

    #[test]
    fn a_misspelled_key_names_the_nearest() {
        let text = GOOD.replace("license =", "licence =");
        let Err(RegistryError::Manifest { help, line, .. }) = Manifest::parse("x", &text) else {
            panic!("the key is unknown");
        };
        assert_eq!(help.as_deref(), Some("did you mean `license`?"));
        assert_eq!(line, 5);
    }
}
