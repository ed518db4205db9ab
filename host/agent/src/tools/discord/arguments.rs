//! The arguments of the six actions, checked before anything is asked of Discord.

use ostler_store::{ChannelId, GuildId, MessageId};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Value, json};

use super::super::{ToolFailure, arguments};
use crate::turn::split::units;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Action {
    /// Read messages.
    FetchMessages {
        channel_id: ChannelId,
        #[serde(default = "Limit::fifty")]
        limit: Limit,
        #[serde(default)]
        before: Option<MessageId>,
        #[serde(default)]
        after: Option<MessageId>,
    },
    /// Find members.
    SearchMembers {
        guild_id: GuildId,
        query: String,
        #[serde(default = "Limit::twenty")]
        limit: Limit,
    },
    /// Open a thread.
    CreateThread {
        channel_id: ChannelId,
        name: String,
        #[serde(default)]
        message_id: Option<MessageId>,
        #[serde(default)]
        auto_archive_duration: ArchiveAfter,
        #[serde(default)]
        message: Option<String>,
    },
    /// Open a post of a forum.
    CreateForumPost {
        channel_id: ChannelId,
        name: String,
        message: String,
        #[serde(default)]
        applied_tags: Vec<String>,
    },
    /// List a forum's posts.
    ListForumPosts {
        channel_id: ChannelId,
        #[serde(default = "Limit::twenty")]
        limit: Limit,
    },
    /// Post a message.
    PostMessage {
        channel_id: ChannelId,
        content: String,
    },
}

/// 1 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit(pub(super) u8);

impl Limit {
    fn twenty() -> Self {
        Self(20)
    }

    fn fifty() -> Self {
        Self(50)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let limit = u8::deserialize(deserializer)?;
        if (1..=100).contains(&limit) {
            Ok(Self(limit))
        } else {
            Err(de::Error::custom(format!(
                "a limit is from 1 to 100, not {limit}"
            )))
        }
    }
}

/// Minutes of silence after which Discord archives a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ArchiveAfter {
    Hour,
    #[default]
    Day,
    ThreeDays,
    Week,
}

impl ArchiveAfter {
    pub(super) fn minutes(self) -> u16 {
        match self {
            Self::Hour => 60,
            Self::Day => 1_440,
            Self::ThreeDays => 4_320,
            Self::Week => 10_080,
        }
    }
}

impl<'de> Deserialize<'de> for ArchiveAfter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let minutes = u16::deserialize(deserializer)?;
        [Self::Hour, Self::Day, Self::ThreeDays, Self::Week]
            .into_iter()
            .find(|after| after.minutes() == minutes)
            .ok_or_else(|| {
                de::Error::custom("`auto_archive_duration` is 60, 1440, 4320 or 10080 minutes")
            })
    }
}

/// Reads the arguments.
pub(super) fn read(given: Value) -> Result<Action, ToolFailure> {
    let action: Action = arguments(given)?;
    let invalid = |what: &str| Err(ToolFailure::new("invalid", what));
    let is_snowflake = |id: &str| id.bytes().all(|b| b.is_ascii_digit()) && id.len() <= 20;
    let ids: Vec<&str> = match &action {
        Action::FetchMessages {
            channel_id,
            before,
            after,
            ..
        } => [
            Some(channel_id.as_str()),
            before.as_ref().map(MessageId::as_str),
        ]
        .into_iter()
        .chain([after.as_ref().map(MessageId::as_str)])
        .flatten()
        .collect(),
        Action::SearchMembers { guild_id, .. } => vec![guild_id.as_str()],
        Action::CreateThread {
            channel_id,
            message_id,
            ..
        } => [
            Some(channel_id.as_str()),
            message_id.as_ref().map(MessageId::as_str),
        ]
        .into_iter()
        .flatten()
        .collect(),
        Action::CreateForumPost { channel_id, .. }
        | Action::ListForumPosts { channel_id, .. }
        | Action::PostMessage { channel_id, .. } => vec![channel_id.as_str()],
    };
    if !ids.into_iter().all(is_snowflake) {
        return invalid("an id on Discord is a string of digits");
    }
    match &action {
        Action::CreateThread { name, .. } | Action::CreateForumPost { name, .. }
            if name.trim().is_empty() || units(name) > 100 =>
        {
            return invalid("a name has 1 to 100 characters");
        }
        Action::CreateForumPost { applied_tags, .. } if applied_tags.len() > 5 => {
            return invalid("a forum post has at most five tags");
        }
        Action::SearchMembers { query, .. } if query.trim().is_empty() || units(query) > 100 => {
            return invalid("a query has 1 to 100 characters");
        }
        _ => {}
    }
    let content = match &action {
        Action::CreateThread { message, .. } => message.as_deref(),
        Action::CreateForumPost { message, .. } => Some(message.as_str()),
        Action::PostMessage { content, .. } => Some(content.as_str()),
        _ => None,
    };
    if content.is_some_and(|text| text.trim().is_empty() || units(text) > 2_000) {
        return invalid("a message has 1 to 2,000 characters; post a longer text as several");
    }
    Ok(action)
}

