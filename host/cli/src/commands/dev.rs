//! `ostler dev`: everything embedded.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use ostler_agent::model::{Model, ModelSource, Scripted};
use ostler_config::{ConfigWatch, Home, Secret, SecretName, write_atomically};
use ostler_discord::{ApiBase, Token};
use ostler_emulator::{Emulator, Seed, SeedUser, Seeded};
use ostler_registry::Registry;
use ostler_store::Profile;
use tokio::sync::Semaphore;

use crate::args::{Dev, Global, MAIN_PROFILE};
use crate::commands::serve::workspace;
use crate::failure::{Exit, Failure};
use crate::host::{self, HostLock, ProfileStart, Start};

/// What the assistant needs on Discord (Discord, *Permissions*), as docs/discord.md tells operators
/// to give it: see and write in channels and threads, read their history, open public threads,
/// attach files, embed links, react; and what `discord_act` changes for Administrators: channels,
/// pins, messages of others.
const BOT_PERMISSIONS: u64 = (1 << 4)
    | (1 << 10)
    | (1 << 11)
    | (1 << 13)
    | (1 << 14)
    | (1 << 15)
    | (1 << 16)
    | (1 << 6)
    | (1 << 35)
    | (1 << 38);

/// The secret that holds the emulated bot's token.
const TOKEN_SECRET: &str = "DISCORD_TOKEN";

/// Turns that run at once.
const TURNS: usize = 8;

/// The pages' address where none is given: a free port of this machine.
const LISTEN: std::net::SocketAddr =
    std::net::SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

pub(crate) async fn run(global: &Global, dev: Dev) -> Result<Exit, Failure> {
    let home = home(global)?;
    let _lock = HostLock::take(&home)?;
    let profile: Profile = global
        .profile
        .as_deref()
        .unwrap_or(MAIN_PROFILE)
        .parse()
        .map_err(|error: ostler_store::ParseIdError| {
            Failure::new(Exit::Usage, error.code(), error.to_string())
        })?;
    let registry = host::registry(&home)?;
    let token = host::token()?;
    let emulator = Emulator::start(ostler_emulator::Options {
        state_file: Some(home.path().join("emulator.json")),
        control_token: Some(token.clone()),
        ..ostler_emulator::Options::default()
    })
    .await
    .map_err(|error| emulator_failed(&error))?;

    let bot_token = bot_token(&registry, &profile).await?;
    let seeded = emulator
        .seed(&Seed {
            guild: "Ostler".to_owned(),
            bot: "ostler".to_owned(),
            bot_token: Some(bot_token.clone()),
            bot_permissions: BOT_PERMISSIONS,
            text_channels: vec!["general".to_owned()],
            forums: vec!["ideas".to_owned()],
            users: [("operator", false), ("admin", true), ("guest", false)]
                .map(|(name, administrator)| SeedUser {
                    username: name.to_owned(),
                    administrator,
                })
                .into(),
        })
        .map_err(|error| emulator_failed(&error))?;
    let profile_file = home.profile_file(profile.as_str())?;
    write_profile(&profile_file, &seeded)?;

    let config = ConfigWatch::start(&profile_file)?;
    let folder = profile_file
        .parent()
        .map(ToOwned::to_owned)
        .unwrap_or_default();
    let models = ModelSource::new(Arc::clone(&registry), profile.clone(), folder);
    let models = match model(dev.script.as_deref(), &config)? {
        Some(model) => models.with_fixed(model),
        None => models,
    };
    let discord = |error: ostler_discord::StartError| {
        Failure::new(Exit::Usage, error.code(), error.to_string())
    };
    let workspace = workspace(&config.current().workspace(&home, profile.as_str())?)?;
    let origin = emulator.origin();
    let start = Start {
        registry,
        profiles: vec![ProfileStart {
            grants_file: home.grants_file(profile.as_str())?,
            profile,
            profile_file,
            config,
            workspace,
            hidden: vec![home.path().to_owned()],
            models,
            turns: Arc::new(Semaphore::new(TURNS)),
            yolo: dev.run.yolo,
            token: Token::new(&bot_token).map_err(discord)?,
            api_base: ApiBase::at(&origin).map_err(discord)?,
        }],
        listen: dev.run.listen.unwrap_or(LISTEN),
        ready_file: dev.run.ready_file,
        welcome: welcome(&origin, &token, &home),
        emulator: Some(origin),
        token,
        home,
    };
    let ended = host::run(start).await;
    emulator.shutdown().await;
    ended
}

