//! Checks a JSON body against a table of fields, and gives Discord's tree of errors.

use serde_json::{Map, Value, json};

use crate::api::error::ApiError;
use crate::snowflake::Id;

/// What a field may hold.
pub(crate) enum Shape {
    /// Text with a number of characters in this range.
    Text(usize, usize),
    /// A whole number in this range.
    Integer(i64, i64),
    /// One of these numbers.
    Choice(&'static [i64]),
    Boolean,
    Snowflake,
    /// A whole number or text that is one; permission bits are written both ways.
    Bits,
    /// A web address of at most so many characters.
    Url(usize),
    Timestamp,
    /// A list with a length in this range.
    List(usize, usize, &'static Shape),
    Object(&'static [Field]),
    /// Anything; whoever reads it checks it.
    Any,
    /// Checked by a function.
    With(fn(&Value, &mut Errors)),
}

/// A field of an object.
pub(crate) struct Field {
    name: &'static str,
    shape: Shape,
    required: bool,
    nullable: bool,
}

/// A field that may be left out or be null.
pub(crate) const fn optional(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        required: false,
        nullable: true,
    }
}

/// A field that must be there.
pub(crate) const fn required(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        required: true,
        nullable: false,
    }
}

/// A field that may be left out, but not be null.
pub(crate) const fn not_null(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        required: false,
        nullable: false,
    }
}

/// The errors of one form, and where in it the check stands.
#[derive(Default)]
pub(crate) struct Errors {
    path: Vec<String>,
    tree: Map<String, Value>,
}

impl Errors {
    /// Notes an error at the place where the check stands.
    pub(crate) fn add(&mut self, code: &str, message: &str) {
        let mut node = &mut self.tree;
        for name in &self.path {
            let entry = node.entry(name.clone()).or_insert_with(|| json!({}));
            if !entry.is_object() {
                return;
            }
            let Value::Object(inner) = entry else { return };
            node = inner;
        }
        let list = node.entry("_errors").or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(json!({"code": code, "message": message}));
        }
    }

    /// Runs a check one step deeper.
    pub(crate) fn within(&mut self, name: impl std::fmt::Display, check: impl FnOnce(&mut Self)) {
        self.path.push(name.to_string());
        check(self);
        self.path.pop();
    }

    /// Notes an error at a field of the place where the check stands.
    pub(crate) fn at(&mut self, name: impl std::fmt::Display, code: &str, message: &str) {
        self.within(name, |errors| errors.add(code, message));
    }

    pub(crate) fn required(&mut self, name: impl std::fmt::Display) {
        self.at(name, "BASE_TYPE_REQUIRED", "This field is required");
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// The answer, if anything was wrong.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.tree.is_empty() {
            Ok(())
        } else {
            Err(ApiError::form(Value::Object(self.tree)))
        }
    }
}

/// Checks a whole body.
pub(crate) fn check(body: &Value, fields: &'static [Field]) -> Result<(), ApiError> {
    let mut errors = Errors::default();
    check_object(body, fields, &mut errors);
    errors.finish()
}

/// Checks an object. Fields that Discord does not know are refused: here they are mistakes.
pub(crate) fn check_object(value: &Value, fields: &'static [Field], errors: &mut Errors) {
    let Some(object) = value.as_object() else {
        errors.add(
            "DICT_TYPE_CONVERT",
            "Only dictionaries may be used in a DictType",
        );
        return;
    };
    for field in fields {
        match object.get(field.name) {
            None if field.required => errors.required(field.name),
            None => {}
            Some(Value::Null) if field.nullable => {}
            Some(Value::Null) => errors.required(field.name),
            Some(value) => errors.within(field.name, |e| check_shape(value, &field.shape, e)),
        }
    }
    for name in object.keys() {
        if !fields.iter().any(|field| field.name == name) {
            errors.at(name, "UNKNOWN_FIELD", "This field is not known");
        }
    }
}

