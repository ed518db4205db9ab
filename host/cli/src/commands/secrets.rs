//! `ostler secrets`

use std::io::{IsTerminal as _, Read as _};

use ostler_config::{Secret, SecretName};
use ostler_registry::ListedSecret;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::args::{Format, Global, Secrets};
use crate::commands::{confirm, profile, registry};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible_line};

/// As much of stdin as is read: more than a value may have, so that a longer one is seen.
const READ_BYTES: usize = 10_000;

pub(crate) async fn run(global: &Global, command: Secrets) -> Result<Exit, Failure> {
    match command {
        Secrets::Set { name } => set(global, &name.parse()?).await,
        Secrets::List => list(global).await,
        Secrets::Remove { name, yes } => remove(global, &name.parse()?, yes).await,
    }
}

async fn set(global: &Global, name: &SecretName) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let profile = profile(global)?;
    let secret = Secret::new(value(name)?)?;
    registry.set_secret(&profile, name, secret).await?;
    tell(global, name, "set");
    Ok(Exit::Done)
}

/// The value: from a person who types it unseen, or from a pipe, without one line break at its
/// end. Never from the command line, which other users of the machine can read.
fn value(name: &SecretName) -> Result<Vec<u8>, Failure> {
    let unreadable = |error| Failure::io("the secret's value cannot be read", &error);
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let typed = rpassword::prompt_password(format!("Value of {name}: "));
        return Ok(typed.map_err(unreadable)?.into_bytes());
    }
    // Its full size at once: a buffer that grows leaves copies behind.
    let mut value = Vec::with_capacity(READ_BYTES);
    let limit = u64::try_from(READ_BYTES).unwrap_or(u64::MAX);
    stdin
        .lock()
        .take(limit)
        .read_to_end(&mut value)
        .map_err(unreadable)?;
    if value.last() == Some(&b'\n') {
        value.pop();
        if value.last() == Some(&b'\r') {
            value.pop();
        }
    }
    Ok(value)
}

async fn list(global: &Global) -> Result<Exit, Failure> {
    let secrets = registry(global)?.secrets(&profile(global)?).await?;
    match global.format {
        Format::Json => terminal::print_json(&secrets),
        Format::Text if secrets.is_empty() => {
            terminal::print("No secret is set; `ostler secrets set NAME` sets one.\n");
        }
        Format::Text => {
            let width = secrets.iter().map(|secret| secret.name.len()).max();
            let width = width.unwrap_or(0);
            for secret in &secrets {
                terminal::print(&format!(
                    "{title}{:width$}{title:#}  set {}\n",
                    visible_line(&secret.name),
                    time_of(secret),
                    title = styles::TITLE,
                ));
            }
        }
    }
    Ok(Exit::Done)
}

/// When it was set, to the second (UTC).
fn time_of(secret: &ListedSecret) -> String {
    OffsetDateTime::from_unix_timestamp(secret.updated_at / 1_000)
        .ok()
        .and_then(|time| time.format(&Rfc3339).ok())
        .unwrap_or_else(|| format!("{} ms after 1970", secret.updated_at))
}

async fn remove(global: &Global, name: &SecretName, yes: bool) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let profile = profile(global)?;
    let unknown = || {
        let message = format!("the profile {profile} has no secret {name}");
        Failure::new(Exit::Usage, "secret-unknown", message)
            .with_help("`ostler secrets list` lists the names")
    };
    let secrets = registry.secrets(&profile).await?;
    if !secrets.iter().any(|secret| secret.name == name.as_str()) {
        return Err(unknown());
    }
    if !yes {
        ask(global, name)?;
    }
    if !registry.remove_secret(&profile, name).await? {
        return Err(unknown());
    }
    tell(global, name, "removed");
    Ok(Exit::Done)
}

/// A value that is gone cannot be had back, so that a person confirms.
fn ask(global: &Global, name: &SecretName) -> Result<(), Failure> {
    let question = format!("removing {name} cannot be undone");
    confirm::ask(global, question, "nothing was removed")
}

/// Says what was done.
fn tell(global: &Global, name: &SecretName, done: &'static str) {
    #[derive(Serialize)]
    struct Document<'a> {
        profile: &'a str,
        name: &'a str,
        done: &'static str,
    }
    match global.format {
        Format::Json => terminal::print_json(&Document {
            profile: global.profile_name(),
            name: name.as_str(),
            done,
        }),
        Format::Text => terminal::print(&format!(
            "{done} {name} in the profile {}\n",
            global.profile_name()
        )),
    }
}
