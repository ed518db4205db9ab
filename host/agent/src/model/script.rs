//! A script as its file says it: turns, and the steps of each.

use std::fmt;
use std::time::Duration;

use regex::Regex;
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::script_value::{boolean, json, list, milliseconds, table, text};

/// The longest script, in bytes.
pub(super) const MAX_SCRIPT_BYTES: usize = 1 << 20;

/// Turns, in the order in which they are tried.
#[derive(Debug)]
pub(super) struct Script {
    /// Whether a message that no turn matches is an error.
    pub(super) strict: bool,
    pub(super) turns: Vec<Turn>,
}

/// What to do about a message.
#[derive(Debug)]
pub(super) struct Turn {
    /// What the newest incoming text must hold.
    pub(super) pattern: Regex,
    /// At least one.
    pub(super) steps: Vec<Step>,
}

/// A step of a turn.
#[derive(Debug)]
pub(super) struct Step {
    /// How long to wait before it.
    pub(super) delay: Duration,
    pub(super) act: Act,
}

/// What a step does.
#[derive(Debug)]
pub(super) enum Act {
    /// Call a tool.
    Call { tool: String, args: Value },
    /// Say something.
    Say(String),
    /// Fail, as a provider that is not reachable does.
    Fail(String),
}

/// Why a script cannot be used: what, in which file, on which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// `script-unreadable`, `script-syntax`, `script-unknown-key`, `script-wrong-value`,
    /// `script-missing-key` or `script-match-invalid`.
    pub code: &'static str,
    /// The file as it was named.
    pub file: String,
    /// The line, from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

/// What is wrong at a place, before the place has a file and a line.
pub(super) struct Fault {
    pub(super) code: &'static str,
    /// Byte offset.
    pub(super) at: usize,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(code: &'static str, at: usize, message: impl Into<String>) -> Self {
        Self {
            code,
            at,
            message: message.into(),
        }
    }
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// Everything that is wrong with its text; `file` is how the error names it.
    pub(super) fn parse(source: &str, file: &str) -> Result<Self, ScriptError> {
        read(source).map_err(|fault| ScriptError {
            code: fault.code,
            file: file.to_owned(),
            line: line_of(source, fault.at),
            message: fault.message,
        })
    }
}

fn line_of(source: &str, at: usize) -> usize {
    source
        .bytes()
        .take(at)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}

fn read(source: &str) -> Result<Script, Fault> {
    if source.len() > MAX_SCRIPT_BYTES {
        let message = format!("a script is at most {MAX_SCRIPT_BYTES} bytes long");
        return Err(Fault::new("script-syntax", 0, message));
    }
    let document = DeTable::parse(source).map_err(|error| {
        Fault::new(
            "script-syntax",
            error.span().map_or(0, |span| span.start),
            error.message(),
        )
    })?;
    let root = document.get_ref();
    known_keys(root, &["strict", "turn"], "a script")?;
    let strict = root
        .get("strict")
        .map(boolean)
        .transpose()?
        .unwrap_or(false);
    let turns = match root.get("turn") {
        Some(turns) => list(turns, "turn")?
            .iter()
            .map(read_turn)
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(Script { strict, turns })
}

fn read_turn(turn: &toml::Spanned<DeValue<'_>>) -> Result<Turn, Fault> {
    let at = turn.span().start;
    let fields = table(turn, "turn")?;
    known_keys(fields, &["match", "step"], "a turn")?;
    let matcher = fields.get("match").ok_or_else(|| {
        Fault::new(
            "script-missing-key",
            at,
            "a turn needs `match`, a regular expression",
        )
    })?;
    let pattern = Regex::new(&text(matcher, "match")?).map_err(|error| {
        Fault::new(
            "script-match-invalid",
            matcher.span().start,
            pattern_error(&error),
        )
    })?;
    if pattern
        .capture_names()
        .flatten()
        .any(|name| name == "result")
    {
        let message = "`result` names the last tool's answer: give the group another name";
        return Err(Fault::new(
            "script-match-invalid",
            matcher.span().start,
            message,
        ));
    }
    let steps = match fields.get("step") {
        Some(steps) => list(steps, "step")?
            .iter()
            .map(read_step)
            .collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    if steps.is_empty() {
        let message = "a turn needs at least one `[[turn.step]]`";
        return Err(Fault::new("script-missing-key", at, message));
    }
    Ok(Turn { pattern, steps })
}

fn read_step(step: &toml::Spanned<DeValue<'_>>) -> Result<Step, Fault> {
    let at = step.span().start;
    let fields = table(step, "step")?;
    known_keys(
        fields,
        &["tool", "args", "say", "fail", "delay_ms"],
        "a step",
    )?;
    let delay = fields
        .get("delay_ms")
        .map(milliseconds)
        .transpose()?
        .unwrap_or_default();
    let args = fields.get("args");
    let act = match (fields.get("tool"), fields.get("say"), fields.get("fail")) {
        (Some(tool), None, None) => {
            let args = match args {
                Some(args) => {
                    table(args, "args")?;
                    json(args)?
                }
                None => Value::Object(serde_json::Map::new()),
            };
            Act::Call {
                tool: text(tool, "tool")?,
                args,
            }
        }
        (None, Some(say), None) => Act::Say(text(say, "say")?),
        (None, None, Some(fail)) => Act::Fail(text(fail, "fail")?),
        _ => {
            let message = "a step has exactly one of `tool`, `say` and `fail`";
            return Err(Fault::new("script-wrong-value", at, message));
        }
    };
    if let (Some(args), Act::Say(_) | Act::Fail(_)) = (args, &act) {
        let message = "`args` belongs to a step with `tool`";
        return Err(Fault::new("script-wrong-value", args.span().start, message));
    }
    Ok(Step { delay, act })
}

fn known_keys(fields: &DeTable<'_>, known: &[&str], of: &str) -> Result<(), Fault> {
    // In the order of the file, so that the first mistake is the one that is named.
    let unknown = fields
        .keys()
        .filter(|key| !known.contains(&key.get_ref().as_ref()))
        .min_by_key(|key| key.span().start);
    let Some(key) = unknown else { return Ok(()) };
    let name = key.get_ref().as_ref();
    let nearest = known
        .iter()
        .max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
    let message = match nearest {
        Some(nearest) => format!("{of} has no key `{name}`; did you mean `{nearest}`?"),
        None => format!("{of} has no key `{name}`"),
    };
    Err(Fault::new("script-unknown-key", key.span().start, message))
}

/// The last line of a pattern's error: the others draw the pattern.
fn pattern_error(error: &regex::Error) -> String {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default();
    format!(
        "`match` is no regular expression: {}",
        reason.trim_start_matches("error: ")
    )
}
