//! Channels of guilds, threads, direct messages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::World;
use crate::snowflake::{Id, timestamp};

/// What kind of channel it is, by Discord's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub(crate) enum Kind {
    Text,
    Direct,
    Voice,
    Category,
    Announcement,
    AnnouncementThread,
    PublicThread,
    PrivateThread,
    Stage,
    Directory,
    Forum,
    Media,
}

const NUMBERS: [(Kind, u8); 12] = [
    (Kind::Text, 0),
    (Kind::Direct, 1),
    (Kind::Voice, 2),
    (Kind::Category, 4),
    (Kind::Announcement, 5),
    (Kind::AnnouncementThread, 10),
    (Kind::PublicThread, 11),
    (Kind::PrivateThread, 12),
    (Kind::Stage, 13),
    (Kind::Directory, 14),
    (Kind::Forum, 15),
    (Kind::Media, 16),
];

impl From<Kind> for u8 {
    fn from(kind: Kind) -> Self {
        NUMBERS
            .iter()
            .find(|(known, _)| *known == kind)
            .map_or(0, |(_, number)| *number)
    }
}

impl TryFrom<u8> for Kind {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        let found = NUMBERS.iter().find(|(_, known)| *known == number);
        found
            .map(|(kind, _)| *kind)
            .ok_or_else(|| format!("no channel type {number}"))
    }
}

impl Kind {
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        u8::try_from(number)
            .ok()
            .and_then(|number| Self::try_from(number).ok())
    }

    /// Whether posts are its only content.
    pub(crate) fn is_forum(self) -> bool {
        matches!(self, Self::Forum | Self::Media)
    }

    /// Whether messages can be in it.
    pub(crate) fn has_messages(self) -> bool {
        !matches!(
            self,
            Self::Category | Self::Directory | Self::Forum | Self::Media
        )
    }
}

/// What a role or a member is allowed and denied in one channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Overwrite {
    pub(crate) id: Id,
    /// Of a member; else of a role.
    pub(crate) member: bool,
    pub(crate) allow: u64,
    pub(crate) deny: u64,
}

impl Overwrite {
    pub(crate) fn render(&self) -> Value {
        json!({
            "id": self.id,
            "type": u8::from(self.member),
            "allow": self.allow.to_string(),
            "deny": self.deny.to_string(),
        })
    }
}

/// A tag of a forum.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tag {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) moderated: bool,
    pub(crate) emoji_name: Option<String>,
}

/// What only threads have.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub(crate) owner: Id,
    pub(crate) archived: bool,
    pub(crate) archived_ms: u64,
    /// Minutes without activity until it is archived.
    pub(crate) auto_archive: u64,
    pub(crate) locked: bool,
    pub(crate) invitable: bool,
    pub(crate) created_ms: u64,
    /// The last activity.
    pub(crate) active_ms: u64,
    pub(crate) message_count: u64,
    pub(crate) total_sent: u64,
    /// Who is in it, and since when.
    pub(crate) members: BTreeMap<Id, u64>,
    pub(crate) tags: Vec<Id>,
}

/// A channel, thread or direct message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Channel {
    pub(crate) id: Id,
    pub(crate) kind: Kind,
    pub(crate) guild: Option<Id>,
    pub(crate) name: String,
    pub(crate) position: u64,
    pub(crate) parent: Option<Id>,
    pub(crate) topic: Option<String>,
    pub(crate) nsfw: bool,
    pub(crate) overwrites: Vec<Overwrite>,
    /// Seconds between two messages of one member.
    pub(crate) slowmode: u64,
    pub(crate) last_message: Option<Id>,
    pub(crate) last_pin_ms: Option<u64>,
    pub(crate) auto_archive: Option<u64>,
    pub(crate) thread_slowmode: u64,
    pub(crate) flags: u64,
    pub(crate) tags: Vec<Tag>,
    pub(crate) default_reaction: Value,
    pub(crate) sort_order: Option<u64>,
    pub(crate) layout: u64,
    pub(crate) recipients: Vec<Id>,
    pub(crate) thread: Option<Thread>,
}

impl Channel {
    /// A channel with nothing set.
    pub(crate) fn new(id: Id, kind: Kind, guild: Option<Id>, name: String) -> Self {
        Self {
            id,
            kind,
            guild,
            name,
            position: 0,
            parent: None,
            topic: None,
            nsfw: false,
            overwrites: Vec::new(),
            slowmode: 0,
            last_message: None,
            last_pin_ms: None,
            auto_archive: None,
            thread_slowmode: 0,
            flags: 0,
            tags: Vec::new(),
            default_reaction: Value::Null,
            sort_order: None,
            layout: 0,
            recipients: Vec::new(),
            thread: None,
        }
    }

