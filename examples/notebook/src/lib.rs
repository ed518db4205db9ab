//! A notebook: short notes that the assistant keeps between conversations.

mod note;
mod shelf;

use ostler_plugin::{Tool, ToolError, host};
use serde::{Deserialize, Serialize};

use note::Note;

ostler_plugin::export_tools!(AddNote, ListNotes, ReadNote, RemoveNote);

struct AddNote;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewNote {
    title: String,
    text: String,
}

impl Tool for AddNote {
    const NAME: &'static str = "add_note";
    const DESCRIPTION: &'static str = "Keeps a note under a title, for later conversations. A note \
        with that title is replaced.";
    const INPUT_SCHEMA: &'static str = r#"{
  "type": "object",
  "properties": {
    "title": { "type": "string", "minLength": 1, "maxLength": 100 },
    "text": { "type": "string", "minLength": 1, "maxLength": 8000 }
  },
  "required": ["title", "text"],
  "additionalProperties": false
}"#;
    type Args = NewNote;

    fn call(args: NewNote) -> Result<String, ToolError> {
        let note = Note::new(&args.title, args.text)?;
        let replaced = shelf::put(&note)?;
        let done = if replaced { "replaced" } else { "added" };
        host::log::info(&format!("{done} a note of {} bytes", note.text.len()));
        Ok(format!("The note “{}” was {done}.", note.title))
    }
}

struct ListNotes;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    cursor: Option<String>,
}

#[derive(Serialize)]
struct Titles {
    titles: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for ListNotes {
    const NAME: &'static str = "list_notes";
    const DESCRIPTION: &'static str = "Lists the titles of the notes that are kept. When the answer \
        holds next_cursor, call again with it for more.";
    const INPUT_SCHEMA: &'static str = r#"{
  "type": "object",
  "properties": { "cursor": { "type": "string" } },
  "additionalProperties": false
}"#;
    type Args = Page;

    fn call(args: Page) -> Result<String, ToolError> {
        let (titles, next_cursor) = shelf::titles(args.cursor.as_deref())?;
        note::json(&Titles {
            titles,
            next_cursor,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Titled {
    title: String,
}

const TITLED: &str = r#"{
  "type": "object",
  "properties": { "title": { "type": "string", "minLength": 1, "maxLength": 100 } },
  "required": ["title"],
  "additionalProperties": false
}"#;

struct ReadNote;

impl Tool for ReadNote {
    const NAME: &'static str = "read_note";
    const DESCRIPTION: &'static str = "Gives the text of the note with this title.";
    const INPUT_SCHEMA: &'static str = TITLED;
    type Args = Titled;

    fn call(args: Titled) -> Result<String, ToolError> {
        let title = note::title(&args.title)?;
        shelf::get(title)?
            .map(|note| note.text)
            .ok_or_else(|| missing(title))
    }
}

struct RemoveNote;

impl Tool for RemoveNote {
    const NAME: &'static str = "remove_note";
    const DESCRIPTION: &'static str = "Removes the note with this title for good.";
    const INPUT_SCHEMA: &'static str = TITLED;
    type Args = Titled;

    fn call(args: Titled) -> Result<String, ToolError> {
        let title = note::title(&args.title)?;
        if !shelf::remove(title)? {
            return Err(missing(title));
        }
        host::log::info("removed a note");
        Ok(format!("The note “{title}” was removed."))
    }
}

fn missing(title: &str) -> ToolError {
    ToolError::new(
        "not-found",
        format!("There is no note “{title}”. list_notes gives the titles that there are."),
    )
}
