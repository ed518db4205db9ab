//! What is known of people and places at one moment, read from the platform and never guessed.

use std::collections::BTreeSet;

use ostler_store::{ChannelId, GuildId, PersonId, RoleId};

/// Something that was asked for, or the reason why it is not known. Whoever decides on it treats
/// [`Fact::Unreadable`] as the lowest that the fact could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact<T> {
    /// It was read.
    Known(T),
    /// It was read that there is none.
    Absent,
    /// It could not be read; the stable code says why.
    Unreadable(&'static str),
}

impl<T> Fact<T> {
    /// The value, if it is known.
    #[must_use]
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::Unreadable(_) => None,
        }
    }
}

/// Permission bits of a Discord account (Discord, *Permissions*), read from the raw decimal string:
/// bits that are not known yet stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PermissionBits(pub u128);

impl PermissionBits {
    /// `ADMINISTRATOR`, bit 3.
    pub const ADMINISTRATOR: Self = Self(1 << 3);
    /// `MANAGE_THREADS`, bit 34.
    pub const MANAGE_THREADS: Self = Self(1 << 34);

    /// Whether all bits of `other` are set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A member of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberFacts {
    /// Their roles, without the server's own `@everyone`.
    pub roles: BTreeSet<RoleId>,
    /// Their permissions. Absent ones are no permissions.
    pub permissions: PermissionBits,
}

/// The kinds of channel that decisions tell apart (Discord, *Channel Types*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelKind {
    /// A direct chat with one person (1).
    Direct,
    /// A direct chat with several people (3).
    GroupDirect,
    /// A thread, or a forum's post (10, 11, 12).
    Thread,
    /// A forum or media channel (15, 16).
    Forum,
    /// Any other channel of a server.
    Text,
}

impl ChannelKind {
    /// The kind of Discord's number.
    #[must_use]
    pub fn of(number: u8) -> Self {
        match number {
            1 => Self::Direct,
            3 => Self::GroupDirect,
            10..=12 => Self::Thread,
            15 | 16 => Self::Forum,
            _ => Self::Text,
        }
    }
}

/// A channel or thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelFacts {
    /// Its id.
    pub id: ChannelId,
    /// What it is.
    pub kind: ChannelKind,
    /// Its server; none for direct chats.
    pub guild: Option<GuildId>,
    /// A thread's channel, or a channel's category.
    pub parent: Option<ChannelId>,
    /// Who opened the thread.
    pub owner: Option<PersonId>,
    /// Its name; empty for direct chats.
    pub name: String,
    /// Whether the thread is archived.
    pub is_archived: bool,
    /// Whether only moderators may reopen the thread.
    pub is_locked: bool,
}
