//! A model that is none: it follows a script.
//!
//! Which step comes next is read from the conversation alone, so that a restart or a second host
//! goes on at the same step: a turn begins with the newest incoming message, and each message of
//! the model after it was one completion of the turn's script.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};

use super::script::{Act, MAX_SCRIPT_BYTES, Script, ScriptError, Step};
use super::template::Names;
use super::{
    Completion, Model, ModelError, ModelEvent, ModelMessage, ModelStream, StopReason, ToolCall,
};

/// The script that runs where no other is given: a greeting, to-dos, reading a channel.
pub const DEMO_SCRIPT: &str = include_str!("demo.toml");

/// Follows a script of turns. It says what it is wherever a model is named.
#[derive(Debug)]
pub struct Scripted {
    script: Script,
    /// What it follows, for people.
    source: String,
}

impl Scripted {
    /// Reads a script from its text.
    ///
    /// # Errors
    /// The text is no script: the error names the line.
    pub fn parse(toml_text: &str) -> Result<Self, ScriptError> {
        Self::named(toml_text, "a script".to_owned())
    }

    /// Reads a script from its file, once: later changes are not seen.
    ///
    /// # Errors
    /// The file cannot be read or is no script: the error names file and line.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let source = path.display().to_string();
        let unreadable = |message: String| ScriptError {
            code: "script-unreadable",
            file: source.clone(),
            line: 0,
            message,
        };
        let size = std::fs::metadata(path)
            .map_err(|error| unreadable(format!("the script cannot be read: {error}")))?
            .len();
        if size > MAX_SCRIPT_BYTES as u64 {
            return Err(unreadable(format!(
                "a script is at most {MAX_SCRIPT_BYTES} bytes long"
            )));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| unreadable(format!("the script cannot be read: {error}")))?;
        Self::named(&text, source)
    }

    /// The bundled script, [`DEMO_SCRIPT`].
    ///
    /// # Errors
    /// None that a release has: a test reads the script.
    pub fn demo() -> Result<Self, ScriptError> {
        Self::named(DEMO_SCRIPT, "the bundled demo script".to_owned())
    }

    fn named(toml_text: &str, source: String) -> Result<Self, ScriptError> {
        Ok(Self {
            script: Script::parse(toml_text, &source)?,
            source,
        })
    }
}

/// A part of a completion.
#[derive(Debug)]
enum Part {
    Wait(Duration),
    Event(Result<ModelEvent, ModelError>),
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> String {
        format!("scripted model (no model: it follows {})", self.source)
    }

    async fn complete(&self, request: &Completion) -> Result<ModelStream, ModelError> {
        let progress = Progress::of(request);
        let found = self
            .script
            .turns
            .iter()
            .find_map(|turn| Some((turn, turn.pattern.captures(progress.incoming)?)));
        let mut parts = match found {
            Some((turn, captures)) => {
                let mut names = Names::of(&turn.pattern, &captures);
                names.set("result", progress.result);
                progress.parts(&turn.steps, &names)
            }
            None if self.script.strict => return Err(ModelError::NoScript(self.no_match())),
            None if progress.completions == 0 => said(&self.no_match()),
            None => Vec::new(),
        };
        // A failure with nothing before it is one of the request, as a provider's would be.
        if let Some(first) = parts.iter().position(|part| matches!(part, Part::Event(_)))
            && let Part::Event(Err(error)) = &parts[first]
        {
            let error = error.clone();
            for part in parts.drain(..first) {
                if let Part::Wait(delay) = part {
                    tokio::time::sleep(delay).await;
                }
            }
            return Err(error);
        }
        if !matches!(parts.last(), Some(Part::Event(Err(_)))) {
            let end = ModelEvent::End {
                stop: StopReason::Done,
                usage: None,
            };
            parts.push(Part::Event(Ok(end)));
        }
        let events = stream::iter(parts).filter_map(|part| async {
            match part {
                Part::Wait(delay) => {
                    tokio::time::sleep(delay).await;
                    None
                }
                Part::Event(event) => Some(event),
            }
        });
        Ok(Box::pin(events))
    }
}

impl Scripted {
    fn no_match(&self) -> String {
        format!(
            "I am a scripted model, not a real one: I follow {}, and no turn of it matches this \
             message.",
            self.source
        )
    }
}

/// How far a turn has come.
struct Progress<'c> {
    /// The newest message from outside.
    incoming: &'c str,
    /// How many completions answered it so far.
    completions: usize,
    /// What the last tool answered in this turn; empty before the first.
    result: &'c str,
    /// How many messages of the model there are in the whole conversation.
    spoken: usize,
}

impl<'c> Progress<'c> {
    fn of(request: &'c Completion) -> Self {
        let mut progress = Self {
            incoming: "",
            completions: 0,
            result: "",
            spoken: 0,
        };
        for message in &request.messages {
            match message {
                // It is shown nothing: the text names what there is.
                ModelMessage::User(text) | ModelMessage::UserWithMedia { text, .. } => {
                    progress.incoming = text;
                    progress.completions = 0;
                    progress.result = "";
                }
                ModelMessage::Assistant { .. } => {
                    progress.completions += 1;
                    progress.spoken += 1;
                }
                ModelMessage::ToolResult { content, .. } => progress.result = content,
            }
        }
        progress
    }

    /// What this completion consists of: the steps up to and with the next call, or up to the end
    /// of the turn. A completion without a call ends a turn, so a text before a call travels with
    /// the call, and texts in a row are one answer.
    fn parts(&self, steps: &[Step], names: &Names) -> Vec<Part> {
        let is_call = |step: &Step| matches!(step.act, Act::Call { .. });
        let steps = steps
            .split_inclusive(is_call)
            .nth(self.completions)
            .unwrap_or_default();
        let mut parts = Vec::new();
        let mut spoke = false;
        for step in steps {
            if !step.delay.is_zero() {
                parts.push(Part::Wait(step.delay));
            }
            match &step.act {
                Act::Say(text) => {
                    if spoke {
                        parts.extend(said("\n\n"));
                    }
                    spoke = true;
                    parts.extend(said(&names.expand(text)));
                }
                Act::Call { tool, args } => {
                    let call = ToolCall {
                        id: format!("call_{}", self.spoken + 1),
                        name: tool.clone(),
                        arguments: names.expand_value(args),
                    };
                    parts.push(Part::Event(Ok(ModelEvent::Call(call))));
                }
                Act::Fail(text) => {
                    parts.push(Part::Event(Err(ModelError::Unavailable(
                        names.expand(text),
                    ))));
                    break;
                }
            }
        }
        parts
    }
}

/// A text, word by word: a real model's answer comes in pieces too.
fn said(text: &str) -> Vec<Part> {
    text.split_inclusive(' ')
        .map(|word| Part::Event(Ok(ModelEvent::Text(word.to_owned()))))
        .collect()
}
