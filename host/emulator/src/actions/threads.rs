//! Threads are started, posted in forums, joined, archived, locked.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::compose::{Draft, Upload, fill};
use super::delivery::{deliver, tell_update};
use super::messages::visible;
use crate::api::error::{
    ApiError, DIRECT_MESSAGE_CHANNEL, MISSING_PERMISSIONS, SYSTEM_MESSAGE, THREAD_ARCHIVED,
    THREAD_EXISTS, UNKNOWN_CHANNEL, UNKNOWN_MEMBER, WRONG_CHANNEL_TYPE,
};
use crate::forms::channel::{FORUM_POST, THREAD, THREAD_FROM_MESSAGE, UPDATE_THREAD};
use crate::forms::form::{self, Errors, bits_of, ids_in, text_in};
use crate::forms::message::{Form, HAS_THREAD, check_into};
use crate::permissions::{
    ATTACH_FILES, CREATE_PRIVATE_THREADS, CREATE_PUBLIC_THREADS, EMBED_LINKS, MANAGE_THREADS,
    READ_MESSAGE_HISTORY, SEND_MESSAGES, SEND_MESSAGES_IN_THREADS,
};
use crate::snowflake::{Id, now_ms};
use crate::world::World;
use crate::world::channel::{Channel, Kind, Thread};
use crate::world::event::{self, intent};
use crate::world::message::{Message, Reference, THREAD_CREATED, THREAD_STARTER};

/// A forum that requires a tag on each post (flag `REQUIRE_TAG`).
const REQUIRE_TAG: u64 = 1 << 4;
/// A post that stays on top of its forum.
const POST_PINNED: u64 = 1 << 1;

fn new_thread(parent: &Channel, id: Id, kind: Kind, owner: Id, body: &Value) -> Channel {
    let name = text_in(body, "name").unwrap_or_default().to_owned();
    let mut thread = Channel::new(id, kind, parent.guild, name);
    let now = now_ms();
    let asked = body.get("auto_archive_duration").and_then(Value::as_u64);
    thread.parent = Some(parent.id);
    thread.slowmode = body
        .get("rate_limit_per_user")
        .and_then(Value::as_u64)
        .unwrap_or(parent.thread_slowmode);
    thread.thread = Some(Thread {
        owner,
        archived: false,
        archived_ms: now,
        auto_archive: asked.or(parent.auto_archive).unwrap_or(1440),
        locked: false,
        invitable: body["invitable"].as_bool().unwrap_or(true),
        created_ms: now,
        active_ms: now,
        message_count: 0,
        total_sent: 0,
        members: BTreeMap::from([(owner, now)]),
        tags: Vec::new(),
    });
    thread
}

/// Puts a finished thread into the world and tells of it.
fn announce(world: &mut World, thread: &Channel) {
    let mut data = thread.render_in(world, None);
    data["newly_created"] = json!(true);
    world.channels.insert(thread.id, thread.clone());
    world.tell_channel(thread, event::channels("THREAD_CREATE"), data, None);
}

fn parent_for_threads(world: &World, actor: Id, parent: Id) -> Result<Channel, ApiError> {
    let parent = world.channel(parent)?.clone();
    world.require(actor, &parent, 0)?;
    if parent.guild.is_none() {
        return Err(DIRECT_MESSAGE_CHANNEL);
    }
    Ok(parent)
}