fn check_shape(value: &Value, shape: &Shape, errors: &mut Errors) {
    match shape {
        Shape::Text(min, max) => check_text(value, *min, *max, errors),
        Shape::Integer(min, max) => check_integer(value, *min, *max, errors),
        Shape::Choice(choices) => {
            if !value
                .as_i64()
                .is_some_and(|number| choices.contains(&number))
            {
                let listed: Vec<String> = choices.iter().map(ToString::to_string).collect();
                let message = format!("Value must be one of {{{}}}.", listed.join(", "));
                errors.add("BASE_TYPE_CHOICES", &message);
            }
        }
        Shape::Boolean => {
            if !value.is_boolean() {
                errors.add("BOOLEAN_TYPE_CONVERT", "Must be either true or false.");
            }
        }
        Shape::Snowflake => {
            if id_of(value).is_none() {
                let message = format!("Value {value} is not snowflake.");
                errors.add("NUMBER_TYPE_COERCE", &message);
            }
        }
        Shape::Bits => {
            if bits_of(value).is_none() {
                errors.add("NUMBER_TYPE_COERCE", &format!("Value {value} is not int."));
            }
        }
        Shape::Url(max) => check_url(value, *max, errors),
        Shape::Timestamp => {
            let format = &time::format_description::well_known::Rfc3339;
            let parsed = value
                .as_str()
                .map(|text| time::OffsetDateTime::parse(text, format));
            if !matches!(parsed, Some(Ok(_))) {
                errors.add("DATE_TIME_TYPE_PARSE", &format!("Could not parse {value}."));
            }
        }
        Shape::List(min, max, of) => {
            let Some(items) = value.as_array() else {
                errors.add(
                    "LIST_TYPE_CONVERT",
                    "Only iterables may be used in a ListType",
                );
                return;
            };
            check_length(items.len(), *min, *max, errors);
            for (index, item) in items.iter().enumerate().take(100) {
                errors.within(index, |e| check_shape(item, of, e));
            }
        }
        Shape::Object(fields) => check_object(value, fields, errors),
        Shape::Any => {}
        Shape::With(check) => check(value, errors),
    }
}

fn check_length(length: usize, min: usize, max: usize, errors: &mut Errors) {
    if (min..=max).contains(&length) {
        return;
    }
    if min == 0 {
        errors.add(
            "BASE_TYPE_MAX_LENGTH",
            &format!("Must be {max} or fewer in length."),
        );
    } else {
        errors.add(
            "BASE_TYPE_BAD_LENGTH",
            &format!("Must be between {min} and {max} in length."),
        );
    }
}

fn check_text(value: &Value, min: usize, max: usize, errors: &mut Errors) {
    match value {
        Value::String(text) => check_length(text.chars().count(), min, max, errors),
        Value::Number(number) => check_length(number.to_string().len(), min, max, errors),
        _ => errors.add(
            "STRING_TYPE_CONVERT",
            "Could not interpret the value as string.",
        ),
    }
}

fn check_integer(value: &Value, min: i64, max: i64, errors: &mut Errors) {
    let number = value
        .as_i64()
        .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    match number {
        None => errors.add("NUMBER_TYPE_COERCE", &format!("Value {value} is not int.")),
        Some(number) if number < min => errors.add(
            "NUMBER_TYPE_MIN",
            &format!("int value should be greater than or equal to {min}."),
        ),
        Some(number) if number > max => errors.add(
            "NUMBER_TYPE_MAX",
            &format!("int value should be less than or equal to {max}."),
        ),
        Some(_) => {}
    }
}

fn check_url(value: &Value, max: usize, errors: &mut Errors) {
    let Some(text) = value.as_str() else {
        errors.add(
            "STRING_TYPE_CONVERT",
            "Could not interpret the value as string.",
        );
        return;
    };
    check_length(text.chars().count(), 0, max, errors);
    match text.split_once("://") {
        Some(("http" | "https" | "attachment" | "discord", rest)) if !rest.is_empty() => {}
        Some((scheme, _)) if !scheme.is_empty() => errors.add(
            "URL_TYPE_INVALID_SCHEME",
            &format!(
                "Scheme \"{scheme}\" is not supported. Scheme must be one of ('http', 'https')."
            ),
        ),
        _ => errors.add("URL_TYPE_INVALID_URL", "Not a well formed URL."),
    }
}

/// An id from JSON: text, or a number as some clients write it.
pub(crate) fn id_of(value: &Value) -> Option<Id> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// Permission bits or flags from JSON.
pub(crate) fn bits_of(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    }
}

/// The ids in a list of a body; an absent list is empty.
pub(crate) fn ids_in(body: &Value, name: &str) -> Vec<Id> {
    body.get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(id_of)
        .collect()
}

/// A text in a body.
pub(crate) fn text_in<'a>(body: &'a Value, name: &str) -> Option<&'a str> {
    body.get(name).and_then(Value::as_str)
}
