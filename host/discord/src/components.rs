//! Message components, as raw JSON: serenity can neither build nor read those of version 2.

use ostler_agent::{ChannelError, PostFile};
use serde_json::{Value, json};

use crate::files;

/// `IS_COMPONENTS_V2` (Discord, *Message Flags*): a message with it has no `content`.
const VERSION_2: u64 = 1 << 15;
/// Discord, *Component Types*: the only one at the top of a message of version 1.
const ACTION_ROW: u64 = 1;
const TEXT_DISPLAY: u64 = 10;
const FILE: u64 = 13;
/// Discord, *Component Reference*: components of a message, nested ones included.
const COUNT_LIMIT: usize = 40;
/// The most UTF-16 code units in all text of a message of version 2.
const TEXT_LIMIT: usize = 4000;

/// What goes into a message's body.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Components {
    pub(crate) list: Option<Value>,
    pub(crate) flags: u64,
    /// The text, where it goes into `content`.
    pub(crate) content: Option<()>,
}

/// Prepares components for a message with this text. Beside components of version 2 the text
/// becomes the first of them, since such a message has no `content`, and files that none of them
/// shows get a component each, since such a message shows no others.
pub(crate) fn prepare(
    components: Option<&Value>,
    content: &str,
    files: &[PostFile],
) -> Result<Components, ChannelError> {
    let invalid = |text: String| Err(ChannelError::Invalid(text));
    let content_given = (!content.is_empty()).then_some(());
    let Some(components) = components else {
        return Ok(Components {
            content: content_given,
            ..Components::default()
        });
    };
    let Value::Array(list) = components else {
        return invalid("the components are no list".to_owned());
    };
    let is_version_2 = list
        .iter()
        .any(|component| component.get("type").and_then(Value::as_u64) != Some(ACTION_ROW));
    let mut list = list.clone();
    if is_version_2 && content_given.is_some() {
        list.insert(0, json!({"type": TEXT_DISPLAY, "content": content}));
    }
    if is_version_2 {
        let hidden = files.iter().map(files::address);
        let hidden: Vec<_> = hidden
            .filter(|address| !list.iter().any(|shown| names(shown, address)))
            .collect();
        list.extend(
            hidden
                .iter()
                .map(|address| json!({"type": FILE, "file": {"url": address}})),
        );
    }
    let count: usize = list.iter().map(count).sum();
    if count > COUNT_LIMIT {
        return invalid(format!(
            "the message has {count} components; Discord takes at most {COUNT_LIMIT}"
        ));
    }
    if !is_version_2 {
        return Ok(Components {
            list: Some(Value::Array(list)),
            flags: 0,
            content: content_given,
        });
    }
    let text: usize = list.iter().map(text).sum();
    if text > TEXT_LIMIT {
        return invalid(format!(
            "the components hold {text} UTF-16 units of text; Discord takes at most {TEXT_LIMIT}"
        ));
    }
    Ok(Components {
        list: Some(Value::Array(list)),
        flags: VERSION_2,
        content: None,
    })
}

fn nested(component: &Value) -> impl Iterator<Item = &Value> {
    let list = component.get("components").and_then(Value::as_array);
    list.into_iter().flatten().chain(component.get("accessory"))
}

/// Whether a component shows the file with this address.
fn names(component: &Value, address: &str) -> bool {
    match component {
        Value::String(text) => text == address,
        Value::Array(list) => list.iter().any(|inner| names(inner, address)),
        Value::Object(fields) => fields.values().any(|inner| names(inner, address)),
        _ => false,
    }
}

fn count(component: &Value) -> usize {
    1 + nested(component).map(count).sum::<usize>()
}

fn text(component: &Value) -> usize {
    let own = match component.get("type").and_then(Value::as_u64) {
        Some(TEXT_DISPLAY) => component
            .get("content")
            .and_then(Value::as_str)
            .map_or(0, |text| text.encode_utf16().count()),
        _ => 0,
    };
    own + nested(component).map(text).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button() -> Value {
        json!({"type": 2, "style": 1, "label": "Yes", "custom_id": "yes"})
    }

    #[test]
    fn rows_of_buttons_stay_as_they_are() {
        let rows = json!([{"type": 1, "components": [button()]}]);
        let prepared = prepare(Some(&rows), "text", &[]).unwrap();
        assert_eq!(prepared.list, Some(rows));
        assert_eq!((prepared.flags, prepared.content), (0, Some(())));
    }

    #[test]
    fn beside_version_2_the_text_becomes_a_component() {
        let container =
            json!([{"type": 17, "components": [{"type": 1, "components": [button()]}]}]);
        let prepared = prepare(Some(&container), "text", &[]).unwrap();
        let list = prepared.list.unwrap();
        assert_eq!(list[0], json!({"type": 10, "content": "text"}));
        assert_eq!(list[1], container[0]);
        assert_eq!((prepared.flags, prepared.content), (1 << 15, None));
    }

    #[test]
    fn files_that_no_component_of_version_2_shows_get_one_each() {
        let file = |name: &str| PostFile {
            name: name.to_owned(),
            bytes: vec![1],
        };
        let files = [file("shown.png"), file("report.txt")];
        let media = json!({"media": {"url": "attachment://shown.png"}});
        let list = json!([{"type": 17, "components": [{"type": 12, "items": [media]}]}]);
        let prepared = prepare(Some(&list), "", &files).unwrap();
        let shown = prepared.list.unwrap();
        assert_eq!(shown.as_array().unwrap().len(), 2);
        assert_eq!(
            shown[1],
            json!({"type": 13, "file": {"url": "attachment://report.txt"}})
        );
        let rows = json!([{"type": 1, "components": [button()]}]);
        let prepared = prepare(Some(&rows), "", &files).unwrap();
        assert_eq!(prepared.list, Some(rows), "version 1 shows all of them");
    }

    #[test]
    fn limits_are_kept_before_anything_is_sent() {
        let many: Vec<_> = (0..8)
            .map(|_| json!({"type": 1, "components": [button(), button(), button(), button(), button()]}))
            .collect();
        assert!(
            prepare(Some(&json!(many)), "", &[]).is_err(),
            "48 components"
        );
        let long = json!([{"type": 10, "content": "🦦".repeat(2001)}]);
        assert!(prepare(Some(&long), "", &[]).is_err());
        assert!(prepare(Some(&json!({"type": 1})), "", &[]).is_err());
    }
}