/// The schema that models read.
pub(super) fn schema() -> Value {
    let id =
        |what: &str| json!({"type": "string", "pattern": "^[0-9]{1,20}$", "description": what});
    json!({
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "enum": ["fetch_messages", "search_members", "create_thread",
                         "create_forum_post", "list_forum_posts", "post_message"]
            },
            "channel_id": id("The channel, thread or forum; for every action but `search_members`."),
            "guild_id": id("The server; for `search_members`."),
            "limit": {"type": "integer", "minimum": 1, "maximum": 100,
                      "description": "How many at most: 50 messages, 20 of anything else."},
            "before": id("For `fetch_messages`: those before this message."),
            "after": id("For `fetch_messages`: those after this message."),
            "query": {"type": "string", "minLength": 1, "maxLength": 100,
                      "description": "For `search_members`: how a name begins."},
            "name": {"type": "string", "minLength": 1, "maxLength": 100,
                     "description": "The title of a thread or forum post."},
            "message_id": id("For `create_thread`: the message to open it at."),
            "auto_archive_duration": {"type": "integer", "enum": [60, 1440, 4320, 10080],
                     "description": "For `create_thread`: minutes of silence until it is archived."},
            "message": {"type": "string", "minLength": 1, "maxLength": 2000,
                     "description": "The first message of a thread or forum post."},
            "applied_tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5,
                     "description": "For `create_forum_post`: names of the forum's tags."},
            "content": {"type": "string", "minLength": 1, "maxLength": 2000,
                     "description": "For `post_message`: the text."}
        },
        "required": ["action"],
        "additionalProperties": false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(given: Value) -> String {
        read(given).unwrap_err().message
    }

    #[test]
    fn limits_and_ranges_are_checked_before_anything_is_asked() {
        for (given, part) in [
            (
                json!({"action": "fetch_messages", "channel_id": "1", "limit": 0}),
                "1 to 100",
            ),
            (
                json!({"action": "fetch_messages", "channel_id": "1", "limit": 101}),
                "1 to 100",
            ),
            (
                json!({"action": "fetch_messages", "channel_id": "general"}),
                "digits",
            ),
            (
                json!({"action": "fetch_messages", "channel_id": 1}),
                "string",
            ),
            (json!({"action": "delete_everything"}), "unknown variant"),
            (
                json!({"action": "post_message", "channel_id": "1", "content": "x".repeat(2001)}),
                "2,000",
            ),
            (
                json!({"action": "post_message", "channel_id": "1", "content": " "}),
                "2,000",
            ),
            (
                json!({"action": "post_message", "channel_id": "1", "content": "x", "tts": true}),
                "unknown field",
            ),
            (
                json!({"action": "create_thread", "channel_id": "1", "name": "x".repeat(101)}),
                "100",
            ),
            (
                json!({"action": "create_thread", "channel_id": "1", "name": "x", "auto_archive_duration": 61}),
                "1440",
            ),
            (
                json!({"action": "create_forum_post", "channel_id": "1", "name": "x", "message": "y",
                    "applied_tags": ["a", "b", "c", "d", "e", "f"]}),
                "five",
            ),
            (
                json!({"action": "search_members", "guild_id": "1", "query": ""}),
                "1 to 100",
            ),
        ] {
            let message = refused(given.clone());
            assert!(message.contains(part), "{given}: {message}");
        }
    }

    #[test]
    fn what_is_left_out_has_the_documented_defaults() {
        assert_eq!(
            read(json!({"action": "fetch_messages", "channel_id": "1"})).unwrap(),
            Action::FetchMessages {
                channel_id: "1".parse().unwrap(),
                limit: Limit(50),
                before: None,
                after: None
            }
        );
        let Action::CreateThread {
            auto_archive_duration,
            ..
        } = read(json!({"action": "create_thread", "channel_id": "1", "name": "x"})).unwrap()
        else {
            panic!("another action");
        };
        assert_eq!(auto_archive_duration.minutes(), 1_440);
    }
}
