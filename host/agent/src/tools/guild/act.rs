//! `discord_act`: at most twenty changes to the server, in one card.
//!
//! The batch is checked whole before anybody is asked: one change that may not be made, and
//! nothing is asked or done. Changes to roles are not among them: an Administrator may give no
//! role above their own, which the bot could not know to refuse.

use async_trait::async_trait;
use ostler_store::{ChannelId, GuildId, MessageId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{Tool, ToolContext, ToolFailure, arguments};
use super::administered;
use crate::approvals::{Reason, ReasonBy, Subject};
use crate::authority::Tier;
use crate::channel::{NewChannelKind, ServerChange};
use crate::gate::{CallDigest, CardClass, Consent, Covered, Effect, Permit};
use crate::model::ToolSpec;
use crate::turn::{frame, prepare};

/// Changes in one call at most.
const CHANGES: usize = 20;

/// The tool.
pub(in crate::tools) struct Act;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Operation {
    CreateChannel {
        name: String,
        #[serde(default = "text")]
        kind: NewChannelKind,
        #[serde(default)]
        topic: Option<String>,
        #[serde(default)]
        parent_id: Option<ChannelId>,
    },
    EditChannel {
        channel_id: ChannelId,
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        topic: Option<String>,
    },
    DeleteChannel {
        channel_id: ChannelId,
    },
    PinMessage {
        channel_id: ChannelId,
        message_id: MessageId,
    },
    UnpinMessage {
        channel_id: ChannelId,
        message_id: MessageId,
    },
    DeleteMessage {
        channel_id: ChannelId,
        message_id: MessageId,
    },
}

fn text() -> NewChannelKind {
    NewChannelKind::Text
}

/// A change that may be made, with its sentence.
struct Checked {
    change: ServerChange,
    sentence: String,
}

#[async_trait]
impl Tool for Act {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "discord_act".to_owned(),
            description: "Changes this server: makes, edits and deletes channels, pins, unpins \
                          and deletes messages, at most 20 changes at once. They are shown to an \
                          Administrator first."
                .to_owned(),
            input_schema: schema(),
        }
    }

    async fn effect(
        &self,
        context: &ToolContext<'_>,
        given: &Value,
    ) -> Result<Option<Effect>, ToolFailure> {
        let checked = check(context, given).await?;
        let digest = digest(context, given)?;
        Ok(Some(Effect {
            subject: Subject::Changes {
                changes: checked.iter().map(|c| c.sentence.clone()).collect(),
            },
            sameness: format!("discord_act {digest}"),
            digest,
            consent: Consent::Asked(vec![Reason {
                by: ReasonBy::Host,
                text: "It changes this server for everybody in it.".to_owned(),
            }]),
            floor: None,
            card: CardClass::Tool {
                needs: Tier::Administrator,
            },
            is_for_owner: false,
        }))
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let permit =
            permit.ok_or_else(|| ToolFailure::new("denied", "nothing changes without leave"))?;
        let checked = check(context, &given).await?;
        let begun = permit.begin(&digest(context, &given)?).await?;
        let reason = format!("asked for by {}", prepare::author_name(context.row));
        let mut done = Vec::new();
        for Checked { change, sentence } in checked {
            match context.channel.change(&change, &reason).await {
                Ok(None) => done.push(format!("Done: {sentence}")),
                Ok(Some(id)) => done.push(format!("Done: {sentence} Its id is {id}.")),
                Err(error) => {
                    begun.end(false).await;
                    done.push(format!(
                        "Failed ({}): {sentence} {error}. What would have followed was not done.",
                        error.code()
                    ));
                    return Err(ToolFailure::new(error.code(), done.join("\n")));
                }
            }
        }
        begun.end(true).await;
        Ok(done.join("\n"))
    }
}

fn digest(context: &ToolContext<'_>, given: &Value) -> Result<CallDigest, ToolFailure> {
    CallDigest::of(&Covered {
        tool: "discord_act",
        arguments: given,
        folder: None,
        environment: Vec::new(),
        scripts: Default::default(),
        before: context.row.route.guild.as_ref().map(ToString::to_string),
    })
    .map_err(|error| ToolFailure::new("invalid", error.to_string()))
}

/// Checks the asker, then each change, against the server as it is now.
async fn check(context: &ToolContext<'_>, given: &Value) -> Result<Vec<Checked>, ToolFailure> {
    let guild = administered(context).await?;
    let Arguments { operations } = arguments(given.clone())?;
    if operations.is_empty() || operations.len() > CHANGES {
        return Err(ToolFailure::new(
            "invalid",
            format!("give 1 to {CHANGES} operations"),
        ));
    }
    let mut checked = Vec::new();
    for (number, operation) in operations.into_iter().enumerate() {
        let one = one(context, &guild, operation).await.map_err(|failure| {
            ToolFailure::new(
                &failure.code,
                format!(
                    "operation {}: {} Nothing was asked or done.",
                    number + 1,
                    failure.message
                ),
            )
        })?;
        checked.push(one);
    }
    Ok(checked)
}

