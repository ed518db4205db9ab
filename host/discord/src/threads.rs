//! What opens threads and forum posts.

use ostler_agent::{ChannelError, NewForumPost, NewThread};
use ostler_store::{ChannelId, MessageId};
use reqwest::Method;
use serde_json::Value;
use serenity::builder::{CreateForumPost, CreateMessage, CreateThread};
use serenity::http::Route;
use serenity::model::channel::{AutoArchiveDuration, ChannelType};
use serenity::model::id as discord;

use crate::core::Core;
use crate::payload::{id, list, text};
use crate::rest::Call;
use crate::snowflake::snowflake;
use crate::writing::{CONTENT_LIMIT, allowed, body, channel, check_length, message, odd};

/// Discord, *Start Thread*, `name`.
const NAME_LIMIT: usize = 100;
/// Discord, *Start Thread in Forum Channel*, `applied_tags`.
const TAG_LIMIT: usize = 5;
/// Discord, *JSON Error Codes*: a thread was created for this message already.
const THREAD_EXISTS: u32 = 160_004;

impl Core {
    pub(crate) async fn open_thread(&self, thread: &NewThread) -> Result<ChannelId, ChannelError> {
        check_length("the thread's name", &thread.name, NAME_LIMIT)?;
        let (channel_id, major) = channel(&thread.channel)?;
        let duration = match thread.auto_archive_minutes {
            60 => AutoArchiveDuration::OneHour,
            1440 => AutoArchiveDuration::OneDay,
            4320 => AutoArchiveDuration::ThreeDays,
            10080 => AutoArchiveDuration::OneWeek,
            minutes => {
                return Err(ChannelError::Invalid(format!(
                    "a thread cannot be archived after {minutes} minutes: 60, 1440, 4320 or 10080"
                )));
            }
        };
        let mut new = CreateThread::new(thread.name.clone()).auto_archive_duration(duration);
        let Some(at) = &thread.at else {
            new = new.kind(ChannelType::PublicThread);
            let route = Route::ChannelThreads { channel_id };
            let call = Call::new(Method::POST, route, Some(major), "channel")
                .body(body(&new)?)
                .reason(&self.audit_reason());
            let opened = self.call(&call).await?;
            return id(&opened, "id").ok_or_else(|| odd("thread"));
        };
        let route = Route::ChannelMessageThreads {
            channel_id,
            message_id: message(at)?,
        };
        // At a message there is one thread or none, so that asking again is safe, but only the
        // refusal tells that an answer was lost.
        let call = Call::new(Method::POST, route, Some(major), "message")
            .body(body(&new)?)
            .reason(&self.audit_reason());
        match self.call(&call).await {
            Ok(opened) => id(&opened, "id").ok_or_else(|| odd("thread")),
            Err(ChannelError::Unavailable(_)) => match self.call(&call).await {
                Ok(opened) => id(&opened, "id").ok_or_else(|| odd("thread")),
                // Its id is the message's (Discord, *Start Thread from Message*).
                Err(ChannelError::Refused {
                    code: THREAD_EXISTS,
                    ..
                }) => id_of(at),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn open_forum_post(
        &self,
        post: &NewForumPost,
    ) -> Result<ChannelId, ChannelError> {
        check_length("the post's name", &post.name, NAME_LIMIT)?;
        check_length("the post's message", &post.message, CONTENT_LIMIT)?;
        if post.tags.len() > TAG_LIMIT {
            return Err(ChannelError::Invalid(format!(
                "a post takes at most {TAG_LIMIT} tags"
            )));
        }
        let (channel_id, major) = channel(&post.channel)?;
        let message = CreateMessage::new()
            .content(post.message.clone())
            .allowed_mentions(allowed(&[])?);
        let mut new = CreateForumPost::new(post.name.clone(), message);
        if !post.tags.is_empty() {
            let forum = self.channel_object(&post.channel).await?;
            new = new.set_applied_tags(tags(&forum, &post.tags)?);
        }
        let mut body = body(&new)?;
        // A forum's first message has no nonce (Discord, *Forum and Media Thread Message Params
        // Object*), and no attachments here.
        if let Some(message) = body.get_mut("message").and_then(Value::as_object_mut) {
            for field in ["enforce_nonce", "tts", "attachments"] {
                message.remove(field);
            }
        }
        let route = Route::ChannelForumPosts { channel_id };
        let call = Call::new(Method::POST, route, Some(major), "channel")
            .body(body)
            .reason(&self.audit_reason());
        let opened = self.call(&call).await?;
        id(&opened, "id").ok_or_else(|| odd("post"))
    }
}

fn id_of(message: &MessageId) -> Result<ChannelId, ChannelError> {
    message
        .as_str()
        .parse()
        .map_err(|_| ChannelError::Invalid("the message's id is none of a channel".to_owned()))
}

/// The ids of a forum's tags by their names.
fn tags(forum: &Value, names: &[String]) -> Result<Vec<discord::ForumTagId>, ChannelError> {
    let known = list(forum, "available_tags");
    names
        .iter()
        .map(|name| {
            known
                .iter()
                .find(|tag| text(tag, "name") == Some(name))
                .and_then(|tag| snowflake(text(tag, "id")?, "tag").ok())
                .map(discord::ForumTagId::from)
                .ok_or_else(|| unknown_tag(name, known))
        })
        .collect()
}

fn unknown_tag(name: &str, known: &[Value]) -> ChannelError {
    let names: Vec<_> = known
        .iter()
        .filter_map(|tag| text(tag, "name"))
        .map(|name| format!("{name:?}"))
        .collect();
    let known = if names.is_empty() {
        "it has none".to_owned()
    } else {
        format!("it has {}", names.join(", "))
    };
    ChannelError::Invalid(format!("the forum has no tag {name:?}: {known}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_tag_names_those_that_there_are() {
        let forum =
            json!({"available_tags": [{"id": "3", "name": "bug"}, {"id": "4", "name": "idea"}]});
        assert_eq!(
            tags(&forum, &["idea".to_owned()]),
            Ok(vec![discord::ForumTagId::new(4)])
        );
        let error = tags(&forum, &["bugs".to_owned()]).unwrap_err().to_string();
        assert_eq!(
            error,
            r#"the forum has no tag "bugs": it has "bug", "idea""#
        );
    }
}
