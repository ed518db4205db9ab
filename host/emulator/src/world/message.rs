//! Messages, their attachments and reactions.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::World;
use super::event::ContentRule;
use crate::snowflake::{Id, timestamp};

/// A plain message.
pub(crate) const DEFAULT: u8 = 0;
pub(crate) const PINNED: u8 = 6;
pub(crate) const THREAD_CREATED: u8 = 18;
pub(crate) const REPLY: u8 = 19;
pub(crate) const THREAD_STARTER: u8 = 21;

/// A file of a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Attachment {
    pub(crate) id: Id,
    pub(crate) filename: String,
    pub(crate) description: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) size: usize,
}

/// One emoji under a message and who chose it, first one first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reaction {
    pub(crate) emoji: Emoji,
    pub(crate) users: Vec<Id>,
}

/// An emoji: a guild's own has an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Emoji {
    pub(crate) id: Option<Id>,
    pub(crate) name: String,
}

impl Emoji {
    pub(crate) fn render(&self) -> Value {
        json!({"id": self.id, "name": self.name})
    }
}

/// Which message a reply, a pin or a starter message speaks of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reference {
    pub(crate) channel: Id,
    pub(crate) message: Option<Id>,
    pub(crate) guild: Option<Id>,
}

/// A message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) id: Id,
    pub(crate) channel: Id,
    pub(crate) author: Id,
    pub(crate) kind: u8,
    pub(crate) content: String,
    pub(crate) edited_ms: Option<u64>,
    pub(crate) mentions: Vec<Id>,
    pub(crate) mention_roles: Vec<Id>,
    pub(crate) mention_everyone: bool,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) embeds: Vec<Value>,
    pub(crate) components: Vec<Value>,
    pub(crate) flags: u64,
    pub(crate) pinned_ms: Option<u64>,
    pub(crate) tts: bool,
    pub(crate) reference: Option<Reference>,
    pub(crate) reactions: Vec<Reaction>,
    /// The application, for answers to interactions.
    pub(crate) application: Option<Id>,
    pub(crate) interaction: Value,
    /// The only person who sees it.
    pub(crate) ephemeral_to: Option<Id>,
}

impl Message {
    /// A message with nothing but its place.
    pub(crate) fn new(id: Id, channel: Id, author: Id) -> Self {
        Self {
            id,
            channel,
            author,
            kind: DEFAULT,
            content: String::new(),
            edited_ms: None,
            mentions: Vec::new(),
            mention_roles: Vec::new(),
            mention_everyone: false,
            attachments: Vec::new(),
            embeds: Vec::new(),
            components: Vec::new(),
            flags: 0,
            pinned_ms: None,
            tts: false,
            reference: None,
            reactions: Vec::new(),
            application: None,
            interaction: Value::Null,
            ephemeral_to: None,
        }
    }

    /// Whether people wrote it, rather than Discord.
    pub(crate) fn is_by_a_user(&self) -> bool {
        matches!(self.kind, DEFAULT | REPLY)
    }
}

impl World {
    pub(crate) fn content_rule(&self, message: &Message) -> ContentRule {
        ContentRule {
            author: message.author,
            mentions: message.mentions.clone(),
            direct: self
                .channels
                .get(&message.channel)
                .is_some_and(|c| c.guild.is_none()),
        }
    }

    /// The message as Discord shows it to `viewer`; without one, all of it.
    pub(crate) fn render_message(&self, message: &Message, viewer: Option<Id>) -> Value {
        let mut rendered = self.render_flat(message, viewer);
        if let Some(reference) = &message.reference {
            rendered["message_reference"] =
                json!({"type": 0, "channel_id": reference.channel, "guild_id": reference.guild});
            let fields = rendered["message_reference"].as_object_mut();
            if let (None, Some(fields)) = (reference.guild, fields) {
                fields.remove("guild_id");
            }
            if let Some(id) = reference.message {
                rendered["message_reference"]["message_id"] = json!(id);
            }
            if matches!(message.kind, REPLY | THREAD_STARTER) {
                let referenced = reference
                    .message
                    .and_then(|id| self.message(reference.channel, id).ok())
                    .map(|referenced| self.render_flat(referenced, viewer));
                rendered["referenced_message"] = json!(referenced);
            }
        }
        // A thread that was started from this message has its id.
        if let Some(thread) = self.channels.get(&message.id)
            && thread.parent == Some(message.channel)
        {
            rendered["thread"] = thread.render_in(self, viewer);
        }
        rendered
    }

