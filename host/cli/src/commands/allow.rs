//! `ostler allow`: standing grants, which exist outside of Discord only.

use std::path::PathBuf;

use ostler_commands::{Circumstances, Judgement, Shape, judge};
use ostler_config::{Grant, GrantKind, ProfileConfig, add_grant, read_grants, remove_grant};
use ostler_registry::Registry;
use ostler_store::{AuditLog as _, NewAuditEntry, PackageName, Profile, SessionKey};
use ostler_web::view::utc;
use serde::Serialize;
use serde_json::json;

use crate::args::{Allow, AllowAdd, Allowed, Format, Global};
use crate::commands::{home, now, profile, registry, store_failed};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible, visible_line};

/// Who grants here, as the file and the audit log name them.
const BY: &str = "local:cli";

pub(crate) async fn run(global: &Global, command: Allow) -> Result<Exit, Failure> {
    match command {
        Allow::Add(add) => self::add(global, add).await,
        Allow::List => list(global),
        Allow::Remove { id } => remove(global, &id).await,
    }
}

fn grants_file(global: &Global) -> Result<PathBuf, Failure> {
    Ok(home(global)?.grants_file(global.profile_name())?)
}

async fn add(global: &Global, add: AllowAdd) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let profile = profile(global)?;
    let (kind, text) = wanted(add.what)?;
    let session = match add.session {
        Some(key) => Some(session_of(&profile, &key)?),
        None => None,
    };
    let notes = match kind {
        GrantKind::Command | GrantKind::Shape => judged(global, kind, &text)?,
        GrantKind::Rule => rule_notes(&registry, &profile, &text),
    };
    let file = grants_file(global)?;
    let now = now();
    let session = session.as_ref().map(SessionKey::as_str);
    let standing = read_grants(&file)?;
    let grant = add_grant(&file, kind, &text, session, BY, now)?;
    let is_new = !standing.iter().any(|known| known.id == grant.id);
    if is_new && let Err(failed) = record(&registry, &profile, "grant-added", &grant, now).await {
        // Nothing holds that is not on record.
        remove_grant(&file, &grant.id)?;
        return Err(failed);
    }
    tell_added(global, &profile, &grant, is_new, &notes);
    Ok(Exit::Done)
}

/// What is to be granted. The group of options has exactly one.
fn wanted(what: Allowed) -> Result<(GrantKind, String), Failure> {
    match (what.command, what.shape, what.rule) {
        (Some(command), None, None) => Ok((GrantKind::Command, command.trim().to_owned())),
        (None, Some(shape), None) => Ok((GrantKind::Shape, shape.trim().to_owned())),
        (None, None, Some(rule)) => Ok((GrantKind::Rule, rule)),
        _ => Err(Failure::new(
            Exit::Usage,
            "usage",
            "give one of --command, --shape and --rule",
        )),
    }
}

fn session_of(profile: &Profile, key: &str) -> Result<SessionKey, Failure> {
    let key: SessionKey = key.parse().map_err(|error: ostler_store::ParseIdError| {
        Failure::new(Exit::Usage, error.code(), error.to_string())
    })?;
    if key.profile() != profile.as_str() {
        let message = format!(
            "the session {key} belongs to the profile {}, not to {profile}",
            key.profile()
        );
        return Err(Failure::new(Exit::Usage, "other-profile", message)
            .with_help(format!("give `--profile {}`", key.profile())));
    }
    Ok(key)
}

/// What a command does, for whoever grants it.
///
/// # Errors
/// `floor` for what is never run, and the shape's own codes.
fn judged(global: &Global, kind: GrantKind, text: &str) -> Result<Vec<String>, Failure> {
    let example = match kind {
        GrantKind::Shape => {
            Shape::parse(text)
                .map_err(|error| Failure::new(Exit::Usage, error.code(), error.to_string()))?;
            filled(text)
        }
        GrantKind::Command | GrantKind::Rule => text.to_owned(),
    };
    let home = home(global)?;
    let config = ostler_config::read_profile(&home.profile_file(global.profile_name())?)?;
    let judgement = judgement(
        &config,
        &config.workspace(&home, global.profile_name())?,
        &example,
    );
    if let Some(floor) = judgement.floor {
        return Err(Failure::new(
            Exit::NotFine,
            "floor",
            format!("this is never run, so nothing was granted: {floor}"),
        )
        .with_help("floors and `approvals.deny` beat every grant"));
    }
    let mut notes = Vec::new();
    if judgement.read_only.is_ok() {
        notes.push("It only reads, in the workspace: it runs unasked already.".to_owned());
    }
    notes.extend(judgement.findings.into_iter().map(|finding| finding.why));
    if judgement.uses_sudo {
        notes.push("On a card, only the owner could allow it.".to_owned());
    }
    if !judgement.scripts.is_empty() {
        let files: Vec<String> = judgement
            .scripts
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        notes.push(format!(
            "It runs what stands in {}, whatever that is by then.",
            files.join(", ")
        ));
    }
    Ok(notes)
}

fn judgement(config: &ProfileConfig, workspace: &std::path::Path, command: &str) -> Judgement {
    judge(
        command,
        &Circumstances {
            workspace,
            folder: workspace,
            protected: &config.approvals.protected,
            deny: &config.approvals.deny,
        },
    )
}

