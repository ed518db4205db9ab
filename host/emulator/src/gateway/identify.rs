//! IDENTIFY and RESUME: who may have which session.

use serde_json::{Value, json};

use super::hub::NoResume;
use crate::snowflake::Id;
use crate::state::{AppState, lock};
use crate::world::World;
use crate::world::event::intent;
use crate::world::user::User;

/// Why a client is not let in.
pub(super) enum Refused {
    /// The connection is closed with this code and reason.
    Close(u16, &'static str),
    /// Op 9, not resumable.
    InvalidSession,
}

fn bot_of(world: &World, data: &Value) -> Option<Id> {
    let token = data.get("token").and_then(Value::as_str)?;
    let token = token.strip_prefix("Bot ").unwrap_or(token);
    world.bot_by_token(token).map(|user| user.id)
}

/// The shard and the number of shards.
fn shard(data: &Value) -> Result<(u64, u64), Refused> {
    let invalid = Refused::Close(4010, "Invalid shard");
    let Some(shard) = data.get("shard").filter(|shard| !shard.is_null()) else {
        return Ok((0, 1));
    };
    let numbers: Option<Vec<u64>> = shard
        .as_array()
        .and_then(|list| list.iter().map(Value::as_u64).collect());
    match numbers.as_deref() {
        Some(&[id, count]) if id < count => Ok((id, count)),
        _ => Err(invalid),
    }
}

/// Starts a session. Everything that it is told first is in its connection's queue afterwards.
pub(super) fn identify(state: &AppState, connection: u64, data: &Value) -> Result<(), Refused> {
    // The world is held until the session is in the hub: no event falls in between.
    let world = lock(&state.world);
    let bot = bot_of(&world, data).ok_or(Refused::Close(4004, "Authentication failed"))?;
    let user = world
        .user(bot)
        .map_err(|_| Refused::Close(4004, "Authentication failed"))?;
    if !data.get("properties").is_some_and(Value::is_object) {
        return Err(Refused::Close(4002, "Error while decoding payload"));
    }
    let shard = shard(data)?;
    let invalid = Refused::Close(4013, "Invalid intent(s)");
    let Some(intents) = data.get("intents").and_then(Value::as_u64) else {
        return Err(invalid);
    };
    if intents & !intent::ALL != 0 {
        return Err(invalid);
    }
    if intents & intent::PRIVILEGED != 0 && !user.privileged_intents {
        return Err(Refused::Close(4014, "Disallowed intent(s)"));
    }
    let mut hub = lock(&state.hub);
    if !hub.may_identify(bot, shard.0) {
        return Err(Refused::InvalidSession);
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Refused::Close(4000, "Unknown error"))?;
    let id = hex::encode(bytes);
    hub.start(id.clone(), connection, bot, intents, shard);
    let guilds: Vec<Id> = {
        let session = hub.sessions.get(&id);
        let guilds = world
            .guilds
            .values()
            .filter(|guild| guild.members.contains_key(&bot));
        guilds
            .map(|guild| guild.id)
            .filter(|guild| session.is_some_and(|session| session.has(Some(*guild))))
            .collect()
    };
    let resume = format!("ws://{}/resume", state.address);
    hub.push(&id, "READY", &ready(user, &id, &resume, shard, &guilds));
    if intents & intent::GUILDS != 0 {
        let members = intents & intent::GUILD_MEMBERS != 0;
        for guild in guilds.iter().filter_map(|guild| world.guilds.get(guild)) {
            let created = world.render_guild_create(guild, bot, members);
            hub.push(&id, "GUILD_CREATE", &created);
        }
    }
    Ok(())
}

fn ready(user: &User, session: &str, resume: &str, shard: (u64, u64), guilds: &[Id]) -> Value {
    let guilds: Vec<Value> = guilds
        .iter()
        .map(|guild| json!({"id": guild, "unavailable": true}))
        .collect();
    json!({
        "v": 10,
        "user": user.render_self(),
        "guilds": guilds,
        "session_id": session,
        "session_type": "normal",
        "resume_gateway_url": resume,
        "shard": [shard.0, shard.1],
        "application": {"id": user.id, "flags": user.application_flags()},
        "private_channels": [],
        "presences": [],
        "relationships": [],
        "guild_join_requests": [],
        "geo_ordered_rtc_regions": [],
        "user_settings": {},
        "_trace": ["emulator"],
    })
}

/// Gives a session to a new connection. Answers the events that it missed, and the number of the
/// last one.
pub(super) fn resume(
    state: &AppState,
    connection: u64,
    data: &Value,
) -> Result<(Vec<String>, u64), Refused> {
    let (Some(session), Some(sequence)) = (
        data.get("session_id").and_then(Value::as_str),
        data.get("seq").and_then(Value::as_u64),
    ) else {
        return Err(Refused::Close(4002, "Error while decoding payload"));
    };
    let world = lock(&state.world);
    let bot = bot_of(&world, data);
    if bot.is_none() {
        return Err(Refused::Close(4004, "Authentication failed"));
    }
    match lock(&state.hub).resume(session, bot, sequence, connection) {
        Ok(missed) => Ok(missed),
        Err(NoResume::Gone) => Err(Refused::InvalidSession),
        Err(NoResume::WrongToken) => Err(Refused::Close(4004, "Authentication failed")),
        Err(NoResume::AheadOfSession) => Err(Refused::Close(4007, "Invalid seq")),
    }
}
