//! `write_file` and `patch`: a file of the workspace gets a new content.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::commit::commit;
use super::content::{Before, MOST, digest};
use super::diff::unified;
use super::edit::{EDITS, Edit, apply};
use super::error::FileError;
use super::place::{Place, open_workspace};
use super::text::visible_name;
use super::{Ground, blocking, covered};
use crate::approvals::{Reason, Subject};
use crate::gate::{CallDigest, CardClass, Consent, Effect, Permit};
use crate::model::ToolSpec;
use crate::tools::secrets::holds_known_secret;
use crate::tools::{Tool, ToolContext, ToolFailure, arguments};

/// The tool that writes a whole file.
pub(in crate::tools) struct WriteFile;

/// The tool that changes pieces of a file.
pub(in crate::tools) struct Patch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteArguments {
    path: String,
    content: String,
    #[serde(default)]
    create_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatchArguments {
    path: String,
    edits: Vec<Edit>,
}

/// How a file gets its new content.
#[derive(Clone)]
enum Change {
    Whole { content: String, create_only: bool },
    Edits(Vec<Edit>),
}

/// A call, read.
struct Call {
    tool: &'static str,
    path: String,
    change: Change,
}

/// A change as it would be made now.
struct Planned {
    place: Place,
    before: Before,
    content: String,
    reasons: Vec<Reason>,
    digest: CallDigest,
}

#[async_trait]
impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write_file".to_owned(),
            description: "Writes a whole text file in your workspace, new or in the place of \
                          another; missing folders are made. Files that the person protects are \
                          written only after somebody allowed it. To change a part of a file, use \
                          `patch`."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "path": super::path_schema(),
                    "content": {
                        "type": "string", "maxLength": MOST,
                        "description": "All that the file holds then, at most 1 MiB."
                    },
                    "create_only": {
                        "type": "boolean",
                        "description": "Refuse if there is such a file."
                    }
                },
                "required": ["path", "content"],
                "additionalProperties": false
            }),
        }
    }

    async fn effect(
        &self,
        context: &ToolContext<'_>,
        given: &Value,
    ) -> Result<Option<Effect>, ToolFailure> {
        effect(context, given, read_write(given)?).await
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let call = read_write(&given)?;
        execute(context, &given, call, permit).await
    }
}

#[async_trait]
impl Tool for Patch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "patch".to_owned(),
            description: "Changes pieces of a text file in your workspace. Each edit's `old` is \
                          text that stands in the file exactly once, without line numbers; give \
                          enough of it. The edits are made in their order, all or none."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "path": super::path_schema(),
                    "edits": {
                        "type": "array", "minItems": 1, "maxItems": EDITS,
                        "items": {
                            "type": "object",
                            "properties": {
                                "old": {"type": "string", "minLength": 1},
                                "new": {"type": "string"},
                                "all": {
                                    "type": "boolean",
                                    "description": "Replace each `old` there is."
                                }
                            },
                            "required": ["old", "new"],
                            "additionalProperties": false
                        }
                    }
                },
                "required": ["path", "edits"],
                "additionalProperties": false
            }),
        }
    }

    async fn effect(
        &self,
        context: &ToolContext<'_>,
        given: &Value,
    ) -> Result<Option<Effect>, ToolFailure> {
        effect(context, given, read_patch(given)?).await
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let call = read_patch(&given)?;
        execute(context, &given, call, permit).await
    }
}

fn read_write(given: &Value) -> Result<Call, ToolFailure> {
    let given: WriteArguments = arguments(given.clone())?;
    Ok(Call {
        tool: "write_file",
        path: given.path,
        change: Change::Whole {
            content: given.content,
            create_only: given.create_only,
        },
    })
}

fn read_patch(given: &Value) -> Result<Call, ToolFailure> {
    let given: PatchArguments = arguments(given.clone())?;
    Ok(Call {
        tool: "patch",
        path: given.path,
        change: Change::Edits(given.edits),
    })
}

async fn effect(
    context: &ToolContext<'_>,
    given: &Value,
    call: Call,
) -> Result<Option<Effect>, ToolFailure> {
    let planned = planned(context, given, call).await?;
    let effect = blocking(move || Ok(planned.effect())).await?;
    Ok(Some(effect))
}

