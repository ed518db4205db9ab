//! What a shell command would do, read from its text.
//!
//! Start at [`judge`]. It tells whether a command may never run ([`Judgement::floor`]), whether it
//! only reads and so runs unasked ([`Judgement::read_only`]), and why it could do harm
//! ([`Judgement::findings`]). [`Shape`] and [`is_exact`] are the grants that an operator gives.
//!
//! What this crate promises:
//! - **Every simple command is judged**, through pipelines, lists, subshells, functions, loops,
//!   substitutions, here-documents, aliases and quoting, and through programs that run others:
//!   `sh -c`, `eval`, `env`, `xargs`, `find -exec`, `sudo`, `ssh`, interpreters' `-c` and `-e`.
//! - **What cannot be read counts as dangerous.** It is a finding [`Category::Unreadable`], never
//!   read-only, and still searched for floors, roughly.
//! - **Read-only is a fixed table** of programs and flags; all else is not. Two readers of the
//!   shell's language must agree on a text before it counts.
//! - **Bounded.** At most 16 KiB are read, nesting and work have limits, and no text makes
//!   [`judge`] panic.
//! - **Pure.** Nothing is opened, asked or run. The contents of the files in
//!   [`Judgement::scripts`] are the caller's to read.
//!
//! What it cannot promise: code of other languages is searched, not understood; a variable that the
//! text does not set, and what a program prints, are not known; links are not followed, and a
//! `cd` counts as done. The confinement of what runs is what holds then.

#![allow(
    clippy::collapsible_match,
    reason = "an arm names the programs that it is about; what decides about them stands below"
)]

#[cfg(test)]
mod against_shells;
mod arguments;
mod bounds;
mod dangers;
mod floors;
mod judgement;
mod not_read_only;
mod pattern;
mod place;
mod protected;
mod read_only;
mod secrets;
mod shape;
mod syntax;
mod walk;
mod word;

pub use judgement::{Category, Circumstances, Equivalence, Finding, Floor, Judgement};
pub use not_read_only::NotReadOnly;
pub use shape::{Shape, ShapeError, is_exact};

/// The stack on which a command is judged. The ugliest texts that the bounds let through need
/// less than an eighth of it, also where the code is not optimised.
const STACK: usize = 2 * 1024 * 1024;

/// Judges a command by its text.
///
/// It runs on a thread of its own, whose stack is large enough for the deepest text: it takes well
/// under a millisecond for an ordinary command, and some tens at the most.
#[must_use]
pub fn judge(command: &str, circumstances: &Circumstances<'_>) -> Judgement {
    let judged = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("judge".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || judge_here(command, circumstances))
            .ok()
            .and_then(|thread| thread.join().ok())
    });
    judged.unwrap_or_else(|| unreadable(command))
}

fn judge_here(command: &str, circumstances: &Circumstances<'_>) -> Judgement {
    let mut walk = walk::Walk::new(circumstances);
    walk.denied(command);
    walk.denied(&without_quotes(command));
    dangers::metadata(&mut walk, command);
    walk.script(command, &walk::Around::default(), &walk::Input::None);
    walk.fork_bombs();
    let read_only = match &walk.floor {
        Some(_) => Err(NotReadOnly::Unreadable("it must never run")),
        None => read_only::check(
            command,
            &walk.workspace,
            circumstances.folder,
            &walk.protected,
        ),
    };
    let equivalence = if walk.leaves.is_empty() {
        unparsed(command)
    } else {
        Equivalence(walk.leaves.join("\u{1e}"))
    };
    Judgement {
        floor: walk.floor,
        read_only,
        findings: walk.findings,
        uses_sudo: walk.uses_sudo,
        scripts: walk.scripts,
        equivalence,
    }
}

/// The equivalence of a text in which no command was found: the text itself.
fn unparsed(command: &str) -> Equivalence {
    let text = if command.len() > bounds::LONGEST {
        command.to_owned()
    } else {
        command.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    Equivalence(format!("\u{0}{text}"))
}

/// A command's text without the characters that quote.
fn without_quotes(command: &str) -> String {
    command
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\'))
        .collect()
}

/// The judgement where no other could be made.
fn unreadable(command: &str) -> Judgement {
    Judgement {
        floor: None,
        read_only: Err(NotReadOnly::Unreadable("it could not be judged")),
        findings: vec![Finding {
            category: Category::Unreadable,
            text: command.chars().take(200).collect(),
            why: "It could not be judged.".to_owned(),
        }],
        uses_sudo: false,
        scripts: Vec::new(),
        equivalence: unparsed(command),
    }
}
