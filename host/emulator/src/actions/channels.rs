//! Channels of guilds are made, changed and deleted.

use serde_json::{Value, json};

use crate::api::error::{
    ApiError, DIRECT_MESSAGE_CHANNEL, MISSING_PERMISSIONS, TOO_MANY_CHANNELS, UNKNOWN_OVERWRITE,
    WRONG_CHANNEL_TYPE,
};
use crate::forms::channel::{CREATE, OVERWRITE, UPDATE};
use crate::forms::form::{self, bits_of, id_of, text_in};
use crate::permissions::{ALL, MANAGE_CHANNELS, MANAGE_ROLES, MANAGE_THREADS, VIEW_CHANNEL};
use crate::snowflake::Id;
use crate::world::World;
use crate::world::access::in_guild;
use crate::world::channel::{Channel, Kind, Overwrite, Tag};
use crate::world::event::{self, Topic};

/// The name as Discord writes it in text channels: small, with dashes.
fn channel_name(kind: Kind, name: &str) -> String {
    if matches!(kind, Kind::Voice | Kind::Category | Kind::Stage) {
        return name.to_owned();
    }
    let lowered = name.trim().to_lowercase();
    let dashed: Vec<&str> = lowered.split_whitespace().collect();
    dashed.join("-")
}

fn overwrite(world: &World, guild: Id, id: Id, body: &Value) -> Overwrite {
    let member = match body.get("type").and_then(Value::as_i64) {
        Some(kind) => kind == 1,
        None => world.role(guild, id).is_err(),
    };
    let bits = |name: &str| body.get(name).and_then(bits_of).unwrap_or(0) & ALL;
    Overwrite {
        id,
        member,
        allow: bits("allow"),
        deny: bits("deny"),
    }
}

/// The overwrites of a body. Whoever sets them may hand out and take only what they have.
fn overwrites(
    world: &World,
    actor: Id,
    guild: Id,
    power: u64,
    body: &Value,
) -> Result<Option<Vec<Overwrite>>, ApiError> {
    let Some(list) = body.get("permission_overwrites").and_then(Value::as_array) else {
        return Ok(None);
    };
    let mut found: Vec<Overwrite> = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let id = entry.get("id").and_then(id_of).unwrap_or(Id(0));
        let overwrite = overwrite(world, guild, id, entry);
        let known = if overwrite.member {
            world.users.contains_key(&id)
        } else {
            world.role(guild, id).is_ok()
        };
        if !known {
            return Err(ApiError::field(
                &format!("permission_overwrites.{index}.id"),
                "INVALID_OVERWRITE_TARGET",
                "Unknown role or member",
            ));
        }
        check_overwrite(world, actor, guild, power, &overwrite)?;
        found.retain(|other| other.id != id);
        found.push(overwrite);
    }
    Ok(Some(found))
}

fn check_overwrite(
    world: &World,
    actor: Id,
    guild: Id,
    power: u64,
    overwrite: &Overwrite,
) -> Result<(), ApiError> {
    let guild = world.guild(guild)?;
    if in_guild(guild, actor) == ALL {
        return Ok(());
    }
    if (overwrite.allow | overwrite.deny) & !power != 0 {
        return Err(MISSING_PERMISSIONS);
    }
    Ok(())
}

fn tags(world: &mut World, body: &Value) -> Option<Vec<Tag>> {
    let list = body.get("available_tags")?.as_array()?;
    let tags = list.iter().map(|tag| Tag {
        id: tag
            .get("id")
            .and_then(id_of)
            .unwrap_or_else(|| world.ids.next()),
        name: text_in(tag, "name").unwrap_or_default().to_owned(),
        moderated: tag["moderated"].as_bool().unwrap_or(false),
        emoji_name: text_in(tag, "emoji_name").map(str::to_owned),
    });
    Some(tags.collect())
}

fn parent(world: &World, guild: Id, body: &Value) -> Result<Option<Id>, ApiError> {
    let Some(id) = body.get("parent_id").and_then(id_of) else {
        return Ok(None);
    };
    match world.channel(id) {
        Ok(parent) if parent.guild == Some(guild) && parent.kind == Kind::Category => Ok(Some(id)),
        Ok(_) => Err(ApiError::field(
            "parent_id",
            "CHANNEL_PARENT_INVALID_TYPE",
            "Not a category",
        )),
        Err(_) => Err(ApiError::field(
            "parent_id",
            "CHANNEL_PARENT_INVALID",
            "Category does not exist",
        )),
    }
}