    /// The channel as Discord shows it to `viewer`; threads say whether the viewer is in them.
    pub(crate) fn render_in(&self, world: &World, viewer: Option<Id>) -> Value {
        if self.guild.is_none() {
            return self.render_direct(world, viewer);
        }
        let mut channel = json!({
            "id": self.id,
            "type": u8::from(self.kind),
            "flags": self.flags,
            "guild_id": self.guild,
            "name": self.name,
            "parent_id": self.parent,
            "last_message_id": self.last_message,
            "rate_limit_per_user": self.slowmode,
        });
        if let Some(pinned) = self.last_pin_ms {
            channel["last_pin_timestamp"] = json!(timestamp(pinned));
        }
        if let Some(thread) = &self.thread {
            self.render_thread(thread, &mut channel, viewer);
            return channel;
        }
        channel["position"] = json!(self.position);
        channel["topic"] = json!(self.topic);
        channel["nsfw"] = json!(self.nsfw);
        let overwrites: Vec<Value> = self.overwrites.iter().map(Overwrite::render).collect();
        channel["permission_overwrites"] = json!(overwrites);
        if let Some(minutes) = self.auto_archive {
            channel["default_auto_archive_duration"] = json!(minutes);
        }
        if self.kind.is_forum() {
            let tags: Vec<Value> = self
                .tags
                .iter()
                .map(|tag| {
                    json!({
                        "id": tag.id, "name": tag.name, "moderated": tag.moderated,
                        "emoji_id": null, "emoji_name": tag.emoji_name,
                    })
                })
                .collect();
            channel["available_tags"] = json!(tags);
            channel["default_reaction_emoji"] = self.default_reaction.clone();
            channel["default_sort_order"] = json!(self.sort_order);
            channel["default_forum_layout"] = json!(self.layout);
            channel["default_thread_rate_limit_per_user"] = json!(self.thread_slowmode);
        }
        if matches!(self.kind, Kind::Voice | Kind::Stage) {
            channel["bitrate"] = json!(64_000);
            channel["user_limit"] = json!(0);
            channel["rtc_region"] = Value::Null;
        }
        channel
    }

    fn render_thread(&self, thread: &Thread, channel: &mut Value, viewer: Option<Id>) {
        channel["owner_id"] = json!(thread.owner);
        channel["message_count"] = json!(thread.message_count);
        // Discord stops counting members at 50.
        channel["member_count"] = json!(thread.members.len().min(50));
        channel["total_message_sent"] = json!(thread.total_sent);
        channel["thread_metadata"] = json!({
            "archived": thread.archived,
            "archive_timestamp": timestamp(thread.archived_ms),
            "auto_archive_duration": thread.auto_archive,
            "locked": thread.locked,
            "create_timestamp": timestamp(thread.created_ms),
        });
        if self.kind == Kind::PrivateThread {
            channel["thread_metadata"]["invitable"] = json!(thread.invitable);
        }
        if !thread.tags.is_empty() {
            channel["applied_tags"] = json!(thread.tags);
        }
        if let Some(member) = viewer.and_then(|viewer| self.render_thread_member(viewer)) {
            channel["member"] = member;
        }
    }

    /// A thread's member, if the user is one.
    pub(crate) fn render_thread_member(&self, user: Id) -> Option<Value> {
        let joined = self.thread.as_ref()?.members.get(&user)?;
        Some(json!({
            "id": self.id, "user_id": user, "join_timestamp": timestamp(*joined), "flags": 0,
        }))
    }

    fn render_direct(&self, world: &World, viewer: Option<Id>) -> Value {
        let recipients: Vec<Value> = self
            .recipients
            .iter()
            .filter(|id| Some(**id) != viewer)
            .filter_map(|id| world.users.get(id))
            .map(super::user::User::render)
            .collect();
        let mut channel = json!({
            "id": self.id,
            "type": 1,
            "flags": self.flags,
            "last_message_id": self.last_message,
            "recipients": recipients,
        });
        if let Some(pinned) = self.last_pin_ms {
            channel["last_pin_timestamp"] = json!(timestamp(pinned));
        }
        channel
    }
}
