//! Messages are read, page by page.

use crate::api::error::{ApiError, NON_TEXT_CHANNEL};
use crate::permissions::READ_MESSAGE_HISTORY;
use crate::snowflake::Id;
use crate::world::World;
use crate::world::message::Message;

/// Which messages of a channel are asked for.
#[derive(Clone, Copy)]
pub(crate) enum Page {
    Latest,
    Before(Id),
    After(Id),
    Around(Id),
}

/// A page of messages, newest first. Without the permission to read the history there are none.
pub(crate) fn page(
    world: &World,
    viewer: Id,
    channel: Id,
    page: Page,
    limit: usize,
) -> Result<Vec<&Message>, ApiError> {
    let channel = world.channel(channel)?;
    world.require(viewer, channel, 0)?;
    if !channel.kind.has_messages() {
        return Err(NON_TEXT_CHANNEL);
    }
    if world.permissions(viewer, channel) & READ_MESSAGE_HISTORY == 0 {
        return Ok(Vec::new());
    }
    let Some(list) = world.messages.get(&channel.id) else {
        return Ok(Vec::new());
    };
    let public = |message: &&Message| message.ephemeral_to.is_none();
    let before = |id: Id, count: usize| {
        list.range(..id)
            .rev()
            .map(|(_, m)| m)
            .filter(public)
            .take(count)
    };
    let mut found: Vec<&Message> = match page {
        Page::Latest => list.values().rev().filter(public).take(limit).collect(),
        Page::Before(id) => before(id, limit).collect(),
        Page::After(id) => list
            .range(Id(id.0 + 1)..)
            .map(|(_, m)| m)
            .filter(public)
            .take(limit)
            .collect(),
        Page::Around(id) => {
            let half = limit / 2;
            let older = before(id, half);
            let newer = list
                .range(id..)
                .map(|(_, m)| m)
                .filter(public)
                .take(limit - half);
            older.chain(newer).collect()
        }
    };
    found.sort_by_key(|message| std::cmp::Reverse(message.id));
    Ok(found)
}
