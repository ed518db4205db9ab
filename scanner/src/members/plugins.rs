//! Packages and installs.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:plugins.read`.
    pub const PLUGINS_READ: Self = Self::new("agentApi:plugins.read");

    /// `agentApi:plugins.write`.
    pub const PLUGINS_WRITE: Self = Self::new("agentApi:plugins.write");

    /// `agentApi:plugins.release`.
    pub const PLUGINS_RELEASE: Self = Self::new("agentApi:plugins.release");
}

pub(super) static GROUP: Group = Group {
    name: "plugins",
    permissions: &[
        PermissionText {
            permission: Permission::PLUGINS_READ,
            sentence: "see your plugins, what each of them may reach, and what they wrote to \
                their logs",
        },
        PermissionText {
            permission: Permission::PLUGINS_WRITE,
            sentence: "write drafts of plugins, and ask you to install, update, configure or \
                remove one; nothing installed changes before you agree",
        },
        PermissionText {
            permission: Permission::PLUGINS_RELEASE,
            sentence: "ask you to publish, withdraw or delete your own plugins; nothing is \
                published before you agree",
        },
    ],
    members: &[
        Member {
            interface: "plugins-read",
            function: "list",
            path: "plugins.list",
            permissions: &[Permission::PLUGINS_READ],
            presence: Presence::Platform,
            sentence: "list the plugins of the profile",
        },
        Member {
            interface: "plugins-read",
            function: "get",
            path: "plugins.get",
            permissions: &[Permission::PLUGINS_READ],
            presence: Presence::Platform,
            sentence: "look up a plugin and its versions",
        },
        Member {
            interface: "plugins-read",
            function: "logs",
            path: "plugins.logs",
            permissions: &[Permission::PLUGINS_READ],
            presence: Presence::Platform,
            sentence: "read the log of a plugin",
        },
        Member {
            interface: "plugins-write",
            function: "create",
            path: "plugins.create",
            permissions: &[Permission::PLUGINS_WRITE],
            presence: Presence::Platform,
            sentence: "begin the draft of a new plugin",
        },
        Member {
            interface: "plugins-write",
            function: "checkout",
            path: "plugins.checkout",
            permissions: &[Permission::PLUGINS_WRITE],
            presence: Presence::Platform,
            sentence: "open a plugin's source as a draft",
        },
        Member {
            interface: "plugins-write",
            function: "save-draft",
            path: "plugins.saveDraft",
            permissions: &[Permission::PLUGINS_WRITE],
            presence: Presence::Platform,
            sentence: "save the files of a draft",
        },
        Member {
            interface: "plugins-write",
            function: "install",
            path: "plugins.install",
            permissions: &[Permission::PLUGINS_WRITE],
            presence: Presence::Platform,
            sentence: "ask you to install a plugin",
        },
        Member {
            interface: "plugins-write",
            function: "accept-update",
            path: "plugins.acceptUpdate",
            permissions: &[Permission::PLUGINS_WRITE],
            presence: Presence::Platform,
            sentence: "ask you to accept a plugin's update",
        },
        Member {
            interface: "plugins-write",
            function: "configure",
            path: "plugins.configure",
            permissions: &[Permission::PLUGINS_WRITE],
            presence: Presence::Platform,
            sentence: "ask you to change a plugin's settings or agents",
        },
        Member {
            interface: "plugins-write",
            function: "uninstall",
            path: "plugins.uninstall",
            permissions: &[Permission::PLUGINS_WRITE],
            presence: Presence::Platform,
            sentence: "ask you to remove a plugin",
        },
        Member {
            interface: "plugins-release",
            function: "publish",
            path: "plugins.publish",
            permissions: &[Permission::PLUGINS_RELEASE],
            presence: Presence::Platform,
            sentence: "ask you to publish a draft",
        },
        Member {
            interface: "plugins-release",
            function: "yank",
            path: "plugins.yank",
            permissions: &[Permission::PLUGINS_RELEASE],
            presence: Presence::Platform,
            sentence: "ask you to withdraw a published version",
        },
        Member {
            interface: "plugins-release",
            function: "add-to-browse",
            path: "plugins.addToBrowse",
            permissions: &[Permission::PLUGINS_RELEASE],
            presence: Presence::Platform,
            sentence: "offer a plugin for browsing (not supported here)",
        },
        Member {
            interface: "plugins-release",
            function: "remove-from-browse",
            path: "plugins.removeFromBrowse",
            permissions: &[Permission::PLUGINS_RELEASE],
            presence: Presence::Platform,
            sentence: "end offering a plugin for browsing (not supported here)",
        },
        Member {
            interface: "plugins-release",
            function: "set-price",
            path: "plugins.setPrice",
            permissions: &[Permission::PLUGINS_RELEASE],
            presence: Presence::Platform,
            sentence: "set a plugin's price (not supported here)",
        },
        Member {
            interface: "plugins-release",
            function: "delete",
            path: "plugins.delete",
            permissions: &[Permission::PLUGINS_RELEASE],
            presence: Presence::Platform,
            sentence: "ask you to delete a plugin's draft",
        },
    ],
};
