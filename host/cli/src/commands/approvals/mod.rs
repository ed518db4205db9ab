//! `ostler approvals`: the second way to answer.
//!
//! What there is, is read from the home's database, whether a host runs or not. An answer goes
//! through the running host, which judges it and does what was approved; without one, nobody
//! waits for it.

mod running;
mod text;

use ostler_registry::Registry;
use ostler_store::{Approval, ApprovalEnding, ApprovalId, ApprovalStore as _};
use ostler_web::view::{ApprovalView, approval_detail};
use serde::Serialize;

use self::running::{Answered, RunningHost};
use crate::args::{Approvals, Format, Global};
use crate::commands::{home, now, profile, registry, store_failed};
use crate::failure::{Exit, Failure};
use crate::terminal;

/// The fewest digits of an id that are taken for it.
const DIGITS: usize = 8;
/// The most digits that an id has.
const WHOLE: usize = 32;
/// Ended asks among which a beginning is looked up.
const LOOKED_THROUGH: u32 = 10_000;

pub(crate) async fn run(global: &Global, command: Approvals) -> Result<Exit, Failure> {
    match command {
        Approvals::List { all, limit } => list(global, all.then_some(limit)).await,
        Approvals::Show { id } => show(global, &id).await,
        Approvals::Approve { id } => answer(global, &id, ApprovalEnding::Approved, None).await,
        Approvals::Deny { id, reason } => {
            answer(global, &id, ApprovalEnding::Denied, reason.as_deref()).await
        }
    }
}

/// What is open; with `past`, at most so many that have ended too.
async fn list(global: &Global, past: Option<u32>) -> Result<Exit, Failure> {
    #[derive(Serialize)]
    struct Document {
        approvals: Vec<ApprovalView>,
    }
    let registry = registry(global)?;
    let profile = profile(global)?;
    let store = registry.store();
    let open = store.open_approvals(&profile).await;
    let mut found = open.map_err(|error| store_failed(&error))?;
    if let Some(limit) = past {
        let past = store.past_approvals(&profile, limit).await;
        found.extend(past.map_err(|error| store_failed(&error))?);
    }
    let approvals: Vec<ApprovalView> = found.into_iter().map(Into::into).collect();
    match global.format {
        Format::Json => terminal::print_json(&Document { approvals }),
        Format::Text if approvals.is_empty() && past.is_none() => {
            terminal::print("Nothing waits for an answer; `--all` lists what had one.\n");
        }
        Format::Text if approvals.is_empty() => terminal::print("Nothing was asked yet.\n"),
        Format::Text => {
            let now = now();
            for approval in &approvals {
                terminal::print(&text::line(approval, now));
            }
        }
    }
    Ok(Exit::Done)
}

async fn show(global: &Global, id: &str) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let approval = find(global, &registry, id).await?;
    let detail = approval_detail(registry.store().as_ref(), approval)
        .await
        .map_err(|error| store_failed(&error))?;
    match global.format {
        Format::Json => terminal::print_json(&detail),
        Format::Text => terminal::print(&text::whole(&detail, now())),
    }
    Ok(Exit::Done)
}

/// Answers as the owner, through the running host. `wanted` is *approved* or *denied*.
async fn answer(
    global: &Global,
    id: &str,
    wanted: ApprovalEnding,
    reason: Option<&str>,
) -> Result<Exit, Failure> {
    let registry = registry(global)?;
    let host = RunningHost::find(&home(global)?)?;
    let id = find(global, &registry, id).await?.id;
    let answered = host
        .answer(id, wanted == ApprovalEnding::Approved, reason)
        .await?;
    let approval = registry.store().approval(id).await;
    let approval = approval
        .map_err(|error| store_failed(&error))?
        .map(ApprovalView::from)
        .ok_or_else(|| unknown(&id.to_string()))?;
    let standing = text::standing(&approval, now());
    match answered {
        Answered::Done => {}
        // It stands as it should: somebody else said the same.
        Answered::Before if approval.ending == Some(wanted) => {}
        Answered::Before => {
            return Err(Failure::new(
                Exit::NotFine,
                "approval-settled",
                format!("this answer changed nothing; what stands: {standing}"),
            )
            .with_help(format!("`ostler approvals show {id}` shows each step")));
        }
    }
    match global.format {
        Format::Json => terminal::print_json(&approval),
        Format::Text => terminal::print(&format!("{id}  {standing}\n")),
    }
    Ok(Exit::Done)
}

/// The ask of the profile that an id, or the beginning of one, names.
async fn find(global: &Global, registry: &Registry, given: &str) -> Result<Approval, Failure> {
    let profile = profile(global)?;
    let store = registry.store();
    if let Ok(id) = given.parse::<ApprovalId>() {
        let found = store.approval(id).await;
        return found
            .map_err(|error| store_failed(&error))?
            .filter(|approval| approval.profile == profile)
            .ok_or_else(|| unknown(given));
    }
    let is_beginning = (DIGITS..WHOLE).contains(&given.len())
        && given
            .bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if !is_beginning {
        return Err(Failure::new(
            Exit::Usage,
            "invalid-approval-id",
            format!("{given:?} is no id of an approval"),
        )
        .with_help(format!(
            "give its 32 digits of 0 to 9 and a to f, or the first {DIGITS} or more"
        )));
    }
    let open = store.open_approvals(&profile).await;
    let mut found = open.map_err(|error| store_failed(&error))?;
    let past = store.past_approvals(&profile, LOOKED_THROUGH).await;
    found.extend(past.map_err(|error| store_failed(&error))?);
    found.retain(|approval| approval.id.to_string().starts_with(given));
    if found.len() > 1 {
        return Err(Failure::new(
            Exit::Usage,
            "approval-ambiguous",
            format!("{} approvals begin with {given}", found.len()),
        )
        .with_help("give more digits"));
    }
    found.pop().ok_or_else(|| unknown(given))
}

fn unknown(id: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "approval-unknown",
        format!("the profile has no approval {id}"),
    )
    .with_help("`ostler approvals list --all` lists them; `--profile` names another profile")
}
