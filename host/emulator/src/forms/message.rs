//! Messages: what may be sent, edited, answered with.

use serde_json::Value;

use super::component::check_components;
use super::embed::{EMBED, check_total};
use super::form::{Errors, Field, Shape, bits_of, check_object, optional, required};
use crate::api::error::ApiError;

/// A message with V2 components (flag `IS_COMPONENTS_V2`).
pub(crate) const V2: u64 = 1 << 15;
pub(crate) const EPHEMERAL: u64 = 1 << 6;
pub(crate) const SUPPRESS_EMBEDS: u64 = 1 << 2;
pub(crate) const SUPPRESS_NOTIFICATIONS: u64 = 1 << 12;
pub(crate) const LOADING: u64 = 1 << 7;
pub(crate) const HAS_THREAD: u64 = 1 << 5;

const CONTENT: Field = optional("content", Shape::Text(0, 2000));
const EMBEDS: Field = optional("embeds", Shape::List(0, 10, &Shape::Object(EMBED)));
const COMPONENTS: Field = optional("components", Shape::List(0, 40, &Shape::Any));
const FLAGS: Field = optional("flags", Shape::Integer(0, i64::MAX));
const TTS: Field = optional("tts", Shape::Boolean);
const POLL: Field = optional("poll", Shape::Any);
const STICKERS: Field = optional("sticker_ids", Shape::List(0, 3, &Shape::Snowflake));
const MENTIONS: Field = optional(
    "allowed_mentions",
    Shape::Object(&[
        optional("parse", Shape::List(0, 1521, &Shape::With(mention_kind))),
        optional("users", Shape::List(0, 100, &Shape::Snowflake)),
        optional("roles", Shape::List(0, 100, &Shape::Snowflake)),
        optional("replied_user", Shape::Boolean),
    ]),
);
const ATTACHMENTS: Field = optional(
    "attachments",
    Shape::List(
        0,
        10,
        &Shape::Object(&[
            required("id", Shape::With(attachment_id)),
            optional("filename", Shape::Text(1, 1024)),
            optional("description", Shape::Text(0, 1024)),
            optional("duration_secs", Shape::Any),
            optional("waveform", Shape::Text(0, 400)),
            optional("title", Shape::Text(0, 1024)),
            optional("is_spoiler", Shape::Boolean),
            optional("is_remix", Shape::Boolean),
            // What Discord gives for an attachment may come back on an edit.
            optional("size", Shape::Any),
            optional("url", Shape::Any),
            optional("proxy_url", Shape::Any),
            optional("content_type", Shape::Any),
            optional("width", Shape::Any),
            optional("height", Shape::Any),
            optional("ephemeral", Shape::Any),
            optional("flags", Shape::Any),
        ]),
    ),
);

const CREATE: &[Field] = &[
    CONTENT,
    EMBEDS,
    COMPONENTS,
    FLAGS,
    TTS,
    POLL,
    STICKERS,
    MENTIONS,
    ATTACHMENTS,
    optional("nonce", Shape::With(nonce)),
    optional("enforce_nonce", Shape::Boolean),
    optional("shared_client_theme", Shape::Any),
    optional(
        "message_reference",
        Shape::Object(&[
            required("message_id", Shape::Snowflake),
            optional("channel_id", Shape::Snowflake),
            optional("guild_id", Shape::Snowflake),
            optional("fail_if_not_exists", Shape::Boolean),
            optional("type", Shape::Choice(&[0, 1])),
        ]),
    ),
];

/// The first message of a forum post.
const STARTER: &[Field] = &[
    CONTENT,
    EMBEDS,
    COMPONENTS,
    FLAGS,
    POLL,
    STICKERS,
    MENTIONS,
    ATTACHMENTS,
    optional("shared_client_theme", Shape::Any),
];

const EDIT: &[Field] = &[
    CONTENT,
    EMBEDS,
    COMPONENTS,
    FLAGS,
    STICKERS,
    MENTIONS,
    ATTACHMENTS,
];

