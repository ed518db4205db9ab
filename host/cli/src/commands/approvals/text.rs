//! How asks read in a terminal.

use std::fmt::Write as _;

use ostler_agent::{Reason, ReasonBy, Subject};
use ostler_web::view::{ApprovalDetail, ApprovalView, AuditView, utc};

use crate::terminal::{styles, visible, visible_line};

/// As much of what is asked as a list shows, in characters.
const EXCERPT: usize = 72;

/// An ask in a list: two lines.
pub(super) fn line(approval: &ApprovalView, now: i64) -> String {
    let text = approval.subject.as_ref().map(Subject::text);
    let text = text.unwrap_or_else(|| "(what it asks cannot be read)".to_owned());
    let mut excerpt: String = text.chars().take(EXCERPT).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    let asker = approval.asker_name.as_deref().unwrap_or("somebody");
    format!(
        "{title}{}{title:#}  {}, for {}: {}\n    {}\n",
        approval.id,
        visible_line(&approval.wish()),
        visible_line(asker),
        standing(approval, now),
        visible_line(&excerpt),
        title = styles::TITLE,
    )
}

/// How it stands, with the reason and the effect.
pub(super) fn standing(approval: &ApprovalView, now: i64) -> String {
    let mut text = visible_line(&approval.standing(now));
    if let Some(reason) = &approval.reason {
        let _ = write!(text, " (\"{}\")", visible_line(reason));
    }
    if let Some(effect) = approval.effect() {
        let _ = write!(text, "; {effect}");
    }
    text
}

/// All of an ask, with its steps.
pub(super) fn whole(detail: &ApprovalDetail, now: i64) -> String {
    let approval = &detail.approval;
    let mut text = format!(
        "{title}May I {}?{title:#}\n{}\n",
        visible_line(&approval.wish()),
        standing(approval, now),
        title = styles::TITLE,
    );
    subject(&mut text, approval);
    if approval.is_for_owner {
        text += "\nIt asks for the rights of another account: only the owner may answer.\n";
    }
    if !approval.reasons.is_empty() {
        heading(&mut text, "Why somebody is asked");
        for reason in &approval.reasons {
            let _ = writeln!(text, "  {}", reason_line(reason));
        }
    }
    if !approval.causes.is_empty() {
        heading(&mut text, "What led here");
        for (number, cause) in approval.causes.iter().enumerate() {
            let _ = writeln!(text, "  {}. {}", number + 1, visible_line(cause));
        }
    }
    facts(&mut text, approval);
    if !detail.steps.is_empty() {
        heading(&mut text, "Steps");
        for entry in &detail.steps {
            let _ = writeln!(text, "  {}", step(entry));
        }
    }
    text
}

/// The whole of what is asked, set off by a bar, so that none of it passes for what the host says.
fn subject(text: &mut String, approval: &ApprovalView) {
    let Some(subject) = &approval.subject else {
        *text += "\nWhat is stored of this cannot be read, so nothing may be decided by it.\n";
        return;
    };
    text.push('\n');
    let bar = format!("  {dim}|{dim:#} ", dim = styles::FAINT);
    for line in visible(&subject.text()).split('\n') {
        let _ = writeln!(text, "{bar}{line}");
    }
    if let Some(digest) = &approval.text_digest {
        let digest = digest.trim_start_matches("sha256:");
        let _ = writeln!(text, "\nSHA-256 {digest}");
    }
    match subject {
        Subject::Command {
            folder, confined, ..
        } => {
            let confined = match confined {
                Some(how) => format!("confined: {}", visible_line(how)),
                None => "NOT CONFINED: this machine offers no way".to_owned(),
            };
            let place = match folder.as_str() {
                "" => "the workspace".to_owned(),
                folder => format!("the workspace's folder {}", visible_line(folder)),
            };
            let _ = writeln!(text, "It runs in {place}, {confined}.");
        }
        Subject::Question { options, .. } => {
            for (number, option) in options.iter().enumerate() {
                let _ = writeln!(text, "  {}. {}", number + 1, visible_line(option));
            }
            if let Some(answer) = &approval.answer {
                let _ = writeln!(text, "The answer: \"{}\"", visible_line(answer));
            }
        }
        Subject::Call { .. } | Subject::Write { .. } | Subject::Changes { .. } => {}
    }
}

fn reason_line(reason: &Reason) -> String {
    let by = match &reason.by {
        ReasonBy::Host => "the host's rules".to_owned(),
        ReasonBy::Guardian => "the guardian, a second model".to_owned(),
        ReasonBy::Reviewer => "the reviewer, a second model".to_owned(),
        ReasonBy::Plugin(plugin) => format!("the plugin {}", visible_line(plugin)),
    };
    format!("{by}: \"{}\"", visible_line(&reason.text))
}

fn facts(text: &mut String, approval: &ApprovalView) {
    heading(text, "Facts");
    let asker = approval.asker_name.as_deref().unwrap_or("somebody");
    let message = match &approval.message {
        Some(message) => format!(", message {message}"),
        None => String::new(),
    };
    for (name, value) in [
        ("asked", utc(approval.created_at)),
        ("open until", utc(approval.expires_at)),
        ("for", format!("{asker}, tier {}", approval.tier)),
        ("session", approval.session.to_string()),
        ("row", approval.row.to_string()),
        ("card", format!("channel {}{message}", approval.channel)),
        ("digest", approval.digest.clone()),
        ("approval", approval.id.to_string()),
    ] {
        let _ = writeln!(text, "  {name:<12}{}", visible_line(&value));
    }
}

fn step(entry: &AuditView) -> String {
    format!(
        "{}  {} by {}  {dim}entry {}{dim:#}",
        utc(entry.at),
        visible_line(&entry.kind),
        visible_line(&entry.actor),
        entry.seq,
        dim = styles::FAINT,
    )
}

fn heading(text: &mut String, title: &str) {
    let _ = writeln!(text, "\n{style}{title}{style:#}", style = styles::TITLE);
}
