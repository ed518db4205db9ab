//! What a turn reads of the turns before it, and what it leaves for those after.

use ostler_store::{ItemKind, Origin, Role, RowId, TurnItem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{ModelMessage, ToolCall};

/// Rows that a turn reads back at most.
pub(crate) const ROWS: u32 = 30;
/// Bytes that a turn reads back at most: the newest rows that fit, whole.
const BYTES: usize = 96 * 1024;

/// What a later turn reads after a message whose files were shown.
const NOT_AGAIN: &str = "[What was shown of these files is not shown again.]";

#[derive(Serialize, Deserialize)]
struct Calls {
    text: String,
    calls: Vec<Call>,
}

#[derive(Serialize, Deserialize)]
struct Call {
    id: String,
    name: String,
    arguments: Value,
}

#[derive(Serialize, Deserialize)]
struct ToolAnswer {
    call: String,
    name: String,
    content: String,
}

/// The messages of earlier rows, the oldest first. Rows that do not read back are left out.
pub(crate) fn messages(items: &[(RowId, TurnItem)]) -> Vec<ModelMessage> {
    let mut kept: Vec<Vec<ModelMessage>> = Vec::new();
    let mut bytes = 0;
    for row in items.chunk_by(|a, b| a.0 == b.0).rev() {
        bytes += row
            .iter()
            .map(|(_, item)| item.content.len())
            .sum::<usize>();
        if bytes > BYTES {
            break;
        }
        if let Ok(messages) = row.iter().map(|(_, item)| message(item)).collect() {
            kept.push(messages);
        }
    }
    kept.into_iter().rev().flatten().collect()
}

fn message(item: &TurnItem) -> Result<ModelMessage, serde_json::Error> {
    Ok(match (item.role, item.kind) {
        (Role::User, _) => ModelMessage::User(serde_json::from_str(&item.content)?),
        (Role::Assistant, ItemKind::Calls) => {
            let calls: Calls = serde_json::from_str(&item.content)?;
            ModelMessage::Assistant {
                text: calls.text,
                calls: calls
                    .calls
                    .into_iter()
                    .map(|call| ToolCall {
                        id: call.id,
                        name: call.name,
                        arguments: call.arguments,
                    })
                    .collect(),
            }
        }
        (Role::Assistant, _) => ModelMessage::Assistant {
            text: serde_json::from_str(&item.content)?,
            calls: Vec::new(),
        },
        (Role::Tool, _) => {
            let answer: ToolAnswer = serde_json::from_str(&item.content)?;
            ModelMessage::ToolResult {
                call: answer.call,
                name: answer.name,
                content: answer.content,
            }
        }
    })
}

/// An item of a turn, from what the model was told or said.
pub(crate) fn item(message: &ModelMessage, origin: &Origin) -> Result<TurnItem, serde_json::Error> {
    let (role, kind, content) = match message {
        ModelMessage::User(text) => (Role::User, ItemKind::Text, serde_json::to_string(text)?),
        // The text names what was shown; the bytes are not kept.
        ModelMessage::UserWithMedia { text, .. } => (
            Role::User,
            ItemKind::Text,
            serde_json::to_string(&format!("{text}\n{NOT_AGAIN}"))?,
        ),
        ModelMessage::Assistant { text, calls } if calls.is_empty() => (
            Role::Assistant,
            ItemKind::Text,
            serde_json::to_string(text)?,
        ),
        ModelMessage::Assistant { text, calls } => (
            Role::Assistant,
            ItemKind::Calls,
            serde_json::to_string(&Calls {
                text: text.clone(),
                calls: calls
                    .iter()
                    .map(|call| Call {
                        id: call.id.clone(),
                        name: call.name.clone(),
                        arguments: call.arguments.clone(),
                    })
                    .collect(),
            })?,
        ),
        ModelMessage::ToolResult {
            call,
            name,
            content,
        } => (
            Role::Tool,
            ItemKind::Result,
            serde_json::to_string(&ToolAnswer {
                call: call.clone(),
                name: name.clone(),
                content: content.clone(),
            })?,
        ),
    };
    Ok(TurnItem {
        role,
        origin: origin.clone(),
        kind,
        content,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::MediaPart;

    fn turn(text: &str) -> Vec<ModelMessage> {
        vec![
            ModelMessage::User(text.to_owned()),
            ModelMessage::Assistant {
                text: "Let me see.".to_owned(),
                calls: vec![ToolCall {
                    id: "1".to_owned(),
                    name: "todo".to_owned(),
                    arguments: json!({"action": "list"}),
                }],
            },
            ModelMessage::ToolResult {
                call: "1".to_owned(),
                name: "todo".to_owned(),
                content: "none".to_owned(),
            },
            ModelMessage::Assistant {
                text: "Nothing.".to_owned(),
                calls: Vec::new(),
            },
        ]
    }

    fn stored(turns: &[Vec<ModelMessage>]) -> Vec<(RowId, TurnItem)> {
        turns
            .iter()
            .flat_map(|turn| {
                let row = RowId::new();
                turn.iter()
                    .map(move |message| (row, item(message, &Origin::System).unwrap()))
            })
            .collect()
    }

    #[test]
    fn what_a_turn_leaves_reads_back_as_it_was() {
        let turns = [turn("one"), turn("two")];
        assert_eq!(messages(&stored(&turns)), turns.concat());
    }

    #[test]
    fn what_was_shown_is_not_kept() {
        let shown = ModelMessage::UserWithMedia {
            text: "look".to_owned(),
            media: vec![MediaPart {
                name: "a.png".to_owned(),
                media_type: "image/png",
                base64: "iVBORw0KGgo=".into(),
            }],
        };
        let kept = item(&shown, &Origin::System).unwrap();
        assert!(!kept.content.contains("iVBOR"), "{}", kept.content);
        let read = ModelMessage::User(format!("look\n{NOT_AGAIN}"));
        assert_eq!(messages(&[(RowId::new(), kept)]), [read]);
    }

    #[test]
    fn only_whole_rows_that_fit_are_read_back_and_the_newest_first() {
        let long = turn(&"x".repeat(BYTES / 2));
        let turns = [long.clone(), long.clone(), turn("newest")];
        assert_eq!(
            messages(&stored(&turns)),
            [long, turn("newest")].concat(),
            "the oldest did not fit"
        );
    }
}
