//! `shell`: a command in the profile's workspace, confined, and let through by the gate.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use ostler_commands::{Circumstances, Judgement, judge};
use ostler_confine::{Captured, Confinement, Ended, Finished, Job, Network, Reach};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::secrets::holds_known_secret;
use super::{Tool, ToolContext, ToolFailure, arguments};
use crate::approvals::{Reason, ReasonBy, Subject};
use crate::gate::{CallDigest, CardClass, Consent, Covered, Effect, Permit};
use crate::model::ToolSpec;

/// Bytes of each stream that are kept.
const OUTPUT: usize = 12 * 1024;
/// A script that a command names is read up to this; a longer one has no digest, so that its
/// command is never the same as what was approved.
const SCRIPT: u64 = 4 * 1024 * 1024;

/// Where commands run.
pub(crate) struct ShellPlace {
    /// The folder that they may write in.
    pub(crate) workspace: PathBuf,
    /// What they never reach: the host's home, package folders.
    pub(crate) hidden: Vec<PathBuf>,
    /// This program, which starts them.
    pub(crate) launcher: PathBuf,
    /// How they are confined; none where this machine offers no way.
    pub(crate) confinement: Option<Confinement>,
}

/// The tool.
pub(super) struct Shell;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
    #[serde(default)]
    folder: Option<String>,
    #[serde(default)]
    timeout_seconds: Option<u32>,
}

/// A call, read.
struct Call {
    command: String,
    folder: PathBuf,
    timeout: Duration,
}

#[async_trait]
impl Tool for Shell {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "shell".to_owned(),
            description: "Runs a shell command in your workspace and gives its exit code and \
                          output. Most commands are shown to a person first, who may deny them; \
                          what only reads inside the workspace runs at once."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "command": {
                        "type": "string", "minLength": 1, "maxLength": 16_384,
                        "description": "The command, for a POSIX shell."
                    },
                    "folder": {
                        "type": "string",
                        "description": "The folder to run it in, from the workspace; the \
                                        workspace itself if left out."
                    },
                    "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": 600}
                },
                "required": ["command"],
                "additionalProperties": false
            }),
        }
    }

    async fn effect(
        &self,
        context: &ToolContext<'_>,
        given: &Value,
    ) -> Result<Option<Effect>, ToolFailure> {
        let call = read(context, given)?;
        if holds_known_secret(context, &call.command).await? {
            return Err(ToolFailure::new(
                "secret-in-command",
                "the command holds a secret that this host keeps. Nothing ran: a secret has no \
                 place in a command. Tell the person; a plugin can be given it by its name.",
            ));
        }
        Ok(Some(effect(context, given, &call).await?))
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let permit = permit.ok_or_else(no_permit)?;
        let call = read(context, &given)?;
        let place = &context.services.shell;
        // Nobody but the owner gets a shell without a box around it.
        if place.confinement.is_none() && context.authority.tier != crate::authority::Tier::Owner {
            return Err(ToolFailure::new(
                "not-confined",
                "this machine offers no way to confine a command, so only the owner may run one",
            ));
        }
        // Read again: what stands on the disk may not be what was approved.
        let now = effect(context, &given, &call).await?;
        let begun = permit.begin(&now.digest).await?;
        let job = job(context, &call);
        let finished = match &place.confinement {
            Some(confinement) => confinement.run(job, context.cancel).await,
            None => ostler_confine::run_unconfined(&place.launcher, job, context.cancel).await,
        };
        begun.end(finished.is_ok()).await;
        match finished {
            Ok(finished) => Ok(report(&finished)),
            Err(error) => Err(ToolFailure::new(error.code(), error.to_string())),
        }
    }
}

fn no_permit() -> ToolFailure {
    ToolFailure::new("denied", "nothing runs here without leave")
}

fn read(context: &ToolContext<'_>, given: &Value) -> Result<Call, ToolFailure> {
    let given: Arguments = arguments(given.clone())?;
    if given.command.trim().is_empty() {
        return Err(ToolFailure::new("invalid", "the command is empty"));
    }
    let most = context.services.config.borrow().shell.timeout_seconds.get();
    let timeout = given.timeout_seconds.unwrap_or(most).clamp(1, most);
    Ok(Call {
        command: given.command,
        folder: folder(&context.services.shell.workspace, given.folder.as_deref())?,
        timeout: Duration::from_secs(u64::from(timeout)),
    })
}

/// A folder of the workspace: no way leads out of it by its name. Where it leads by links is the
/// confinement's to bound.
fn folder(workspace: &Path, given: Option<&str>) -> Result<PathBuf, ToolFailure> {
    let Some(given) = given else {
        return Ok(workspace.to_owned());
    };
    let relative = Path::new(given);
    let stays = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !stays {
        return Err(ToolFailure::new(
            "invalid",
            "`folder` is a path from the workspace, without `..`",
        ));
    }
    let folder: PathBuf = workspace.join(relative);
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(ToolFailure::new(
            "not-found",
            format!("there is no folder `{given}` in the workspace"),
        ))
    }
}

