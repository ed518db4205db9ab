//! Text with names in it: `$1`, `${service}`, `$result`.

use std::collections::HashMap;

use regex::Captures;
use serde_json::Value;

/// What the names of a template stand for.
#[derive(Debug, Default)]
pub(super) struct Names {
    values: HashMap<String, String>,
}

impl Names {
    /// The groups of a match, by number and by name. A group that took no part is empty.
    pub(super) fn of(pattern: &regex::Regex, captures: &Captures<'_>) -> Self {
        let mut values = HashMap::new();
        for (index, name) in pattern.capture_names().enumerate() {
            let text = captures
                .get(index)
                .map_or("", |group| group.as_str())
                .to_owned();
            if let Some(name) = name {
                values.insert(name.to_owned(), text.clone());
            }
            values.insert(index.to_string(), text);
        }
        Self { values }
    }

    /// Adds a name.
    pub(super) fn set(&mut self, name: &str, text: &str) {
        self.values.insert(name.to_owned(), text.to_owned());
    }

    /// Replaces the names in a text, in one pass: what a name stands for is never read again, so
    /// that a person's `$result` stays what the person wrote. `$$` is a dollar, and a name that
    /// stands for nothing stays as it is.
    pub(super) fn expand(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let (name, length) = reference(rest);
            match name {
                Some("$") => out.push('$'),
                Some(name) => match self.values.get(name) {
                    Some(value) => out.push_str(value),
                    None => out.push_str(&rest[..length]),
                },
                None => out.push_str(&rest[..length]),
            }
            rest = &rest[length..];
        }
        out.push_str(rest);
        out
    }

    /// Replaces the names in every string of a value. Keys stay as they are.
    pub(super) fn expand_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.expand(text)),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.expand_value(item)).collect())
            }
            Value::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(key, value)| (key.clone(), self.expand_value(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }
}

/// The reference that a text begins with (it begins with a dollar): its name, if it is one, and
/// how many bytes it takes.
fn reference(text: &str) -> (Option<&str>, usize) {
    let after = &text[1..];
    if after.starts_with('$') {
        return (Some("$"), 2);
    }
    if let Some(inner) = after.strip_prefix('{') {
        return match inner.find('}') {
            Some(end) if is_name(&inner[..end]) => (Some(&inner[..end]), end + 3),
            _ => (None, 1),
        };
    }
    // A number ends where its digits end, so that `$1st` is the first group and "st".
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let length = if digits > 0 {
        digits
    } else {
        after.bytes().take_while(|byte| is_name_byte(*byte)).count()
    };
    if length == 0 {
        (None, 1)
    } else {
        (Some(&after[..length]), length + 1)
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