/// Interaction callbacks and follow-ups.
const ANSWER: &[Field] = &[
    CONTENT,
    EMBEDS,
    COMPONENTS,
    FLAGS,
    TTS,
    POLL,
    MENTIONS,
    ATTACHMENTS,
    optional("username", Shape::Text(1, 80)),
    optional("avatar_url", Shape::Any),
    optional("thread_name", Shape::Text(0, 100)),
    optional("applied_tags", Shape::List(0, 5, &Shape::Snowflake)),
];

/// Which kind of body is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Create,
    Starter,
    Edit,
    Answer,
}

fn mention_kind(value: &Value, errors: &mut Errors) {
    if !matches!(value.as_str(), Some("users" | "roles" | "everyone")) {
        errors.add(
            "BASE_TYPE_CHOICES",
            "Value must be one of ('users', 'roles', 'everyone').",
        );
    }
}

fn attachment_id(value: &Value, errors: &mut Errors) {
    // An upload's number, or the id of an attachment that is there.
    let number = bits_of(value);
    if number.is_none() {
        errors.add(
            "NUMBER_TYPE_COERCE",
            &format!("Value {value} is not snowflake."),
        );
    }
}

fn nonce(value: &Value, errors: &mut Errors) {
    match value {
        Value::String(text) if text.chars().count() > 25 => {
            errors.add("NONCE_TYPE_TOO_LONG", "Must be 25 or fewer in length.");
        }
        Value::String(_) => {}
        Value::Number(number) if number.is_i64() => {}
        _ => errors.add(
            "NONCE_TYPE_INVALID",
            "A nonce must be a string or an integer.",
        ),
    }
}

/// Checks a message's body. `v2` says whether the message that is edited has V2 components.
pub(crate) fn check(body: &Value, form: Form, v2: bool) -> Result<(), ApiError> {
    let mut errors = Errors::default();
    check_into(body, form, v2, &mut errors);
    errors.finish()
}

/// Checks a message's body that is a part of another one.
pub(crate) fn check_into(body: &Value, form: Form, v2: bool, errors: &mut Errors) {
    let fields = match form {
        Form::Create => CREATE,
        Form::Starter => STARTER,
        Form::Edit => EDIT,
        Form::Answer => ANSWER,
    };
    check_object(body, fields, errors);
    if !errors.is_empty() {
        return;
    }
    let v2 = v2 || body.get("flags").and_then(bits_of).unwrap_or(0) & V2 != 0;
    if v2 {
        for name in ["content", "embeds", "poll", "sticker_ids"] {
            let empty = match body.get(name) {
                None | Some(Value::Null) => true,
                Some(Value::String(text)) => text.is_empty(),
                Some(Value::Array(list)) => list.is_empty(),
                Some(_) => false,
            };
            if !empty {
                errors.at(
                    name,
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    &format!(
                        "The '{name}' field cannot be used when using \
                         MessageFlags.IS_COMPONENTS_V2"
                    ),
                );
            }
        }
    }
    if let Some(components) = body.get("components") {
        errors.within("components", |errors| {
            check_components(components, v2, errors);
        });
    }
    if let Some(embeds) = body.get("embeds") {
        errors.within("embeds", |errors| check_total(embeds, errors));
    }
    check_exclusive_mentions(body, errors);
}

fn check_exclusive_mentions(body: &Value, errors: &mut Errors) {
    let Some(allowed) = body.get("allowed_mentions") else {
        return;
    };
    let parse = allowed.get("parse").and_then(Value::as_array);
    for kind in ["users", "roles"] {
        let parsed = parse.is_some_and(|parse| parse.iter().any(|value| value == kind));
        let listed = allowed
            .get(kind)
            .and_then(Value::as_array)
            .is_some_and(|l| !l.is_empty());
        if parsed && listed {
            errors.at(
                "allowed_mentions",
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                &format!("parse:[\"{kind}\"] and {kind}: [ids...] are mutually exclusive."),
            );
        }
    }
}
