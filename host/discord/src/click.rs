//! A click's way: acknowledged at once, then judged, then answered in private.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use ostler_agent::{ChannelError, ClickOutcome, InboundClick};
use reqwest::Method;
use serde_json::Value;
use serenity::http::Route;
use serenity::model::id::{ApplicationId, InteractionId};
use tokio::time::Instant;

use crate::core::Core;
use crate::gateway::Ticket;
use crate::handover::not_taken;
use crate::interaction::{Interaction, Reply, acknowledgement, apology, private, read};
use crate::rest::{Call, Repeat};
use crate::snowflake::snowflake;

/// Discord, *JSON Error Codes*: the interaction was acknowledged already.
const ALREADY_ACKNOWLEDGED: u32 = 40060;

/// Takes an interaction. It waits for no message and no other click.
pub(crate) fn take(core: &Arc<Core>, data: Value, arrived: Instant, ticket: Ticket) {
    let core_of_task = Arc::clone(core);
    core.spawn(async move {
        let core = core_of_task;
        let followed = AssertUnwindSafe(follow(&core, &data, arrived)).catch_unwind();
        if followed.await.is_err() {
            not_taken(&core, "the inbox panicked");
        }
        // A click whose judging is cut off by the end of the process is told again to the next.
        ticket.done();
    });
}

async fn follow(core: &Core, data: &Value, arrived: Instant) {
    let (reply, click) = match read(data, &core.places) {
        Interaction::Foreign => return,
        Interaction::Click(reply, click) => (reply, click),
        Interaction::Partial(reply, click, missing) => {
            count_unreadable(core, missing);
            (reply, click)
        }
        Interaction::Unreadable(reply, missing) => {
            count_unreadable(core, missing);
            if core.interactions.is_first(&reply.interaction)
                && let Err(error) = answer(core, &reply, apology(), arrived).await
            {
                tracing::warn!(%error, "an unreadable interaction could not be answered");
            }
            return;
        }
        Interaction::Unanswerable(missing) => return count_unreadable(core, missing),
    };
    if !core.interactions.is_first(&click.id) {
        return;
    }
    let body = acknowledgement(&core.inbox.acknowledge(&click));
    let acknowledged = answer(core, &reply, body, arrived).await;
    let may_follow = may_follow(core, acknowledged);
    // A press counts, whatever became of the acknowledgement: it is the person's word, and the
    // interaction only carried it.
    let Some(text) = judge(core, click).await.and_then(|outcome| outcome.private) else {
        return;
    };
    if may_follow {
        follow_up(core, &reply, &text).await;
    } else {
        tracing::info!("a private answer falls away: its click was not acknowledged");
    }
}

/// Whether Discord may take a private answer: it does so only after an acknowledgement.
fn may_follow(core: &Core, acknowledged: Result<Value, ChannelError>) -> bool {
    match acknowledged {
        Ok(_) => true,
        // Another process, or this one before its connection was lost, got that far.
        Err(ChannelError::Refused { code, .. }) if code == ALREADY_ACKNOWLEDGED => true,
        Err(ChannelError::NotFound(_)) => {
            tracing::warn!("a click came too late to be acknowledged");
            core.counters
                .count(|health| health.expired_interactions += 1);
            false
        }
        Err(error) => {
            tracing::warn!(%error, "a click could not be acknowledged");
            // It may have been, where only the answer was lost.
            matches!(error, ChannelError::Unavailable(_))
        }
    }
}

fn count_unreadable(core: &Core, missing: &'static str) {
    tracing::warn!(missing, "an interaction could not be read whole");
    core.counters
        .count(|health| health.unreadable_interactions += 1);
}

/// Sends the first answer, within its own deadline.
async fn answer(
    core: &Core,
    reply: &Reply,
    body: Value,
    arrived: Instant,
) -> Result<Value, ChannelError> {
    let interaction = snowflake(&reply.interaction, "interaction")?;
    let route = Route::InteractionResponse {
        interaction_id: InteractionId::from(interaction),
        token: &reply.token,
    };
    let call = Call::new(Method::POST, route, Some(interaction), "interaction")
        .body(body)
        // A second one is refused as such, and does nothing.
        .repeat(Repeat::Safe)
        .by_interaction(Some(arrived + core.options.timings.callback));
    core.rest.call(&call).await
}

/// Asks the inbox, again if it could not take the click.
async fn judge(core: &Core, click: InboundClick) -> Option<ClickOutcome> {
    let timings = &core.options.timings;
    let mut tries = 0;
    loop {
        let error = match core.inbox.click(click.clone()).await {
            Ok(outcome) => return Some(outcome),
            Err(error) => error,
        };
        tries += 1;
        if tries > timings.inbox_retries {
            core.interactions.forget(&click.id);
            not_taken(core, &error.0);
            return None;
        }
        tokio::time::sleep(timings.inbox_wait.saturating_mul(1 << (tries - 1).min(16))).await;
    }
}

async fn follow_up(core: &Core, reply: &Reply, text: &str) {
    let identity = core.identity();
    let application = reply
        .application
        .as_deref()
        .or(identity.application.as_deref())
        .or(identity.bot.as_ref().map(ostler_store::PersonId::as_str))
        .and_then(|id| snowflake(id, "application").ok());
    let Some(application) = application else {
        return;
    };
    let route = Route::WebhookFollowupMessages {
        application_id: ApplicationId::from(application),
        token: &reply.token,
    };
    let call = Call::new(Method::POST, route, Some(application), "interaction")
        .body(private(text))
        .by_interaction(None);
    if let Err(error) = core.rest.call(&call).await {
        tracing::warn!(%error, "a presser could not be told in private");
    }
}
