//! Circumstances as a host would give them.
#![allow(dead_code, reason = "every test file takes what it needs of this")]

use std::path::Path;

use ostler_commands::{Category, Circumstances, Judgement, judge};

/// Where the commands of the tests run.
pub(crate) const WORKSPACE: &str = "/work/ws";

/// The default patterns of `approvals.protected`, in part.
pub(crate) const PROTECTED: [&str; 10] = [
    "**/.bashrc",
    "**/.profile",
    "**/.ssh/**",
    "**/*.pem",
    "**/*.key",
    "**/.github/workflows/**",
    "**/Jenkinsfile",
    "**/.git/hooks/**",
    "**/.vscode/**",
    "**/.envrc",
];

/// Judges a command in the workspace.
pub(crate) fn judged(command: &str) -> Judgement {
    judged_with(command, WORKSPACE, &[], &PROTECTED)
}

/// Judges a command in a folder, with patterns.
pub(crate) fn judged_with(
    command: &str,
    folder: &str,
    deny: &[&str],
    protected: &[&str],
) -> Judgement {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let (deny, protected): (Vec<String>, Vec<String>) = (owned(deny), owned(protected));
    judge(
        command,
        &Circumstances {
            workspace: Path::new(WORKSPACE),
            folder: Path::new(folder),
            protected: &protected,
            deny: &deny,
        },
    )
}

/// The code of a command's floor.
pub(crate) fn floor(command: &str) -> Option<&'static str> {
    judged(command).floor.map(|floor| floor.code)
}

/// The categories of a command's findings, each once, in order.
pub(crate) fn categories(command: &str) -> Vec<Category> {
    let mut found: Vec<_> = judged(command)
        .findings
        .iter()
        .map(|finding| finding.category)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
