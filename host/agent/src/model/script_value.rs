//! The values of a script's file, with the place of each that is of the wrong kind.

use std::time::Duration;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::script::Fault;

/// The longest wait before a step, in milliseconds.
const MAX_DELAY_MS: u64 = 60_000;

pub(super) fn text(value: &Spanned<DeValue<'_>>, key: &str) -> Result<String, Fault> {
    value
        .get_ref()
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| wrong(value, key, "a string"))
}

pub(super) fn boolean(value: &Spanned<DeValue<'_>>) -> Result<bool, Fault> {
    value
        .get_ref()
        .as_bool()
        .ok_or_else(|| wrong(value, "strict", "true or false"))
}

pub(super) fn table<'v, 'i>(
    value: &'v Spanned<DeValue<'i>>,
    key: &str,
) -> Result<&'v DeTable<'i>, Fault> {
    value
        .get_ref()
        .as_table()
        .ok_or_else(|| wrong(value, key, "a table"))
}

pub(super) fn list<'v, 'i>(
    value: &'v Spanned<DeValue<'i>>,
    key: &str,
) -> Result<&'v [Spanned<DeValue<'i>>], Fault> {
    match value.get_ref().as_array() {
        Some(items) => Ok(items),
        None => Err(wrong(
            value,
            key,
            "a list of tables, each with a head in double brackets",
        )),
    }
}

pub(super) fn milliseconds(value: &Spanned<DeValue<'_>>) -> Result<Duration, Fault> {
    let bad = || {
        wrong(
            value,
            "delay_ms",
            &format!("a whole number from 0 to {MAX_DELAY_MS}"),
        )
    };
    let number = value.get_ref().as_integer().ok_or_else(bad)?;
    let number = u64::from_str_radix(number.as_str(), number.radix()).map_err(|_| bad())?;
    if number > MAX_DELAY_MS {
        return Err(bad());
    }
    Ok(Duration::from_millis(number))
}

/// A value as a tool's arguments carry it. Dates become strings.
pub(super) fn json(value: &Spanned<DeValue<'_>>) -> Result<Value, Fault> {
    let plain = toml::Value::deserialize(value.clone().into_deserializer())
        .map_err(|error| Fault::new("script-wrong-value", value.span().start, error.message()))?;
    from_toml(plain).ok_or_else(|| {
        wrong(
            value,
            "args",
            "a table without infinite numbers: JSON has none",
        )
    })
}

fn from_toml(value: toml::Value) -> Option<Value> {
    Some(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::Number(serde_json::Number::from_f64(number)?),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => {
            Value::Array(items.into_iter().map(from_toml).collect::<Option<_>>()?)
        }
        toml::Value::Table(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(key, value)| Some((key, from_toml(value)?)))
                .collect::<Option<_>>()?,
        ),
    })
}

fn wrong(value: &Spanned<DeValue<'_>>, key: &str, wanted: &str) -> Fault {
    let kind = value.get_ref().type_str();
    let message = format!("`{key}` is of type {kind}, but must be {wanted}");
    Fault::new("script-wrong-value", value.span().start, message)
}
