//! What passes without a question: process and session yolo, `mode = "off"`, standing grants.
//!
//! The origin is tested before any of it is read: a turn that a plugin, a peer or a plugin's
//! channel caused, or that has one in its chain of causes, has none of them.

use ostler_commands::Shape;
use ostler_config::{ApprovalMode, GrantKind};
use ostler_store::{Origin, Row};

use super::effect::{Effect, RuleAsk};
use crate::authority::ApprovalPolicy;
use crate::tools::ToolContext;

/// What let a call pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bypass {
    /// `ostler serve --yolo`.
    ProcessYolo,
    /// `ostler sessions yolo KEY on`.
    SessionYolo,
    /// `mode = "off"`.
    ModeOff,
    /// Standing grants, by their ids.
    Grants(Vec<String>),
}

impl Bypass {
    /// A stable code, and the grants.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::ProcessYolo => "process-yolo".to_owned(),
            Self::SessionYolo => "session-yolo".to_owned(),
            Self::ModeOff => "mode-off".to_owned(),
            Self::Grants(ids) => format!("grant {}", ids.join(" ")),
        }
    }
}

/// Whether a plugin or a peer is in what led to a row.
pub(super) fn is_narrow(row: &Row) -> bool {
    let narrows = |origin: &Origin| match origin {
        Origin::Peer { .. } | Origin::Plugin { .. } => true,
        Origin::Person { .. } | Origin::Schedule { .. } | Origin::System => false,
    };
    narrows(&row.origin) || row.causes.iter().any(|cause| narrows(&cause.origin))
}

/// What lets a call pass, if anything does.
pub(super) async fn find(
    context: &ToolContext<'_>,
    effect: &Effect,
    is_asked_by_host: bool,
    rule: Option<&RuleAsk>,
) -> Option<Bypass> {
    // Before anything else, whatever is set.
    if is_narrow(context.row) || context.authority.approvals != ApprovalPolicy::Configured {
        return None;
    }
    let services = context.services;
    if services.yolo {
        return Some(Bypass::ProcessYolo);
    }
    match services.store.is_yolo(&context.row.session).await {
        Ok(true) => return Some(Bypass::SessionYolo),
        Ok(false) => {}
        Err(error) => {
            tracing::error!(code = error.code(), %error, "whether a session asks is not known: it does");
        }
    }
    if services.config.borrow().approvals.mode == ApprovalMode::Off {
        return Some(Bypass::ModeOff);
    }
    granted(context, effect, is_asked_by_host, rule)
}

/// Grants that cover each reason to ask. The file is read at each use.
fn granted(
    context: &ToolContext<'_>,
    effect: &Effect,
    is_asked_by_host: bool,
    rule: Option<&RuleAsk>,
) -> Option<Bypass> {
    let grants = match ostler_config::read_grants(&context.services.grants_file) {
        Ok(grants) => grants,
        Err(error) => {
            tracing::error!(code = error.code(), %error, "standing grants cannot be read: none counts");
            return None;
        }
    };
    let session = context.row.session.to_string();
    let in_force = || {
        grants
            .iter()
            .filter(|grant| grant.session.as_ref().is_none_or(|of| *of == session))
    };
    let mut used = Vec::new();
    if is_asked_by_host {
        let command = effect.command()?;
        let grant = in_force().find(|grant| match grant.kind {
            GrantKind::Command => grant.text.trim() == command.trim(),
            GrantKind::Shape => Shape::parse(&grant.text).is_ok_and(|shape| shape.matches(command)),
            GrantKind::Rule => false,
        })?;
        used.push(grant.id.clone());
    }
    if let Some(rule) = rule {
        let key = rule.key();
        let grant = in_force().find(|grant| grant.kind == GrantKind::Rule && grant.text == key)?;
        used.push(grant.id.clone());
    }
    (!used.is_empty()).then_some(Bypass::Grants(used))
}
