//! Embeds: their form, their total size, and how Discord gives them back.

use serde_json::{Map, Value, json};

use super::form::{Errors, Field, Shape, optional, required};

const MEDIA: &[Field] = &[
    optional("url", Shape::Url(2048)),
    optional("proxy_url", Shape::Any),
    optional("width", Shape::Any),
    optional("height", Shape::Any),
    optional("description", Shape::Text(0, 4096)),
];

pub(super) const EMBED: &[Field] = &[
    optional("type", Shape::Text(0, 100)),
    optional("url", Shape::Url(2048)),
    optional("title", Shape::Text(0, 256)),
    optional("description", Shape::Text(0, 4096)),
    optional("color", Shape::Integer(0, 0xFF_FFFF)),
    optional("timestamp", Shape::Timestamp),
    optional(
        "fields",
        Shape::List(
            0,
            25,
            &Shape::Object(&[
                required("name", Shape::Text(1, 256)),
                required("value", Shape::Text(1, 1024)),
                optional("inline", Shape::Boolean),
            ]),
        ),
    ),
    optional(
        "author",
        Shape::Object(&[
            required("name", Shape::Text(0, 256)),
            optional("url", Shape::Url(2048)),
            optional("icon_url", Shape::Url(2048)),
            optional("proxy_icon_url", Shape::Any),
        ]),
    ),
    optional(
        "footer",
        Shape::Object(&[
            required("text", Shape::Text(0, 2048)),
            optional("icon_url", Shape::Url(2048)),
            optional("proxy_icon_url", Shape::Any),
        ]),
    ),
    optional("image", Shape::Object(MEDIA)),
    optional("thumbnail", Shape::Object(MEDIA)),
    optional("video", Shape::Any),
    optional("provider", Shape::Any),
];

/// All the text of all embeds of a message together.
pub(super) const TOTAL: usize = 6000;

fn length(value: Option<&Value>) -> usize {
    value
        .and_then(Value::as_str)
        .map_or(0, |text| text.chars().count())
}

fn size(embed: &Value) -> usize {
    let fields = embed.get("fields").and_then(Value::as_array);
    length(embed.get("title"))
        + length(embed.get("description"))
        + length(embed.pointer("/author/name"))
        + length(embed.pointer("/footer/text"))
        + fields
            .into_iter()
            .flatten()
            .map(|field| length(field.get("name")) + length(field.get("value")))
            .sum::<usize>()
}

/// Checks what no single embed shows: the size of all together.
pub(super) fn check_total(embeds: &Value, errors: &mut Errors) {
    let total: usize = embeds.as_array().into_iter().flatten().map(size).sum();
    if total > TOTAL {
        errors.add(
            "MAX_EMBED_SIZE_EXCEEDED",
            &format!("Embed size exceeds maximum size of {TOTAL}"),
        );
    }
}

fn without_nulls(value: &Value) -> Map<String, Value> {
    let object = value.as_object().into_iter().flatten();
    object
        .filter(|(_, value)| !value.is_null())
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect()
}

fn media(value: &Value, file_url: &dyn Fn(&str) -> Option<String>) -> Value {
    let mut media = without_nulls(value);
    if let Some(url) = media.get("url").and_then(Value::as_str) {
        let url = url
            .strip_prefix("attachment://")
            .and_then(file_url)
            .unwrap_or_else(|| url.to_owned());
        media.insert("proxy_url".to_owned(), json!(url));
        media.insert("url".to_owned(), json!(url));
    }
    Value::Object(media)
}

/// The embeds as Discord gives them back; empty ones fall away. `file_url` finds a message's own
/// attachment by its name.
pub(crate) fn normalise(embeds: &Value, file_url: &dyn Fn(&str) -> Option<String>) -> Vec<Value> {
    let embeds = embeds.as_array().into_iter().flatten();
    let normalised = embeds.map(|embed| {
        let mut embed = without_nulls(embed);
        embed.insert("type".to_owned(), json!("rich"));
        for name in ["image", "thumbnail"] {
            if let Some(value) = embed.get(name) {
                let value = media(value, file_url);
                embed.insert(name.to_owned(), value);
            }
        }
        for name in ["author", "footer"] {
            if let Some(value) = embed.get(name) {
                let value = Value::Object(without_nulls(value));
                embed.insert(name.to_owned(), value);
            }
        }
        for name in ["title", "description"] {
            let trimmed = embed
                .get(name)
                .and_then(Value::as_str)
                .map(|text| text.trim().to_owned());
            match trimmed.as_deref() {
                Some("") => drop(embed.remove(name)),
                Some(text) => drop(embed.insert(name.to_owned(), json!(text))),
                None => {}
            }
        }
        if let Some(Value::Array(fields)) = embed.get_mut("fields") {
            for field in fields {
                let inline = field
                    .get("inline")
                    .and_then(Value::as_bool)
                    .unwrap_or(false);
                field["inline"] = json!(inline);
            }
        }
        embed.remove("video");
        embed.remove("provider");
        Value::Object(embed)
    });
    // Nothing but a type, a colour or an empty list shows nothing.
    normalised
        .filter(|embed| {
            embed
                .as_object()
                .into_iter()
                .flatten()
                .any(|(name, value)| {
                    name != "type" && name != "color" && value != &json!([]) && value != &json!({})
                })
        })
        .collect()
}