    fn render_flat(&self, message: &Message, viewer: Option<Id>) -> Value {
        let user = |id: &Id| self.users.get(id).map(super::user::User::render);
        let author = user(&message.author).unwrap_or_else(|| deleted_user(message.author));
        let mut rendered = json!({
            "id": message.id,
            "type": message.kind,
            "channel_id": message.channel,
            "author": author,
            "content": message.content,
            "timestamp": timestamp(message.id.created_ms()),
            "edited_timestamp": message.edited_ms.map(timestamp),
            "tts": message.tts,
            "mention_everyone": message.mention_everyone,
            "mentions": message.mentions.iter().filter_map(user).collect::<Vec<_>>(),
            "mention_roles": message.mention_roles,
            "attachments": message
                .attachments
                .iter()
                .map(|attachment| self.render_attachment(message, attachment))
                .collect::<Vec<_>>(),
            "embeds": message.embeds,
            "components": message.components,
            "flags": message.flags,
            "pinned": message.pinned_ms.is_some(),
        });
        if !message.reactions.is_empty() {
            let reactions: Vec<Value> = message
                .reactions
                .iter()
                .map(|reaction| {
                    json!({
                        "emoji": reaction.emoji.render(),
                        "count": reaction.users.len(),
                        "count_details": {"burst": 0, "normal": reaction.users.len()},
                        "burst_colors": [],
                        "me_burst": false,
                        "me": viewer.is_some_and(|viewer| reaction.users.contains(&viewer)),
                    })
                })
                .collect();
            rendered["reactions"] = json!(reactions);
        }
        if let Some(application) = message.application {
            rendered["application_id"] = json!(application);
            rendered["webhook_id"] = json!(application);
        }
        if !message.interaction.is_null() {
            rendered["interaction_metadata"] = message.interaction.clone();
        }
        let rule = self.content_rule(message);
        let viewer = viewer.and_then(|viewer| self.users.get(&viewer));
        if viewer.is_some_and(|viewer| {
            viewer.bot && !viewer.privileged_intents && !rule.shows(viewer.id)
        }) {
            strip(&mut rendered);
        }
        rendered
    }

    /// Where an attachment can be downloaded.
    pub(crate) fn attachment_url(&self, channel: Id, attachment: &Attachment) -> String {
        let Attachment { id, filename, .. } = attachment;
        format!("{}/attachments/{channel}/{id}/{filename}", self.origin)
    }

    fn render_attachment(&self, message: &Message, attachment: &Attachment) -> Value {
        let url = self.attachment_url(message.channel, attachment);
        let mut rendered = json!({
            "id": attachment.id,
            "filename": attachment.filename,
            "size": attachment.size,
            "url": url,
            "proxy_url": url,
        });
        if let Some(description) = &attachment.description {
            rendered["description"] = json!(description);
        }
        if let Some(content_type) = &attachment.content_type {
            rendered["content_type"] = json!(content_type);
        }
        if message.ephemeral_to.is_some() {
            rendered["ephemeral"] = json!(true);
        }
        rendered
    }
}

/// Takes out what a bot without the message content intent does not get.
pub(crate) fn strip(message: &mut Value) {
    message["content"] = json!("");
    for name in ["embeds", "attachments", "components"] {
        message[name] = json!([]);
    }
    if message
        .get("referenced_message")
        .is_some_and(Value::is_object)
    {
        strip(&mut message["referenced_message"]);
    }
}

fn deleted_user(id: Id) -> Value {
    json!({
        "id": id, "username": "Deleted User", "avatar": null, "discriminator": "0000",
        "public_flags": 0, "flags": 0, "global_name": null, "primary_guild": null,
    })
}