/// Puts what a body names into a channel.
fn apply(channel: &mut Channel, body: &Value) {
    if let Some(name) = text_in(body, "name") {
        channel.name = channel_name(channel.kind, name);
    }
    if let Some(topic) = body.get("topic") {
        channel.topic = topic
            .as_str()
            .filter(|topic| !topic.is_empty())
            .map(str::to_owned);
    }
    let number = |name: &str| body.get(name).and_then(Value::as_u64);
    channel.nsfw = body["nsfw"].as_bool().unwrap_or(channel.nsfw);
    channel.position = number("position").unwrap_or(channel.position);
    channel.slowmode = number("rate_limit_per_user").unwrap_or(channel.slowmode);
    channel.thread_slowmode =
        number("default_thread_rate_limit_per_user").unwrap_or(channel.thread_slowmode);
    channel.auto_archive = number("default_auto_archive_duration").or(channel.auto_archive);
    channel.sort_order = number("default_sort_order").or(channel.sort_order);
    channel.layout = number("default_forum_layout").unwrap_or(channel.layout);
    channel.flags = number("flags").unwrap_or(channel.flags);
    if let Some(emoji) = body.get("default_reaction_emoji") {
        channel.default_reaction = match emoji.as_object() {
            Some(emoji) => json!({
                "emoji_id": emoji.get("emoji_id"), "emoji_name": emoji.get("emoji_name"),
            }),
            None => Value::Null,
        };
    }
}

fn check_tag_limits(kind: Kind, body: &Value) -> Result<(), ApiError> {
    let forum_only = ["available_tags", "default_reaction_emoji"];
    let used = forum_only
        .iter()
        .any(|name| body.get(name).is_some_and(|v| !v.is_null()));
    if used && !kind.is_forum() {
        return Err(WRONG_CHANNEL_TYPE);
    }
    Ok(())
}

/// Makes a channel in a guild.
pub(crate) fn create(
    world: &mut World,
    actor: Id,
    guild: Id,
    body: &Value,
) -> Result<Id, ApiError> {
    world.require_in_guild(actor, guild, MANAGE_CHANNELS)?;
    form::check(body, CREATE)?;
    let number = body.get("type").and_then(Value::as_i64).unwrap_or(0);
    let kind = Kind::from_number(number).unwrap_or(Kind::Text);
    check_tag_limits(kind, body)?;
    let power = in_guild(world.guild(guild)?, actor);
    let listed = overwrites(world, actor, guild, power, body)?;
    if listed.as_ref().is_some_and(|list| !list.is_empty()) {
        world.require_in_guild(actor, guild, MANAGE_ROLES)?;
    }
    let parent = parent(world, guild, body)?;
    if world.channels_of(guild).count() >= 500 {
        return Err(TOO_MANY_CHANNELS);
    }
    let position = world
        .channels_of(guild)
        .map(|channel| channel.position + 1)
        .max()
        .unwrap_or(0);
    let inherited = parent
        .and_then(|id| world.channel(id).ok())
        .map(|p| p.overwrites.clone());
    let id = world.new_id();
    let mut channel = Channel::new(id, kind, Some(guild), String::new());
    channel.position = position;
    channel.parent = parent;
    channel.overwrites = listed.or(inherited).unwrap_or_default();
    channel.tags = tags(world, body).unwrap_or_default();
    apply(&mut channel, body);
    let data = channel.render_in(world, None);
    world.channels.insert(id, channel.clone());
    world.tell_channel(&channel, event::channels("CHANNEL_CREATE"), data, None);
    Ok(id)
}

/// Changes a channel of a guild; threads have rules of their own.
pub(crate) fn update(world: &mut World, actor: Id, id: Id, body: &Value) -> Result<(), ApiError> {
    let channel = world.channel(id)?.clone();
    world.require(actor, &channel, 0)?;
    let Some(guild) = channel.guild else {
        return Err(DIRECT_MESSAGE_CHANNEL);
    };
    world.require(actor, &channel, MANAGE_CHANNELS)?;
    form::check(body, UPDATE)?;
    let kind = match body
        .get("type")
        .and_then(Value::as_i64)
        .and_then(Kind::from_number)
    {
        None => channel.kind,
        Some(kind) if kind == channel.kind => kind,
        // Discord changes only between text and announcements.
        Some(kind @ (Kind::Text | Kind::Announcement))
            if matches!(channel.kind, Kind::Text | Kind::Announcement) =>
        {
            kind
        }
        Some(_) => return Err(WRONG_CHANNEL_TYPE),
    };
    check_tag_limits(kind, body)?;
    let power = world.permissions(actor, &channel);
    let listed = overwrites(world, actor, guild, power, body)?;
    if listed.is_some() {
        world.require(actor, &channel, MANAGE_ROLES)?;
    }
    let moved = body.get("parent_id").is_some();
    let parent = parent(world, guild, body)?;
    let tags = tags(world, body);
    let changed = world.channel_mut(id)?;
    changed.kind = kind;
    if moved {
        changed.parent = parent;
    }
    changed.overwrites = listed.unwrap_or_else(|| changed.overwrites.clone());
    changed.tags = tags.unwrap_or_else(|| changed.tags.clone());
    apply(changed, body);
    tell_update(world, &channel, id);
    Ok(())
}

