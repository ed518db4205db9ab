//! What is read from Discord afresh.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::time::SystemTime;

use ostler_agent::{
    ChannelError, ChannelFacts, Fact, MemberFacts, MemberView, MessageView, PermissionBits,
    ThreadView, Window,
};
use ostler_store::{ChannelId, GuildId, PersonId};
use reqwest::Method;
use serde_json::Value;
use serenity::http::Route;
use serenity::model::Timestamp;
use serenity::model::id as discord;

use crate::core::Core;
use crate::payload::{author, channel_facts, id, list, message_view, permission_bits, roles, text};
use crate::rest::Call;
use crate::snowflake::snowflake;

/// What a member who is timed out may do (Discord, *Permissions*, *Permissions for Timed Out
/// Members*): see channels and read their history.
const TIMED_OUT: u128 = 1 << 10 | 1 << 16;
/// Discord, *JSON Error Codes*: missing access.
const MISSING_ACCESS: u32 = 50001;

fn get<'a>(route: Route<'a>, major: NonZeroU64, what: &'static str) -> Call<'a> {
    Call::new(Method::GET, route, Some(major), what)
}

fn odd(what: &str) -> ChannelError {
    ChannelError::Unavailable(format!("its answer holds no {what}"))
}

fn limited(limit: u8) -> Result<usize, ChannelError> {
    if (1..=100).contains(&limit) {
        Ok(usize::from(limit))
    } else {
        Err(ChannelError::Invalid(format!(
            "the limit {limit} is not within 1 to 100"
        )))
    }
}

