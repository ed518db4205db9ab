//! `todo`: the session's list of to-dos.

use async_trait::async_trait;
use ostler_store::{Todo as Item, TodoState};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Tool, ToolContext, ToolFailure, arguments};
use crate::gate::Permit;
use crate::model::ToolSpec;
use crate::turn::frame;

/// The tool.
pub(super) struct Todo;

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum Action {
    List {},
    Add { title: String },
    Rename { id: u32, title: String },
    Complete { id: u32 },
    Reopen { id: u32 },
    Delete { id: u32 },
}

#[async_trait]
impl Tool for Todo {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "todo".to_owned(),
            description: "Keeps this conversation's list of to-dos: list them, add one, rename, \
                          complete, reopen or delete one by its number."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "action": {
                        "type": "string",
                        "enum": ["list", "add", "rename", "complete", "reopen", "delete"]
                    },
                    "id": {
                        "type": "integer", "minimum": 1,
                        "description": "The to-do's number; not for `list` and `add`."
                    },
                    "title": {
                        "type": "string", "minLength": 1, "maxLength": 500,
                        "description": "What is to be done; for `add` and `rename`."
                    }
                },
                "required": ["action"],
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
        let store = &context.services.store;
        let session = &context.row.session;
        let now = context.services.clock.now();
        let change = |id: u32, title: Option<String>, state: Option<TodoState>| async move {
            store
                .change_todo(session, id, title.as_deref(), state, now)
                .await?
                .ok_or_else(|| no_such(id))
        };
        Ok(match arguments(given)? {
            Action::List {} => list(&store.todos(session).await?),
            Action::Add { title } => {
                let author = &context.authority.author.0;
                let todo = store
                    .add_todo(session, &title, author, Some(context.row.id), now)
                    .await?;
                format!("Added as number {}.", todo.id)
            }
            Action::Rename { id, title } => line(&change(id, Some(title), None).await?),
            Action::Complete { id } => line(&change(id, None, Some(TodoState::Done)).await?),
            Action::Reopen { id } => line(&change(id, None, Some(TodoState::Open)).await?),
            Action::Delete { id } => {
                if !store.delete_todo(session, id).await? {
                    return Err(no_such(id));
                }
                format!("Deleted number {id}.")
            }
        })
    }
}

fn no_such(id: u32) -> ToolFailure {
    ToolFailure::new("not-found", format!("there is no to-do {id} here"))
}

fn list(todos: &[Item]) -> String {
    if todos.is_empty() {
        return "There are no to-dos.".to_owned();
    }
    todos.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A to-do's title may be anybody's words: it is quoted.
fn line(todo: &Item) -> String {
    let mark = match todo.state {
        TodoState::Open => "open",
        TodoState::Done => "done",
    };
    format!(
        "{} [{mark}] by {}\n{}",
        todo.id,
        todo.created_by,
        frame::quote(&todo.title)
    )
}
