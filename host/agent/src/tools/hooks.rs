//! Plugins' rules before a call: each install's `hook-pre-tool-call`, in the order of installation.
//!
//! The first block wins, then the first question; a change goes to the rules that follow and to the
//! gate. A rule that fails is left out, unless the accepted access lists the hook under
//! `fail_closed`: then the call is blocked. A rule can only narrow: what it lets pass, the gate
//! still judges.

use std::sync::Arc;

use ostler_registry::{HookOutcome, LoadedInstall, PRE_TOOL_CALL};
use ostler_runtime::{CallVerdict, ChatKind, OriginKind, PendingCall, SessionInfo, TurnContext};
use ostler_store::{ChatType, Origin, Session};
use serde_json::{Value, json};

use super::{ToolContext, ToolFailure};
use crate::authority::ToolName;
use crate::gate::RuleAsk;
use crate::turn::frame;

/// An install that has a say before calls.
#[derive(Clone)]
pub(crate) struct Rule {
    pub(crate) plugin: String,
    /// None if it does not load.
    pub(crate) install: Option<Arc<LoadedInstall>>,
    /// Whether a call is blocked that it could not look at.
    pub(crate) fails_closed: bool,
}

impl Rule {
    /// The rule of an install that loads, if it has one.
    pub(super) fn of(plugin: &str, install: &Arc<LoadedInstall>) -> Option<Self> {
        install.hooks().contains(PRE_TOOL_CALL).then(|| Self {
            plugin: plugin.to_owned(),
            install: Some(Arc::clone(install)),
            fails_closed: install.fails_closed(PRE_TOOL_CALL),
        })
    }

    /// That of an install that does not load: it blocks, if what was accepted says so.
    pub(super) fn broken(plugin: &str, accepted: &ostler_scanner::Access) -> Option<Self> {
        accepted
            .fail_closed_hooks
            .contains(PRE_TOOL_CALL)
            .then(|| Self {
                plugin: plugin.to_owned(),
                install: None,
                fails_closed: true,
            })
    }
}

/// Has each rule look at a call: the arguments as they left them, and the first question.
///
/// # Errors
/// A rule blocked it.
pub(super) async fn before(
    context: &ToolContext<'_>,
    name: &ToolName,
    mut arguments: Value,
) -> Result<(Value, Option<RuleAsk>), ToolFailure> {
    let rules = context.toolbox.rules();
    if rules.is_empty() {
        return Ok((arguments, None));
    }
    let session = context.services.store.session(&context.row.session).await?;
    let turn = turn_context(context, session);
    let family = context.toolbox.family(name);
    let mut asked: Option<RuleAsk> = None;
    for rule in rules {
        let plugin = rule.plugin.as_str();
        let outcome = match &rule.install {
            Some(install) => {
                let call = PendingCall {
                    context: turn.clone(),
                    id: format!("{}:{}", context.row.id, context.number),
                    tool: name.0.clone(),
                    family: family.clone(),
                    args_json: arguments.to_string(),
                };
                install.pre_tool_call(call).await
            }
            None => HookOutcome::Failed("the plugin does not load".to_owned()),
        };
        match outcome {
            HookOutcome::Verdict(CallVerdict::Allow) => {}
            HookOutcome::Verdict(CallVerdict::Block(reason)) => {
                note(context, plugin, name, "blocked", &reason).await?;
                return Err(ToolFailure::new(
                    "blocked",
                    format!(
                        "the plugin {plugin} blocked this, and says:\n{}\nNothing ran. Do not try \
                         to get the same by another way.",
                        frame::quote(&reason)
                    ),
                ));
            }
            HookOutcome::Verdict(CallVerdict::Ask(ask)) => {
                asked.get_or_insert(RuleAsk {
                    plugin: plugin.to_owned(),
                    rule: ask.rule_key,
                    message: ask.message,
                    review: ask.review,
                });
            }
            HookOutcome::Verdict(CallVerdict::Change(changed)) => {
                note(context, plugin, name, "changed", "").await?;
                arguments = serde_json::from_str(&changed)
                    .map_err(|error| ToolFailure::new("internal", error.to_string()))?;
            }
            HookOutcome::Failed(why) if rule.fails_closed => {
                note(context, plugin, name, "failed-closed", &why).await?;
                return Err(ToolFailure::new(
                    "blocked",
                    format!(
                        "the plugin {plugin} must look at this first, and could not. Nothing ran; \
                         tell the person that the plugin fails."
                    ),
                ));
            }
            HookOutcome::Failed(why) => {
                tracing::warn!(plugin, tool = %name, why, "a plugin's rule failed and is left out");
            }
        }
    }
    Ok((arguments, asked))
}

async fn note(
    context: &ToolContext<'_>,
    plugin: &str,
    name: &ToolName,
    what: &str,
    why: &str,
) -> Result<(), ToolFailure> {
    let row = context.row;
    context
        .services
        .approvals
        .note(
            "rule",
            format!("plugin:{plugin}"),
            Some(row.id.to_string()),
            None,
            json!({"tool": name.0, "verdict": what, "why": why}),
            Some(row.route.chat.to_string()),
        )
        .await?;
    Ok(())
}

/// The turn as rules see it.
fn turn_context(context: &ToolContext<'_>, session: Option<Session>) -> TurnContext {
    let row = context.row;
    TurnContext {
        session: session.map(|session| session_info(context, session)),
        row_id: Some(row.id.to_string()),
        agent: Some(ostler_config::MAIN_AGENT.to_owned()),
        origin: match row.origin {
            Origin::Person { .. } => OriginKind::Person,
            Origin::Peer { .. } => OriginKind::Peer,
            Origin::Plugin { .. } => OriginKind::Plugin,
            Origin::Schedule { .. } => OriginKind::Schedule,
            Origin::System => OriginKind::System,
        },
        depth: u32::from(context.authority.depth),
    }
}

fn session_info(context: &ToolContext<'_>, session: Session) -> SessionInfo {
    let route = session.route;
    let chat = route.chat.to_string();
    let participant = match (&context.row.origin, route.chat_type) {
        (Origin::Person { id }, ChatType::Channel | ChatType::Direct) => Some(id.to_string()),
        _ => None,
    };
    SessionInfo {
        key: session.key.to_string(),
        profile: context.services.profile.to_string(),
        agent: session.agent,
        platform: route.platform,
        kind: match route.chat_type {
            ChatType::Direct => ChatKind::Direct,
            ChatType::Channel => ChatKind::Channel,
            ChatType::Thread => ChatKind::Thread,
        },
        thread: (route.chat_type == ChatType::Thread).then(|| chat.clone()),
        chat: Some(chat),
        participant,
        title: None,
        has_operator: session.human_envelope.is_some(),
        created_at: u64::try_from(session.created_at).unwrap_or_default(),
        active_at: u64::try_from(session.updated_at).unwrap_or_default(),
    }
}
