//! `ostler audit`

use ostler_store::{AuditLog as _, AuditVerdict, Store};
use ostler_web::view::{AuditView, newest_audit, utc};
use serde::Serialize;

use crate::args::{Audit, Format, Global};
use crate::commands::{profile, registry, store_failed};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible_line};

pub(crate) async fn run(global: &Global, audit: Audit) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let store = registry.store();
    if audit.verify {
        return verify(global, store, audit.head.as_deref()).await;
    }
    // Without a profile on the line, everything, also what concerns the host alone.
    let profile = match global.profile {
        Some(_) => Some(profile(global)?),
        None => None,
    };
    let found = match audit.after {
        Some(after) => {
            store
                .audit_entries(after, audit.limit, profile.as_ref())
                .await
        }
        None => newest_audit(store.as_ref(), audit.limit, profile.as_ref()).await,
    };
    let found = found.map_err(|error| store_failed(&error))?;
    let entries: Vec<AuditView> = found.into_iter().map(Into::into).collect();
    match global.format {
        Format::Json => {
            #[derive(Serialize)]
            struct Document {
                entries: Vec<AuditView>,
            }
            terminal::print_json(&Document { entries });
        }
        Format::Text if entries.is_empty() => terminal::print("The audit log has none.\n"),
        Format::Text => {
            for entry in &entries {
                terminal::print(&text(entry));
            }
        }
    }
    Ok(Exit::Done)
}

fn text(entry: &AuditView) -> String {
    let mut line = format!(
        "{dim}{:>6}{dim:#}  {}  {title}{}{title:#} by {}",
        entry.seq,
        utc(entry.at),
        visible_line(&entry.kind),
        visible_line(&entry.actor),
        dim = styles::FAINT,
        title = styles::TITLE,
    );
    let profile = entry.profile.as_ref().map(ToString::to_string);
    for (name, value) in [
        ("of", entry.subject.as_ref()),
        ("in channel", entry.place.as_ref()),
        ("profile", profile.as_ref()),
    ] {
        if let Some(value) = value {
            line += &format!(", {name} {}", visible_line(value));
        }
    }
    format!(
        "{line}\n        {dim}{}{dim:#}\n",
        visible_line(&entry.detail.to_string()),
        dim = styles::FAINT
    )
}

/// What looking through the chain found.
#[derive(Serialize)]
struct Verified {
    whole: bool,
    /// How many entries there are; none if the chain is broken.
    entries: Option<u64>,
    /// The last one's hash, likewise.
    head: Option<String>,
    /// Where it is broken.
    broken_at: Option<u64>,
    /// What is wrong there.
    what: Option<String>,
    /// The head that was noted, if one was given.
    noted: Option<Noted>,
}

#[derive(Serialize)]
struct Noted {
    head: String,
    /// The entry whose hash it is; none if it is in the chain no more.
    seq: Option<u64>,
}

/// Looks through the whole chain, and for a head that somebody noted.
async fn verify(global: &Global, store: &Store, head: Option<&str>) -> Result<Exit, Failure> {
    let noted = match head {
        Some(head) => Some(noted(store, head).await?),
        None => None,
    };
    let verdict = store.verify_audit().await;
    let mut verified = match verdict.map_err(|error| store_failed(&error))? {
        AuditVerdict::Whole { entries, head } => Verified {
            whole: true,
            entries: Some(entries),
            head: Some(head),
            broken_at: None,
            what: None,
            noted: None,
        },
        AuditVerdict::Broken { seq, what } => Verified {
            whole: false,
            entries: None,
            head: None,
            broken_at: Some(seq),
            what: Some(what),
            noted: None,
        },
    };
    verified.noted = noted;
    match global.format {
        Format::Json => terminal::print_json(&verified),
        Format::Text => terminal::print(&verdict_text(&verified)),
    }
    let is_known = verified
        .noted
        .as_ref()
        .is_none_or(|noted| noted.seq.is_some());
    if verified.whole && is_known {
        Ok(Exit::Done)
    } else {
        Ok(Exit::NotFine)
    }
}

/// Looks a noted head up. It must be one, lest a mistake in typing looks like a forgery.
async fn noted(store: &Store, given: &str) -> Result<Noted, Failure> {
    let digits = given.trim().trim_start_matches("sha256:").to_lowercase();
    if digits.len() != 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(Failure::new(
            Exit::Usage,
            "audit-head-invalid",
            format!("{given:?} is no head of the audit log"),
        )
        .with_help("a head is `sha256:` and 64 digits of 0 to 9 and a to f"));
    }
    let head = format!("sha256:{digits}");
    let seq = store.is_audit_head(&head).await;
    let seq = seq.map_err(|error| store_failed(&error))?;
    Ok(Noted { head, seq })
}

fn verdict_text(verified: &Verified) -> String {
    let mut text = String::new();
    match (&verified.entries, &verified.head) {
        (Some(entries), Some(head)) => {
            text += &format!(
                "{ok}whole{ok:#}  {entries} entries, each after the one before it\nhead   {head}\n",
                ok = styles::HELP
            );
        }
        _ => {
            text += &format!(
                "{red}error[audit-broken]{red:#}: the chain is broken at entry {}: {}\n    \
                 Entries before it are what they were. Somebody changed the database by another \
                 way than this program: compare with a backup.\n",
                verified.broken_at.unwrap_or_default(),
                visible_line(verified.what.as_deref().unwrap_or_default()),
                red = styles::ERROR
            );
        }
    }
    match &verified.noted {
        Some(Noted {
            head,
            seq: Some(seq),
        }) => {
            text += &format!("noted  {head} is entry {seq}\n");
        }
        Some(Noted { head, seq: None }) => {
            text += &format!(
                "{red}error[audit-head-unknown]{red:#}: {head} is the hash of no entry\n    \
                 Entries were cut off, or the whole chain was made anew, since you noted it; or \
                 it is another home's.\n",
                red = styles::ERROR
            );
        }
        None if verified.whole => {
            text += "Note the head elsewhere, where nobody who can write this home can: that the \
                     newest entries were\ncut off only shows against it, with `ostler audit \
                     --verify --head HASH`.\n";
        }
        None => {}
    }
    text
}
