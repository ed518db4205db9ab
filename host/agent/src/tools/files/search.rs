//! `search_files`: lines of the workspace's text files that match a regular expression.

use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::FileError;
use super::place::{Found, Place, open_workspace};
use super::text::visible_name;
use super::walk::{Bounds, Stopped, Walk};
use super::{Ground, blocking};
use crate::gate::Permit;
use crate::model::ToolSpec;
use crate::tools::{Tool, ToolContext, ToolFailure, arguments};

/// Matches of one answer, if the call does not say.
const MATCHES: usize = 100;
/// The most matches of one answer.
const MOST_MATCHES: usize = 500;
/// The most characters of an expression or a pattern over names.
const EXPRESSION: usize = 1_000;
/// The most memory that an expression takes, in bytes: it bounds the time of a match too.
const COMPILED: usize = 1024 * 1024;

/// The tool.
pub(in crate::tools) struct SearchFiles;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    folder: Option<String>,
    #[serde(default)]
    glob: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
}

/// What is looked for.
pub(super) struct Query {
    pub(super) pattern: Regex,
    pub(super) names: Option<Names>,
    pub(super) limit: usize,
}

/// A pattern over files.
pub(super) struct Names {
    matcher: GlobMatcher,
    /// Whether it is for the path, not for the name alone.
    is_over_paths: bool,
}

impl Names {
    pub(super) fn holds(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let text = if self.is_over_paths { path } else { name };
        self.matcher.is_match(text)
    }
}

#[async_trait]
impl Tool for SearchFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "search_files".to_owned(),
            description: "Finds lines in the text files of your workspace by a regular expression \
                          (Rust's syntax, line by line). `.git`, data that is no text, links and \
                          files that may hold keys are left out."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {
                        "type": "string", "minLength": 1, "maxLength": EXPRESSION,
                        "description": "Case counts; put `(?i)` before it if it should not."
                    },
                    "folder": {
                        "type": "string",
                        "description": "The folder or file to search, from the workspace's root; \
                                        all of it if left out."
                    },
                    "glob": {
                        "type": "string", "minLength": 1, "maxLength": EXPRESSION,
                        "description": "Which files: `*.rs` by their names, `src/**/*.rs` by \
                                        their paths."
                    },
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_MATCHES}
                },
                "required": ["pattern"],
                "additionalProperties": false
            }),
        }
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        _permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let call: Arguments = arguments(given)?;
        let ground = Ground::of(context);
        let cancel = context.cancel.clone();
        blocking(move || search(&ground, &call, Bounds::usual(), &|| cancel.is_cancelled())).await
    }
}

fn query(call: &Arguments) -> Result<Query, FileError> {
    let invalid = |what: &str, why: String| FileError::Invalid(format!("`{what}` is wrong: {why}"));
    let given = [Some(&call.pattern), call.glob.as_ref()];
    if given
        .into_iter()
        .flatten()
        .any(|text| text.chars().count() > EXPRESSION)
    {
        return Err(FileError::Invalid(format!(
            "an expression has at most {EXPRESSION} characters"
        )));
    }
    let pattern = RegexBuilder::new(&call.pattern)
        .size_limit(COMPILED)
        .dfa_size_limit(COMPILED)
        .build()
        .map_err(|error| invalid("pattern", error.to_string()))?;
    let names = call.glob.as_deref().map(|glob| {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let built = GlobBuilder::new(glob)
            .literal_separator(true)
            .build()
            .map_err(|error| invalid("glob", error.to_string()))?;
        Ok::<_, FileError>(Names {
            matcher: built.compile_matcher(),
            is_over_paths: glob.contains('/'),
        })
    });
    Ok(Query {
        pattern,
        names: names.transpose()?,
        limit: call.limit.unwrap_or(MATCHES).clamp(1, MOST_MATCHES),
    })
}

fn search(
    ground: &Ground,
    call: &Arguments,
    bounds: Bounds,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, FileError> {
    let query = query(call)?;
    let guard = ground.guard();
    let folder = call.folder.as_deref().unwrap_or(".");
    let place = Place::find(&open_workspace(&ground.workspace)?, folder)?;
    let mut walk = Walk::new(&query, &guard, bounds, is_cancelled);
    match &place.found {
        Found::Nothing { .. } => return Err(FileError::not_found(folder)),
        Found::Folder(dir) => walk.folder(dir, &place.real, 0),
        Found::File { parent, name } => walk.file(parent, name, &place.real),
    }
    Ok(report(&place, &walk))
}

fn report(place: &Place, walk: &Walk<'_>) -> String {
    let mut report = format!(
        "[{} matches in {}; {} files searched",
        walk.matches,
        if place.real.is_empty() {
            "the workspace".to_owned()
        } else {
            visible_name(&place.real)
        },
        walk.searched
    );
    for (count, what) in [
        (
            walk.skipped.keys,
            "that may hold keys were not: `read_file` asks for one",
        ),
        (walk.skipped.data, "that are no text were not"),
        (walk.skipped.large, "that are too large were not"),
        (walk.skipped.unreadable, "that cannot be read were not"),
    ] {
        if count > 0 {
            report.push_str(&format!("; {count} {what}"));
        }
    }
    report.push(']');
    report.push_str(&walk.shown);
    if let Some(stopped) = walk.stopped {
        let why = match stopped {
            Stopped::Matches => "there may be more matches",
            Stopped::Time => "the search ran out of time",
            Stopped::Size => "there is more to search than one call may",
            Stopped::Cancelled => "the turn was ended",
        };
        report.push_str(&format!(
            "\n[not the whole: {why}. Search a narrower folder, or with a narrower expression or \
             glob]"
        ));
    }
    report
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
