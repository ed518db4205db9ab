//! Asks Discord for the gateway and its limits, and starts the shards.

use std::sync::Arc;
use std::time::Duration;

use ostler_agent::ChannelError;
use reqwest::Method;
use serde_json::Value;
use serenity::http::Route;
use tokio::time::Instant;

use super::brake::{Brake, IdentifyBudget};
use super::session::ShardSession;
use super::shard;
use crate::core::Core;
use crate::error::Fatal;
use crate::options::Shards;
use crate::rest::Call;
use crate::snowflake::snowflake;

/// What *Get Gateway Bot* answers.
#[derive(Clone, Debug)]
pub(super) struct Gateway {
    pub(super) url: String,
    shards: u32,
    remaining: Option<u64>,
    reset_after: Duration,
}

/// Asks for the gateway until there is an answer; `None` when the adapter ends first.
pub(super) async fn gateway(core: &Core) -> Option<Gateway> {
    let mut brake = Brake::new(&core.options.timings);
    loop {
        let call = Call::new(Method::GET, Route::GatewayBot, None, "gateway");
        let answer = tokio::select! {
            () = core.stop.cancelled() => return None,
            answer = core.call(&call) => answer,
        };
        let error = match answer.as_ref().map(read) {
            Ok(Some(gateway)) if core.rest.base().accepts_gateway(&gateway.url) => {
                return Some(gateway);
            }
            Ok(Some(gateway)) => {
                core.end(Fatal::GatewayElsewhere(gateway.url));
                return None;
            }
            Ok(None) => ChannelError::Unavailable("it named no gateway".to_owned()),
            Err(error) => error.clone(),
        };
        let wait = brake.after(Duration::ZERO);
        tracing::warn!(%error, code = error.code(), ?wait, "Discord did not name its gateway");
        tokio::select! {
            () = core.stop.cancelled() => return None,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

fn read(answer: &Value) -> Option<Gateway> {
    let limit = answer.get("session_start_limit").unwrap_or(&Value::Null);
    Some(Gateway {
        url: answer.get("url")?.as_str()?.to_owned(),
        shards: answer
            .get("shards")
            .and_then(Value::as_u64)
            .and_then(|shards| u32::try_from(shards).ok())
            .unwrap_or(1),
        remaining: limit.get("remaining").and_then(Value::as_u64),
        reset_after: Duration::from_millis(
            limit
                .get("reset_after")
                .and_then(Value::as_u64)
                .unwrap_or(0),
        ),
    })
}

/// Starts every shard. `first` is the first shard's session, which was read already.
pub(crate) async fn supervise(core: Arc<Core>, first: Arc<ShardSession>) {
    let Some(gateway) = gateway(&core).await else {
        return;
    };
    let shards = match core.options.shards {
        Shards::Recommended => gateway.shards,
        Shards::Exactly(shards) => shards,
    }
    .max(1);
    let budget = Arc::new(IdentifyBudget::new(&core.options.timings, shards));
    if gateway.remaining == Some(0) {
        tracing::warn!(
            wait = ?gateway.reset_after,
            "Discord allows no new gateway session before its daily limit resets"
        );
        budget.exhausted_until(Instant::now() + gateway.reset_after);
    }
    if first.bot().is_some() && first.application().is_none() {
        learn_application(&core, &first).await;
    }
    let mut next = Some(first);
    for number in 0..shards {
        let session = match next.take() {
            Some(session) => session,
            None => match load(&core, number).await {
                Some(session) => session,
                None => return,
            },
        };
        core.counters.known(number);
        let (keeper, kept) = (Arc::clone(&core), Arc::clone(&session));
        core.spawn(async move {
            kept.keep_saving(keeper.options.timings.save_every, &keeper.stop)
                .await;
        });
        core.spawn(shard::run(
            Arc::clone(&core),
            session,
            (number, shards),
            gateway.clone(),
            Arc::clone(&budget),
        ));
    }
}

async fn load(core: &Core, number: u32) -> Option<Arc<ShardSession>> {
    let store = Arc::clone(&core.store);
    match ShardSession::load(store, core.options.profile.clone(), number).await {
        Ok(session) => {
            let session = Arc::new(session);
            core.add_shard(Arc::clone(&session));
            Some(session)
        }
        Err(error) => {
            tracing::error!(%error, number, "a shard's gateway session cannot be read");
            None
        }
    }
}

/// After a resume there is no READY that names the application, and sessions of older versions were
/// stored without it. Without an answer the bot's id stands in: for all but very old bots they are
/// the same.
async fn learn_application(core: &Core, first: &ShardSession) {
    let call = Call::new(
        Method::GET,
        Route::Oauth2ApplicationCurrent,
        None,
        "application",
    );
    let (Some(bot), Ok(answer)) = (core.identity().bot, core.call(&call).await) else {
        return;
    };
    let application = answer.get("id").and_then(Value::as_str);
    let application = application.filter(|id| snowflake(id, "application").is_ok());
    core.learn_identity(bot, application.map(str::to_owned));
    if let Some(application) = application {
        first.learn_application(application.to_owned());
    }
}
