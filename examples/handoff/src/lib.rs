//! One tool, `hand_off`: opens a thread and wakes the assistant in it.

use ostler_plugin::{Tool, ToolError, host};
use serde::{Deserialize, Serialize};

struct HandOff;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    channel: String,
    title: String,
    text: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    thread: &'a str,
    session: &'a str,
}

impl Tool for HandOff {
    const NAME: &'static str = "hand_off";
    const DESCRIPTION: &'static str = "Hands a piece of work over: opens a thread in a Discord \
        channel and wakes the assistant there with a note that says what is to be done. The work \
        goes on in that thread, where the operators can follow it and answer. Gives the ids of the \
        thread and of its session.";
    const INPUT_SCHEMA: &'static str = r#"{
  "type": "object",
  "properties": {
    "channel": {
      "type": "string",
      "description": "The id of the Discord channel to open the thread in.",
      "minLength": 1
    },
    "title": {
      "type": "string",
      "description": "The thread's title.",
      "minLength": 1,
      "maxLength": 100
    },
    "text": {
      "type": "string",
      "description": "What is to be done, with all that is needed to do it: the assistant reads nothing else of this conversation.",
      "minLength": 1,
      "maxLength": 8000
    }
  },
  "required": ["channel", "title", "text"],
  "additionalProperties": false
}"#;
    type Args = Args;

    fn call(args: Args) -> Result<String, ToolError> {
        let thread = host::threads::create(&args.channel, &args.title, None)?;
        let admitted = host::origin::start(&thread.id, &args.text, None)
            .map_err(|error| after_the_thread(&thread.id, error))?;
        let answer = Answer {
            thread: &thread.id,
            session: &admitted.session_key,
        };
        serde_json::to_string(&answer)
            .map_err(|error| ToolError::new("internal", error.to_string()))
    }
}

/// The thread stands when the note is refused; without its id, another try would open a second one.
fn after_the_thread(thread: &str, error: host::types::HostError) -> ToolError {
    let refused = ToolError::from(error);
    ToolError::new(
        refused.code,
        format!(
            "Thread {thread} was opened, but the note was refused: {}",
            refused.message
        ),
    )
}

ostler_plugin::export_tools!(HandOff);