/// Starts a thread from a message: it gets the message's id.
pub(crate) fn start_from_message(
    world: &mut World,
    actor: Id,
    parent: Id,
    message: Id,
    body: &Value,
) -> Result<Id, ApiError> {
    let parent = parent_for_threads(world, actor, parent)?;
    if !matches!(parent.kind, Kind::Text | Kind::Announcement) {
        return Err(WRONG_CHANNEL_TYPE);
    }
    form::check(body, THREAD_FROM_MESSAGE)?;
    world.require(actor, &parent, CREATE_PUBLIC_THREADS | READ_MESSAGE_HISTORY)?;
    let (_, starter) = visible(world, actor, parent.id, message)?;
    if world.channels.contains_key(&message) {
        return Err(THREAD_EXISTS);
    }
    if !starter.is_by_a_user() {
        return Err(SYSTEM_MESSAGE);
    }
    let announcement = parent.kind == Kind::Announcement;
    let kind = if announcement {
        Kind::AnnouncementThread
    } else {
        Kind::PublicThread
    };
    let thread = new_thread(&parent, message, kind, actor, body);
    announce(world, &thread);
    world.message_mut(parent.id, message)?.flags |= HAS_THREAD;
    tell_update(world, parent.id, message);
    let mut first = Message::new(world.new_id(), message, starter.author);
    first.kind = THREAD_STARTER;
    first.reference = Some(Reference {
        channel: parent.id,
        message: Some(message),
        guild: parent.guild,
    });
    deliver(world, first, None);
    Ok(message)
}

/// Starts a thread without a message, or a post in a forum. Gives the thread, and for a post also
/// its message.
pub(crate) fn start(
    world: &mut World,
    actor: Id,
    parent: Id,
    body: &Value,
    uploads: &[Upload],
) -> Result<Id, ApiError> {
    let parent = parent_for_threads(world, actor, parent)?;
    if parent.kind.is_forum() {
        return post(world, actor, &parent, body, uploads);
    }
    if !matches!(parent.kind, Kind::Text | Kind::Announcement) {
        return Err(WRONG_CHANNEL_TYPE);
    }
    form::check(body, THREAD)?;
    // Discord's default, from before it had public threads without a message, is private.
    let asked = body.get("type").and_then(Value::as_i64).unwrap_or(12);
    let (kind, wanted) = match (asked, parent.kind) {
        (10, Kind::Announcement) => (Kind::AnnouncementThread, CREATE_PUBLIC_THREADS),
        (11, Kind::Text) => (Kind::PublicThread, CREATE_PUBLIC_THREADS),
        (12, Kind::Text) => (Kind::PrivateThread, CREATE_PRIVATE_THREADS),
        _ => return Err(WRONG_CHANNEL_TYPE),
    };
    world.require(actor, &parent, wanted)?;
    let id = world.new_id();
    let thread = new_thread(&parent, id, kind, actor, body);
    let name = thread.name.clone();
    announce(world, &thread);
    if kind != Kind::PrivateThread {
        let mut notice = Message::new(world.new_id(), parent.id, actor);
        notice.kind = THREAD_CREATED;
        notice.content = name;
        notice.reference = Some(Reference {
            channel: id,
            message: None,
            guild: parent.guild,
        });
        deliver(world, notice, None);
    }
    Ok(id)
}

fn check_tags(
    world: &World,
    actor: Id,
    forum: &Channel,
    tags: &[Id],
    thread: Option<&Channel>,
) -> Result<(), ApiError> {
    let moderates = world.permissions(actor, forum) & MANAGE_THREADS != 0;
    for tag in tags {
        let Some(known) = forum.tags.iter().find(|known| known.id == *tag) else {
            return Err(ApiError::field(
                "applied_tags",
                "INVALID_TAG",
                "Unknown tag",
            ));
        };
        let had = thread.and_then(|thread| thread.thread.as_ref());
        let had = had.is_some_and(|thread| thread.tags.contains(tag));
        if known.moderated && !moderates && !had {
            return Err(MISSING_PERMISSIONS);
        }
    }
    if forum.flags & REQUIRE_TAG != 0 && tags.is_empty() && !moderates {
        return Err(ApiError {
            status: 400,
            code: 40067,
            message: "A tag is required to create a forum post in this channel".into(),
            errors: None,
        });
    }
    Ok(())
}

