//! What a call would bring about, as a tool describes it before anything is done.

use super::digest::CallDigest;
use crate::approvals::{Reason, Subject};
use crate::authority::Tier;

/// An effect that somebody may have to allow.
pub(crate) struct Effect {
    /// What is shown to whoever is asked.
    pub(crate) subject: Subject,
    /// Names it to the byte, with all that it depends on.
    pub(crate) digest: CallDigest,
    /// The same for two calls that come to the same: after a denial none of them is asked again
    /// in the turn.
    pub(crate) sameness: String,
    /// Whether somebody is asked, and why.
    pub(crate) consent: Consent,
    /// Why it is never done, whoever allows it.
    pub(crate) floor: Option<String>,
    /// Whose card it is.
    pub(crate) card: CardClass,
    /// Whether only the owner may allow it.
    pub(crate) is_for_owner: bool,
}

/// Whether somebody is asked about an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// It is in the fixed table of what harms nothing.
    Unasked,
    /// Somebody is, for these reasons.
    Asked(Vec<Reason>),
}

/// Who may answer a card. A card is a host card unless a tool says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CardClass {
    /// The owner and the operators.
    Host,
    /// A current Administrator of the server, or the asker while they hold this tier.
    Tool {
        /// What the tool needs.
        needs: Tier,
    },
}

impl Effect {
    /// The command, if it is one: standing grants are for commands.
    pub(crate) fn command(&self) -> Option<&str> {
        match &self.subject {
            Subject::Command { command, .. } => Some(command),
            Subject::Call { .. }
            | Subject::Write { .. }
            | Subject::Changes { .. }
            | Subject::Question { .. } => None,
        }
    }
}

/// What a plugin's rule wants before a call (`hook-pre-tool-call`, `ask`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleAsk {
    /// The plugin.
    pub(crate) plugin: String,
    /// Its name for the rule.
    pub(crate) rule: String,
    /// Why, in the plugin's words.
    pub(crate) message: String,
    /// Whether the reviewer looks first.
    pub(crate) review: bool,
}

impl RuleAsk {
    /// As grants and refusals name it.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.plugin, self.rule)
    }
}
