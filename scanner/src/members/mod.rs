//! The table of host members: the single source for WIT function ↔ member path ↔ permission ↔
//! sentence ↔ presence.
//!
//! Each group stands in a file of its own, named as the file in `wit/` that declares its
//! interfaces. A new member is a function there and an entry here; `tests/table_and_wit.rs` names
//! the one that was forgotten.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::permission::Permission;

mod agents;
mod cards;
mod connection;
mod cron_jobs;
mod crypto;
mod decide;
mod exports;
mod http;
mod license;
mod llm;
mod log;
mod media;
mod models;
mod notify;
mod oauth;
mod origin;
mod peer;
mod plugins;
mod presence;
mod session;
mod settings;
mod ssh;
mod subagent;
mod threads;
mod todo;
mod workspace;

pub use exports::{
    Capability, EXPORTS, Export, UnknownCapability, by_exported_interface, hook_sentence,
};

/// The package that host interfaces belong to.
pub const WIT_PACKAGE: &str = "ostler:host";

/// The version of that package which the table describes.
pub const WIT_VERSION: &str = "0.1.0";

/// The interface that holds the shared records. It has no functions, so importing it derives
/// nothing.
pub const TYPES_INTERFACE: &str = "types";

/// One host call.
#[derive(Debug)]
pub struct Member {
    /// The WIT interface, without package and version: `todo-write`.
    pub interface: &'static str,
    /// The WIT function: `create`.
    pub function: &'static str,
    /// The dotted path that authors write after `host.`: `session.todo.create`.
    pub path: &'static str,
    /// What a call derives, sorted; nothing for members that need no permission.
    pub permissions: &'static [Permission],
    /// When the member is present in an invocation.
    pub presence: Presence,
    /// What the call does, in 3 to 10 words for installers: *add a to-do to the session*.
    pub sentence: &'static str,
}

/// When a member is present in an invocation. *Granted* means that the install's accepted access
/// holds the member's permissions. A member that is not present answers `absent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Always: `log`, `settings`, `fetch`, `crypto`, `oauth`, and `presence` itself.
    Always,
    /// `session.*`: in tool, middleware, lifecycle, compaction and web-provider runs, until the
    /// hop-depth fuse trips. What acts on "your session" fails with `no-session` when the
    /// invocation has none; a call that was not granted answers `forbidden`.
    Session,
    /// `session.sendError`: granted, and the invocation has a session.
    SendError,
    /// `session.llm`: the invocation has a session and an agent.
    SessionLlm,
    /// `agents`, `models`, `cronJobs`, `plugins`, `license`: in the same runs as
    /// [`Presence::Session`], with or without a session; a call that was not granted answers
    /// `forbidden`.
    Platform,
    /// `workspace`: granted, and the invocation carries an agent.
    Workspace,
    /// `media`: granted.
    Media,
    /// `llm`: the profile names a utility model.
    Llm,
    /// `decide`: in tool, middleware, lifecycle, compaction and web-provider runs.
    Decide,
    /// `ssh`: granted, and one of the three SSH hooks is running.
    Ssh,
    /// `connection`: granted, and the invocation is for a channel whose live connection the plugin
    /// owns.
    Connection,
    /// `cards`: granted, and the invocation has a session; absent past the hop-depth fuse.
    Cards,
    /// `threads` and `origin`: granted; absent past the hop-depth fuse. When the profile's
    /// allow-list key was taken away, the call answers `key-missing`.
    Threads,
}

/// What a permission means to an installer.
#[derive(Debug)]
pub struct PermissionText {
    /// The permission.
    pub permission: Permission,
    /// What it lets a plugin do. It completes *This plugin can …* and has no full stop.
    pub sentence: &'static str,
}

/// The members of one WIT file, with the texts of the permissions that they derive.
pub(crate) struct Group {
    /// The name of the WIT file, without its ending.
    pub(crate) name: &'static str,
    /// The permissions whose texts stand in this group; each permission stands in one.
    pub(crate) permissions: &'static [PermissionText],
    /// The members.
    pub(crate) members: &'static [Member],
}

