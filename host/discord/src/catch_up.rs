//! What was written while there was no connection, read back.

use std::sync::Arc;

use ostler_agent::{ChannelError, Place};
use ostler_store::{ChannelId, MessageId};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::core::Core;
use crate::handover::{Handed, Job, hand_on, queue_first};
use crate::payload::Message;
use crate::snowflake::snowflake;

/// Messages that are read back in one channel at most.
pub(crate) const MOST: usize = 200;
/// Discord gives at most so many at once.
const PAGE: usize = 100;

/// Puts a reading before whatever waits in each channel. What cannot be read is left out and told.
pub(crate) fn catch_up(core: &Arc<Core>, places: Vec<(Place, MessageId)>) {
    let mut readings = Vec::new();
    for (place, after) in places {
        let (done, reading) = oneshot::channel();
        let channel = place.channel.clone();
        queue_first(core, &channel, Job::CatchUp { place, after, done });
        readings.push((channel, reading));
    }
    core.spawn(tell_of(Arc::clone(core), readings));
}

/// What came of a reading.
type Reading = oneshot::Receiver<Result<usize, ChannelError>>;

async fn tell_of(core: Arc<Core>, readings: Vec<(ChannelId, Reading)>) {
    for (channel, reading) in readings {
        let read = tokio::select! {
            () = core.stop.cancelled() => return,
            read = reading => read.unwrap_or_else(|_| Err(stopped())),
        };
        match read {
            Ok(taken) => tracing::debug!(%channel, taken, "caught up with a channel"),
            Err(error) => {
                tracing::warn!(%error, %channel, "what was written meanwhile cannot be read");
            }
        }
    }
}

fn stopped() -> ChannelError {
    ChannelError::Unavailable("the adapter shuts down".to_owned())
}

/// Reads one channel, in the channel's own lane: what comes live meanwhile waits behind, and what
/// was read here is not told again there.
pub(crate) async fn read(
    core: &Core,
    place: &Place,
    after: &MessageId,
) -> Result<usize, ChannelError> {
    let mut after = after.clone();
    let mut taken = 0;
    for _ in 0..MOST.div_ceil(PAGE) {
        let query = ("after", after.to_string());
        let mut page = core
            .read_messages(&place.channel, Some(query), PAGE)
            .await?;
        // Discord gives the newest first.
        page.sort_by_key(number);
        let is_last = page.len() < PAGE;
        for data in page {
            let Some(message) = Message::read(data) else {
                continue;
            };
            after = message.id.clone();
            if !message.is_for(&core.identity()) {
                continue;
            }
            match hand_on(core, &message, Some(place)).await {
                Handed::Taken => taken += 1,
                Handed::Known | Handed::NotTaken => {}
                Handed::Stopped => return Err(stopped()),
            }
        }
        if is_last {
            break;
        }
    }
    Ok(taken)
}

fn number(message: &Value) -> u64 {
    message
        .get("id")
        .and_then(Value::as_str)
        .and_then(|id| snowflake(id, "message").ok())
        .map_or(0, std::num::NonZeroU64::get)
}
