//! The gate: nothing that could hurt happens without leave.
//!
//! In this order, for each call that would bring something about (design, *The approval gate*):
//! 1. **Floors**: what is never done, whoever allows it; then what the turn was refused already.
//! 2. **Bypasses** of the operator's, the origin of the turn tested before any of them.
//! 3. What the **fixed table** of read-only commands holds, unless a plugin's rule asks.
//! 4. The **guardian**, with `mode = "smart"`.
//! 5. The **reviewer**, where a plugin's rule wants it.
//! 6. The **card**; and after it, the authority of the turn once more, from facts read afresh.
//!
//! What comes out is a [`Permit`] for exactly what was judged, or a [`Refused`].

mod bypass;
mod digest;
mod effect;
mod memory;
mod permit;
mod second_look;

use ostler_config::ApprovalMode;
use ostler_store::{Approval, ApprovalClass, ApprovalEnding, Origin};
use serde_json::json;

use self::bypass::Bypass;
pub(crate) use self::digest::{CallDigest, Covered};
pub(crate) use self::effect::{CardClass, Consent, Effect, RuleAsk};
pub(crate) use self::memory::{DENIALS, Memory};
pub(crate) use self::permit::{CHANGED, Permit};
use self::second_look::{Role, Verdict, look};
use crate::approvals::{Ask, AskDocument, AskError, Reason, ReasonBy, Subject};
use crate::authority::ToolName;
use crate::tools::ToolContext;
use crate::turn::prepare;

/// Why a call was not let through. Nothing ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// A stable code.
    pub(crate) code: &'static str,
    /// What the model reads.
    pub(crate) message: String,
    /// Whether the turn ends with it.
    pub(crate) ends_turn: bool,
}

impl Refused {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            ends_turn: false,
        }
    }
}

/// Lets a call through, or not.
///
/// # Errors
/// Why not.
pub(crate) async fn pass(
    context: &ToolContext<'_>,
    tool: &ToolName,
    effect: &Effect,
    rule: Option<&RuleAsk>,
) -> Result<Permit, Refused> {
    let gate = Gate {
        context,
        tool,
        effect,
        rule,
    };
    gate.floors().await?;
    let host_asks = match &effect.consent {
        // On narrow turns nothing but the fixed table of commands that read goes unasked.
        Consent::Unasked => {
            matches!(effect.subject, Subject::Write { .. }) && bypass::is_narrow(context.row)
        }
        Consent::Asked(_) => true,
    };
    if !host_asks && rule.is_none() {
        return Ok(gate.permit(None));
    }
    if let Some(bypass) = bypass::find(context, effect, host_asks, rule).await {
        gate.note_bypass(&bypass).await?;
        return Ok(gate.permit(None));
    }
    let mut reasons = gate.reasons();
    if host_asks && rule.is_none() && gate.guardian(&mut reasons).await? {
        return Ok(gate.permit(None));
    }
    gate.reviewer(&mut reasons).await?;
    gate.card(reasons).await
}

struct Gate<'a> {
    context: &'a ToolContext<'a>,
    tool: &'a ToolName,
    effect: &'a Effect,
    rule: Option<&'a RuleAsk>,
}

