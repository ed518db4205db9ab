//! `[approvals]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::Misfit;
use crate::{Bounded, Name};

/// The most patterns of one list.
const PATTERNS: usize = 200;
/// The most characters (Unicode scalar values) of one pattern.
const CHARACTERS: usize = 500;

/// Who is asked before something happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Approvals {
    /// Who decides on what is dangerous: `manual` asks a person; `smart` asks a second model,
    /// which may approve, block, or pass it on to a person; `off` asks nobody. Turns of peers and
    /// plugins are not affected by `off`.
    pub mode: ApprovalMode,
    /// The second model of `smart`, by its name under `[models]`. Unset, a person decides.
    pub guardian_model: Option<Name>,
    /// The model that looks at what a plugin's rule wants reviewed, by its name under `[models]`.
    /// Unset, a person decides.
    pub reviewer_model: Option<Name>,
    /// How long a card waits for an answer, in seconds.
    pub window_seconds: Bounded<30, 900>,
    /// Commands that are never run, whoever asks and whoever approves: patterns over the whole
    /// command, in which `*` stands for any text and `?` for any one character. At most 200, each
    /// of 1 to 500 characters.
    pub deny: Vec<String>,
    /// Files that ask before they are written: patterns over the path, in which `**` stands for
    /// any number of folders, `*` for any text within a name. At most 200, each of 1 to 500
    /// characters. A list here takes the place of the default one.
    pub protected: Vec<String>,
    /// What happens when a schedule would ask: `deny` refuses, `ask` shows a card in the
    /// schedule's place. Not read yet.
    pub schedules: ScheduleApprovals,
}

/// Who decides on what is dangerous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalMode {
    /// A person.
    #[default]
    Manual,
    /// A second model first.
    Smart,
    /// Nobody.
    Off,
}

/// What happens when a schedule would ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScheduleApprovals {
    /// It is refused.
    #[default]
    Deny,
    /// A card is shown.
    Ask,
}

impl Default for Approvals {
    fn default() -> Self {
        Self {
            mode: ApprovalMode::Manual,
            guardian_model: None,
            reviewer_model: None,
            window_seconds: Bounded::constant::<180>(),
            deny: Vec::new(),
            protected: PROTECTED
                .iter()
                .map(|&pattern| pattern.to_owned())
                .collect(),
            schedules: ScheduleApprovals::Deny,
        }
    }
}

impl Approvals {
    pub(crate) fn misfits(&self) -> impl Iterator<Item = Misfit> {
        [("deny", &self.deny), ("protected", &self.protected)]
            .into_iter()
            .flat_map(|(key, patterns)| pattern_misfits(key, patterns))
    }
}

/// What is wrong with a list of patterns. A list that is too long is told once, without its parts.
fn pattern_misfits(key: &str, patterns: &[String]) -> Vec<Misfit> {
    if patterns.len() > PATTERNS {
        let reason = format!(
            "it has {} patterns: use at most {PATTERNS}, or a wider pattern",
            patterns.len()
        );
        return vec![Misfit::new([key], reason)];
    }
    let fault = |pattern: &String| match pattern.chars().count() {
        _ if pattern.trim().is_empty() => Some("is empty: take it out".to_owned()),
        count if count > CHARACTERS => Some(format!(
            "has {count} characters: use at most {CHARACTERS}, with `*` for the rest"
        )),
        _ => None,
    };
    let faults = patterns.iter().enumerate();
    faults
        .filter_map(|(at, pattern)| Some((at, fault(pattern)?)))
        .map(|(at, fault)| Misfit::of_element(key, at, format!("the pattern {fault}")))
        .collect()
}

/// What runs by itself later, or opens doors elsewhere.
const PROTECTED: &[&str] = &[
    // Shell start-up files.
    "**/.bashrc",
    "**/.bash_profile",
    "**/.bash_login",
    "**/.bash_logout",
    "**/.profile",
    "**/.zshrc",
    "**/.zshenv",
    "**/.zprofile",
    "**/.zlogin",
    "**/.config/fish/**",
    "**/.envrc",
    // Keys.
    "**/.ssh/**",
    "**/.gnupg/**",
    "**/.aws/**",
    "**/.kube/**",
    "**/.netrc",
    "**/.npmrc",
    "**/.pypirc",
    "**/.git-credentials",
    "**/*.pem",
    "**/*.key",
    // CI, and what git runs.
    "**/.github/workflows/**",
    "**/.gitlab-ci.yml",
    "**/.circleci/**",
    "**/.ci/**",
    "**/Jenkinsfile",
    "**/.git/hooks/**",
    "**/.git/config",
    "**/.gitconfig",
    // Editors.
    "**/.vscode/**",
    "**/.idea/**",
    "**/.vimrc",
    "**/.config/nvim/**",
    "**/.emacs",
    "**/.emacs.d/**",
];
