//! Messages are pinned and unpinned.

use serde_json::json;

use super::delivery::{deliver, tell_update};
use super::messages::{check_open, visible};
use crate::api::error::{ApiError, SYSTEM_MESSAGE, TOO_MANY_PINS};
use crate::permissions::PIN_MESSAGES;
use crate::snowflake::{Id, now_ms, timestamp};
use crate::world::World;
use crate::world::event;
use crate::world::message::{Message, PINNED, Reference};

/// Pins or unpins a message.
pub(crate) fn pin(
    world: &mut World,
    actor: Id,
    channel: Id,
    id: Id,
    pinned: bool,
) -> Result<(), ApiError> {
    let (channel, message) = visible(world, actor, channel, id)?;
    world.require(actor, &channel, PIN_MESSAGES)?;
    check_open(&channel)?;
    if pinned && !message.is_by_a_user() {
        return Err(SYSTEM_MESSAGE);
    }
    if message.pinned_ms.is_some() == pinned {
        return Ok(());
    }
    let pins = world.messages.get(&channel.id).into_iter().flatten();
    if pinned
        && pins
            .filter(|(_, message)| message.pinned_ms.is_some())
            .count()
            >= 250
    {
        return Err(TOO_MANY_PINS);
    }
    let now = now_ms();
    world.message_mut(channel.id, id)?.pinned_ms = pinned.then_some(now);
    if pinned {
        world.channel_mut(channel.id)?.last_pin_ms = Some(now);
    }
    tell_update(world, channel.id, id);
    let mut data = json!({
        "channel_id": channel.id,
        "last_pin_timestamp": world.channel(channel.id)?.last_pin_ms.map(timestamp),
    });
    if let Some(guild) = channel.guild {
        data["guild_id"] = json!(guild);
    }
    world.tell_channel(&channel, event::channels("CHANNEL_PINS_UPDATE"), data, None);
    if pinned {
        let mut notice = Message::new(world.new_id(), channel.id, actor);
        notice.kind = PINNED;
        notice.reference = Some(Reference {
            channel: channel.id,
            message: Some(id),
            guild: channel.guild,
        });
        deliver(world, notice, None);
    }
    Ok(())
}
