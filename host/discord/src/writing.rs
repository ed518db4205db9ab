//! What is written to Discord: messages.

use std::num::NonZeroU64;

use ostler_agent::{ChannelError, Edit, Post};
use ostler_store::{ChannelId, MessageId, PersonId};
use reqwest::Method;
use serde_json::{Value, json};
use serenity::builder::{CreateAllowedMentions, CreateMessage, EditMessage};
use serenity::http::Route;
use serenity::model::channel::{MessageFlags, MessageReference, MessageReferenceKind, Nonce};
use serenity::model::id as discord;

use crate::components::{self, Components};
use crate::core::Core;
use crate::files;
use crate::payload::id;
use crate::rest::{Call, Repeat};
use crate::snowflake::snowflake;

/// The most UTF-16 code units in a message (Discord, *Create Message*).
pub(crate) const CONTENT_LIMIT: usize = 2000;
/// Discord, *Create Message*, `nonce`.
const NONCE_LIMIT: usize = 25;
/// Discord, *Allowed Mentions Structure*, `users`.
const MENTION_LIMIT: usize = 100;

/// The length as Discord counts it.
pub(crate) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

pub(crate) fn check_length(what: &str, text: &str, limit: usize) -> Result<(), ChannelError> {
    match units(text) {
        0 => Err(ChannelError::Invalid(format!("{what} is empty"))),
        length if length > limit => Err(ChannelError::Invalid(format!(
            "{what} has {length} UTF-16 units; Discord takes at most {limit}"
        ))),
        _ => Ok(()),
    }
}

pub(crate) fn body(builder: &impl serde::Serialize) -> Result<Value, ChannelError> {
    serde_json::to_value(builder)
        .map_err(|error| ChannelError::Invalid(format!("the message is no JSON: {error}")))
}

/// Nobody is mentioned but these, whatever the text says.
pub(crate) fn allowed(mentions: &[PersonId]) -> Result<CreateAllowedMentions, ChannelError> {
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
    files::check(&post.files)?;
    let prepared = components::prepare(post.components.as_ref(), &post.content, &post.files)?;
    let is_shown_without = prepared.list.is_some() || !post.files.is_empty();
    if prepared.content.is_some() || !is_shown_without {
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
    if !post.files.is_empty() {
        body["attachments"] = files::attachments(&post.files);
    }
    Ok(body)
}

fn insert(body: &mut Value, prepared: Components) {
    if let Some(list) = prepared.list {
        body["components"] = list;
    }
}

impl Core {
    /// What the server's audit log says of what the bot does.
    pub(crate) fn audit_reason(&self) -> String {
        format!("Ostler, profile {}", self.options.profile)
    }

    pub(crate) async fn send_message(&self, post: &Post) -> Result<MessageId, ChannelError> {
        let (channel_id, major) = channel(&post.channel)?;
        let route = Route::ChannelMessages { channel_id };
        let call = Call::new(Method::POST, route, Some(major), "channel")
            .body(message_body(post)?)
            .files(&post.files)
            // The nonce tells Discord that a repeated one is the same.
            .repeat(Repeat::Safe);
        let sent = self.call(&call).await?;
        id(&sent, "id").ok_or_else(|| odd("message"))
    }

    pub(crate) async fn edit_message(&self, edit: &Edit) -> Result<(), ChannelError> {
        let (channel_id, major) = channel(&edit.channel)?;
        let message_id = message(&edit.message)?;
        let content = edit.content.as_deref().unwrap_or_default();
        let prepared = components::prepare(edit.components.as_ref(), content, &[])?;
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
}

pub(crate) fn odd(what: &str) -> ChannelError {
    ChannelError::Unavailable(format!("its answer holds no {what}"))
}

pub(crate) fn channel(id: &ChannelId) -> Result<(discord::ChannelId, NonZeroU64), ChannelError> {
    let number = snowflake(id.as_str(), "channel")?;
    Ok((number.into(), number))
}

pub(crate) fn message(id: &MessageId) -> Result<discord::MessageId, ChannelError> {
    snowflake(id.as_str(), "message").map(Into::into)
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
}
