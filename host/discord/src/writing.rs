//! What is written to Discord: messages, threads, posts.

use std::num::NonZeroU64;

use ostler_agent::{ChannelError, Edit, NewForumPost, NewThread, Post};
use ostler_store::{ChannelId, MessageId, PersonId};
use reqwest::Method;
use serde_json::{Value, json};
use serenity::builder::{
    CreateAllowedMentions, CreateForumPost, CreateMessage, CreateThread, EditMessage,
};
use serenity::http::Route;
use serenity::model::channel::{
    AutoArchiveDuration, ChannelType, MessageFlags, MessageReference, MessageReferenceKind, Nonce,
};
use serenity::model::id as discord;

use crate::components::{self, Components};
use crate::core::Core;
use crate::payload::{id, list, text};
use crate::rest::{Call, Repeat};
use crate::snowflake::snowflake;

/// The most UTF-16 code units in a message (Discord, *Create Message*).
pub(crate) const CONTENT_LIMIT: usize = 2000;
/// Discord, *Create Message*, `nonce`.
const NONCE_LIMIT: usize = 25;
/// Discord, *Allowed Mentions Structure*, `users`.
const MENTION_LIMIT: usize = 100;
/// Discord, *Start Thread*, `name`.
const NAME_LIMIT: usize = 100;
/// Discord, *Start Thread in Forum Channel*, `applied_tags`.
const TAG_LIMIT: usize = 5;
/// Discord, *JSON Error Codes*: a thread was created for this message already.
const THREAD_EXISTS: u32 = 160_004;

/// The length as Discord counts it.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn check_length(what: &str, text: &str, limit: usize) -> Result<(), ChannelError> {
    match units(text) {
        0 => Err(ChannelError::Invalid(format!("{what} is empty"))),
        length if length > limit => Err(ChannelError::Invalid(format!(
            "{what} has {length} UTF-16 units; Discord takes at most {limit}"
        ))),
        _ => Ok(()),
    }
}

fn body(builder: &impl serde::Serialize) -> Result<Value, ChannelError> {
    serde_json::to_value(builder)
        .map_err(|error| ChannelError::Invalid(format!("the message is no JSON: {error}")))
}

/// Nobody is mentioned but these, whatever the text says.
fn allowed(mentions: &[PersonId]) -> Result<CreateAllowedMentions, ChannelError> {
    if mentions.len() > MENTION_LIMIT {
        return Err(ChannelError::Invalid(format!(
            "a message may mention at most {MENTION_LIMIT} people"
        )));
    }
    let mut users = Vec::new();
    for person in mentions {
        let user = discord::UserId::from(snowflake(person.as_str(), "person")?);
        if !users.contains(&user) {
            users.push(user);
        }
    }
    Ok(CreateAllowedMentions::new()
        .users(users)
        .replied_user(false))
}

/// A message's body. Components go in as they are: serenity cannot build those of version 2.
fn message_body(post: &Post) -> Result<Value, ChannelError> {
    if !(1..=NONCE_LIMIT).contains(&post.nonce.chars().count()) {
        return Err(ChannelError::Invalid(format!(
            "the nonce {:?} has not 1 to {NONCE_LIMIT} characters",
            post.nonce
        )));
    }
    let mut message = CreateMessage::new()
        .nonce(Nonce::String(post.nonce.clone()))
        .enforce_nonce(true)
        .allowed_mentions(allowed(&post.mentions)?);
    let mut flags = MessageFlags::empty();
    if post.is_silent {
        flags |= MessageFlags::SUPPRESS_NOTIFICATIONS;
    }
    if let Some(replied) = &post.reply_to {
        let channel = snowflake(post.channel.as_str(), "channel")?;
        let replied = snowflake(replied.as_str(), "message")?;
        let reference = MessageReference::new(MessageReferenceKind::Default, channel.into())
            .message_id(replied.into())
            .fail_if_not_exists(false);
        message = message.reference_message(reference);
    }
    let prepared = components::prepare(post.components.as_ref(), &post.content)?;
    if prepared.content.is_some() || prepared.list.is_none() {
        check_length("the message", &post.content, CONTENT_LIMIT)?;
        message = message.content(post.content.clone());
    }
    let flags = flags.bits() | prepared.flags;
    let mut body = body(&message)?;
    // serenity drops flags that it does not know, version 2 of the components among them.
    if flags != 0 {
        body["flags"] = json!(flags);
    }
    insert(&mut body, prepared);
    Ok(body)
}

fn insert(body: &mut Value, prepared: Components) {
    if let Some(list) = prepared.list {
        body["components"] = list;
    }
}

impl Core {
    /// What the server's audit log says of what the bot does.
    fn audit_reason(&self) -> String {
        format!("Ostler, profile {}", self.options.profile)
    }

