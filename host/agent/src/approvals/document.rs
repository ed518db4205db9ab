//! What an ask says: stored with its row, shown on its card, on the page and on the command line.

use ostler_store::Approval;
use serde::{Deserialize, Serialize};

use crate::authority::Tier;

/// All that a person reads before they answer. Nothing of it is shortened when it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskDocument {
    /// The tool that waits.
    pub tool: String,
    /// Who the turn belongs to, for people: `Ada (@ada)`.
    pub asker: String,
    /// What is asked.
    pub subject: Subject,
    /// Why somebody is asked at all.
    pub reasons: Vec<Reason>,
    /// The chain of causes, the first cause first, for people.
    pub causes: Vec<String>,
    /// Whether only the owner may answer: it gains the rights of another account of the system.
    pub is_for_owner: bool,
    /// On a card of a Discord tool: the tier that its asker must hold to answer it.
    pub needs: Option<Tier>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Subject {
    /// May this command run?
    Command {
        /// The whole of it.
        command: String,
        /// The folder that it runs in, from the workspace; empty for the workspace itself.
        folder: String,
        /// How it is confined, for people; none if it is not.
        confined: Option<String>,
    },
    /// May this tool be called with these arguments?
    Call {
        /// A JSON object.
        arguments: String,
    },
    /// May this file be written?
    Write {
        /// The file, from the workspace's root.
        path: String,
        /// What changes, as a unified diff.
        diff: String,
    },
    /// May these changes be made?
    Changes {
        /// One sentence each, in the order in which they are made.
        changes: Vec<String>,
    },
    /// A question that is no consent.
    Question {
        /// The question.
        text: String,
        /// Answers to choose from; none means that one is written.
        options: Vec<String>,
        /// Whether an answer may be written as well.
        takes_text: bool,
    },
}

impl Subject {
    /// The text that must be read whole.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Command { command, .. } => command.clone(),
            Self::Call { arguments } => arguments.clone(),
            Self::Write { diff, .. } => diff.clone(),
            Self::Changes { changes } => changes.join("\n"),
            Self::Question { text, .. } => text.clone(),
        }
    }
}

/// One reason to ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// Whose it is.
    pub by: ReasonBy,
    /// In one sentence.
    pub text: String,
}

/// Who gives a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonBy {
    /// The host's own rules.
    Host,
    /// The second model of `mode = "smart"`.
    Guardian,
    /// The reviewer that a plugin's rule called.
    Reviewer,
    /// A plugin's rule: its words.
    Plugin(String),
}

impl AskDocument {
    /// Reads the document of a stored ask.
    ///
    /// # Errors
    /// It is no such document: nothing may be decided by it.
    pub fn of(approval: &Approval) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&approval.document)
    }

    /// Approve-once and Deny, or a question's answers.
    #[must_use]
    pub fn is_question(&self) -> bool {
        matches!(self.subject, Subject::Question { .. })
    }
}