/// Tells of a change. Who saw the channel and does not any more hears that it is gone.
fn tell_update(world: &mut World, before: &Channel, id: Id) {
    let saw = world.viewers(before);
    let Ok(after) = world.channel(id).cloned() else {
        return;
    };
    let sees = world.viewers(&after);
    let data = after.render_in(world, None);
    let Topic {
        name,
        guild: intents,
        ..
    } = event::channels("CHANNEL_UPDATE");
    for bot in &sees {
        let name = if saw.contains(bot) {
            name
        } else {
            "CHANNEL_CREATE"
        };
        world.tell_bot(*bot, after.guild, name, intents, data.clone());
    }
    for bot in saw.iter().filter(|bot| !sees.contains(bot)) {
        world.tell_bot(*bot, after.guild, "CHANNEL_DELETE", intents, data.clone());
    }
}

/// Deletes a channel or a thread. Gives what it was.
pub(crate) fn delete(world: &mut World, actor: Id, id: Id) -> Result<Channel, ApiError> {
    let channel = world.channel(id)?.clone();
    world.require(actor, &channel, 0)?;
    if channel.guild.is_none() {
        // Closing direct messages deletes nothing.
        return Ok(channel);
    }
    let wanted = if channel.thread.is_some() {
        MANAGE_THREADS
    } else {
        MANAGE_CHANNELS
    };
    world.require(actor, &channel, wanted)?;
    remove(world, &channel);
    Ok(channel)
}

/// Takes a channel away, with its threads and messages.
pub(crate) fn remove(world: &mut World, channel: &Channel) {
    let threads: Vec<Channel> = world.threads_in(channel.id).cloned().collect();
    for thread in &threads {
        remove(world, thread);
    }
    let (name, data) = if channel.thread.is_some() {
        let data = json!({
            "id": channel.id, "guild_id": channel.guild, "parent_id": channel.parent,
            "type": u8::from(channel.kind),
        });
        ("THREAD_DELETE", data)
    } else {
        ("CHANNEL_DELETE", channel.render_in(world, None))
    };
    world.tell_channel(channel, event::channels(name), data, None);
    let children = world.channels.values();
    let children: Vec<Channel> = children
        .filter(|child| child.parent == Some(channel.id))
        .cloned()
        .collect();
    for child in &children {
        if let Ok(orphan) = world.channel_mut(child.id) {
            orphan.parent = None;
        }
        tell_update(world, child, child.id);
    }
    let messages = world.messages.remove(&channel.id).unwrap_or_default();
    for attachment in messages.values().flat_map(|message| &message.attachments) {
        world.files.remove(&attachment.id);
    }
    world.channels.remove(&channel.id);
}

/// Sets or removes one overwrite of a channel.
pub(crate) fn set_overwrite(
    world: &mut World,
    actor: Id,
    id: Id,
    target: Id,
    body: Option<&Value>,
) -> Result<(), ApiError> {
    let channel = world.channel(id)?.clone();
    world.require(actor, &channel, 0)?;
    let Some(guild) = channel.guild else {
        return Err(DIRECT_MESSAGE_CHANNEL);
    };
    if channel.thread.is_some() {
        return Err(WRONG_CHANNEL_TYPE);
    }
    world.require(actor, &channel, MANAGE_ROLES | VIEW_CHANNEL)?;
    let new = match body {
        Some(body) => {
            form::check(body, OVERWRITE)?;
            let new = overwrite(world, guild, target, body);
            let power = world.permissions(actor, &channel);
            check_overwrite(world, actor, guild, power, &new)?;
            let known = if new.member {
                world.member(guild, target).is_ok()
            } else {
                world.role(guild, target).is_ok()
            };
            if !known {
                return Err(UNKNOWN_OVERWRITE);
            }
            Some(new)
        }
        None if channel.overwrites.iter().all(|known| known.id != target) => {
            return Err(UNKNOWN_OVERWRITE);
        }
        None => None,
    };
    let list = &mut world.channel_mut(id)?.overwrites;
    list.retain(|known| known.id != target);
    list.extend(new);
    tell_update(world, &channel, id);
    Ok(())
}