/// A post in a forum: a thread and its first message, with one id.
fn post(
    world: &mut World,
    actor: Id,
    forum: &Channel,
    body: &Value,
    uploads: &[Upload],
) -> Result<Id, ApiError> {
    form::check(body, FORUM_POST)?;
    let starter = &body["message"];
    let mut errors = Errors::default();
    errors.within("message", |errors| {
        check_into(starter, Form::Starter, false, errors);
    });
    errors.finish()?;
    let draft = Draft {
        body: starter,
        uploads,
    };
    let mut wanted = SEND_MESSAGES;
    if draft.has_embeds() {
        wanted |= EMBED_LINKS;
    }
    if !uploads.is_empty() {
        wanted |= ATTACH_FILES;
    }
    world.require(actor, forum, wanted)?;
    let tags = ids_in(body, "applied_tags");
    check_tags(world, actor, forum, &tags, None)?;
    let id = world.new_id();
    let mut thread = new_thread(forum, id, Kind::PublicThread, actor, body);
    if let Some(inner) = &mut thread.thread {
        inner.tags = tags;
    }
    // Composed against the forum: the thread is not there before its message is right.
    let mut message = Message::new(id, id, actor);
    fill(world, forum, &mut message, &draft, None)?;
    announce(world, &thread);
    if let Ok(forum) = world.channel_mut(forum.id) {
        forum.last_message = Some(id);
    }
    deliver(world, message, None);
    Ok(id)
}

/// Counts a message in its thread, and takes its author in.
pub(crate) fn count_message(world: &mut World, message: &Message) {
    let is_first = message.id == message.channel;
    let Ok(channel) = world.channel_mut(message.channel) else {
        return;
    };
    let Some(thread) = &mut channel.thread else {
        return;
    };
    thread.active_ms = now_ms();
    if message.is_by_a_user() {
        if !is_first {
            thread.message_count += 1;
            thread.total_sent += 1;
        }
        thread.members.entry(message.author).or_insert_with(now_ms);
    }
}

fn tell_thread(world: &mut World, thread: Id) {
    let Ok(thread) = world.channel(thread).cloned() else {
        return;
    };
    let data = thread.render_in(world, None);
    world.tell_channel(&thread, event::channels("THREAD_UPDATE"), data, None);
}

/// A message in an archived thread opens it again.
pub(crate) fn reopen(world: &mut World, thread: Id) {
    let Ok(channel) = world.channel_mut(thread) else {
        return;
    };
    if let Some(inner) = &mut channel.thread
        && inner.archived
    {
        inner.archived = false;
        inner.archived_ms = now_ms();
        inner.active_ms = now_ms();
        tell_thread(world, thread);
    }
}

/// Archives the threads in which nothing happened for as long as they say.
pub(crate) fn archive_idle(world: &mut World) -> bool {
    let now = now_ms();
    let mut idle = Vec::new();
    for channel in world.channels.values_mut() {
        if let Some(thread) = &mut channel.thread
            && !thread.archived
            && now > thread.active_ms + thread.auto_archive * 60_000
        {
            thread.archived = true;
            thread.archived_ms = now;
            idle.push(channel.id);
        }
    }
    for thread in &idle {
        tell_thread(world, *thread);
    }
    !idle.is_empty()
}

