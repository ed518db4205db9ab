//! Guilds, channels, users, members and roles are made, or changed when their id is given.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::{Answered, id_in, object, optional_id, text_in};
use crate::actions::{channels, guilds, roles, threads};
use crate::forms::form::{bits_of, ids_in};
use crate::refusal::Refusal;
use crate::snowflake::Id;
use crate::state::AppState;
use crate::world::World;

/// A token in the form of Discord's: the id, and two parts that nobody guesses.
pub(crate) fn new_token(about: u64) -> Result<String, Refusal> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Refusal::new(500, "no-randomness", error.to_string()))?;
    let (stamp, secret) = bytes.split_at(4);
    let id = URL_SAFE_NO_PAD.encode(about.to_string());
    Ok(format!(
        "{id}.{}.{}",
        URL_SAFE_NO_PAD.encode(stamp),
        URL_SAFE_NO_PAD.encode(secret)
    ))
}

/// Makes a user, a bot with a token that is given or made up.
pub(crate) fn make_user(world: &mut World, body: &Value) -> Result<Id, Refusal> {
    let username = text_in(body, "username")?.trim();
    if !(1..=32).contains(&username.chars().count()) {
        return Err(Refusal::bad("username takes 1 to 32 characters"));
    }
    let privileged = body["privileged_intents"].as_bool().unwrap_or(true);
    if let Some(id) = optional_id(body, "id")? {
        let user = world
            .users
            .get_mut(&id)
            .ok_or(crate::api::error::UNKNOWN_USER)?;
        username.clone_into(&mut user.username);
        user.privileged_intents = privileged;
        return Ok(id);
    }
    let given = body.get("token").and_then(Value::as_str);
    let is_bot = body["bot"].as_bool().unwrap_or(given.is_some());
    if !is_bot && given.is_some() {
        return Err(Refusal::bad("only bots have tokens"));
    }
    if given.is_some_and(|token| token.trim().is_empty()) {
        return Err(Refusal::bad("the token is empty"));
    }
    if given.is_some_and(|token| world.bot_by_token(token).is_some()) {
        return Err(Refusal::new(
            409,
            "token-taken",
            "another bot has that token",
        ));
    }
    let token = match (is_bot, given) {
        (false, _) => None,
        (true, Some(token)) => Some(token.to_owned()),
        // The token names the bot's id, which is the next one.
        (true, None) => Some(String::new()),
    };
    let made_up = token.as_deref() == Some("");
    let id = guilds::create_user(world, username, token, privileged);
    if made_up {
        let token = new_token(id.0)?;
        if let Some(user) = world.users.get_mut(&id) {
            user.token = Some(token);
        }
    }
    Ok(id)
}

/// `POST users`.
pub(super) async fn user(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    state.change(|world| {
        let id = make_user(world, &body)?;
        let user = world.user(id)?;
        let mut rendered = user.render();
        if let Some(token) = &user.token {
            rendered["token"] = json!(token);
        }
        Ok(Json(rendered))
    })
}

/// `POST guilds`.
pub(super) async fn guild(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    let known = optional_id(&body, "id")?;
    let name = match known {
        Some(_) if body.get("name").is_none() => None,
        _ => Some(text_in(&body, "name")?),
    };
    if name.is_some_and(|name| !(2..=100).contains(&name.chars().count())) {
        return Err(Refusal::bad("name takes 2 to 100 characters"));
    }
    let owner = optional_id(&body, "owner")?
        .map_or_else(|| optional_id(&body, "owner_id"), |id| Ok(Some(id)))?;
    state.change(|world| {
        if let Some(id) = known {
            guilds::update_guild(world, id, name, owner)?;
            return Ok(Json(world.guild(id)?.render()));
        }
        let owner = match owner {
            Some(owner) => world.user(owner)?.id,
            None => guilds::create_user(world, "owner", None, true),
        };
        let id = guilds::create_guild(world, name.unwrap_or_default(), owner);
        Ok(Json(world.guild(id)?.render()))
    })
}

