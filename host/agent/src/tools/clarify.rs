//! `clarify`: a question to the one who asked, answered by them alone.

use async_trait::async_trait;
use ostler_store::{ApprovalClass, ApprovalEnding, Origin};
use serde::Deserialize;
use serde_json::{Value, json};

use super::secrets::asks_for_secret;
use super::{Tool, ToolContext, ToolFailure, arguments};
use crate::approvals::{APPROVE, Ask, AskDocument, AskError, DENY, Subject};
use crate::gate::{CallDigest, Covered, Permit};
use crate::model::ToolSpec;
use crate::turn::{frame, prepare};

/// Answers to choose from, at most (Discord, *String Select*, `options`).
const OPTIONS: usize = 25;
/// The longest answer to choose, in characters.
const OPTION: usize = 200;

/// The tool.
pub(super) struct Clarify;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    question: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    allow_other: Option<bool>,
}

#[async_trait]
impl Tool for Clarify {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "clarify".to_owned(),
            description: "Asks the person who you work for a question, with answers to choose \
                          from or to write, and waits for it. Not for consent, and never for \
                          passwords, keys or other secrets."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "question": {"type": "string", "minLength": 1},
                    "options": {
                        "type": "array", "maxItems": OPTIONS,
                        "items": {"type": "string", "minLength": 1, "maxLength": OPTION}
                    },
                    "allow_other": {
                        "type": "boolean",
                        "description": "Whether an answer may be written instead; true if left out."
                    }
                },
                "required": ["question"],
                "additionalProperties": false
            }),
        }
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        _permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let asked: Arguments = arguments(given.clone())?;
        check(&asked)?;
        let digest = CallDigest::of(&Covered {
            tool: "clarify",
            arguments: &given,
            folder: None,
            environment: Vec::new(),
            scripts: Default::default(),
            before: None,
        })
        .map_err(|error| ToolFailure::new("invalid", error.to_string()))?;
        let ask = Ask {
            row: context.row,
            epoch: context.epoch,
            class: ApprovalClass::Clarify,
            asker: Some(responder(context)?),
            tier: context.authority.tier.as_str(),
            digest: digest.to_string(),
            document: AskDocument {
                tool: "clarify".to_owned(),
                asker: prepare::author_name(context.row),
                subject: Subject::Question {
                    takes_text: asked.allow_other.unwrap_or(true) || asked.options.is_empty(),
                    text: asked.question,
                    options: asked.options,
                },
                reasons: Vec::new(),
                causes: prepare::causes(context.row),
                is_for_owner: false,
                needs: None,
            },
        };
        context.memory.asks();
        let answered = context
            .waiting
            .during(context.services.approvals.ask(ask))
            .await;
        match answered {
            Ok(approval) => ended(&approval),
            Err(AskError::QuestionTooLong) => Err(ToolFailure::new(
                "question_too_long",
                "a question must be shown whole, and this one does not fit into one message. Ask \
                 a shorter one.",
            )),
            Err(error) => Err(ToolFailure::new("unreachable", error.to_string())),
        }
    }
}

fn check(asked: &Arguments) -> Result<(), ToolFailure> {
    let invalid = |message: String| Err(ToolFailure::new("invalid", message));
    if asked.question.trim().is_empty() {
        return invalid("the question is empty".to_owned());
    }
    if asked.options.len() > OPTIONS {
        return invalid(format!(
            "there are more than {OPTIONS} answers to choose from"
        ));
    }
    for option in &asked.options {
        if option.trim().is_empty() || option.chars().count() > OPTION {
            return invalid(format!("an answer to choose has 1 to {OPTION} characters"));
        }
        // Consent has its own cards: nothing may look like one.
        if [APPROVE, DENY]
            .iter()
            .any(|word| option.trim().eq_ignore_ascii_case(word))
        {
            return invalid(format!(
                "`{option}` stands on cards that ask for consent alone"
            ));
        }
    }
    let whole = format!("{}\n{}", asked.question, asked.options.join("\n"));
    if asks_for_secret(&whole) {
        return Err(ToolFailure::new(
            "secret-asked",
            "a key that is typed into a channel belongs to everybody in it, so this is not asked. \
             Ask the operator to run `ostler secrets set NAME` instead.",
        ));
    }
    Ok(())
}

/// Who may answer: the author of the row; in work that no person asked for, the owner.
fn responder(context: &ToolContext<'_>) -> Result<ostler_store::PersonId, ToolFailure> {
    if let Origin::Person { id } = &context.row.origin {
        return Ok(id.clone());
    }
    let config = context.services.config.borrow();
    config
        .owner_id
        .as_ref()
        .and_then(|owner| owner.as_str().parse().ok())
        .ok_or_else(|| ToolFailure::new("unreachable", "there is nobody who could answer"))
}

fn ended(approval: &ostler_store::Approval) -> Result<String, ToolFailure> {
    match approval.ending {
        Some(ApprovalEnding::Answered) => Ok(format!(
            "[Their answer]\n{}",
            frame::quote(approval.answer.as_deref().unwrap_or_default())
        )),
        Some(ApprovalEnding::Unreachable) => Err(ToolFailure::new(
            "unreachable",
            "the question could not be shown to them",
        )),
        Some(ApprovalEnding::Cancelled) => {
            Err(ToolFailure::new("cancelled", "the question was withdrawn"))
        }
        Some(ApprovalEnding::Unanswered | ApprovalEnding::Approved | ApprovalEnding::Denied)
        | None => Err(ToolFailure::new(
            "unanswered",
            "they did not answer in time. Do not guess what they would have said: say what you \
             need to know, and stop.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str, options: &[&str]) -> Arguments {
        Arguments {
            question: question.to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            allow_other: None,
        }
    }

    #[test]
    fn secrets_and_false_consent_are_not_asked() {
        let code =
            |question: &str, options: &[&str]| check(&asked(question, options)).unwrap_err().code;
        assert_eq!(code("What is your password?", &[]), "secret-asked");
        assert_eq!(
            code("Which one?", &["my api key is …", "no"]),
            "secret-asked"
        );
        assert_eq!(code("Sure?", &["approve once"]), "invalid");
        assert_eq!(code("Sure?", &["Deny "]), "invalid");
        assert_eq!(code(" ", &[]), "invalid");
        assert!(check(&asked("Which branch?", &["main", "next"])).is_ok());
    }
}