/// Changes a thread. Its owner may name, tag, archive it; moderators may also lock it.
pub(crate) fn update(world: &mut World, actor: Id, id: Id, body: &Value) -> Result<(), ApiError> {
    let channel = world.channel(id)?.clone();
    world.require(actor, &channel, 0)?;
    form::check(body, UPDATE_THREAD)?;
    let Some(thread) = &channel.thread else {
        return Err(UNKNOWN_CHANNEL);
    };
    let bits = world.permissions(actor, &channel);
    let moderates = bits & MANAGE_THREADS != 0;
    let owns = thread.owner == actor;
    let archived = body.get("archived").and_then(Value::as_bool);
    let locked = body.get("locked").and_then(Value::as_bool);
    let only_opens = archived == Some(false) && body.as_object().is_some_and(|b| b.len() == 1);
    if !moderates {
        let may_open = bits & SEND_MESSAGES_IN_THREADS != 0 && !thread.locked;
        let allowed = if only_opens {
            may_open
        } else {
            owns && locked.is_none()
        };
        if !allowed || (thread.locked && archived.is_some()) {
            return Err(MISSING_PERMISSIONS);
        }
    }
    // Whoever changes an archived thread opens it first, or in the same request.
    if thread.archived && archived != Some(false) && (locked.is_none() || !moderates) {
        return Err(THREAD_ARCHIVED);
    }
    let tags = body.get("applied_tags").filter(|tags| tags.is_array());
    let tags = tags.map(|_| ids_in(body, "applied_tags"));
    if let Some(tags) = &tags {
        let parent = channel.parent.ok_or(UNKNOWN_CHANNEL)?;
        let forum = world.channel(parent)?;
        if !forum.kind.is_forum() {
            return Err(WRONG_CHANNEL_TYPE);
        }
        check_tags(world, actor, forum, tags, Some(&channel))?;
    }
    let changed = world.channel_mut(id)?;
    if let Some(name) = text_in(body, "name") {
        name.clone_into(&mut changed.name);
    }
    if let Some(seconds) = body.get("rate_limit_per_user").and_then(Value::as_u64) {
        changed.slowmode = seconds;
    }
    if let Some(flags) = body.get("flags").and_then(bits_of) {
        changed.flags = flags & POST_PINNED;
    }
    if let Some(inner) = &mut changed.thread {
        if let Some(archived) = archived
            && archived != inner.archived
        {
            inner.archived = archived;
            inner.archived_ms = now_ms();
            inner.active_ms = now_ms();
        }
        inner.locked = locked.unwrap_or(inner.locked);
        inner.invitable = body["invitable"].as_bool().unwrap_or(inner.invitable);
        let minutes = body.get("auto_archive_duration").and_then(Value::as_u64);
        inner.auto_archive = minutes.unwrap_or(inner.auto_archive);
        inner.tags = tags.unwrap_or_else(|| inner.tags.clone());
    }
    tell_thread(world, id);
    Ok(())
}

/// Takes a user into a thread, or out of it.
pub(crate) fn set_member(
    world: &mut World,
    actor: Id,
    thread: Id,
    user: Id,
    present: bool,
) -> Result<(), ApiError> {
    let channel = world.channel(thread)?.clone();
    world.require(actor, &channel, 0)?;
    let Some(inner) = &channel.thread else {
        return Err(WRONG_CHANNEL_TYPE);
    };
    if inner.archived {
        return Err(THREAD_ARCHIVED);
    }
    if actor != user {
        let private_owner = channel.kind == Kind::PrivateThread && inner.owner == actor;
        let bits = world.permissions(actor, &channel);
        let needed = if present {
            SEND_MESSAGES_IN_THREADS
        } else {
            MANAGE_THREADS
        };
        if bits & needed == 0 && !private_owner {
            return Err(MISSING_PERMISSIONS);
        }
        if let Some(guild) = channel.guild {
            world.member(guild, user)?;
        }
    }
    let Some(inner) = &mut world.channel_mut(thread)?.thread else {
        return Ok(());
    };
    let changed = if present {
        inner.members.insert(user, now_ms()).is_none()
    } else {
        inner.members.remove(&user).is_some()
    };
    if !changed {
        return if present { Ok(()) } else { Err(UNKNOWN_MEMBER) };
    }
    let count = inner.members.len().min(50);
    let after = world.channel(thread)?.clone();
    let added: Vec<Value> = after.render_thread_member(user).into_iter().collect();
    let mut data = json!({"id": thread, "guild_id": channel.guild, "member_count": count});
    if present {
        data["added_members"] = json!(added);
    } else {
        data["removed_member_ids"] = json!([user]);
    }
    if present
        && world
            .users
            .get(&user)
            .is_some_and(|user| user.token.is_some())
    {
        // A bot that is taken in learns of the thread.
        let created = after.render_in(world, Some(user));
        world.tell_bot(user, after.guild, "THREAD_CREATE", intent::GUILDS, created);
    }
    world.tell_channel(&after, event::channels("THREAD_MEMBERS_UPDATE"), data, None);
    Ok(())
}
