//! How an ask looks on Discord.
//!
//! The whole of what is asked can be read: what does not fit into the message is attached as a
//! file, whose SHA-256 stands on the card, as that of every subject does. Foreign text stands in
//! code blocks or escaped, with nothing hidden in it; nobody is mentioned but the operators, where
//! the profile says so.

use ostler_store::{Approval, ApprovalClass, ApprovalEnding, PersonId, Via};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::codec::{ComponentId, OPTIONS, Pressed};
use super::document::{AskDocument, ReasonBy, Subject};
use super::visible::{in_code, in_line};
use crate::channel::PostFile;
use crate::turn::split::units;

/// The words on the buttons; no plugin's card may carry them.
pub(crate) const APPROVE: &str = "Approve once";
/// Likewise.
pub(crate) const DENY: &str = "Deny";
/// Discord, *Button*, `label`: at most 80 characters; longer options are cut on the button and
/// stand whole in the text.
const LABEL: usize = 80;
/// Questions with more options are drawn as a list (Discord, *Action Row*: five buttons).
const BUTTONS: usize = 4;
/// The longest reason that is shown.
const REASON: usize = 300;

/// A card, ready to be posted or to replace what stands there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Card {
    pub(crate) content: String,
    pub(crate) components: Value,
    pub(crate) files: Vec<PostFile>,
}

/// An ask that cannot be shown in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Draws an ask as it stands now. `limit` is what a message holds, in UTF-16 code units.
///
/// # Errors
/// A question that a message cannot hold whole.
pub(crate) fn draw(
    approval: &Approval,
    document: &AskDocument,
    mentions: &[PersonId],
    limit: usize,
) -> Result<Card, TooLong> {
    if let Subject::Question { text, options, .. } = &document.subject {
        return question(approval, document, text, options, limit);
    }
    let text = document.subject.text();
    let digest = hex::encode(Sha256::digest(text.as_bytes()));
    let shown = in_code(&text);
    let head = head(approval, document, mentions);
    let tail = tail(approval, document, &digest);
    let body = format!("```{}\n{shown}\n```", language(&document.subject));
    let whole = format!("{head}\n{body}\n{tail}");
    let (content, files) = if units(&whole) <= limit {
        (whole, Vec::new())
    } else {
        let name = file_name(&document.subject);
        let pointer = format!(
            "It has {} characters in {} lines and does not fit here. **The whole of it is in the \
             file `{name}`: read that before you decide.**",
            text.chars().count(),
            text.lines().count().max(1),
        );
        let file = PostFile {
            name: name.to_owned(),
            bytes: text.into_bytes(),
        };
        (fitting(&head, &pointer, &tail, limit), vec![file])
    };
    Ok(Card {
        content,
        components: buttons(approval),
        files,
    })
}

/// Everything but the subject can be bounded: reasons and causes are cut before the rest.
fn fitting(head: &str, body: &str, tail: &str, limit: usize) -> String {
    let content = format!("{head}\n{body}\n{tail}");
    if units(&content) <= limit {
        return content;
    }
    // The tail begins with what the host itself states and ends with reasons.
    let mut cut = format!("{head}\n{body}\n");
    for line in tail.lines() {
        if units(&cut) + units(line) + 1 < limit {
            cut.push_str(line);
            cut.push('\n');
        }
    }
    cut
}

fn head(approval: &Approval, document: &AskDocument, mentions: &[PersonId]) -> String {
    let what = match &document.subject {
        Subject::Command { .. } => "run a shell command".to_owned(),
        Subject::Call { .. } => format!("call `{}`", in_code(&document.tool)),
        Subject::Write { path, .. } => format!("write the file `{}`", in_code(path)),
        Subject::Changes { changes } if changes.len() == 1 => "change this server".to_owned(),
        Subject::Changes { changes } => {
            format!("make {} changes to this server", changes.len())
        }
        Subject::Question { .. } => String::new(),
    };
    let mut head = match approval.ending {
        None => {
            let called: Vec<String> = mentions
                .iter()
                .map(|person| format!("<@{person}>"))
                .collect();
            let called = if called.is_empty() {
                String::new()
            } else {
                format!("{}\n", called.join(" "))
            };
            format!(
                "{called}**May I {what}?** Open until <t:{0}:T> (<t:{0}:R>).",
                approval.expires_at / 1_000
            )
        }
        Some(ending) => format!("{} I had asked to {what}.", ended(approval, ending)),
    };
    head.push_str(&format!(
        "\nAsked in a turn of {}.",
        in_line(&document.asker, 120)
    ));
    if let Subject::Command {
        folder, confined, ..
    } = &document.subject
    {
        let place = match folder.as_str() {
            "" => "the workspace".to_owned(),
            folder => format!("the workspace's folder `{}`", in_code(folder)),
        };
        head.push_str(&format!(
            " It runs in {place}, {}.",
            match confined {
                Some(how) => format!("confined ({})", in_line(how, 120)),
                None => "**not confined**: this machine offers no way".to_owned(),
            }
        ));
    }
    head
}