    pub(crate) async fn send_message(&self, post: &Post) -> Result<MessageId, ChannelError> {
        let (channel_id, major) = channel(&post.channel)?;
        let route = Route::ChannelMessages { channel_id };
        let call = Call::new(Method::POST, route, Some(major), "channel")
            .body(message_body(post)?)
            // The nonce tells Discord that a repeated one is the same.
            .repeat(Repeat::Safe);
        let sent = self.call(&call).await?;
        id(&sent, "id").ok_or_else(|| odd("message"))
    }

    pub(crate) async fn edit_message(&self, edit: &Edit) -> Result<(), ChannelError> {
        let (channel_id, major) = channel(&edit.channel)?;
        let message_id = message(&edit.message)?;
        let content = edit.content.as_deref().unwrap_or_default();
        let prepared = components::prepare(edit.components.as_ref(), content)?;
        let mut change = EditMessage::new().allowed_mentions(allowed(&[])?);
        if edit.content.is_some() && (prepared.content.is_some() || prepared.list.is_none()) {
            if units(content) > CONTENT_LIMIT {
                check_length("the message", content, CONTENT_LIMIT)?;
            }
            change = change.content(content);
        }
        let flags = prepared.flags;
        let mut body = body(&change)?;
        if flags != 0 {
            body["flags"] = json!(flags);
        }
        insert(&mut body, prepared);
        let route = Route::ChannelMessage {
            channel_id,
            message_id,
        };
        let call = Call::new(Method::PATCH, route, Some(major), "message").body(body);
        self.call(&call).await.map(drop)
    }

    pub(crate) async fn delete_message(
        &self,
        channel_of: &ChannelId,
        which: &MessageId,
    ) -> Result<(), ChannelError> {
        let (channel_id, major) = channel(channel_of)?;
        let route = Route::ChannelMessage {
            channel_id,
            message_id: message(which)?,
        };
        let call =
            Call::new(Method::DELETE, route, Some(major), "message").reason(&self.audit_reason());
        match self.call(&call).await {
            Ok(_) | Err(ChannelError::NotFound("message")) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn show_typing(&self, channel_of: &ChannelId) -> Result<(), ChannelError> {
        let (channel_id, major) = channel(channel_of)?;
        let route = Route::ChannelTyping { channel_id };
        let call = Call::new(Method::POST, route, Some(major), "channel").repeat(Repeat::Never);
        self.call(&call).await.map(drop)
    }

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

fn odd(what: &str) -> ChannelError {
    ChannelError::Unavailable(format!("its answer holds no {what}"))
}

fn id_of(message: &MessageId) -> Result<ChannelId, ChannelError> {
    message
        .as_str()
        .parse()
        .map_err(|_| ChannelError::Invalid("the message's id is none of a channel".to_owned()))
}

fn channel(id: &ChannelId) -> Result<(discord::ChannelId, NonZeroU64), ChannelError> {
    let number = snowflake(id.as_str(), "channel")?;
    Ok((number.into(), number))
}

fn message(id: &MessageId) -> Result<discord::MessageId, ChannelError> {
    snowflake(id.as_str(), "message").map(Into::into)
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
    use super::*;

    fn post(content: &str) -> Post {
        Post::text("1".parse().unwrap(), content.to_owned(), "n".to_owned())
    }

    #[test]
    fn length_is_counted_in_utf_16_units() {
        assert!(message_body(&post(&"é".repeat(2000))).is_ok());
        assert!(message_body(&post(&"🦦".repeat(1000))).is_ok());
        let error = message_body(&post(&"🦦".repeat(1001))).unwrap_err();
        assert_eq!(error.code(), "invalid");
        assert!(error.to_string().contains("2002 UTF-16 units"), "{error}");
        assert!(message_body(&post("")).is_err());
    }

    #[test]
    fn mentions_are_always_explicit() {
        let mut message = post("@everyone <@5> <@6>");
        let body = message_body(&message).unwrap();
        assert_eq!(
            body["allowed_mentions"],
            json!({"parse": [], "users": [], "roles": [], "replied_user": false})
        );
        message.mentions = vec!["5".parse().unwrap(), "5".parse().unwrap()];
        let body = message_body(&message).unwrap();
        assert_eq!(body["allowed_mentions"]["users"], json!(["5"]));
        assert_eq!(
            (&body["nonce"], &body["enforce_nonce"]),
            (&json!("n"), &json!(true))
        );
    }

    #[test]
    fn a_reply_to_a_message_that_is_gone_is_sent_all_the_same() {
        let mut message = post("yes");
        message.reply_to = Some("9".parse().unwrap());
        message.is_silent = true;
        let body = message_body(&message).unwrap();
        assert_eq!(body["message_reference"]["message_id"], json!("9"));
        assert_eq!(
            body["message_reference"]["fail_if_not_exists"],
            json!(false)
        );
        assert_eq!(body["flags"], json!(1 << 12));
    }

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
