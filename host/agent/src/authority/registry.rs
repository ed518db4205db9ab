//! The registry of the assistant's own tools: one row each, and who may be offered it.
//!
//! Page *Authority* of the design: guests are offered an allow-list, so a tool of a new family is
//! withheld from them until somebody writes it down here.

/// Who a tool is for, on Discord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody.
    Guest,
    /// Administrators of the server, and the owner while they are one.
    Administrator,
    /// The owner alone.
    Owner,
    /// The owner alone, and only where the profile lists it.
    OwnerIfListed,
    /// Nobody: Discord cannot draw it.
    Nobody,
}

/// One tool of the assistant's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisteredTool {
    /// Its name.
    pub name: &'static str,
    /// The family that a profile lists it by.
    pub family: &'static str,
    /// Who it is for.
    pub audience: Audience,
}

const fn tool(name: &'static str, family: &'static str, audience: Audience) -> RegisteredTool {
    RegisteredTool {
        name,
        family,
        audience,
    }
}

use Audience::{Administrator, Guest, Nobody, Owner, OwnerIfListed};

/// The thirty-three, then the operator's own two.
pub const REGISTRY: &[RegisteredTool] = &[
    tool("clarify", "clarify", Guest),
    tool("todo", "todo", Guest),
    tool("web_search", "web", Guest),
    tool("web_extract", "web", Guest),
    tool("skill_list", "skills", Guest),
    tool("skill_view", "skills", Guest),
    tool("discord_read_history", "guild", Guest),
    tool("discord_people", "guild", Guest),
    tool("discord_remember_person", "guild", Guest),
    tool("discord_voice", "guild", Guest),
    tool("discord_guild_read", "guild", Administrator),
    tool("discord_act", "guild", Administrator),
    tool("discord_plan", "guild", Administrator),
    tool("discord_apply_plan", "guild", Administrator),
    tool("discord_send_file", "guild", Owner),
    tool("shell", "terminal", Owner),
    tool("execute_code", "code", Owner),
    tool("read_file", "file", Owner),
    tool("write_file", "file", Owner),
    tool("patch", "file", Owner),
    tool("search_files", "file", Owner),
    tool("memory_write", "memory", Owner),
    tool("memory_recall", "memory", Owner),
    tool("session_search", "memory", Owner),
    tool("remember_image", "memory", Owner),
    tool("recall_image", "memory", Owner),
    tool("cronjob", "cron", Owner),
    tool("make_report", "report", Owner),
    tool("view_capture", "core", Owner),
    tool("start_work", "core", Owner),
    tool("cancel_work", "core", Owner),
    tool("ask_user", "core", Nobody),
    tool("open_link", "core", Nobody),
    tool("discord", "discord", OwnerIfListed),
    tool("discord_admin", "discord_admin", OwnerIfListed),
];

/// The row of a tool.
#[must_use]
pub fn registered(name: &str) -> Option<&'static RegisteredTool> {
    REGISTRY.iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_holds_thirty_three_tools_and_the_operators_two() {
        let count = |audience| {
            REGISTRY
                .iter()
                .filter(|tool| tool.audience == audience)
                .count()
        };
        assert_eq!(
            [Guest, Administrator, Owner, Nobody, OwnerIfListed].map(count),
            [10, 4, 17, 2, 2]
        );
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::BTreeSet<_> = REGISTRY.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), REGISTRY.len());
    }

    #[test]
    fn a_profile_can_list_every_tool_by_its_family() {
        for row in REGISTRY {
            let family =
                ostler_config::ToolsetName::families().find(|(name, _)| *name == row.family);
            let is_there = family.is_some_and(|(_, tools)| tools.contains(&row.name));
            assert!(is_there, "{}", row.name);
        }
    }
}