/// A command of a shape, to be judged: each hole filled with a word that says nothing.
fn filled(shape: &str) -> String {
    let mut filled = String::new();
    let mut rest = shape;
    while let Some((before, from)) = rest.split_once('<') {
        filled.push_str(before);
        let (hole, after) = from.split_once('>').unwrap_or((from, ""));
        filled.push_str(if hole.starts_with('/') {
            "/srv/example"
        } else {
            "example"
        });
        rest = after;
    }
    filled + rest
}

fn rule_notes(registry: &Registry, profile: &Profile, rule: &str) -> Vec<String> {
    let plugin = rule.split('/').next().unwrap_or_default();
    let is_installed = plugin
        .parse::<PackageName>()
        .is_ok_and(|name| matches!(registry.store().install(profile, &name), Ok(Some(_))));
    if is_installed {
        Vec::new()
    } else {
        vec![format!("No plugin {plugin} is installed in this profile.")]
    }
}

async fn record(
    registry: &Registry,
    profile: &Profile,
    kind: &str,
    grant: &Grant,
    now: i64,
) -> Result<(), Failure> {
    let detail = json!({
        "kind": grant.kind.as_str(), "text": grant.text, "session": grant.session,
    });
    let entry = NewAuditEntry {
        at: now,
        profile: Some(profile.clone()),
        kind: kind.to_owned(),
        actor: BY.to_owned(),
        subject: Some(grant.id.clone()),
        place: None,
        digest: None,
        detail: detail.to_string(),
    };
    let recorded = registry.store().audit(entry).await;
    recorded.map_err(|error| store_failed(&error))?;
    Ok(())
}

fn tell_added(global: &Global, profile: &Profile, grant: &Grant, is_new: bool, notes: &[String]) {
    #[derive(Serialize)]
    struct Document<'a> {
        profile: &'a Profile,
        grant: &'a Grant,
        /// Whether it was not there before.
        added: bool,
        notes: &'a [String],
    }
    if global.format == Format::Json {
        terminal::print_json(&Document {
            profile,
            grant,
            added: is_new,
            notes,
        });
        return;
    }
    let done = if is_new { "added" } else { "stands already" };
    let mut text = format!(
        "{title}{}{title:#}  {done}\n{}\n",
        visible_line(&grant.id),
        meaning(profile, grant),
        title = styles::TITLE
    );
    for note in notes {
        text += &format!(
            "  {warn}!{warn:#} {}\n",
            visible_line(note),
            warn = styles::WARNING
        );
    }
    text += "It holds from now on, and on no turn that a plugin or a peer caused. Floors and \
             `approvals.deny` beat it.\n";
    text += &format!(
        "`ostler allow remove {}` takes it back.\n",
        visible_line(&grant.id)
    );
    terminal::print(&text);
}

/// What a grant lets pass.
fn meaning(profile: &Profile, grant: &Grant) -> String {
    let what = match grant.kind {
        GrantKind::Command => "Exactly this command runs unasked",
        GrantKind::Shape => {
            "Every command of this shape runs unasked, with any one plain word for each <…>"
        }
        GrantKind::Rule => "What this rule asks passes unasked",
    };
    let place = match &grant.session {
        Some(session) => format!("in the session {}", visible_line(session)),
        None => format!("in every session of the profile {profile}"),
    };
    let text = visible(&grant.text).replace('\n', "\n    ");
    format!("{what}, {place}:\n    {text}")
}

fn list(global: &Global) -> Result<Exit, Failure> {
    #[derive(Serialize)]
    struct Document {
        grants: Vec<Grant>,
    }
    let profile = profile(global)?;
    let grants = read_grants(&grants_file(global)?)?;
    match global.format {
        Format::Json => terminal::print_json(&Document { grants }),
        Format::Text if grants.is_empty() => {
            terminal::print("Nothing passes without a question by a grant.\n");
        }
        Format::Text => {
            for grant in &grants {
                terminal::print(&format!(
                    "{title}{}{title:#}  since {}, by {}\n  {}\n",
                    grant.id,
                    utc(grant.added_at),
                    visible_line(&grant.added_by),
                    meaning(&profile, grant),
                    title = styles::TITLE,
                ));
            }
        }
    }
    Ok(Exit::Done)
}

async fn remove(global: &Global, id: &str) -> Result<Exit, Failure> {
    #[derive(Serialize)]
    struct Document<'a> {
        removed: &'a Grant,
    }
    let registry = registry(global)?;
    let profile = profile(global)?;
    let Some(grant) = remove_grant(&grants_file(global)?, id)? else {
        return Err(Failure::new(
            Exit::Usage,
            "grant-unknown",
            format!("the profile {profile} has no grant {id:?}"),
        )
        .with_help("`ostler allow list` shows them"));
    };
    record(&registry, &profile, "grant-removed", &grant, now()).await?;
    match global.format {
        Format::Json => terminal::print_json(&Document { removed: &grant }),
        Format::Text => terminal::print(&format!(
            "removed {}: from now on it asks again\n",
            visible_line(&grant.id)
        )),
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_judged_by_a_command_of_it() {
        for (shape, command) in [
            ("cargo test", "cargo test"),
            ("git show <name>", "git show example"),
            ("cp <from> </to> -v", "cp example /srv/example -v"),
        ] {
            assert_eq!(filled(shape), command);
            assert!(Shape::parse(shape).unwrap().matches(command), "{shape}");
        }
    }
}
