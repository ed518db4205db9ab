//! Channels themselves: what they are, their overwrites, and typing in them.

use super::call::{Call, Reply, id};
use super::error::{ApiError, NOT_FOUND};
use crate::actions::{channels, messages, threads};
use crate::state::AppState;

pub(super) fn route(state: &AppState, call: &Call<'_>) -> Result<Reply, ApiError> {
    let actor = call.actor;
    let channel = id(call.path.get(1).copied().unwrap_or_default(), "channel_id")?;
    match (call.method, call.path.get(2..).unwrap_or_default()) {
        ("GET", []) => state.read(|world| {
            let found = world.channel(channel)?;
            world.require(actor, found, 0)?;
            Ok(Reply::ok(found.render_in(world, Some(actor))))
        }),
        ("PATCH", []) => state.change(|world| {
            if world.channel(channel)?.thread.is_some() {
                threads::update(world, actor, channel, call.body())?;
            } else {
                channels::update(world, actor, channel, call.body())?;
            }
            Ok(Reply::ok(
                world.channel(channel)?.render_in(world, Some(actor)),
            ))
        }),
        ("DELETE", []) => state.change(|world| {
            let deleted = channels::delete(world, actor, channel)?;
            Ok(Reply::ok(deleted.render_in(world, Some(actor))))
        }),
        ("POST", ["typing"]) => {
            state.change(|world| messages::typing(world, actor, channel))?;
            Ok(Reply::empty())
        }
        ("PUT", ["permissions", target]) => {
            let target = id(target, "overwrite_id")?;
            let body = Some(call.body());
            state.change(|world| channels::set_overwrite(world, actor, channel, target, body))?;
            Ok(Reply::empty())
        }
        ("DELETE", ["permissions", target]) => {
            let target = id(target, "overwrite_id")?;
            state.change(|world| channels::set_overwrite(world, actor, channel, target, None))?;
            Ok(Reply::empty())
        }
        _ => Err(NOT_FOUND),
    }
}