/// How it ended, for whoever reads the channel.
fn ended(approval: &Approval, ending: ApprovalEnding) -> String {
    let at = approval.decided_at.unwrap_or(approval.created_at) / 1_000;
    let by = decider(approval);
    match ending {
        ApprovalEnding::Approved => format!("✅ **Approved once** by {by} <t:{at}:f>."),
        ApprovalEnding::Denied => {
            let reason = match &approval.reason {
                Some(reason) => format!(" Reason: {}", in_line(reason, 500)),
                None => String::new(),
            };
            format!("⛔ **Denied** by {by} <t:{at}:f>. Nothing ran.{reason}")
        }
        ApprovalEnding::Answered => format!("**Answered** by {by} <t:{at}:f>."),
        ApprovalEnding::Unanswered => {
            format!("⌛ **Expired** <t:{at}:f>. Nobody answered; nothing ran.")
        }
        ApprovalEnding::Unreachable => {
            "⌛ **Expired**: this card could not be shown in time. Nothing ran.".to_owned()
        }
        ApprovalEnding::Cancelled => {
            "🚫 **Cancelled**: the turn that asked has ended. Nothing ran.".to_owned()
        }
    }
}

/// Who decided, for people.
fn decider(approval: &Approval) -> String {
    let by = approval.decided_by.as_deref().unwrap_or("nobody");
    match (approval.decided_via, by.strip_prefix("discord:")) {
        (Some(Via::Discord), Some(person)) => format!("<@{person}>"),
        (Some(Via::Page), _) => "the owner on the web page".to_owned(),
        (Some(Via::Cli), _) => "the owner on the command line".to_owned(),
        _ => in_line(by, 80),
    }
}

fn tail(approval: &Approval, document: &AskDocument, digest: &str) -> String {
    let mut tail = format!("SHA-256 `{digest}`");
    if document.is_for_owner {
        tail.push_str(
            "\nIt asks for the rights of another account: **only the owner may answer**.",
        );
    }
    if document.causes.len() > 1 {
        let causes: Vec<String> = document.causes.iter().map(|c| in_line(c, 80)).collect();
        tail.push_str(&format!("\nWhat led here: {}", causes.join(" → ")));
    }
    for reason in &document.reasons {
        let by = match &reason.by {
            ReasonBy::Host => {
                // The host's own words quote with backticks, which a card keeps for itself.
                let text = reason.text.replace('`', "'");
                tail.push_str(&format!("\nWhy: {}", in_line(&text, REASON)));
                continue;
            }
            ReasonBy::Guardian => "The guardian says".to_owned(),
            ReasonBy::Reviewer => "The reviewer says".to_owned(),
            ReasonBy::Plugin(plugin) => format!("The plugin {} says", in_line(plugin, 64)),
        };
        tail.push_str(&format!("\n{by}: {}", in_line(&reason.text, REASON)));
    }
    tail.push_str(&format!(
        "\n-# ask {} · `ostler approvals show {0}`",
        approval.id
    ));
    tail
}

fn language(subject: &Subject) -> &'static str {
    match subject {
        Subject::Command { .. } => "sh",
        Subject::Call { .. } => "json",
        Subject::Write { .. } => "diff",
        Subject::Changes { .. } | Subject::Question { .. } => "",
    }
}

fn file_name(subject: &Subject) -> &'static str {
    match subject {
        Subject::Command { .. } => "command.sh.txt",
        Subject::Call { .. } => "arguments.json.txt",
        Subject::Write { .. } => "change.diff.txt",
        Subject::Changes { .. } | Subject::Question { .. } => "changes.txt",
    }
}

