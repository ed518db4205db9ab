//! `ostler sessions`

use ostler_agent::view::{RowView, SessionDetail, SessionView, session_detail};
use ostler_store::{ItemKind, SessionKey, SessionStore as _};
use serde::Serialize;

use crate::args::{Format, Global, Sessions, Switch};
use crate::commands::{now, profile, registry, store_failed};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible, visible_line};

/// Sessions in a list at most: the latest.
const LISTED: u32 = 500;

pub(crate) async fn run(global: &Global, command: Sessions) -> Result<Exit, Failure> {
    match command {
        Sessions::List => list(global).await,
        Sessions::Show { session } => show(global, &session).await,
        Sessions::Yolo { session, switch } => yolo(global, &session, switch == Switch::On).await,
    }
}

async fn list(global: &Global) -> Result<Exit, Failure> {
    #[derive(Serialize)]
    struct Document {
        sessions: Vec<SessionView>,
    }
    let registry = registry(global)?;
    let profile = profile(global)?;
    let found = registry
        .store()
        .sessions(&profile, LISTED)
        .await
        .map_err(|error| store_failed(&error))?;
    let sessions: Vec<SessionView> = found.into_iter().map(Into::into).collect();
    match global.format {
        Format::Json => terminal::print_json(&Document { sessions }),
        Format::Text if sessions.is_empty() => {
            terminal::print("There are no sessions yet: write to the assistant first.\n");
        }
        Format::Text => {
            for session in &sessions {
                terminal::print(&format!("{}\n", line(session)));
            }
        }
    }
    Ok(Exit::Done)
}

async fn show(global: &Global, key: &str) -> Result<Exit, Failure> {
    let key = parsed(key)?;
    let registry = registry(global)?;
    let detail = session_detail(registry.store().as_ref(), &key)
        .await
        .map_err(|error| store_failed(&error))?
        .ok_or_else(|| unknown(&key))?;
    match global.format {
        Format::Json => terminal::print_json(&detail),
        Format::Text => terminal::print(&text(&detail)),
    }
    Ok(Exit::Done)
}

/// Whether nobody is asked in a session. The store puts it on record.
async fn yolo(global: &Global, key: &str, on: bool) -> Result<Exit, Failure> {
    #[derive(Serialize)]
    struct Document<'a> {
        session: &'a SessionKey,
        yolo: bool,
    }
    let key = parsed(key)?;
    let registry = registry(global)?;
    let set = registry
        .store()
        .set_yolo(&key, on, "local:cli", now())
        .await;
    if !set.map_err(|error| store_failed(&error))? {
        return Err(unknown(&key));
    }
    if on {
        // Also where results are read by programs: people look at stderr.
        anstream::eprintln!(
            "{red}WARNING: nobody is asked any more{red:#} in {key}. Whatever the model wants to \
             run there, runs,\nand whoever writes there speaks to the model. Only floors and \
             `approvals.deny` hold, and turns\nthat a plugin or a peer caused ask all the same. \
             `ostler sessions yolo {key} off` ends it.",
            red = styles::ERROR,
        );
    }
    match global.format {
        Format::Json => terminal::print_json(&Document {
            session: &key,
            yolo: on,
        }),
        Format::Text => terminal::print(&format!(
            "{key}  {}\n",
            if on {
                "nobody is asked"
            } else {
                "whoever may answer is asked again"
            }
        )),
    }
    Ok(Exit::Done)
}

fn parsed(key: &str) -> Result<SessionKey, Failure> {
    key.parse().map_err(|error: ostler_store::ParseIdError| {
        Failure::new(Exit::Usage, error.code(), error.to_string())
    })
}

fn unknown(key: &SessionKey) -> Failure {
    Failure::new(
        Exit::Usage,
        "session-unknown",
        format!("there is no session {key}"),
    )
    .with_help("`ostler sessions list` shows them")
}

fn line(session: &SessionView) -> String {
    let mut line = format!(
        "{bold}{}{bold:#}  {} rows",
        session.key,
        session.rows,
        bold = styles::TITLE
    );
    for (count, word) in [(session.queued, "waiting"), (session.unknown, "unknown")] {
        if count > 0 {
            line += &format!(", {count} {word}");
        }
    }
    if let Some(reason) = &session.paused {
        line += &format!(", paused: {reason}");
    }
    line
}

fn text(detail: &SessionDetail) -> String {
    let mut text = format!("{}\n", line(&detail.session));
    for row in &detail.row_list {
        text += &row_text(row);
    }
    text
}

fn row_text(row: &RowView) -> String {
    let mut text = format!(
        "\n{bold}{}{bold:#}. {} {} by {}",
        row.seq,
        row.kind,
        row.status,
        visible_line(&row.principal),
        bold = styles::TITLE
    );
    if let Some(outcome) = row.outcome {
        text += &format!(": {outcome}");
    }
    if let Some(reason) = &row.reason {
        text += &format!(" ({})", visible_line(reason));
    }
    text += &format!("  {dim}{}{dim:#}\n", row.id, dim = styles::FAINT);
    if let Some(detail) = &row.detail {
        text += &indented(detail);
    }
    for item in &row.items {
        let said = match (&item.kind, item.content.as_str()) {
            (ItemKind::Text, Some(said)) => format!("{}: {said}", item.role),
            _ => format!("{}: {}", item.role, item.content),
        };
        text += &indented(&said);
    }
    text
}

/// Foreign text: shown harmless, and never at the start of a line.
fn indented(text: &str) -> String {
    format!("   {}\n", visible(text).replace('\n', "\n     "))
}
