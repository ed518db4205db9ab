//! `read_file`: lines of a text file of the workspace.

use std::io::{BufRead as _, BufReader, Read as _};

use async_trait::async_trait;
use cap_std::fs::File;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::error::FileError;
use super::place::{Found, Place, open_file, open_workspace};
use super::text::{HEAD, beginning, is_binary, visible_line, visible_name};
use super::{Ground, blocking, covered};
use crate::approvals::Subject;
use crate::gate::{CHANGED, CardClass, Consent, Effect, Permit};
use crate::model::ToolSpec;
use crate::tools::{Tool, ToolContext, ToolFailure, arguments};

/// The most lines of one answer.
const LINES: usize = 2_000;
/// The most bytes of one answer's lines.
const ANSWER: usize = 24 * 1024;
/// The most bytes of one line that are shown.
const LINE: usize = 4 * 1024;
/// The largest file that is read at all, in bytes.
const MOST: u64 = 64 * 1024 * 1024;

/// The tool.
pub(in crate::tools) struct ReadFile;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default)]
    offset_line: Option<usize>,
    #[serde(default)]
    limit_lines: Option<usize>,
}

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_file".to_owned(),
            description: "Reads a text file of your workspace, with line numbers. A long file is \
                          read in parts. Files that may hold keys are shown only after a person \
                          allowed it."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "path": super::path_schema(),
                    "offset_line": {
                        "type": "integer", "minimum": 1,
                        "description": "The first line to read; 1 if left out."
                    },
                    "limit_lines": {
                        "type": "integer", "minimum": 1, "maximum": LINES,
                        "description": "How many lines to read at most."
                    }
                },
                "required": ["path"],
                "additionalProperties": false
            }),
        }
    }

    async fn effect(
        &self,
        context: &ToolContext<'_>,
        given: &Value,
    ) -> Result<Option<Effect>, ToolFailure> {
        let call: Arguments = arguments(given.clone())?;
        let ground = Ground::of(context);
        let given = given.clone();
        blocking(move || effect(&ground, &find(&ground, &call.path)?, &given)).await
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let call: Arguments = arguments(given.clone())?;
        let ground = Ground::of(context);
        let path = call.path.clone();
        let (place, now) = blocking(move || {
            let place = find(&ground, &path)?;
            let now = effect(&ground, &place, &given)?;
            Ok((place, now))
        })
        .await?;
        // Judged again: a link may lead elsewhere than when it was allowed.
        let begun = match (now, permit) {
            (None, None) => None,
            (Some(now), Some(permit)) => Some(permit.begin(&now.digest).await?),
            (Some(_), None) | (None, Some(_)) => {
                return Err(ToolFailure::new(
                    CHANGED,
                    "where this path leads was changed since it was judged",
                ));
            }
        };
        let answer = blocking(move || read(&place, &call)).await;
        if let Some(begun) = begun {
            begun.end(answer.is_ok()).await;
        }
        answer
    }
}

fn find(ground: &Ground, path: &str) -> Result<Place, FileError> {
    let place = Place::find(&open_workspace(&ground.workspace)?, path)?;
    match place.found {
        Found::File { .. } => Ok(place),
        Found::Nothing { .. } => Err(FileError::not_found(path)),
        Found::Folder(_) => Err(FileError::NotAFile {
            path: visible_name(path),
            kind: "a folder",
        }),
    }
}

/// What reading would bring about: none, unless the file may hold keys.
fn effect(ground: &Ground, place: &Place, given: &Value) -> Result<Option<Effect>, FileError> {
    let reasons = ground.guard().read_reasons(place);
    if reasons.is_empty() {
        return Ok(None);
    }
    let shown = serde_json::to_string_pretty(given)
        .map_err(|error| FileError::Invalid(error.to_string()))?;
    Ok(Some(Effect {
        subject: Subject::Call { arguments: shown },
        digest: covered("read_file", given, place.real.clone())?,
        // Any part of the file is the same file.
        sameness: format!("read {}", place.real),
        consent: Consent::Asked(reasons),
        floor: None,
        card: CardClass::Host,
        is_for_owner: false,
    }))
}

/// What was read of a file.
#[derive(Default)]
struct Lines {
    shown: String,
    /// How many of them.
    count: usize,
    /// Lines of the whole file.
    total: usize,
    ends_crlf: bool,
    is_utf8: bool,
}

