//! `ostler serve`

use std::sync::Arc;

use ostler_agent::model::ModelSource;
use ostler_config::{ConfigWatch, Home, read_host};
use ostler_discord::{ApiBase, Token};
use ostler_registry::Registry;
use ostler_store::Profile;
use tokio::sync::Semaphore;

use crate::args::{Global, Run};
use crate::commands::home;
use crate::failure::{Exit, Failure};
use crate::host::{self, HostLock, ProfileStart, Start};

pub(crate) async fn run(global: &Global, run: Run) -> Result<Exit, Failure> {
    let home = home(global)?;
    let _lock = HostLock::take(&home)?;
    let host = read_host(&home.host_file())?;
    let registry = host::registry(&home)?;
    let names = match &global.profile {
        Some(name) => vec![parsed(name)?],
        None => profiles(&home)?,
    };
    // All profiles share them.
    let turns = usize::try_from(host.max_turns.get()).unwrap_or(1).max(1);
    let turns = Arc::new(Semaphore::new(turns));
    let mut starts = Vec::new();
    for name in names {
        // A profile without a token is not on Discord. One that was named must be.
        match start(&home, &registry, &name, &turns, run.yolo).await? {
            Some(start) => starts.push(start),
            None if global.profile.is_some() => return Err(no_token(&home, &name)),
            None => {}
        }
    }
    if starts.is_empty() {
        return Err(no_token(&home, &parsed(crate::args::MAIN_PROFILE)?));
    }
    host::run(Start {
        listen: run.listen.unwrap_or(host.listen),
        home,
        registry,
        profiles: starts,
        ready_file: run.ready_file,
        emulator: None,
        token: host::token()?,
        welcome: String::new(),
    })
    .await
}

/// Everything for a profile's start; none if it names no token.
async fn start(
    home: &Home,
    registry: &Arc<Registry>,
    name: &Profile,
    turns: &Arc<Semaphore>,
    yolo: bool,
) -> Result<Option<ProfileStart>, Failure> {
    let profile_file = home.profile_file(name.as_str())?;
    let config = ConfigWatch::start(&profile_file)?;
    let now = config.current();
    let Some(secret) = &now.discord.token_secret else {
        return Ok(None);
    };
    let token = registry.secret(name, secret).await?.ok_or_else(|| {
        Failure::new(
            Exit::Usage,
            "secret-missing",
            format!(
                "profile {name} takes its Discord token from the secret {secret}, which is not set"
            ),
        )
        .with_help(format!("ostler secrets set {secret} --profile {name}"))
    })?;
    let discord = |error: ostler_discord::StartError| {
        Failure::new(Exit::Usage, error.code(), error.to_string())
    };
    let api_base = if now.discord.api_base.is_discord() {
        ApiBase::Discord
    } else {
        ApiBase::at(now.discord.api_base.as_str()).map_err(discord)?
    };
    let token = Token::new(token.expose()).map_err(discord)?;
    let workspace = workspace(&now.workspace(home, name.as_str())?)?;
    let folder = profile_file
        .parent()
        .map(ToOwned::to_owned)
        .unwrap_or_default();
    Ok(Some(ProfileStart {
        models: ModelSource::new(Arc::clone(registry), name.clone(), folder),
        profile: name.clone(),
        profile_file,
        config,
        workspace,
        hidden: vec![home.path().to_owned()],
        turns: Arc::clone(turns),
        grants_file: home.grants_file(name.as_str())?,
        yolo,
        token,
        api_base,
    }))
}

/// Makes a workspace where it is missing, for this user alone.
pub(crate) fn workspace(path: &std::path::Path) -> Result<std::path::PathBuf, Failure> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| Failure::io(&format!("cannot make {}", path.display()), &error))?;
    Ok(path.to_owned())
}

fn parsed(name: &str) -> Result<Profile, Failure> {
    name.parse().map_err(|error: ostler_store::ParseIdError| {
        Failure::new(Exit::Usage, error.code(), error.to_string())
    })
}

/// The profiles of a home, by name: those that have a file.
fn profiles(home: &Home) -> Result<Vec<Profile>, Failure> {
    let folder = home.path().join("profiles");
    let unreadable = |error| Failure::io(&format!("cannot list {}", folder.display()), &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        if entry.path().join("profile.toml").exists()
            && let Some(name) = name.to_str().and_then(|name| name.parse().ok())
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn no_token(home: &Home, profile: &Profile) -> Failure {
    let file = home
        .profile_file(profile.as_str())
        .map(|file| file.display().to_string())
        .unwrap_or_default();
    Failure::new(
        Exit::Usage,
        "discord-not-configured",
        format!("profile {profile} names no Discord token"),
    )
    .with_help(format!(
        "write `token_secret = \"DISCORD_TOKEN\"` under [discord] in {file}, then run `ostler \
         secrets set DISCORD_TOKEN`; or try everything without Discord: `ostler dev`"
    ))
}
