//! `ostler sessions`

use ostler_agent::view::{RowView, SessionDetail, SessionView, session_detail};
use ostler_store::{ItemKind, SessionKey, SessionStore as _};
use serde::Serialize;

use crate::args::{Format, Global, Sessions};
use crate::commands::{profile, registry};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible, visible_line};

/// Sessions in a list at most: the latest.
const LISTED: u32 = 500;

pub(crate) async fn run(global: &Global, command: Sessions) -> Result<Exit, Failure> {
    match command {
        Sessions::List => list(global).await,
        Sessions::Show { session } => show(global, &session).await,
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
        .map_err(|error| failed(&error))?;
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
    let key: SessionKey = key.parse().map_err(|error: ostler_store::ParseIdError| {
        Failure::new(Exit::Usage, error.code(), error.to_string())
    })?;
    let registry = registry(global)?;
    let detail = session_detail(registry.store().as_ref(), &key)
        .await
        .map_err(|error| failed(&error))?
        .ok_or_else(|| {
            Failure::new(
                Exit::Usage,
                "session-unknown",
                format!("there is no session {key}"),
            )
            .with_help("`ostler sessions list` shows them")
        })?;
    match global.format {
        Format::Json => terminal::print_json(&detail),
        Format::Text => terminal::print(&text(&detail)),
    }
    Ok(Exit::Done)
}

fn failed(error: &ostler_store::StoreError) -> Failure {
    Failure::new(Exit::Usage, error.code(), error.to_string())
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