/// The body as the form of Discord's own route has it: without what says where.
fn form_of(body: &Value) -> Value {
    let mut form = body.clone();
    if let Some(fields) = form.as_object_mut() {
        for name in ["guild", "guild_id", "id", "recipients"] {
            fields.remove(name);
        }
    }
    form
}

fn guild_in(world: &World, body: &Value) -> Result<Id, Refusal> {
    let named = optional_id(body, "guild")?.map_or_else(|| id_in(body, "guild_id"), Ok)?;
    world.guild(named)?;
    Ok(named)
}

/// Makes a channel as the guild's owner would.
pub(crate) fn make_channel(world: &mut World, body: &Value) -> Result<Id, Refusal> {
    if let Some(id) = optional_id(body, "id")? {
        let channel = world.channel(id)?;
        let guild = channel
            .guild
            .ok_or(crate::api::error::DIRECT_MESSAGE_CHANNEL)?;
        let is_thread = channel.thread.is_some();
        let owner = world.guild(guild)?.owner;
        let form = form_of(body);
        if is_thread {
            threads::update(world, owner, id, &form)?;
        } else {
            channels::update(world, owner, id, &form)?;
        }
        return Ok(id);
    }
    let recipients = ids_in(body, "recipients");
    if let [one, other] = recipients.as_slice() {
        world.user(*one)?;
        return Ok(guilds::open_direct(world, *one, *other)?);
    }
    let guild = guild_in(world, body)?;
    let owner = world.guild(guild)?.owner;
    Ok(channels::create(world, owner, guild, &form_of(body))?)
}

/// `POST channels`.
pub(super) async fn channel(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    state.change(|world| {
        let id = make_channel(world, &body)?;
        Ok(Json(world.channel(id)?.render_in(world, None)))
    })
}

/// `POST roles`.
pub(super) async fn role(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    state.change(|world| {
        let guild = guild_in(world, &body)?;
        let owner = world.guild(guild)?.owner;
        let form = form_of(&body);
        let id = match optional_id(&body, "id")? {
            Some(id) => {
                roles::update(world, owner, guild, id, &form)?;
                id
            }
            None => roles::create(world, owner, guild, &form)?,
        };
        if let Some(position) = body.get("position").and_then(Value::as_u64)
            && id != guild
        {
            let moves = json!([{"id": id, "position": position.max(1)}]);
            roles::arrange(world, owner, guild, &moves)?;
        }
        Ok(Json(world.role(guild, id)?.render()))
    })
}

/// `POST members`.
pub(super) async fn member(State(state): State<AppState>, body: Body) -> Answered {
    let body = object(body).await?;
    state.change(|world| {
        let guild = guild_in(world, &body)?;
        let user = optional_id(&body, "user")?.map_or_else(|| id_in(&body, "user_id"), Ok)?;
        if body["remove"].as_bool() == Some(true) {
            guilds::remove_member(world, guild, user)?;
            return Ok(Json(json!({})));
        }
        let roles = body.get("roles").filter(|roles| roles.is_array());
        let roles = roles.map(|_| ids_in(&body, "roles"));
        let own = match body.get("permissions").filter(|bits| !bits.is_null()) {
            None => None,
            Some(_) if !world.user(user)?.bot => {
                return Err(Refusal::bad(
                    "only bots have permissions of their own; give roles",
                ));
            }
            Some(bits) => {
                Some(bits_of(bits).ok_or_else(|| Refusal::bad("permissions are no bits"))?)
            }
        };
        guilds::set_member(world, guild, user, roles, own)?;
        if let Some(nick) = body.get("nick") {
            world.member_mut(guild, user)?.nick = nick.as_str().map(str::to_owned);
            guilds::tell_member(world, guild, user, "GUILD_MEMBER_UPDATE");
        }
        let mut rendered = world.render_member(world.member(guild, user)?);
        rendered["guild_id"] = json!(guild);
        Ok(Json(rendered))
    })
}
