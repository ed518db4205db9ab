//! Clicks on cards: acknowledged without any I/O, then judged.

use std::sync::Arc;

use ostler_store::{Approval, ApprovalEnding, StoreError, Via};
use serde_json::json;

use super::codec::{ComponentId, OPTIONS, Pressed};
use super::document::{AskDocument, Subject};
use super::{Answer, Approvals, Decision, Presser, Resolution};
use crate::inbound::{Acknowledgement, ClickOutcome, Form, FormField, InboundClick};

/// The field of either form.
const FIELD: &str = "text";

/// The first answer to a click. The forms decide nothing: their submission is judged.
pub(crate) fn acknowledge(click: &InboundClick) -> Acknowledgement {
    let Some(component) = ComponentId::decode(&click.custom_id) else {
        return Acknowledgement::Deferred;
    };
    let form = |title: &str, label: &str, pressed, is_required, max_length| {
        Acknowledgement::Form(Form {
            custom_id: ComponentId {
                pressed,
                ..component
            }
            .encode(),
            title: title.to_owned(),
            fields: vec![FormField {
                custom_id: FIELD.to_owned(),
                label: label.to_owned(),
                is_required,
                is_paragraph: true,
                max_length,
            }],
        })
    };
    match component.pressed {
        Pressed::Deny => form(
            "Deny",
            "Why not? (may stay empty)",
            Pressed::DenySubmitted,
            false,
            500,
        ),
        Pressed::Other => form(
            "Answer",
            "Your answer",
            Pressed::OtherSubmitted,
            true,
            4_000,
        ),
        Pressed::Approve
        | Pressed::DenySubmitted
        | Pressed::Option(_)
        | Pressed::List
        | Pressed::OtherSubmitted => Acknowledgement::Deferred,
    }
}

impl Approvals {
    /// Judges a click that was acknowledged: what the presser is told in private, if anything.
    ///
    /// # Errors
    /// Those of the store: nothing was decided.
    pub(crate) async fn click(
        self: &Arc<Self>,
        click: InboundClick,
    ) -> Result<ClickOutcome, StoreError> {
        let Some(component) = ComponentId::decode(&click.custom_id) else {
            self.note_nobodys(&click, "unreadable").await?;
            return Ok(told(NOBODYS));
        };
        if matches!(component.pressed, Pressed::Deny | Pressed::Other) {
            // A form was opened; what counts is its submission.
            return Ok(ClickOutcome::default());
        }
        let Some(approval) = self.store.approval(component.id).await? else {
            self.note_nobodys(&click, "unknown").await?;
            return Ok(told(NOBODYS));
        };
        let is_here = click
            .place
            .as_ref()
            .is_none_or(|place| place.channel == approval.channel);
        if approval.class != component.class || approval.profile != self.profile || !is_here {
            self.note_nobodys(&click, "mismatch").await?;
            return Ok(told(NOBODYS));
        }
        let Some((decision, reason)) = decision(&approval, component.pressed, &click) else {
            self.note_nobodys(&click, "unreadable").await?;
            return Ok(told(
                "I could not read what you chose. Nothing was decided: choose again.",
            ));
        };
        let by = Presser::Discord {
            user: click.person.id.clone(),
            name: click.person.display_name.clone(),
            member: click.member.clone(),
        };
        let answer = Answer::Pressed {
            by,
            decision,
            reason,
            event: Some(click.id.clone()),
        };
        Ok(match self.resolve(component.id, answer).await? {
            Resolution::Settled(_) => ClickOutcome::default(),
            Resolution::AlreadySettled(approval)
                if approval.event.as_deref() == Some(click.id.as_str()) =>
            {
                ClickOutcome::default()
            }
            Resolution::AlreadySettled(approval) => {
                self.note_nobodys(&click, "settled").await?;
                // Whoever pressed it saw a card that does not tell yet.
                self.redraw_soon(approval.id);
                told(&stands(&approval))
            }
            Resolution::TooLate => {
                told("The time for this is over. Nothing was decided, and nothing ran.")
            }
            Resolution::NotAllowed(refusal) => told(&format!(
                "You cannot answer this: {refusal}. Nothing was decided; the card stays open."
            )),
            Resolution::Unknown => told(NOBODYS),
        })
    }

    /// A click that settles nothing is in the audit log like every other.
    async fn note_nobodys(&self, click: &InboundClick, why: &str) -> Result<(), StoreError> {
        let pressed: String = click.custom_id.chars().take(100).collect();
        self.note(
            "click-ignored",
            format!("discord:{}", click.person.id),
            ComponentId::decode(&click.custom_id).map(|component| component.id.to_string()),
            None,
            json!({"code": why, "custom_id": pressed}),
            click.place.as_ref().map(|place| place.channel.to_string()),
        )
        .await
    }
}

const NOBODYS: &str = "This button is not mine, or what it was for is gone. Nothing was decided.";

fn told(text: &str) -> ClickOutcome {
    ClickOutcome {
        private: Some(text.to_owned()),
    }
}

/// What stands, for somebody who came too late.
fn stands(approval: &Approval) -> String {
    let by = match (approval.decided_via, approval.decided_by.as_deref()) {
        (Some(Via::Discord), Some(by)) => match by.strip_prefix("discord:") {
            Some(person) => format!(" by <@{person}>"),
            None => String::new(),
        },
        (Some(Via::Page | Via::Cli), _) => " by the owner, outside of Discord".to_owned(),
        _ => String::new(),
    };
    match approval.ending {
        Some(ApprovalEnding::Approved) => format!("This was approved already{by}, once."),
        Some(ApprovalEnding::Denied) => format!("This was denied already{by}. Nothing ran."),
        Some(ApprovalEnding::Answered) => format!("This was answered already{by}."),
        Some(ApprovalEnding::Unanswered | ApprovalEnding::Unreachable) => {
            "The time for this is over. Nothing ran.".to_owned()
        }
        Some(ApprovalEnding::Cancelled) | None => {
            "The turn that asked this has ended. Nothing ran.".to_owned()
        }
    }
}

/// What was decided, with the reason; none if the click does not say it.
fn decision(
    approval: &Approval,
    pressed: Pressed,
    click: &InboundClick,
) -> Option<(Decision, Option<String>)> {
    let written = || {
        click
            .fields
            .iter()
            .find(|(field, _)| field == FIELD)
            .map(|(_, text)| text.trim().to_owned())
    };
    let option = |number: usize| {
        let document = AskDocument::of(approval).ok()?;
        let Subject::Question { options, .. } = document.subject else {
            return None;
        };
        options.get(number).cloned()
    };
    Some(match pressed {
        Pressed::Approve => (Decision::Approve, None),
        Pressed::DenySubmitted => (Decision::Deny, written()),
        Pressed::Option(number) => (Decision::Answer(option(usize::from(number))?), None),
        Pressed::List => {
            let [value] = click.values.as_slice() else {
                return None;
            };
            let number: usize = value.parse().ok()?;
            if number >= OPTIONS {
                return None;
            }
            (Decision::Answer(option(number)?), None)
        }
        Pressed::OtherSubmitted => {
            let text = written().filter(|text| !text.is_empty())?;
            (Decision::Answer(text), None)
        }
        Pressed::Deny | Pressed::Other => return None,
    })
}
