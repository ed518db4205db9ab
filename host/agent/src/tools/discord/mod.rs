//! `discord`: the operator's six actions.

mod arguments;
mod mesh;
mod scope;

pub(crate) use mesh::OperatorGuilds;

use async_trait::async_trait;
use ostler_store::{BotThread, ChannelId, Origin, PersonId};
use serde_json::Value;

use self::arguments::Action;
use super::{Tool, ToolContext, ToolFailure};
use crate::channel::{MessageView, NewForumPost, NewThread, Post, Window};
use crate::gate::Permit;
use crate::model::ToolSpec;
use crate::turn::frame;

/// The tool.
pub(super) struct Discord;

#[async_trait]
impl Tool for Discord {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "discord".to_owned(),
            description:
                "Works in Discord: reads messages, finds members, opens threads and forum \
                          posts, lists a forum's posts, posts messages. Ids are strings of digits."
                    .to_owned(),
            input_schema: arguments::schema(),
        }
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        _permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let action = arguments::read(given)?;
        scope::check(context, &action).await?;
        let channel = context.channel;
        match action {
            Action::FetchMessages {
                channel_id,
                limit,
                before,
                after,
            } => {
                let window = match (&before, &after) {
                    (None, None) => Window::Newest,
                    (Some(before), None) => Window::Before(before),
                    (None, Some(after)) => Window::After(after),
                    (Some(_), Some(_)) => {
                        return Err(ToolFailure::new(
                            "invalid",
                            "give `before` or `after`, not both",
                        ));
                    }
                };
                let messages = channel.messages(&channel_id, window, limit.0).await?;
                Ok(listed(&messages, message_text, "There are no messages."))
            }
            Action::SearchMembers {
                guild_id,
                query,
                limit,
            } => {
                let members = channel.search_members(&guild_id, &query, limit.0).await?;
                let line = |member: &crate::channel::MemberView| {
                    let bot = if member.is_bot { ", a bot" } else { "" };
                    format!(
                        "{} ({}), id {}{bot}",
                        frame::name(&member.display_name),
                        frame::name(&member.username),
                        member.id
                    )
                };
                Ok(listed(&members, line, "Nobody was found."))
            }
            Action::CreateThread {
                channel_id,
                name,
                message_id,
                auto_archive_duration,
                message,
            } => {
                let thread = channel
                    .create_thread(&NewThread {
                        channel: channel_id.clone(),
                        name,
                        at: message_id,
                        auto_archive_minutes: auto_archive_duration.minutes(),
                    })
                    .await?;
                mark(context, &thread, &channel_id).await?;
                if let Some(message) = message {
                    let posted = channel.post(&post(context, thread.clone(), message)).await;
                    if let Err(error) = posted {
                        // Without its id, another try would open a second one.
                        return Err(ToolFailure::new(
                            error.code(),
                            format!("thread {thread} was opened, but not its message: {error}"),
                        ));
                    }
                }
                Ok(format!("Opened thread {thread}."))
            }
            Action::CreateForumPost {
                channel_id,
                name,
                message,
                applied_tags,
            } => {
                let thread = channel
                    .create_forum_post(&NewForumPost {
                        channel: channel_id.clone(),
                        name,
                        message,
                        tags: applied_tags,
                    })
                    .await?;
                mark(context, &thread, &channel_id).await?;
                Ok(format!("Opened the forum post {thread}."))
            }
            Action::ListForumPosts { channel_id, limit } => {
                let posts = channel.forum_posts(&channel_id, limit.0).await?;
                let line = |post: &crate::channel::ThreadView| {
                    let archived = if post.is_archived { ", archived" } else { "" };
                    let name = frame::quote(&post.name);
                    format!("Post {}{archived}:\n{name}", post.id)
                };
                Ok(listed(&posts, line, "There are no posts."))
            }
            Action::PostMessage {
                channel_id,
                content,
            } => {
                let message = channel.post(&post(context, channel_id, content)).await?;
                Ok(format!("Posted as message {message}."))
            }
        }
    }
}

fn listed<T>(items: &[T], line: impl Fn(&T) -> String, none: &str) -> String {
    if items.is_empty() {
        return none.to_owned();
    }
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A message of somebody's: quoted, whoever wrote it.
fn message_text(message: &MessageView) -> String {
    let bot = if message.is_bot { " (bot)" } else { "" };
    let files: String = message
        .attachments
        .iter()
        .map(|file| format!("\n[File {}: not shown]", frame::name(file)))
        .collect();
    format!(
        "[Message {} by {}{bot}, id {}, at {}]\n{}{files}",
        message.id,
        frame::name(&message.author_name),
        message.author,
        time(message.sent_at),
        frame::quote(&message.content),
    )
}

/// RFC 3339, in seconds and UTC.
fn time(milliseconds: i64) -> String {
    time::OffsetDateTime::from_unix_timestamp(milliseconds.div_euclid(1_000))
        .ok()
        .and_then(|at| {
            at.format(&time::format_description::well_known::Rfc3339)
                .ok()
        })
        .unwrap_or_else(|| "an unknown time".to_owned())
}

/// A post under a nonce of its own: the row's first and the call's number.
fn post(context: &ToolContext<'_>, channel: ChannelId, content: String) -> Post {
    let row = hex::encode(&context.row.id.as_bytes()[6..]);
    Post::text(channel, content, format!("t{row}{:03}", context.number))
}

/// Marks a thread as the bot's, so that people may answer in it without a mention.
async fn mark(
    context: &ToolContext<'_>,
    thread: &ChannelId,
    parent: &ChannelId,
) -> Result<(), ToolFailure> {
    let created_by = match &context.row.origin {
        Origin::Person { id } => id.to_string(),
        Origin::Plugin { id } => format!("plugin:{id}"),
        Origin::Peer { principal } => format!("peer:{principal}"),
        Origin::Schedule { created_by } => created_by.clone(),
        Origin::System => "system".to_owned(),
    };
    let services = context.services;
    services
        .store
        .mark_bot_thread(
            &services.profile,
            BotThread {
                thread: thread.clone(),
                parent: Some(parent.clone()),
                created_by,
            },
            Some(context.row.id),
            services.clock.now(),
        )
        .await?;
    Ok(())
}

/// The person that a turn is for, if it is a person's.
fn asker(context: &ToolContext<'_>) -> Option<PersonId> {
    match &context.row.origin {
        Origin::Person { id } => Some(id.clone()),
        _ => None,
    }
}
