//! A server's shape, and changes to it.

use std::num::NonZeroU64;

use ostler_agent::{ChannelError, NamedThing, NewChannelKind, ServerChange, ServerView};
use ostler_store::{ChannelId, GuildId, MessageId, PersonId, RoleId};
use reqwest::Method;
use serde_json::Value;
use serenity::builder::{CreateChannel, EditChannel};
use serenity::http::Route;
use serenity::model::channel::ChannelType;
use serenity::model::id as discord;

use crate::core::Core;
use crate::payload::{list, text};
use crate::rest::Call;
use crate::snowflake::snowflake;
use crate::writing::{body, channel, check_length, message, odd, units};

/// Discord, *Create Guild Channel*, `name`.
const NAME_LIMIT: usize = 100;
/// Discord, *Create Guild Channel*, `topic`; a forum's may be longer.
const TOPIC_LIMIT: usize = 1024;

impl Core {
    /// A server's channels as they stand from the top, and its roles from the highest.
    pub(crate) async fn read_server(&self, guild: &GuildId) -> Result<ServerView, ChannelError> {
        let (guild_id, major) = server(guild)?;
        let get = |route| Call::new(Method::GET, route, Some(major), "server");
        let server = self.call(&get(Route::Guild { guild_id })).await?;
        let channels = self.call(&get(Route::GuildChannels { guild_id })).await?;
        let channels = channels.as_array().ok_or_else(|| odd("channels"))?;
        let mut channels: Vec<_> = channels.iter().collect();
        channels.sort_by_key(|channel| (position(channel), number(channel)));
        let mut roles: Vec<_> = list(&server, "roles").iter().collect();
        roles.sort_by_key(|role| (std::cmp::Reverse(position(role)), number(role)));
        Ok(ServerView {
            name: text(&server, "name").unwrap_or_default().to_owned(),
            channels: channels.into_iter().filter_map(named).collect(),
            roles: roles.into_iter().filter_map(named).collect(),
        })
    }

    /// Makes a change; the id of what was made.
    pub(crate) async fn change_server(
        &self,
        change: &ServerChange,
        reason: &str,
    ) -> Result<Option<String>, ChannelError> {
        let call = call(change)?;
        let call = if reason.trim().is_empty() {
            call.reason(&self.audit_reason())
        } else {
            call.reason(reason)
        };
        let answer = self.call(&call).await?;
        if !matches!(change, ServerChange::CreateChannel { .. }) {
            return Ok(None);
        }
        let made = text(&answer, "id").ok_or_else(|| odd("channel"))?;
        Ok(Some(made.to_owned()))
    }
}

/// The request for a change. What makes something is not repeated after a lost answer (the default
/// of POST); everything else comes to the same when it is done twice.
fn call(change: &ServerChange) -> Result<Call<'static>, ChannelError> {
    Ok(match change {
        ServerChange::CreateChannel {
            guild,
            name,
            kind,
            topic,
            parent,
        } => {
            let (guild_id, major) = server(guild)?;
            let new = new_channel(name, *kind, topic.as_deref(), parent.as_ref())?;
            let route = Route::GuildChannels { guild_id };
            Call::new(Method::POST, route, Some(major), "server").body(new)
        }
        ServerChange::EditChannel {
            channel: which,
            name,
            topic,
        } => {
            let (channel_id, major) = channel(which)?;
            let edit = channel_edit(name.as_deref(), topic.as_deref())?;
            let route = Route::Channel { channel_id };
            Call::new(Method::PATCH, route, Some(major), "channel").body(edit)
        }
        ServerChange::DeleteChannel { channel: which } => {
            let (channel_id, major) = channel(which)?;
            let route = Route::Channel { channel_id };
            Call::new(Method::DELETE, route, Some(major), "channel").deletion()
        }
        ServerChange::AddRole {
            guild,
            person,
            role,
        } => holding(Method::PUT, guild, person, role)?,
        ServerChange::RemoveRole {
            guild,
            person,
            role,
        } => holding(Method::DELETE, guild, person, role)?,
        ServerChange::PinMessage { channel, message } => pin(Method::PUT, channel, message)?,
        ServerChange::UnpinMessage { channel, message } => pin(Method::DELETE, channel, message)?,
        ServerChange::DeleteMessage {
            channel: place,
            message: which,
        } => {
            let (channel_id, major) = channel(place)?;
            let route = Route::ChannelMessage {
                channel_id,
                message_id: message(which)?,
            };
            Call::new(Method::DELETE, route, Some(major), "message").deletion()
        }
    })
}