impl Core {
    /// A channel; `None` if there is none that the bot may see.
    pub(crate) async fn read_channel(
        &self,
        channel: &ChannelId,
    ) -> Result<Option<ChannelFacts>, ChannelError> {
        match self.channel_object(channel).await {
            Ok(data) => channel_facts(&data).map(Some).ok_or_else(|| odd("channel")),
            Err(ChannelError::NotFound(_)) => Ok(None),
            Err(ChannelError::Refused {
                code: MISSING_ACCESS,
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn channel_object(&self, channel: &ChannelId) -> Result<Value, ChannelError> {
        let major = snowflake(channel.as_str(), "channel")?;
        let route = Route::Channel {
            channel_id: discord::ChannelId::from(major),
        };
        self.call(&get(route, major, "channel")).await
    }

    /// Message objects as Discord lists them, the newest first.
    pub(crate) async fn read_messages(
        &self,
        channel: &ChannelId,
        window: Option<(&'static str, String)>,
        limit: usize,
    ) -> Result<Vec<Value>, ChannelError> {
        let major = snowflake(channel.as_str(), "channel")?;
        let route = Route::ChannelMessages {
            channel_id: discord::ChannelId::from(major),
        };
        let mut call = get(route, major, "channel").query("limit", limit.to_string());
        if let Some((name, message)) = window {
            call = call.query(name, snowflake(&message, "message")?.to_string());
        }
        match self.call(&call).await? {
            Value::Array(messages) => Ok(messages),
            _ => Err(odd("messages")),
        }
    }

    pub(crate) async fn message_views(
        &self,
        channel: &ChannelId,
        window: Window<'_>,
        limit: u8,
    ) -> Result<Vec<MessageView>, ChannelError> {
        let window = match window {
            Window::Newest => None,
            Window::Before(message) => Some(("before", message.to_string())),
            Window::After(message) => Some(("after", message.to_string())),
        };
        let messages = self.read_messages(channel, window, limited(limit)?).await?;
        let mut views: Vec<_> = messages.iter().filter_map(message_view).collect();
        views.sort_by_key(|view| view.id.as_str().parse::<u64>().unwrap_or_default());
        Ok(views)
    }

    /// A member with the permissions that their roles give them in the whole server.
    pub(crate) async fn read_member(
        &self,
        guild: &GuildId,
        person: &PersonId,
    ) -> Result<Option<MemberFacts>, ChannelError> {
        let major = snowflake(guild.as_str(), "server")?;
        let guild_id = discord::GuildId::from(major);
        let route = Route::GuildMember {
            guild_id,
            user_id: discord::UserId::from(snowflake(person.as_str(), "person")?),
        };
        let member = match self.call(&get(route, major, "member")).await {
            Ok(member) => member,
            Err(ChannelError::NotFound("member" | "person")) => return Ok(None),
            Err(error) => return Err(error),
        };
        let server = self
            .call(&get(Route::Guild { guild_id }, major, "server"))
            .await?;
        Ok(Some(member_facts(&member, &server, guild, person)))
    }

    pub(crate) async fn find_members(
        &self,
        guild: &GuildId,
        query: &str,
        limit: u8,
    ) -> Result<Vec<MemberView>, ChannelError> {
        let limit = limited(limit)?;
        let major = snowflake(guild.as_str(), "server")?;
        let route = Route::GuildMembersSearch {
            guild_id: discord::GuildId::from(major),
        };
        let call = get(route, major, "server")
            .query("query", query)
            .query("limit", limit.to_string());
        let found = self.call(&call).await?;
        let members = found.as_array().ok_or_else(|| odd("members"))?;
        Ok(members
            .iter()
            .filter_map(|member| {
                let person = author(member.get("user")?, Some(member))?;
                Some(MemberView {
                    id: person.id,
                    username: person.username,
                    display_name: person.display_name,
                    is_bot: person.is_bot,
                })
            })
            .collect())
    }

    /// Posts of a forum: the open ones, then the archived ones, each the newest first.
    pub(crate) async fn list_forum_posts(
        &self,
        channel: &ChannelId,
        limit: u8,
    ) -> Result<Vec<ThreadView>, ChannelError> {
        let limit = limited(limit)?;
        let forum = self.read_channel(channel).await?;
        let forum = forum.ok_or(ChannelError::NotFound("channel"))?;
        let guild = forum
            .guild
            .ok_or_else(|| ChannelError::Invalid("a direct chat has no posts".to_owned()))?;
        let major = snowflake(guild.as_str(), "server")?;
        let route = Route::GuildThreadsActive {
            guild_id: discord::GuildId::from(major),
        };
        let active = self.call(&get(route, major, "server")).await?;
        let mut posts: Vec<_> = list(&active, "threads")
            .iter()
            .filter(|thread| text(thread, "parent_id") == Some(channel.as_str()))
            .filter_map(thread_view)
            .collect();
        if posts.len() < limit {
            let major = snowflake(channel.as_str(), "channel")?;
            let route = Route::ChannelArchivedPublicThreads {
                channel_id: discord::ChannelId::from(major),
            };
            // Discord lists from 2 on here.
            let call = get(route, major, "channel").query("limit", limit.max(2).to_string());
            let archived = self.call(&call).await?;
            posts.extend(list(&archived, "threads").iter().filter_map(thread_view));
        }
        posts.sort_by_key(|post| {
            let age = std::cmp::Reverse(post.id.as_str().parse::<u64>().unwrap_or_default());
            (post.is_archived, age)
        });
        posts.dedup_by(|one, other| one.id == other.id);
        posts.truncate(limit);
        Ok(posts)
    }
}

fn thread_view(data: &Value) -> Option<ThreadView> {
    let facts = channel_facts(data)?;
    Some(ThreadView {
        id: facts.id,
        name: facts.name,
        owner: facts.owner,
        is_archived: facts.is_archived,
    })
}

/// Discord, *Permissions*, *Permission Hierarchy*: the owner has all, then what `@everyone` and the
/// member's roles give together; an administrator has all. What cannot be read gives nothing.
fn member_facts(member: &Value, server: &Value, guild: &GuildId, person: &PersonId) -> MemberFacts {
    let roles = roles(member);
    let by_role: HashMap<&str, u128> = list(server, "roles")
        .iter()
        .filter_map(|role| match permission_bits(role, "permissions") {
            Fact::Known(bits) => Some((text(role, "id")?, bits.0)),
            Fact::Absent | Fact::Unreadable(_) => None,
        })
        .collect();
    let mut bits = by_role.get(guild.as_str()).copied().unwrap_or_default();
    for role in &roles {
        bits |= by_role.get(role.as_str()).copied().unwrap_or_default();
    }
    let is_owner = id::<PersonId>(server, "owner_id").as_ref() == Some(person);
    if is_owner || PermissionBits(bits).contains(PermissionBits::ADMINISTRATOR) {
        bits = u128::MAX;
    } else if is_timed_out(member) {
        bits &= TIMED_OUT;
    }
    MemberFacts {
        roles,
        permissions: PermissionBits(bits),
    }
}

fn is_timed_out(member: &Value) -> bool {
    let Some(until) = text(member, "communication_disabled_until") else {
        return false;
    };
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |now| now.as_secs());
    // A time that cannot be read counts as one to come.
    Timestamp::parse(until).map_or(true, |until| {
        u64::try_from(until.unix_timestamp()).unwrap_or_default() > now
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn facts(person: &str, member: &Value) -> MemberFacts {
        let server = json!({
            "id": "1", "owner_id": "50",
            "roles": [
                {"id": "1", "permissions": "1024"},
                {"id": "2", "permissions": (1_u128 << 90).to_string()},
                {"id": "3", "permissions": "8"},
                {"id": "4", "permissions": 2048},
            ],
        });
        member_facts(
            member,
            &server,
            &"1".parse().unwrap(),
            &person.parse().unwrap(),
        )
    }

    #[test]
    fn permissions_are_what_everyone_and_the_roles_have_together() {
        let read = facts("9", &json!({"roles": ["2", "4"]}));
        assert_eq!(
            read.permissions.0,
            1024 | 1 << 90,
            "a number is no permission string"
        );
        assert_eq!(read.roles.len(), 2);
    }

    #[test]
    fn owners_and_administrators_have_all() {
        assert_eq!(facts("50", &json!({"roles": []})).permissions.0, u128::MAX);
        assert_eq!(
            facts("9", &json!({"roles": ["3"]})).permissions.0,
            u128::MAX
        );
    }

    #[test]
    fn a_member_who_is_timed_out_may_only_read() {
        let until = |until: &str| json!({"roles": ["2"], "communication_disabled_until": until});
        assert_eq!(
            facts("9", &until("2999-01-01T00:00:00+00:00"))
                .permissions
                .0,
            1024
        );
        assert_eq!(facts("9", &until("soon")).permissions.0, 1024);
        let over = facts("9", &until("2001-01-01T00:00:00+00:00"));
        assert_eq!(over.permissions.0, 1024 | 1 << 90);
    }
}