async fn one(
    context: &ToolContext<'_>,
    guild: &GuildId,
    operation: Operation,
) -> Result<Checked, ToolFailure> {
    Ok(match operation {
        Operation::CreateChannel {
            name,
            kind,
            topic,
            parent_id,
        } => {
            named(&name)?;
            let parent = match &parent_id {
                Some(parent) => format!(" in {}", known(context, guild, parent).await?),
                None => String::new(),
            };
            let what = match kind {
                NewChannelKind::Text => "text channel",
                NewChannelKind::Category => "category",
                NewChannelKind::Forum => "forum",
            };
            Checked {
                sentence: format!("Make the {what} \"{name}\"{parent}."),
                change: ServerChange::CreateChannel {
                    guild: guild.clone(),
                    name,
                    kind,
                    topic,
                    parent: parent_id,
                },
            }
        }
        Operation::EditChannel {
            channel_id,
            name,
            topic,
        } => {
            let shown = known(context, guild, &channel_id).await?;
            let mut sentence = format!("Change {shown}:");
            match (&name, &topic) {
                (None, None) => return Err(ToolFailure::new("invalid", "nothing would change.")),
                (name, topic) => {
                    if let Some(name) = name {
                        named(name)?;
                        sentence.push_str(&format!(" name it \"{name}\"."));
                    }
                    if let Some(topic) = topic {
                        sentence.push_str(&format!(" Set its topic to \"{topic}\"."));
                    }
                }
            }
            Checked {
                sentence,
                change: ServerChange::EditChannel {
                    channel: channel_id,
                    name,
                    topic,
                },
            }
        }
        Operation::DeleteChannel { channel_id } => {
            let shown = known(context, guild, &channel_id).await?;
            Checked {
                sentence: format!("Delete {shown} with all that was written in it."),
                change: ServerChange::DeleteChannel {
                    channel: channel_id,
                },
            }
        }
        Operation::PinMessage {
            channel_id,
            message_id,
        } => Checked {
            sentence: message(context, guild, "Pin", &channel_id, &message_id).await?,
            change: ServerChange::PinMessage {
                channel: channel_id,
                message: message_id,
            },
        },
        Operation::UnpinMessage {
            channel_id,
            message_id,
        } => Checked {
            sentence: message(context, guild, "Unpin", &channel_id, &message_id).await?,
            change: ServerChange::UnpinMessage {
                channel: channel_id,
                message: message_id,
            },
        },
        Operation::DeleteMessage {
            channel_id,
            message_id,
        } => Checked {
            sentence: message(context, guild, "Delete", &channel_id, &message_id).await?,
            change: ServerChange::DeleteMessage {
                channel: channel_id,
                message: message_id,
            },
        },
    })
}

async fn message(
    context: &ToolContext<'_>,
    guild: &GuildId,
    verb: &str,
    channel: &ChannelId,
    message: &MessageId,
) -> Result<String, ToolFailure> {
    let shown = known(context, guild, channel).await?;
    Ok(format!("{verb} message {message} in {shown}."))
}

/// A channel of this server, as a card names it. One of another server is none of this turn's.
async fn known(
    context: &ToolContext<'_>,
    guild: &GuildId,
    channel: &ChannelId,
) -> Result<String, ToolFailure> {
    match context.channel.channel(channel).await? {
        Some(facts) if facts.guild.as_ref() == Some(guild) => {
            Ok(format!("#{} (id {channel})", frame::name(&facts.name)))
        }
        Some(_) | None => Err(ToolFailure::new(
            "out-of-scope",
            format!("there is no channel {channel} on this server that I can see."),
        )),
    }
}

fn named(name: &str) -> Result<(), ToolFailure> {
    let length = name.chars().count();
    if (1..=100).contains(&length) && !name.trim().is_empty() {
        Ok(())
    } else {
        Err(ToolFailure::new(
            "invalid",
            "a channel's name has 1 to 100 characters.",
        ))
    }
}

fn schema() -> Value {
    let id = json!({"type": "string", "pattern": "^[0-9]{1,20}$"});
    let of_message = |verb: &str| {
        json!({
            "type": "object",
            "properties": {"do": {"const": verb}, "channel_id": id, "message_id": id},
            "required": ["do", "channel_id", "message_id"],
            "additionalProperties": false
        })
    };
    let name = json!({"type": "string", "minLength": 1, "maxLength": 100});
    let topic = json!({"type": "string", "maxLength": 1024});
    json!({
        "type": "object",
        "properties": {
            "operations": {
                "type": "array", "minItems": 1, "maxItems": CHANGES,
                "items": {"oneOf": [
                    {
                        "type": "object",
                        "properties": {
                            "do": {"const": "create_channel"}, "name": name,
                            "kind": {"enum": ["text", "category", "forum"]},
                            "topic": topic, "parent_id": id
                        },
                        "required": ["do", "name"],
                        "additionalProperties": false
                    },
                    {
                        "type": "object",
                        "properties": {
                            "do": {"const": "edit_channel"}, "channel_id": id,
                            "name": name, "topic": topic
                        },
                        "required": ["do", "channel_id"],
                        "additionalProperties": false
                    },
                    {
                        "type": "object",
                        "properties": {"do": {"const": "delete_channel"}, "channel_id": id},
                        "required": ["do", "channel_id"],
                        "additionalProperties": false
                    },
                    of_message("pin_message"),
                    of_message("unpin_message"),
                    of_message("delete_message")
                ]}
            }
        },
        "required": ["operations"],
        "additionalProperties": false
    })
}
