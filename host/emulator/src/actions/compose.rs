//! Puts a message together from a request's body and its files.

use std::sync::Arc;

use serde_json::Value;

use super::{media_type, mentions};
use crate::api::error::{ApiError, EMPTY_MESSAGE, NOT_FOUND, TOO_LARGE, UNKNOWN_STICKER};
use crate::forms::component::Normaliser;
use crate::forms::embed;
use crate::forms::form::{bits_of, text_in};
use crate::forms::message::{SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, V2};
use crate::snowflake::Id;
use crate::world::World;
use crate::world::channel::Channel;
use crate::world::message::{Attachment, Message};

/// Bytes that one file may have in a guild without boosts.
pub(crate) const FILE_LIMIT: usize = 10 * 1024 * 1024;

/// A file that came with a request.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    /// The number in `files[n]`.
    pub(crate) number: u64,
    pub(crate) filename: String,
    pub(crate) content_type: Option<String>,
    pub(crate) bytes: Arc<Vec<u8>>,
}

/// A checked body and its files.
pub(crate) struct Draft<'a> {
    pub(crate) body: &'a Value,
    pub(crate) uploads: &'a [Upload],
}

impl Draft<'_> {
    fn list(&self, name: &str) -> Option<&Value> {
        self.body.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn has_embeds(&self) -> bool {
        self.list("embeds")
            .and_then(Value::as_array)
            .is_some_and(|list| !list.is_empty())
    }

    pub(crate) fn flags(&self) -> u64 {
        self.body.get("flags").and_then(bits_of).unwrap_or(0)
    }
}

/// The bytes of a new attachment.
type NewFile = (Id, Arc<Vec<u8>>);

/// A name that is safe in an address and in a folder, as Discord makes it.
fn safe(filename: &str) -> String {
    let name: String = filename
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || ".-_".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() {
        "unknown".to_owned()
    } else {
        name.to_owned()
    }
}

/// The attachments that the message will have, and the bytes of new ones.
fn attachments(
    world: &mut World,
    message: &Message,
    draft: &Draft<'_>,
) -> Result<(Vec<Attachment>, Vec<NewFile>), ApiError> {
    let listed = draft.list("attachments").and_then(Value::as_array);
    let mut kept = message.attachments.clone();
    if let Some(listed) = listed {
        let stays = |id: Id| {
            listed
                .iter()
                .any(|entry| entry.get("id").and_then(bits_of) == Some(id.0))
        };
        kept.retain(|attachment| stays(attachment.id));
        for (index, entry) in listed.iter().enumerate() {
            let id = entry.get("id").and_then(bits_of).unwrap_or(0);
            let known = draft.uploads.iter().any(|upload| upload.number == id)
                || kept.iter().any(|attachment| attachment.id.0 == id);
            if !known {
                return Err(ApiError::field(
                    &format!("attachments.{index}.id"),
                    "ATTACHMENT_NOT_FOUND",
                    "The attachment was not found",
                ));
            }
        }
    }
    let mut files = Vec::new();
    for upload in draft.uploads {
        if upload.bytes.len() > FILE_LIMIT {
            return Err(TOO_LARGE);
        }
        let entry = listed
            .into_iter()
            .flatten()
            .find(|entry| entry.get("id").and_then(bits_of) == Some(upload.number));
        let name = entry
            .and_then(|entry| text_in(entry, "filename"))
            .unwrap_or(&upload.filename);
        // Clients need not say what it is.
        let content_type = upload.content_type.clone();
        let content_type = content_type.or_else(|| media_type::of(name).map(str::to_owned));
        let id = world.new_id();
        kept.push(Attachment {
            id,
            filename: safe(name),
            description: entry
                .and_then(|e| text_in(e, "description"))
                .map(str::to_owned),
            content_type,
            size: upload.bytes.len(),
        });
        files.push((id, Arc::clone(&upload.bytes)));
    }
    if kept.len() > 10 {
        return Err(ApiError::field(
            "attachments",
            "BASE_TYPE_MAX_LENGTH",
            "Must be 10 or fewer in length.",
        ));
    }
    Ok((kept, files))
}

/// Puts what the draft says into the message: for a new message all of it, for an edit what the
/// body names. The body was checked.
///
/// # Errors
/// 50006 if nothing would be left to see; what is wrong with attachments.
pub(crate) fn fill(
    world: &mut World,
    channel: &Channel,
    message: &mut Message,
    draft: &Draft<'_>,
    replied_to: Option<Id>,
) -> Result<(), ApiError> {
    if draft.list("poll").is_some() || draft.list("shared_client_theme").is_some() {
        tracing::warn!("unimplemented: a message with a poll or a theme");
        return Err(NOT_FOUND);
    }
    if draft
        .list("sticker_ids")
        .is_some_and(|list| list != &serde_json::json!([]))
    {
        return Err(UNKNOWN_STICKER);
    }
    let (attachments, files) = attachments(world, message, draft)?;
    let urls: Vec<(String, String)> = attachments
        .iter()
        .map(|a| (a.filename.clone(), world.attachment_url(message.channel, a)))
        .collect();
    let file_url = |name: &str| {
        urls.iter()
            .find(|(known, _)| known == name)
            .map(|(_, url)| url.clone())
    };
    if let Some(content) = draft.body.get("content") {
        let content = match content {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let allowed = draft.body.get("allowed_mentions");
        let found = mentions::find(
            world,
            channel,
            message.author,
            &content,
            allowed,
            replied_to,
        );
        message.mentions = found.users;
        message.mention_roles = found.roles;
        message.mention_everyone = found.everyone;
        message.content = content;
    } else if replied_to.is_some() {
        let allowed = draft.body.get("allowed_mentions");
        let found = mentions::find(world, channel, message.author, "", allowed, replied_to);
        message.mentions = found.users;
    }
    if let Some(embeds) = draft.body.get("embeds") {
        message.embeds = embed::normalise(embeds, &file_url);
    }
    if let Some(components) = draft.body.get("components") {
        let media_id = world.new_id();
        message.components = Normaliser::new(&file_url, media_id).components(components);
    }
    // V2 can be switched on, but never off again.
    let settable = V2 | SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS;
    if draft.list("flags").is_some() {
        message.flags = message.flags & !SUPPRESS_EMBEDS | draft.flags() & settable;
    }
    message.tts = draft.body["tts"].as_bool().unwrap_or(message.tts);
    message.attachments = attachments;
    let v2 = message.flags & V2 != 0;
    let empty = message.content.is_empty()
        && message.embeds.is_empty()
        && message.attachments.is_empty()
        && (!v2 || message.components.is_empty());
    if empty {
        return Err(EMPTY_MESSAGE);
    }
    for (id, bytes) in files {
        world.files.insert(id, bytes);
        world.new_files.push(id);
    }
    Ok(())
}