/// What a command would bring about, judged from its text and what it names.
async fn effect(
    context: &ToolContext<'_>,
    given: &Value,
    call: &Call,
) -> Result<Effect, ToolFailure> {
    let services = context.services;
    let config = services.config.borrow().clone();
    let judgement = judge(
        &call.command,
        &Circumstances {
            workspace: &services.shell.workspace,
            folder: &call.folder,
            protected: &config.approvals.protected,
            deny: &config.approvals.deny,
        },
    );
    let scripts = scripts(judgement.scripts.clone()).await;
    let folder = call.folder.display().to_string();
    let digest = CallDigest::of(&Covered {
        tool: "shell",
        arguments: given,
        folder: Some(&folder),
        environment: config
            .shell
            .environment
            .iter()
            .map(String::as_str)
            .collect(),
        scripts,
        before: config.shell.network.then(|| "network".to_owned()),
    })
    .map_err(|error| ToolFailure::new("invalid", error.to_string()))?;
    let shown = call
        .folder
        .strip_prefix(&services.shell.workspace)
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    Ok(Effect {
        subject: Subject::Command {
            command: call.command.clone(),
            folder: shown,
            confined: services
                .shell
                .confinement
                .as_ref()
                .map(Confinement::describe),
        },
        digest,
        sameness: format!("shell {folder} {:?}", judgement.equivalence),
        consent: consent(&judgement),
        floor: judgement.floor.map(|floor| floor.to_string()),
        card: CardClass::Host,
        is_for_owner: judgement.uses_sudo,
    })
}

fn consent(judgement: &Judgement) -> Consent {
    match &judgement.read_only {
        Ok(()) => Consent::Unasked,
        Err(why) if judgement.findings.is_empty() => Consent::Asked(vec![host_reason(format!(
            "It is not in the table of commands that only read: {why}"
        ))]),
        Err(_) => Consent::Asked(
            judgement
                .findings
                .iter()
                .map(|finding| host_reason(finding.why.clone()))
                .collect(),
        ),
    }
}

fn host_reason(text: String) -> Reason {
    Reason {
        by: ReasonBy::Host,
        text,
    }
}

/// The contents of the scripts that a command names.
async fn scripts(paths: Vec<PathBuf>) -> BTreeMap<String, String> {
    let read = tokio::task::spawn_blocking(move || {
        paths
            .into_iter()
            .map(|path| (path.display().to_string(), content_digest(&path)))
            .collect()
    });
    // A reading that broke off has no digest that could be approved.
    read.await.unwrap_or_else(|_| {
        BTreeMap::from([(
            "?".to_owned(),
            format!("unreadable {}", ostler_store::RowId::new()),
        )])
    })
}

fn content_digest(path: &Path) -> String {
    let file = match std::fs::metadata(path) {
        Ok(meta) if !meta.is_file() => return "no file".to_owned(),
        Ok(meta) if meta.len() > SCRIPT => return never(),
        Ok(_) => std::fs::read(path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return "absent".to_owned(),
        Err(error) => Err(error),
    };
    match file {
        Ok(bytes) => hex::encode(Sha256::digest(&bytes)),
        Err(_) => never(),
    }
}

/// A value that no later reading equals.
fn never() -> String {
    format!("unreadable {}", ostler_store::RowId::new())
}

fn job(context: &ToolContext<'_>, call: &Call) -> Job {
    let config = context.services.config.borrow();
    let shell = &config.shell;
    Job {
        command: call.command.clone(),
        workspace: context.services.shell.workspace.clone(),
        folder: call.folder.clone(),
        hidden: context.services.shell.hidden.clone(),
        network: if shell.network {
            Network::Open
        } else {
            Network::None
        },
        environment: shell
            .environment
            .iter()
            .filter_map(|name| Some((name.clone(), std::env::var(name.as_str()).ok()?)))
            .collect(),
        reach: Reach::default(),
        timeout: call.timeout,
        output_bytes: OUTPUT,
    }
}

/// What the model reads of a command that ended.
fn report(finished: &Finished) -> String {
    let how = match finished.ended {
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Signalled(signal) => format!("ended by signal {signal}"),
        Ended::TimedOut => "stopped: it ran out of time".to_owned(),
        Ended::Cancelled => "stopped: the turn was ended".to_owned(),
    };
    let mut report = format!("[{how}, {} ms]", finished.duration.as_millis());
    for (name, stream) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        if !stream.text.is_empty() {
            report.push_str(&format!("\n[{name}]\n{}", whole(stream)));
        }
    }
    report
}

fn whole(captured: &Captured) -> String {
    let text = captured.text.trim_end_matches('\n');
    if captured.dropped > 0 {
        format!("{text}\n[{} bytes are not shown]", captured.dropped)
    } else {
        text.to_owned()
    }
}