fn read(place: &Place, call: &Arguments) -> Result<String, FileError> {
    let Found::File { parent, name } = &place.found else {
        return Err(FileError::not_found(&call.path));
    };
    let file = open_file(parent, name, &call.path)?;
    let io = |error| FileError::of_io(&call.path, error);
    let size = file.metadata().map_err(io)?.len();
    if size > MOST {
        return Err(FileError::TooLarge {
            path: visible_name(&call.path),
            what: format!("holds {size} bytes"),
            most: MOST,
            advice: "Read parts of it by a command, such as `head`, `tail` or `sed -n`",
        });
    }
    let mut file = BufReader::with_capacity(64 * 1024, file.take(MOST));
    let shown = visible_name(&place.real);
    let head = file.fill_buf().map_err(io)?;
    if is_binary(head) {
        let kind = kind(head);
        return describe(&shown, size, kind, file).map_err(io);
    }
    let first = call.offset_line.unwrap_or(1).max(1);
    let most = call.limit_lines.unwrap_or(LINES).clamp(1, LINES);
    let lines = lines(file, first, most).map_err(io)?;
    if lines.count == 0 && first > 1 {
        return Err(FileError::Invalid(format!(
            "`{shown}` has {} lines: there is no line {first}",
            lines.total
        )));
    }
    Ok(report(&shown, size, first, &lines))
}

fn report(shown: &str, size: u64, first: usize, lines: &Lines) -> String {
    if lines.count == 0 {
        return format!("[{shown}: empty]");
    }
    let last = first + lines.count - 1;
    let mut report = format!(
        "[{shown}: lines {first} to {last} of {}, {size} bytes",
        lines.total
    );
    if lines.ends_crlf {
        report.push_str(", lines end with CRLF");
    }
    if !lines.is_utf8 {
        report.push_str(", some bytes are not UTF-8 and shown as \u{fffd}");
    }
    report.push(']');
    report.push_str(&lines.shown);
    if last < lines.total {
        report.push_str(&format!(
            "\n[{} more lines: go on with offset_line {}]",
            lines.total - last,
            last + 1
        ));
    }
    report
}

/// Reads to the end, to tell how many lines there are, and keeps those that are asked for.
fn lines(
    mut file: BufReader<std::io::Take<File>>,
    first: usize,
    most: usize,
) -> std::io::Result<Lines> {
    let mut lines = Lines {
        is_utf8: true,
        ..Lines::default()
    };
    let mut crlf = 0;
    let mut is_full = false;
    let mut kept = Vec::new();
    loop {
        kept.clear();
        let (length, ends) = line(&mut file, &mut kept)?;
        if length == 0 && !ends {
            break;
        }
        lines.total += 1;
        if lines.total < first || lines.count == most || is_full {
            continue;
        }
        let is_crlf = ends && length == kept.len() && kept.last() == Some(&b'\r');
        if is_crlf {
            kept.pop();
        }
        let length = length - usize::from(is_crlf);
        lines.is_utf8 &= kept.len() < length || std::str::from_utf8(&kept).is_ok();
        let shown = numbered(lines.total, &kept, length);
        if lines.shown.len() + shown.len() > ANSWER && lines.count > 0 {
            is_full = true;
            continue;
        }
        crlf += usize::from(is_crlf);
        lines.shown.push_str(&shown);
        lines.count += 1;
    }
    lines.ends_crlf = crlf > 0 && crlf + 1 >= lines.count;
    Ok(lines)
}

/// Reads a line: its length without `\n` and whether it has one. At most [`LINE`] bytes and a few
/// more are kept.
fn line(
    file: &mut BufReader<std::io::Take<File>>,
    kept: &mut Vec<u8>,
) -> std::io::Result<(usize, bool)> {
    let mut length = 0;
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            return Ok((length, false));
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer
            .get(..end.unwrap_or(buffer.len()))
            .unwrap_or_default();
        // A few more, so that a character at the bound is whole.
        let room = (LINE + 4).saturating_sub(kept.len()).min(part.len());
        kept.extend(part.iter().take(room));
        length += part.len();
        let taken = part.len() + usize::from(end.is_some());
        file.consume(taken);
        if end.is_some() {
            return Ok((length, true));
        }
    }
}

/// A line as it is shown: behind a line break and its number, so that nothing of a file stands at
/// the beginning of a line.
fn numbered(number: usize, kept: &[u8], length: usize) -> String {
    let text = String::from_utf8_lossy(kept);
    let start = if length > LINE {
        beginning(&text, LINE)
    } else {
        &text
    };
    let mut shown = format!("\n{number:>6}\t{}", visible_line(start));
    if length > start.len() && length > LINE {
        shown.push_str(&format!(
            "[{} more bytes of this line]",
            length - start.len()
        ));
    }
    shown
}

fn kind(head: &[u8]) -> &'static str {
    infer::get(head.get(..HEAD).unwrap_or(head)).map_or("data", |kind| kind.mime_type())
}

/// What a model reads of a file that is no text.
fn describe(
    shown: &str,
    size: u64,
    kind: &str,
    mut file: BufReader<std::io::Take<File>>,
) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        hasher.update(buffer);
        let taken = buffer.len();
        file.consume(taken);
    }
    let digest = hex::encode(hasher.finalize());
    Ok(format!(
        "[{shown}: no text in UTF-8 and not shown; {kind}, {size} bytes, SHA-256 {digest}]"
    ))
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
