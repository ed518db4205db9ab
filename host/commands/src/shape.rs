//! Grants outside of Discord: one exact command, or one simple command with holes in it.

use crate::read_only::{self, Line};
use crate::walk;

/// One simple command, some of whose words may be any one word.
///
/// Written as the command, with `<name>` for a word that may vary: `cargo test -p <package>`. A
/// name is of `a` to `z`, digits, `-` and `_`. A hole stands for exactly one word of plain text,
/// which is not empty, does not start with `-` and holds no control character. Read as a path, it
/// must not be absolute, nor have a `..` in it; the hole `</name>` takes absolute paths too, and
/// still no `..`. The first word is no hole, and a program that runs its words as a command
/// (`sh`, `env`, `sudo`, `xargs`, `ssh`, `python`, …) has none at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    text: String,
    words: Vec<Slot>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Slot {
    Word(String),
    Hole { absolute: bool },
}

/// Why a text is no shape. [`ShapeError::code`] is stable; the text is for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Not one simple command of plain words.
    #[error(
        "the shape {0:?} is not one plain command: write its words as they are, in quotes where \
         they hold spaces, without operators, redirections, variables or patterns"
    )]
    NotPlain(String),
    /// A hole that is not written as one.
    #[error(
        "{0:?} is no hole: write `<name>` or `</name>` as a word of its own, the name of a to z, 0 to 9, `-` and `_`"
    )]
    Hole(String),
    /// A hole where any word would be any command.
    #[error(
        "`{0}` runs its words as a command, so a hole in it would allow every command; write the words out"
    )]
    RunsWords(String),
}

impl ShapeError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotPlain(_) => "shape-not-plain",
            Self::Hole(_) => "shape-hole",
            Self::RunsWords(_) => "shape-runs-words",
        }
    }
}

/// Starts the word that stands for a hole while the shape is read as a command.
const HOLE: &str = "ostler-hole-";

impl Shape {
    /// Reads a shape.
    ///
    /// # Errors
    /// - `shape-hole`: a `<` or `>` that is no hole;
    /// - `shape-not-plain`: anything but one simple command of plain words;
    /// - `shape-runs-words`: a hole as the program, or in one that runs its words as a command.
    pub fn parse(text: &str) -> Result<Self, ShapeError> {
        let text = text.trim();
        // Holes become words that stand nowhere else in the text.
        let mut hole = HOLE.to_owned();
        while text.contains(&hole) {
            hole.push('x');
        }
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            let (before, from) = rest.split_at(at);
            let end = from
                .find('>')
                .ok_or_else(|| ShapeError::Hole(from.to_owned()))?;
            let (written, after) = from.split_at(end + 1);
            let name = written.trim_start_matches('<').trim_end_matches('>');
            let absolute = name.starts_with('/');
            let name = name.trim_start_matches('/');
            let named = !name.is_empty()
                && name
                    .bytes()
                    .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
            let alone = before.is_empty() && plain.is_empty()
                || before.ends_with([' ', '\t'])
                || (before.is_empty() && plain.ends_with([' ', '\t']));
            let ends = after.is_empty() || after.starts_with([' ', '\t']);
            if !named || !alone || !ends {
                return Err(ShapeError::Hole(written.to_owned()));
            }
            plain.push_str(before);
            plain.push_str(&hole);
            plain.push_str(if absolute { "a" } else { "r" });
            rest = after;
        }
        plain.push_str(rest);
        let line = one_line(&plain).ok_or_else(|| ShapeError::NotPlain(text.to_owned()))?;
        let mut words = Vec::new();
        for word in &line {
            words.push(match word.strip_prefix(&hole) {
                Some("a") => Slot::Hole { absolute: true },
                Some("r") => Slot::Hole { absolute: false },
                _ => Slot::Word(word.clone()),
            });
        }
        let holes = words.iter().any(|word| matches!(word, Slot::Hole { .. }));
        let program = match words.first() {
            Some(Slot::Word(program)) => walk::base_name(program),
            _ => return Err(ShapeError::RunsWords("<…>".to_owned())),
        };
        if holes && (walk::runs_words(program) || walk::runs_text(program)) {
            return Err(ShapeError::RunsWords(program.to_owned()));
        }
        Ok(Self {
            text: text.to_owned(),
            words,
        })
    }

    /// The shape as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a command is one of this shape. Floors are tested before grants: this does not
    /// look for any.
    #[must_use]
    pub fn matches(&self, command: &str) -> bool {
        let Some(line) = one_line(command) else {
            return false;
        };
        line.len() == self.words.len()
            && line.iter().zip(&self.words).all(|(word, slot)| match slot {
                Slot::Word(text) => word == text,
                Slot::Hole { absolute } => fills(word, *absolute),
            })
    }
}

fn fills(word: &str, absolute: bool) -> bool {
    !word.is_empty()
        && !word.starts_with(['-', '~'])
        && (absolute || !word.starts_with('/'))
        && !word.contains(char::is_control)
        // Also as the value of `name=path` or `host:path`.
        && word.split(['/', '=', ':']).all(|name| name != "..")
        && (absolute || !word.contains("=/"))
}

/// The words of a text that is one simple command of plain words.
fn one_line(text: &str) -> Option<Vec<String>> {
    let lines = read_only::parse(text).ok()?;
    match lines.as_slice() {
        [
            Line {
                words, redirects, ..
            },
        ] if redirects.is_empty() && !ends_with_operator(text) => words
            .iter()
            .map(|word| word.exact().map(str::to_owned))
            .collect(),
        _ => None,
    }
}

/// Whether a text goes on with `;` and nothing after it, or spans lines.
fn ends_with_operator(text: &str) -> bool {
    text.trim().ends_with(';') || text.trim().contains('\n')
}

/// Whether a command is the one of an exact grant: the same text, spaces around it aside. Floors
/// are tested before grants: this does not look for any.
#[must_use]
pub fn is_exact(granted: &str, command: &str) -> bool {
    granted.trim() == command.trim() && !command.trim().is_empty()
}