/// The home: `--home`, else `OSTLER_HOME`, else a folder of its own beside the usual one, so that
/// trying things out touches nothing that is in use.
fn home(global: &Global) -> Result<Home, Failure> {
    let env: Option<OsString> = std::env::var_os("OSTLER_HOME").filter(|home| !home.is_empty());
    let home = if global.home.is_some() || env.is_some() {
        Home::locate(global.home.clone(), env)?
    } else {
        let usual = Home::locate(None, None)?;
        let mut beside = usual.path().as_os_str().to_owned();
        beside.push("-dev");
        Home::locate(Some(beside.into()), None)?
    };
    home.create()?;
    Ok(home)
}

fn emulator_failed(error: &ostler_emulator::EmulatorError) -> Failure {
    Failure::new(Exit::Usage, error.code(), error.to_string())
}

/// The emulated bot's token: made once, then kept as the secret that it would be on Discord.
async fn bot_token(registry: &Registry, profile: &Profile) -> Result<String, Failure> {
    let name: SecretName = TOKEN_SECRET.parse()?;
    if let Some(secret) = registry.secret(profile, &name).await? {
        return Ok(secret.expose().to_owned());
    }
    let token = host::token()?;
    let secret = Secret::new(token.clone().into_bytes())?;
    registry.set_secret(profile, &name, secret).await?;
    Ok(token)
}

/// Writes the profile's configuration where there is none.
fn write_profile(file: &Path, seeded: &Seeded) -> Result<(), Failure> {
    if file.exists() {
        return Ok(());
    }
    let id = |ids: &std::collections::BTreeMap<String, String>, name: &str| {
        ids.get(name).cloned().unwrap_or_default()
    };
    let text = format!(
        "# Made by `ostler dev`. `ostler config show --docs` explains every key.\n\
         owner_id = \"{owner}\"                # operator\n\
         \n\
         [discord]\n\
         token_secret = \"{TOKEN_SECRET}\"     # the emulated bot's\n\
         post_channels = [\"{general}\", \"{ideas}\"]   # general, ideas\n\
         allowed_users = [\"{owner}\"]\n\
         \n\
         [platform_toolsets]\n\
         discord = [\"discord\", \"plugin:handoff\"]\n\
         cotal = [\"discord\", \"todo\", \"terminal\", \"plugin:handoff\"]\n\
         \n\
         [model]\n\
         provider = \"scripted\"              # no model: it follows a script\n",
        owner = id(&seeded.users, "operator"),
        general = id(&seeded.channels, "general"),
        ideas = id(&seeded.channels, "ideas"),
    );
    if let Some(folder) = file.parent() {
        workspace(folder)?;
    }
    Ok(write_atomically(file, text.as_bytes(), 0o600)?)
}

/// The model that goes before the profile's: a script that was given, or the bundled one where the
/// profile has a scripted model without a script.
fn model(script: Option<&Path>, config: &ConfigWatch) -> Result<Option<Arc<dyn Model>>, Failure> {
    let scripted = match script {
        Some(script) => Scripted::load(script),
        None => {
            let now = config.current();
            let names_no_script = now.model.as_ref().is_some_and(|model| {
                model.provider == ostler_config::Provider::Scripted && model.script.is_none()
            });
            if !names_no_script {
                return Ok(None);
            }
            Scripted::demo()
        }
    };
    let scripted =
        scripted.map_err(|error| Failure::new(Exit::Usage, error.code, error.to_string()))?;
    Ok(Some(Arc::new(scripted)))
}

fn welcome(emulator: &str, token: &str, home: &Home) -> String {
    format!(
        "\n\
         Discord is emulated, and the model is a script unless the profile names another one.\n\
         Open  {emulator}/#token={token}\n\
         and write `@ostler hello` in #general as operator.\n\
         Everything is kept in {}.\n",
        home.path().display()
    )
}
