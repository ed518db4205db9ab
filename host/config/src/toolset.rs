//! The names by which a profile lists tools.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::name;

/// Families with the tools of each. A family may be named like its one tool.
const FAMILIES: &[(&str, &[&str])] = &[
    ("clarify", &["clarify"]),
    ("code", &["execute_code"]),
    (
        "core",
        &[
            "view_capture",
            "start_work",
            "cancel_work",
            "ask_user",
            "open_link",
        ],
    ),
    (
        "cotal",
        &[
            "cotal_roster",
            "cotal_channels",
            "cotal_send",
            "cotal_dm",
            "cotal_anycast",
            "cotal_join",
            "cotal_leave",
            "cotal_status",
            "cotal_inbox",
        ],
    ),
    ("cron", &["cronjob"]),
    ("discord", &["discord"]),
    ("discord_admin", &["discord_admin"]),
    (
        "file",
        &["read_file", "write_file", "patch", "search_files"],
    ),
    (
        "guild",
        &[
            "discord_read_history",
            "discord_people",
            "discord_remember_person",
            "discord_voice",
            "discord_guild_read",
            "discord_act",
            "discord_plan",
            "discord_apply_plan",
            "discord_send_file",
        ],
    ),
    (
        "memory",
        &[
            "memory_write",
            "memory_recall",
            "session_search",
            "remember_image",
            "recall_image",
        ],
    ),
    ("report", &["make_report"]),
    ("skills", &["skill_list", "skill_view"]),
    ("terminal", &["shell"]),
    ("todo", &["todo"]),
    ("web", &["web_search", "web_extract"]),
];

/// A family of tools, a tool, or `plugin:<id>` for all tools of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolsetName(String);

impl ToolsetName {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The plugin that it names, if it names one.
    #[must_use]
    pub fn plugin(&self) -> Option<&str> {
        self.0.strip_prefix("plugin:")
    }

    /// Whether it lists the tool `tool` of the family `family` (`plugin:<id>` for a plugin's).
    #[must_use]
    pub fn lists(&self, tool: &str, family: &str) -> bool {
        // A plugin's tool may have any name, also one of ours: it is listed by its family alone.
        self.0 == family || (self.0 == tool && !family.starts_with("plugin:"))
    }

    /// Every name but those of plugins, sorted.
    pub fn known() -> impl Iterator<Item = &'static str> {
        let mut names: Vec<_> = FAMILIES
            .iter()
            .flat_map(|(family, tools)| std::iter::once(*family).chain(tools.iter().copied()))
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter()
    }

    /// Every family with its tools, by the families' names.
    pub fn families() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        FAMILIES.iter().copied()
    }
}

impl TryFrom<String> for ToolsetName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if let Some(plugin) = text.strip_prefix("plugin:") {
            name::check("plugin", plugin).map_err(|error| error.to_string())?;
            return Ok(Self(text));
        }
        if Self::known().any(|known| known == text) {
            return Ok(Self(text));
        }
        let nearest = crate::nearest::to(&text, Self::known());
        Err(match nearest {
            Some(known) => format!("there is no tool or family {text:?}; did you mean {known:?}?"),
            None => format!(
                "there is no tool or family {text:?}; a plugin's tools are listed as \
                 \"plugin:<id>\""
            ),
        })
    }
}

impl From<ToolsetName> for String {
    fn from(name: ToolsetName) -> Self {
        name.0
    }
}

impl fmt::Display for ToolsetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for ToolsetName {
    fn schema_name() -> Cow<'static, str> {
        "ToolsetName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "title": "family, tool or `plugin:<id>`"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Result<ToolsetName, String> {
        ToolsetName::try_from(text.to_owned())
    }

    #[test]
    fn a_family_lists_its_tools_and_a_tool_itself() {
        assert!(named("terminal").unwrap().lists("shell", "terminal"));
        assert!(named("shell").unwrap().lists("shell", "terminal"));
        assert!(!named("shell").unwrap().lists("execute_code", "code"));
        assert!(
            !named("discord")
                .unwrap()
                .lists("discord_admin", "discord_admin")
        );
    }

    #[test]
    fn a_plugins_tool_is_listed_by_its_plugin_alone() {
        let handoff = named("plugin:handoff").unwrap();
        assert_eq!(handoff.plugin(), Some("handoff"));
        assert!(handoff.lists("hand_off", "plugin:handoff"));
        assert!(!named("shell").unwrap().lists("shell", "plugin:evil"));
        assert!(
            !named("plugin:other")
                .unwrap()
                .lists("hand_off", "plugin:handoff")
        );
    }

    #[test]
    fn a_name_that_is_not_known_is_refused_with_the_nearest() {
        assert!(named("terminl").unwrap_err().contains("\"terminal\""));
        assert!(named("request_approval").is_err());
        assert!(named("plugin:").is_err());
        assert!(named("plugin:Hand off").is_err());
        assert!(named("").is_err());
    }
}