/// Without overwrites of its own the channel has those of its category.
fn new_channel(
    name: &str,
    kind: NewChannelKind,
    topic: Option<&str>,
    parent: Option<&ChannelId>,
) -> Result<Value, ChannelError> {
    check_length("the channel's name", name, NAME_LIMIT)?;
    if kind == NewChannelKind::Category && (parent.is_some() || topic.is_some()) {
        return Err(ChannelError::Invalid(
            "a category has no topic, and stands in no other category".to_owned(),
        ));
    }
    let kind = match kind {
        NewChannelKind::Text => ChannelType::Text,
        NewChannelKind::Category => ChannelType::Category,
        NewChannelKind::Forum => ChannelType::Forum,
    };
    let mut new = CreateChannel::new(name).kind(kind);
    if let Some(topic) = topic {
        check_topic(topic)?;
        new = new.topic(topic);
    }
    if let Some(parent) = parent {
        let (category, _) = channel(parent)?;
        new = new.category(category);
    }
    body(&new)
}

fn channel_edit(name: Option<&str>, topic: Option<&str>) -> Result<Value, ChannelError> {
    if name.is_none() && topic.is_none() {
        return Err(ChannelError::Invalid(
            "neither a name nor a topic is given: nothing would change".to_owned(),
        ));
    }
    let mut edit = EditChannel::new();
    if let Some(name) = name {
        check_length("the channel's name", name, NAME_LIMIT)?;
        edit = edit.name(name);
    }
    if let Some(topic) = topic {
        check_topic(topic)?;
        edit = edit.topic(topic);
    }
    body(&edit)
}

/// An empty topic is none.
fn check_topic(topic: &str) -> Result<(), ChannelError> {
    if units(topic) > TOPIC_LIMIT {
        check_length("the channel's topic", topic, TOPIC_LIMIT)?;
    }
    Ok(())
}

fn holding(
    method: Method,
    guild: &GuildId,
    person: &PersonId,
    role: &RoleId,
) -> Result<Call<'static>, ChannelError> {
    let (guild_id, major) = server(guild)?;
    let route = Route::GuildMemberRole {
        guild_id,
        user_id: snowflake(person.as_str(), "person")?.into(),
        role_id: snowflake(role.as_str(), "role")?.into(),
    };
    Ok(Call::new(method, route, Some(major), "member"))
}

fn pin(
    method: Method,
    place: &ChannelId,
    which: &MessageId,
) -> Result<Call<'static>, ChannelError> {
    let (channel_id, major) = channel(place)?;
    let route = Route::ChannelPin {
        channel_id,
        message_id: message(which)?,
    };
    Ok(Call::new(method, route, Some(major), "message"))
}

fn server(guild: &GuildId) -> Result<(discord::GuildId, NonZeroU64), ChannelError> {
    let number = snowflake(guild.as_str(), "server")?;
    Ok((number.into(), number))
}

fn named(object: &Value) -> Option<NamedThing> {
    Some(NamedThing {
        id: text(object, "id")?.to_owned(),
        name: text(object, "name").unwrap_or_default().to_owned(),
    })
}

fn position(object: &Value) -> i64 {
    let position = object.get("position").and_then(Value::as_i64);
    position.unwrap_or_default()
}

fn number(object: &Value) -> u64 {
    let id = text(object, "id").and_then(|id| id.parse().ok());
    id.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_discord_would_refuse_is_not_sent() {
        let parent: ChannelId = "5".parse().unwrap();
        let text = NewChannelKind::Text;
        for wrong in [
            new_channel("", text, None, None),
            new_channel(&"x".repeat(101), text, None, None),
            new_channel("x", text, Some(&"x".repeat(1025)), None),
            new_channel("x", NewChannelKind::Category, None, Some(&parent)),
            new_channel("x", NewChannelKind::Category, Some("x"), None),
            new_channel("x", text, None, Some(&"here".parse().unwrap())),
            channel_edit(None, None),
            channel_edit(Some(""), None),
            channel_edit(None, Some(&"x".repeat(1025))),
        ] {
            assert_eq!(wrong.unwrap_err().code(), "invalid");
        }
    }

    #[test]
    fn a_body_names_nothing_but_what_is_asked_for() {
        let parent: ChannelId = "5".parse().unwrap();
        assert_eq!(
            new_channel("ideas", NewChannelKind::Forum, Some("dry"), Some(&parent)),
            Ok(json!({"name": "ideas", "type": 15, "topic": "dry", "parent_id": "5"}))
        );
        assert_eq!(channel_edit(None, Some("")), Ok(json!({"topic": ""})));
    }
}
