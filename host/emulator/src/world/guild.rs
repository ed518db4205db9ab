//! Guilds, their roles and members.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::World;
use crate::snowflake::{Id, timestamp};

/// A server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Guild {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) owner: Id,
    pub(crate) roles: BTreeMap<Id, Role>,
    pub(crate) members: BTreeMap<Id, Member>,
}

/// A role; the one with the guild's id is `@everyone`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Role {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) permissions: u64,
    pub(crate) position: u64,
    pub(crate) color: u64,
    pub(crate) hoist: bool,
    pub(crate) mentionable: bool,
    /// The bot whose own role this is.
    pub(crate) bot: Option<Id>,
}

/// A user in a guild.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Member {
    pub(crate) user: Id,
    pub(crate) nick: Option<String>,
    pub(crate) roles: Vec<Id>,
    pub(crate) joined_ms: u64,
}

impl Role {
    pub(crate) fn render(&self) -> Value {
        let mut role = json!({
            "id": self.id,
            "name": self.name,
            "permissions": self.permissions.to_string(),
            "position": self.position,
            "color": self.color,
            "colors": {
                "primary_color": self.color, "secondary_color": null, "tertiary_color": null,
            },
            "hoist": self.hoist,
            "managed": self.bot.is_some(),
            "mentionable": self.mentionable,
            "icon": null,
            "unicode_emoji": null,
            "flags": 0,
        });
        if let Some(bot) = self.bot {
            role["tags"] = json!({"bot_id": bot});
        }
        role
    }
}

impl Member {
    /// The member without the user, as message events carry it.
    pub(crate) fn render_partial(&self) -> Value {
        json!({
            "avatar": null,
            "banner": null,
            "communication_disabled_until": null,
            "flags": 0,
            "joined_at": timestamp(self.joined_ms),
            "nick": self.nick,
            "pending": false,
            "premium_since": null,
            "roles": self.roles,
            "mute": false,
            "deaf": false,
        })
    }
}

impl Guild {
    /// How high a member stands: the owner above all roles.
    pub(crate) fn rank(&self, user: Id) -> u64 {
        if user == self.owner {
            return u64::MAX;
        }
        let roles = self.members.get(&user).map(|member| &member.roles);
        let positions = roles
            .into_iter()
            .flatten()
            .filter_map(|id| self.roles.get(id));
        positions.map(|role| role.position).max().unwrap_or(0)
    }

    pub(crate) fn render(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "icon": null,
            "icon_hash": null,
            "description": null,
            "home_header": null,
            "splash": null,
            "discovery_splash": null,
            "features": [],
            "banner": null,
            "owner_id": self.owner,
            "application_id": null,
            "region": "deprecated",
            "afk_channel_id": null,
            "afk_timeout": 300,
            "system_channel_id": null,
            "system_channel_flags": 0,
            "widget_enabled": false,
            "widget_channel_id": null,
            "verification_level": 0,
            "roles": self.roles.values().map(Role::render).collect::<Vec<_>>(),
            "default_message_notifications": 0,
            "mfa_level": 0,
            "explicit_content_filter": 0,
            "max_presences": null,
            "max_members": 500_000,
            "max_stage_video_channel_users": 50,
            "max_video_channel_users": 25,
            "vanity_url_code": null,
            "premium_tier": 0,
            "premium_subscription_count": 0,
            "preferred_locale": "en-US",
            "rules_channel_id": null,
            "safety_alerts_channel_id": null,
            "public_updates_channel_id": null,
            "premium_progress_bar_enabled": false,
            "nsfw": false,
            "nsfw_level": 0,
            "emojis": [],
            "stickers": [],
            "incidents_data": null,
        })
    }
}

impl World {
    /// A member with its user.
    pub(crate) fn render_member(&self, member: &Member) -> Value {
        let mut rendered = member.render_partial();
        rendered["user"] = self
            .users
            .get(&member.user)
            .map_or(Value::Null, super::user::User::render);
        rendered
    }

    /// A guild as `GUILD_CREATE` gives it to one of its bots.
    pub(crate) fn render_guild_create(&self, guild: &Guild, bot: Id, all_members: bool) -> Value {
        let mut rendered = guild.render();
        let joined = guild.members.get(&bot).map_or(0, |member| member.joined_ms);
        let members: Vec<Value> = guild
            .members
            .values()
            .filter(|member| all_members || member.user == bot)
            .map(|member| self.render_member(member))
            .collect();
        let channels: Vec<Value> = self
            .channels_of(guild.id)
            .filter(|channel| self.can_view(bot, channel))
            .map(|channel| channel.render_in(self, None))
            .collect();
        let threads: Vec<Value> = self
            .channels
            .values()
            .filter(|channel| channel.guild == Some(guild.id))
            .filter(|channel| {
                channel
                    .thread
                    .as_ref()
                    .is_some_and(|thread| !thread.archived)
            })
            .filter(|channel| self.can_view(bot, channel))
            .map(|channel| channel.render_in(self, Some(bot)))
            .collect();
        rendered["joined_at"] = json!(timestamp(joined));
        rendered["large"] = json!(false);
        rendered["unavailable"] = json!(false);
        rendered["member_count"] = json!(guild.members.len());
        rendered["members"] = json!(members);
        rendered["channels"] = json!(channels);
        rendered["threads"] = json!(threads);
        for name in [
            "voice_states",
            "presences",
            "stage_instances",
            "guild_scheduled_events",
            "soundboard_sounds",
        ] {
            rendered[name] = json!([]);
        }
        rendered
    }
}