static GROUPS: [&Group; 25] = [
    &agents::GROUP,
    &cards::GROUP,
    &connection::GROUP,
    &cron_jobs::GROUP,
    &crypto::GROUP,
    &decide::GROUP,
    &http::GROUP,
    &license::GROUP,
    &llm::GROUP,
    &log::GROUP,
    &media::GROUP,
    &models::GROUP,
    &notify::GROUP,
    &oauth::GROUP,
    &origin::GROUP,
    &peer::GROUP,
    &plugins::GROUP,
    &presence::GROUP,
    &session::GROUP,
    &settings::GROUP,
    &ssh::GROUP,
    &subagent::GROUP,
    &threads::GROUP,
    &todo::GROUP,
    &workspace::GROUP,
];

/// Every member, sorted by path.
pub static TABLE: LazyLock<Vec<&'static Member>> = LazyLock::new(|| {
    let mut table: Vec<_> = GROUPS.iter().flat_map(|group| group.members).collect();
    table.sort_unstable_by_key(|member| member.path);
    table
});

/// A scan asks this for each function that a component imports.
static BY_IMPORT: LazyLock<HashMap<(&'static str, &'static str), &'static Member>> =
    LazyLock::new(|| {
        TABLE
            .iter()
            .map(|member| ((member.interface, member.function), *member))
            .collect()
    });

static INTERFACES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut interfaces: Vec<_> = TABLE.iter().map(|member| member.interface).collect();
    interfaces.sort_unstable();
    interfaces.dedup();
    interfaces
});

/// The member that stands behind a function of a host interface, both named as in the WIT and
/// without package and version.
pub fn by_import(interface: &str, function: &str) -> Option<&'static Member> {
    BY_IMPORT.get(&(interface, function)).copied()
}

/// The member with exactly this dotted path, `host.` left out.
pub fn by_path(path: &str) -> Option<&'static Member> {
    let index = TABLE
        .binary_search_by_key(&path, |member| member.path)
        .ok()?;
    TABLE.get(index).copied()
}

/// The host interfaces that have functions, each once, sorted; [`TYPES_INTERFACE`] is none of
/// them.
pub fn interfaces() -> impl Iterator<Item = &'static str> {
    INTERFACES.iter().copied()
}

/// The groups of the table by the names of their WIT files, for whoever shows members together.
pub fn groups() -> impl Iterator<Item = (&'static str, &'static [Member])> {
    GROUPS.iter().map(|group| (group.name, group.members))
}

/// The texts of all permissions, group by group.
pub(crate) fn permission_texts() -> impl Iterator<Item = &'static PermissionText> {
    GROUPS.iter().flat_map(|group| group.permissions)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_member_is_found_by_import_and_by_path() {
        for member in TABLE.iter() {
            let found = by_import(member.interface, member.function).unwrap();
            assert_eq!(found.path, member.path);
            assert_eq!(by_path(member.path).unwrap().function, member.function);
        }
        assert!(by_import("todo-write", "list").is_none());
        assert!(by_import("types", "list").is_none());
        assert!(by_path("session.todo").is_none());
        assert!(by_path("").is_none());
    }

    #[test]
    fn no_two_members_share_a_path_or_an_import() {
        assert!(TABLE.is_sorted_by(|a, b| a.path < b.path));
        assert_eq!(BY_IMPORT.len(), TABLE.len());
    }

    #[test]
    fn a_permission_has_one_text_and_stands_in_a_group_that_derives_it() {
        let mut seen = BTreeSet::new();
        for group in GROUPS {
            for text in group.permissions {
                let permission = text.permission;
                assert!(seen.insert(permission), "{permission} has two texts");
                assert!(
                    group
                        .members
                        .iter()
                        .any(|member| member.permissions.contains(&permission)),
                    "no member of members/{}.rs derives {permission}",
                    group.name.replace('-', "_"),
                );
            }
        }
    }

    #[test]
    fn an_interface_never_mixes_permissions() {
        for interface in interfaces() {
            let sets: BTreeSet<_> = TABLE
                .iter()
                .filter(|member| member.interface == interface)
                .map(|member| member.permissions)
                .collect();
            assert_eq!(
                sets.len(),
                1,
                "{interface} derives different permissions: {sets:?}"
            );
        }
    }
}
