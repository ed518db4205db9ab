//! Reactions are put under messages and taken away.

use serde_json::json;

use super::messages::visible;
use crate::api::error::{
    ApiError, SYSTEM_MESSAGE, THREAD_ARCHIVED, TOO_MANY_REACTIONS, UNKNOWN_EMOJI,
};
use crate::permissions::{ADD_REACTIONS, MANAGE_MESSAGES, READ_MESSAGE_HISTORY};
use crate::snowflake::Id;
use crate::world::World;
use crate::world::channel::Channel;
use crate::world::event;
use crate::world::message::{Emoji, Reaction, THREAD_STARTER};

/// An emoji from a path: the character itself, or `name:id` of a guild's own.
pub(crate) fn emoji(text: &str) -> Result<Emoji, ApiError> {
    if let Some((name, id)) = text.rsplit_once(':') {
        let id = id.parse().map_err(|()| UNKNOWN_EMOJI)?;
        return Ok(Emoji {
            id: Some(id),
            name: name.trim_start_matches("a:").to_owned(),
        });
    }
    // Without a list of all emoji: they are short, and no letters, as names in colons would be.
    let length = text.chars().count();
    let keycap = text.ends_with('\u{20e3}');
    let plain = text
        .chars()
        .any(|c| c.is_alphabetic() && c.is_ascii() || c.is_ascii_digit());
    if length == 0 || length > 16 || text.is_ascii() || (plain && !keycap) {
        return Err(UNKNOWN_EMOJI);
    }
    Ok(Emoji {
        id: None,
        name: text.to_owned(),
    })
}

fn check_open(channel: &Channel) -> Result<(), ApiError> {
    if channel
        .thread
        .as_ref()
        .is_some_and(|thread| thread.archived)
    {
        return Err(THREAD_ARCHIVED);
    }
    Ok(())
}

fn tell(world: &mut World, channel: &Channel, message: Id, user: Id, emoji: &Emoji, added: bool) {
    let mut data = json!({
        "user_id": user, "channel_id": channel.id, "message_id": message,
        "emoji": emoji.render(), "burst": false, "type": 0,
    });
    if let Some(guild) = channel.guild {
        data["guild_id"] = json!(guild);
    }
    let name = if added {
        "MESSAGE_REACTION_ADD"
    } else {
        "MESSAGE_REACTION_REMOVE"
    };
    if added {
        if let Some(member) = channel
            .guild
            .and_then(|guild| world.member(guild, user).ok())
        {
            data["member"] = world.render_member(member);
        }
        if let Ok(message) = world.message(channel.id, message) {
            data["message_author_id"] = json!(message.author);
        }
    }
    world.tell_channel(channel, event::reactions(name), data, None);
}

/// Puts a reaction under a message. A first one of its kind needs a permission.
pub(crate) fn add(
    world: &mut World,
    actor: Id,
    channel: Id,
    message: Id,
    emoji: &Emoji,
) -> Result<(), ApiError> {
    let (channel, found) = visible(world, actor, channel, message)?;
    world.require(actor, &channel, READ_MESSAGE_HISTORY)?;
    check_open(&channel)?;
    if emoji.id.is_some() {
        // No guild here has emoji of its own.
        return Err(UNKNOWN_EMOJI);
    }
    if found.kind == THREAD_STARTER {
        return Err(SYSTEM_MESSAGE);
    }
    let known = found
        .reactions
        .iter()
        .any(|reaction| reaction.emoji == *emoji);
    if !known {
        world.require(actor, &channel, ADD_REACTIONS)?;
        if found.reactions.len() >= 20 {
            return Err(TOO_MANY_REACTIONS);
        }
    }
    let list = &mut world.message_mut(channel.id, message)?.reactions;
    if !known {
        list.push(Reaction {
            emoji: emoji.clone(),
            users: Vec::new(),
        });
    }
    let Some(reaction) = list.iter_mut().find(|reaction| reaction.emoji == *emoji) else {
        return Ok(());
    };
    if !reaction.users.contains(&actor) {
        reaction.users.push(actor);
        tell(world, &channel, message, actor, emoji, true);
    }
    Ok(())
}

/// Takes a reaction away: one's own, or as a moderator another's.
pub(crate) fn remove(
    world: &mut World,
    actor: Id,
    channel: Id,
    message: Id,
    emoji: &Emoji,
    user: Id,
) -> Result<(), ApiError> {
    let (channel, _) = visible(world, actor, channel, message)?;
    check_open(&channel)?;
    if user != actor {
        world.require(actor, &channel, MANAGE_MESSAGES)?;
    }
    let list = &mut world.message_mut(channel.id, message)?.reactions;
    let Some(reaction) = list.iter_mut().find(|reaction| reaction.emoji == *emoji) else {
        return Err(UNKNOWN_EMOJI);
    };
    let before = reaction.users.len();
    reaction.users.retain(|known| *known != user);
    let removed = reaction.users.len() != before;
    list.retain(|reaction| !reaction.users.is_empty());
    if removed {
        tell(world, &channel, message, user, emoji, false);
    }
    Ok(())
}

/// Takes all reactions away, or all with one emoji.
pub(crate) fn clear(
    world: &mut World,
    actor: Id,
    channel: Id,
    message: Id,
    emoji: Option<&Emoji>,
) -> Result<(), ApiError> {
    let (channel, _) = visible(world, actor, channel, message)?;
    check_open(&channel)?;
    world.require(actor, &channel, MANAGE_MESSAGES)?;
    let list = &mut world.message_mut(channel.id, message)?.reactions;
    list.retain(|reaction| emoji.is_some_and(|emoji| reaction.emoji != *emoji));
    let mut data = json!({"channel_id": channel.id, "message_id": message});
    if let Some(guild) = channel.guild {
        data["guild_id"] = json!(guild);
    }
    let name = match emoji {
        Some(emoji) => {
            data["emoji"] = emoji.render();
            "MESSAGE_REACTION_REMOVE_EMOJI"
        }
        None => "MESSAGE_REACTION_REMOVE_ALL",
    };
    world.tell_channel(&channel, event::reactions(name), data, None);
    Ok(())
}
