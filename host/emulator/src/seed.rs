//! A first guild, made in-process for people who have none.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::actions::{guilds, roles};
use crate::control::{make_channel, make_user};
use crate::permissions::ADMINISTRATOR;
use crate::refusal::Refusal;
use crate::snowflake::Id;
use crate::world::World;

/// What a first guild should have. Everything is found by its name, so that a second run with the
/// same seed changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// The guild's name, 2 to 100 characters.
    pub guild: String,
    /// The bot's name.
    pub bot: String,
    /// The bot's token; without one it is made up.
    pub bot_token: Option<String>,
    /// The bits of the role that the bot gets for itself.
    pub bot_permissions: u64,
    /// Text channels.
    pub text_channels: Vec<String>,
    /// Forums.
    pub forums: Vec<String>,
    /// People. The first one owns the guild, unless none is there.
    pub users: Vec<SeedUser>,
}

/// A person in a seeded guild.
#[derive(Clone, Debug)]
pub struct SeedUser {
    /// The name.
    pub username: String,
    /// Whether a role with Administrator is given.
    pub administrator: bool,
}

/// What a seed made or found. Ids are decimal.
#[derive(Clone, Debug)]
pub struct Seeded {
    /// The guild.
    pub guild: String,
    /// The bot, and its application.
    pub bot: String,
    /// What the bot authenticates with.
    pub bot_token: String,
    /// Channels by name.
    pub channels: BTreeMap<String, String>,
    /// People by name.
    pub users: BTreeMap<String, String>,
    /// Whether the guild was made now.
    pub created: bool,
}

fn user(world: &mut World, name: &str, token: Option<&str>, bot: bool) -> Result<Id, Refusal> {
    let known = world
        .users
        .values()
        .find(|user| user.username == name && user.bot == bot);
    if let Some(known) = known {
        return Ok(known.id);
    }
    let mut body = json!({"username": name, "bot": bot});
    if let Some(token) = token {
        body["token"] = json!(token);
    }
    make_user(world, &body)
}

fn channel(world: &mut World, guild: Id, name: &str, kind: u8) -> Result<Id, Refusal> {
    let known = world
        .channels_of(guild)
        .find(|channel| channel.name == name);
    if let Some(known) = known {
        return Ok(known.id);
    }
    make_channel(world, &json!({"guild": guild, "name": name, "type": kind}))
}

/// Makes what is not there yet.
pub(crate) fn apply(world: &mut World, seed: &Seed) -> Result<Seeded, Refusal> {
    let length = seed.guild.chars().count();
    if !(2..=100).contains(&length) {
        return Err(Refusal::bad("the guild's name takes 2 to 100 characters"));
    }
    let mut users = BTreeMap::new();
    for person in &seed.users {
        let id = user(world, &person.username, None, false)?;
        users.insert(person.username.clone(), id);
    }
    let known = world.guilds.values().find(|guild| guild.name == seed.guild);
    let known = known.map(|guild| guild.id);
    let guild = match known {
        Some(guild) => guild,
        None => {
            let first = seed
                .users
                .first()
                .and_then(|person| users.get(&person.username));
            let owner = match first {
                Some(owner) => *owner,
                None => user(world, "owner", None, false)?,
            };
            guilds::create_guild(world, &seed.guild, owner)
        }
    };
    let owner = world.guild(guild)?.owner;
    for person in &seed.users {
        let Some(id) = users.get(&person.username).copied() else {
            continue;
        };
        let mut held = Vec::new();
        if person.administrator && id != owner {
            held.push(administrators(world, guild, owner)?);
        }
        if world.member(guild, id).is_err() {
            guilds::set_member(world, guild, id, Some(held), None)?;
        }
    }
    let bot = user(world, &seed.bot, seed.bot_token.as_deref(), true)?;
    if world.member(guild, bot).is_err() {
        guilds::set_member(world, guild, bot, None, Some(seed.bot_permissions))?;
    }
    let mut channels = BTreeMap::new();
    for name in &seed.text_channels {
        channels.insert(name.clone(), channel(world, guild, name, 0)?.to_string());
    }
    for name in &seed.forums {
        channels.insert(name.clone(), channel(world, guild, name, 15)?.to_string());
    }
    Ok(Seeded {
        guild: guild.to_string(),
        bot: bot.to_string(),
        bot_token: world.user(bot)?.token.clone().unwrap_or_default(),
        channels,
        users: users
            .into_iter()
            .map(|(name, id)| (name, id.to_string()))
            .collect(),
        created: known.is_none(),
    })
}

/// The role with Administrator.
fn administrators(world: &mut World, guild: Id, owner: Id) -> Result<Id, Refusal> {
    let roles = world.guild(guild)?.roles.values();
    let mut known =
        roles.filter(|role| role.permissions & ADMINISTRATOR != 0 && role.bot.is_none());
    if let Some(known) = known.next() {
        return Ok(known.id);
    }
    let body: Value = json!({"name": "Administrators", "permissions": ADMINISTRATOR.to_string()});
    Ok(roles::create(world, owner, guild, &body)?)
}