impl Gate<'_> {
    fn permit(&self, approval: Option<&Approval>) -> Permit {
        Permit::new(
            approval.map(|approval| approval.id),
            self.effect.digest.clone(),
            &self.context.services.approvals,
            self.context.epoch,
        )
    }

    /// What is never done, and what this turn was refused.
    async fn floors(&self) -> Result<(), Refused> {
        if let Some(floor) = &self.effect.floor {
            self.note("floor-refused", json!({"why": floor})).await?;
            return Err(Refused::new(
                "floor",
                format!(
                    "{floor} This is never done, whoever allows it. Nothing ran. Do not try to \
                     get the same by another way."
                ),
            ));
        }
        let mut known = vec![self.effect.sameness.clone()];
        known.extend(self.rule.map(|rule| format!("rule {}", rule.key())));
        let memory = self.context.memory;
        if let Some(code) = known.iter().find_map(|sameness| memory.refused(sameness)) {
            self.note("asked-again", json!({"code": code})).await?;
            let again = match code {
                "unanswered" | "unreachable" => {
                    "Nobody answered this in this turn, and it is not asked again until a person \
                     writes to you."
                }
                _ => "This, or what comes to the same, was denied in this turn.",
            };
            return Err(Refused::new(
                code,
                format!("{again} Nothing ran. Go on without it, or tell the person and stop."),
            ));
        }
        Ok(())
    }

    fn reasons(&self) -> Vec<Reason> {
        let mut reasons = match &self.effect.consent {
            Consent::Unasked => Vec::new(),
            Consent::Asked(reasons) => reasons.clone(),
        };
        reasons.extend(self.rule.map(|rule| Reason {
            by: ReasonBy::Plugin(rule.plugin.clone()),
            text: rule.message.clone(),
        }));
        reasons
    }

    /// The second model of `mode = "smart"`: whether it lets this one call through. Its *deny* goes
    /// to the person who is there, with its reason.
    async fn guardian(&self, reasons: &mut Vec<Reason>) -> Result<bool, Refused> {
        let services = self.context.services;
        let config = services.config.borrow().clone();
        if config.approvals.mode != ApprovalMode::Smart {
            return Ok(false);
        }
        let verdict = self
            .look(
                Role::Guardian,
                config.approvals.guardian_model.as_ref(),
                reasons,
            )
            .await;
        self.note_verdict("guardian", &verdict).await?;
        // On a narrow turn, and where no grants hold, its leave is no leave.
        let may_allow = !bypass::is_narrow(self.context.row)
            && self.context.authority.approvals == crate::authority::ApprovalPolicy::Configured;
        match verdict {
            Verdict::Approve if may_allow => {
                self.context.memory.allow();
                return Ok(true);
            }
            Verdict::Deny(reason) if bypass::is_narrow(self.context.row) => {
                return Err(self.denied(
                    "guardian-denied",
                    &format!("the guardian denied it: {reason}"),
                ));
            }
            Verdict::Deny(reason) => reasons.insert(
                0,
                Reason {
                    by: ReasonBy::Guardian,
                    text: format!("Do not allow this: {reason}"),
                },
            ),
            Verdict::Approve => {}
            Verdict::Escalate(code) => reasons.push(Reason {
                by: ReasonBy::Guardian,
                text: format!("A person must decide ({code})."),
            }),
        }
        Ok(false)
    }

    /// The reviewer that a plugin's rule wants: what it denies is blocked; anything else asks.
    async fn reviewer(&self, reasons: &mut Vec<Reason>) -> Result<(), Refused> {
        if !self.rule.is_some_and(|rule| rule.review) {
            return Ok(());
        }
        let config = self.context.services.config.borrow().clone();
        let verdict = self
            .look(
                Role::Reviewer,
                config.approvals.reviewer_model.as_ref(),
                reasons,
            )
            .await;
        self.note_verdict("reviewer", &verdict).await?;
        match verdict {
            Verdict::Deny(reason) => Err(self.denied(
                "reviewer-denied",
                &format!("the reviewer denied it: {reason}"),
            )),
            Verdict::Approve => {
                reasons.push(Reason {
                    by: ReasonBy::Reviewer,
                    text: "I found no harm in this.".to_owned(),
                });
                Ok(())
            }
            Verdict::Escalate(code) => {
                reasons.push(Reason {
                    by: ReasonBy::Reviewer,
                    text: format!("I could not clear this ({code})."),
                });
                Ok(())
            }
        }
    }

    async fn look(
        &self,
        role: Role,
        name: Option<&ostler_config::Name>,
        reasons: &[Reason],
    ) -> Verdict {
        let services = self.context.services;
        let config = services.config.borrow().clone();
        let Some(name) = name else {
            return Verdict::Escalate("no-model");
        };
        let Some(model) = services.models.named(&config, name).await else {
            return Verdict::Escalate("no-model");
        };
        let text = self.effect.subject.text();
        let subject = second_look::Subject {
            tool: &self.tool.0,
            text: &text,
            reasons: reasons.iter().map(|reason| reason.text.clone()).collect(),
        };
        look(model.as_ref(), role, &subject).await
    }

    /// Asks, waits, and looks at the turn's authority once more.
    async fn card(&self, reasons: Vec<Reason>) -> Result<Permit, Refused> {
        let context = self.context;
        if context.authority.surface.is_none() {
            return Err(self.unasked(
                "unreachable",
                "there is no place where somebody could be asked",
            ));
        }
        let (class, needs) = match self.effect.card {
            CardClass::Host => (ApprovalClass::Host, None),
            CardClass::Tool { needs } => (ApprovalClass::Tool, Some(needs)),
        };
        let ask = Ask {
            row: context.row,
            epoch: context.epoch,
            class,
            asker: match &context.row.origin {
                Origin::Person { id } => Some(id.clone()),
                _ => None,
            },
            tier: context.authority.tier.as_str(),
            digest: self.effect.digest.to_string(),
            document: AskDocument {
                tool: self.tool.0.clone(),
                asker: prepare::author_name(context.row),
                subject: self.effect.subject.clone(),
                reasons,
                causes: prepare::causes(context.row),
                is_for_owner: self.effect.is_for_owner,
                needs,
            },
        };
        context.memory.asks();
        let asked = context
            .waiting
            .during(context.services.approvals.ask(ask))
            .await;
        let approval = match asked {
            Ok(approval) => approval,
            Err(AskError::QuestionTooLong) => {
                return Err(self.unasked("question_too_long", "it cannot be shown whole"));
            }
            Err(error) => return Err(self.unasked("unreachable", &error.to_string())),
        };
        self.ended(&approval)?;
        context.memory.allow();
        self.still_may(&approval).await?;
        Ok(self.permit(Some(&approval)))
    }

    /// Every ending but *approved* is a refusal of its own.
    fn ended(&self, approval: &Approval) -> Result<(), Refused> {
        let window = (approval.expires_at - approval.created_at) / 1_000;
        match approval.ending {
            Some(ApprovalEnding::Approved) => Ok(()),
            Some(ApprovalEnding::Denied) => Err(self.denied(
                "denied",
                &match &approval.reason {
                    Some(reason) => format!(
                        "whoever answered denied it, and wrote:\n{}",
                        crate::turn::frame::quote(reason)
                    ),
                    None => "whoever answered denied it, and gave no reason".to_owned(),
                },
            )),
            Some(ApprovalEnding::Unanswered) => Err(self.unasked(
                "unanswered",
                &format!(
                    "nobody answered within {window} seconds. That is neither a yes nor a no: the \
                     person can write again, and is then asked again"
                ),
            )),
            Some(ApprovalEnding::Unreachable) => Err(self.unasked(
                "unreachable",
                &format!(
                    "the question could not be shown to anybody ({})",
                    approval.reason.as_deref().unwrap_or("no reason is known")
                ),
            )),
            Some(ApprovalEnding::Cancelled | ApprovalEnding::Answered) | None => {
                Err(self.unasked("cancelled", "the question was withdrawn"))
            }
        }
    }

    /// The third door, after the card: the turn must still have the tool, from a fresh read.
    async fn still_may(&self, approval: &Approval) -> Result<(), Refused> {
        let context = self.context;
        let config = context.services.config.borrow().clone();
        let judged = prepare::authority(
            context.row,
            &config,
            context.channel,
            context.toolbox.catalog(),
        )
        .await;
        let why = match judged {
            Ok((authority, _)) if authority.tools.contains(self.tool) => return Ok(()),
            Ok((authority, _)) => authority
                .withheld
                .get(self.tool)
                .map_or("unknown", |rule| rule.as_str())
                .to_owned(),
            Err(refusal) => refusal.code().to_owned(),
        };
        let approvals = &context.services.approvals;
        let noted = approvals
            .note(
                "authority-lost",
                "host".to_owned(),
                Some(approval.id.to_string()),
                Some(approval.digest.clone()),
                json!({"rule": why, "tool": self.tool.0}),
                None,
            )
            .await;
        if let Err(error) = noted {
            tracing::error!(code = error.code(), %error, "the audit log cannot be written");
        }
        let who = prepare::author_name(context.row);
        let needs = match self.effect.card {
            CardClass::Tool { .. } => "Administrator on this server",
            CardClass::Host => "the owner of this assistant",
        };
        Err(Refused::new(
            "authority-lost",
            format!(
                "I can't do this for {who}: that needs {needs}, which they no longer are. It was \
                 approved, and nothing ran. Do not try to get the same by another way."
            ),
        ))
    }

    /// A denial, remembered for the turn.
    fn denied(&self, code: &'static str, why: &str) -> Refused {
        let ends_turn = self
            .context
            .memory
            .refuse(&self.effect.sameness, code, true);
        if let Some(rule) = self.rule {
            self.context
                .memory
                .refuse(&format!("rule {}", rule.key()), code, false);
        }
        let mut message = format!(
            "Nothing ran: {why}. Do not do it again in this turn, in other words or by another \
             way; the host would refuse it without asking."
        );
        if ends_turn {
            message.push_str(" It was the third denial in a row, and this turn ends.");
        }
        Refused {
            code,
            message,
            ends_turn,
        }
    }

    /// No answer: neither consent nor denial. Not asked again in this turn.
    fn unasked(&self, code: &'static str, why: &str) -> Refused {
        self.context
            .memory
            .refuse(&self.effect.sameness, code, false);
        Refused::new(
            code,
            format!(
                "Nothing ran: {why}. Do not try to get the same by another way; say what you \
                 wanted to do."
            ),
        )
    }

    async fn note_bypass(&self, bypass: &Bypass) -> Result<(), Refused> {
        self.context.memory.allow();
        self.note(
            "passed-unasked",
            json!({"by": bypass.describe(), "what": self.effect.subject.text()}),
        )
        .await
    }

    async fn note_verdict(&self, who: &str, verdict: &Verdict) -> Result<(), Refused> {
        let (verdict, why) = match verdict {
            Verdict::Approve => ("approve", String::new()),
            Verdict::Deny(reason) => ("deny", reason.clone()),
            Verdict::Escalate(code) => ("escalate", (*code).to_owned()),
        };
        self.note(
            "second-look",
            json!({"by": who, "verdict": verdict, "why": why, "what": self.effect.subject.text()}),
        )
        .await
    }

    /// Nothing goes on that the audit log does not hold.
    async fn note(&self, kind: &str, mut detail: serde_json::Value) -> Result<(), Refused> {
        detail["tool"] = json!(self.tool.0);
        let row = self.context.row;
        self.context
            .services
            .approvals
            .note(
                kind,
                row.principal.0.clone(),
                Some(row.id.to_string()),
                Some(self.effect.digest.to_string()),
                detail,
                Some(row.route.chat.to_string()),
            )
            .await
            .map_err(|error| {
                Refused::new(
                    "audit-failed",
                    format!(
                        "Nothing ran: the audit log cannot be written ({}).",
                        error.code()
                    ),
                )
            })
    }
}