async fn execute(
    context: &ToolContext<'_>,
    given: &Value,
    call: Call,
    permit: Option<Permit>,
) -> Result<String, ToolFailure> {
    let permit =
        permit.ok_or_else(|| ToolFailure::new("denied", "nothing is written without leave"))?;
    // Planned again: what stands on the disk may not be what was judged.
    let planned = planned(context, given, call).await?;
    let begun = permit.begin(&planned.digest).await?;
    let written = blocking(move || planned.commit()).await;
    begun.end(written.is_ok()).await;
    written
}

/// Works a change out, and refuses one that holds a secret: in the file it would be read by
/// whoever reads the workspace, and on a card by whoever sees the card.
async fn planned(
    context: &ToolContext<'_>,
    given: &Value,
    call: Call,
) -> Result<Planned, ToolFailure> {
    let ground = Ground::of(context);
    let arguments = given.clone();
    let planned =
        blocking(move || Planned::of(&ground, call.tool, &call.path, &call.change, &arguments))
            .await?;
    if holds_known_secret(context, &planned.content).await? {
        return Err(FileError::Secret("the new content").into());
    }
    if let Before::File(old) = &planned.before
        && holds_known_secret(context, &String::from_utf8_lossy(&old.bytes)).await?
    {
        return Err(FileError::Secret("the file, whose change would be shown,").into());
    }
    if holds_known_secret(context, &planned.place.asked).await? {
        return Err(FileError::Secret("the path").into());
    }
    Ok(planned)
}

impl Planned {
    fn of(
        ground: &Ground,
        tool: &str,
        path: &str,
        change: &Change,
        arguments: &Value,
    ) -> Result<Self, FileError> {
        let place = Place::find(&open_workspace(&ground.workspace)?, path)?;
        let before = Before::read(&place)?;
        if let Before::File(old) = &before
            && old.mode & 0o222 == 0
        {
            return Err(FileError::ReadOnly(visible_name(path)));
        }
        let content = match (change, &before) {
            (
                Change::Whole {
                    create_only: true, ..
                },
                Before::File(_),
            ) => {
                return Err(FileError::Exists(visible_name(path)));
            }
            (Change::Whole { content, .. }, _) => content.clone(),
            (Change::Edits(_), Before::Absent) => return Err(FileError::not_found(path)),
            (Change::Edits(edits), Before::File(old)) => apply(path, old.text(path)?, edits)?,
        };
        if content.contains('\0') {
            return Err(FileError::Binary(visible_name(path)));
        }
        if content.len() as u64 > MOST {
            return Err(FileError::TooLarge {
                path: visible_name(path),
                what: format!("would hold {} bytes", content.len()),
                most: MOST,
                advice: "Write less, or several files",
            });
        }
        // Where the path leads is part of what is approved, not only what the file holds.
        let depends_on = format!("{} {}", before.digest(), place.real);
        Ok(Self {
            reasons: ground.guard().write_reasons(&place),
            digest: covered(tool, arguments, depends_on)?,
            place,
            before,
            content,
        })
    }

    fn effect(self) -> Effect {
        let path = visible_name(&self.place.real);
        let new = digest(self.content.as_bytes());
        Effect {
            subject: Subject::Write {
                diff: self.diff(&path),
                path,
            },
            // By whichever of the two tools: the file would hold the same.
            sameness: format!("write {} {new}", self.place.real),
            digest: self.digest,
            consent: if self.reasons.is_empty() {
                Consent::Unasked
            } else {
                Consent::Asked(self.reasons)
            },
            floor: None,
            card: CardClass::Host,
            is_for_owner: false,
        }
    }

    fn diff(&self, path: &str) -> String {
        match &self.before {
            Before::Absent => unified(path, None, &self.content),
            Before::File(old) => match old.text(path) {
                Ok(text) => unified(path, Some(text), &self.content),
                Err(_) => format!(
                    "Data of {} bytes ({}) is replaced as a whole.\n{}",
                    old.bytes.len(),
                    self.before.digest(),
                    unified(path, None, &self.content)
                ),
            },
        }
    }

    fn commit(self) -> Result<String, FileError> {
        commit(&self.place, &self.before, self.content.as_bytes())?;
        let how = match self.before {
            Before::Absent => "new",
            Before::File(_) => "changed",
        };
        Ok(format!(
            "Written: `{}` ({how}), {} lines, {} bytes.",
            visible_name(&self.place.real),
            self.content.lines().count(),
            self.content.len()
        ))
    }
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