/// *Approve once* and *Deny*, always these words; disabled once it has ended.
fn buttons(approval: &Approval) -> Value {
    let is_over = approval.ending.is_some();
    let button = |label: &str, style: u8, pressed| {
        json!({
            "type": 2, "style": style, "label": label, "disabled": is_over,
            "custom_id": id(approval, pressed),
        })
    };
    json!([{"type": 1, "components": [
        button(APPROVE, 3, Pressed::Approve),
        button(DENY, 4, Pressed::Deny),
    ]}])
}

fn id(approval: &Approval, pressed: Pressed) -> String {
    ComponentId {
        class: approval.class,
        id: approval.id,
        pressed,
    }
    .encode()
}

/// A question: never shortened.
fn question(
    approval: &Approval,
    document: &AskDocument,
    text: &str,
    options: &[String],
    limit: usize,
) -> Result<Card, TooLong> {
    debug_assert_eq!(approval.class, ApprovalClass::Clarify);
    let asker = approval.asker.as_ref().map(|person| format!("<@{person}>"));
    let asker = asker.unwrap_or_else(|| in_line(&document.asker, 120));
    let mut content = match approval.ending {
        None => format!(
            "**A question for {asker}**, open until <t:{0}:T> (<t:{0}:R>).",
            approval.expires_at / 1_000
        ),
        Some(ApprovalEnding::Answered) => {
            let answer = approval.answer.as_deref().unwrap_or_default();
            format!(
                "✅ **Answered** by {}: {}",
                decider(approval),
                in_line(answer, 300)
            )
        }
        Some(ending) => ended(approval, ending)
            .replace("; nothing ran", "")
            .replace(" Nothing ran.", ""),
    };
    content.push_str(&format!("\n```\n{}\n```", in_code(text)));
    for (number, option) in options.iter().enumerate() {
        content.push_str(&format!(
            "\n{}. {}",
            number + 1,
            in_line(option, usize::MAX)
        ));
    }
    if units(&content) > limit || options.len() > OPTIONS {
        return Err(TooLong);
    }
    Ok(Card {
        content,
        components: choices(approval, document, options),
        files: Vec::new(),
    })
}

fn choices(approval: &Approval, document: &AskDocument, options: &[String]) -> Value {
    let is_over = approval.ending.is_some();
    let takes_text = matches!(
        document.subject,
        Subject::Question {
            takes_text: true,
            ..
        }
    );
    let button = |label: String, style: u8, pressed| {
        json!({
            "type": 2, "style": style, "label": label, "disabled": is_over,
            "custom_id": id(approval, pressed),
        })
    };
    let mut rows = Vec::new();
    let mut buttons = Vec::new();
    if options.len() > BUTTONS {
        let list: Vec<Value> = options
            .iter()
            .enumerate()
            .map(|(number, option)| json!({"label": label(number, option), "value": number.to_string()}))
            .collect();
        rows.push(json!({"type": 1, "components": [{
            "type": 3, "custom_id": id(approval, Pressed::List), "options": list,
            "disabled": is_over, "placeholder": "Choose an answer",
        }]}));
    } else {
        for (number, option) in options.iter().enumerate() {
            // At most `BUTTONS` of them.
            let pressed = Pressed::Option(u8::try_from(number).unwrap_or(u8::MAX));
            buttons.push(button(label(number, option), 1, pressed));
        }
    }
    if takes_text || options.is_empty() {
        let words = if options.is_empty() {
            "Answer…"
        } else {
            "Other…"
        };
        buttons.push(button(words.to_owned(), 2, Pressed::Other));
    }
    if !buttons.is_empty() {
        rows.push(json!({"type": 1, "components": buttons}));
    }
    Value::Array(rows)
}

/// An option as it fits on a button: its number, and what of its text there is room for.
fn label(number: usize, option: &str) -> String {
    let text = format!(
        "{}. {}",
        number + 1,
        option.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    if text.encode_utf16().count() <= LABEL {
        return text;
    }
    let mut cut = String::new();
    for c in text.chars() {
        if cut.encode_utf16().count() + c.len_utf16() >= LABEL {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}
