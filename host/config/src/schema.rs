//! The keys of a configuration, as its types' JSON Schema has them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The JSON Schema of `T`, with no references in it.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// The keys of one table.
#[derive(Clone, Copy)]
pub(crate) enum Keys<'s> {
    /// These, by name.
    Fixed(&'s serde_json::Map<String, Value>),
    /// Any that the operator chooses, all alike.
    Chosen(&'s Value),
}

impl<'s> Keys<'s> {
    /// The keys of a table with this schema.
    pub(crate) fn of(schema: &'s Value) -> Self {
        Self::of_table(schema).unwrap_or(Self::Chosen(&Value::Null))
    }

    /// The keys, if the schema is one of a table.
    pub(crate) fn of_table(schema: &'s Value) -> Option<Self> {
        let schema = without_null(schema);
        if let Some(properties) = schema["properties"].as_object() {
            return Some(Self::Fixed(properties));
        }
        let by_pattern = schema["patternProperties"]
            .as_object()
            .and_then(|patterns| patterns.values().next());
        let any = || Some(&schema["additionalProperties"]).filter(|value| value.is_object());
        by_pattern.or_else(any).map(Self::Chosen)
    }

    /// Whether there is such a key, and if so, the keys below it where it is a table.
    pub(crate) fn get(self, name: &str) -> Option<Option<Self>> {
        match self {
            Self::Fixed(properties) => properties.get(name).map(Self::of_table),
            Self::Chosen(schema) => Some(Self::of_table(schema)),
        }
    }

    /// The names that are fixed.
    pub(crate) fn names(self) -> impl Iterator<Item = &'s str> {
        let fixed = match self {
            Self::Fixed(properties) => Some(properties.keys().map(String::as_str)),
            Self::Chosen(_) => None,
        };
        fixed.into_iter().flatten()
    }
}

/// A schema of a value that may be left out, without the null that stands for that.
pub(crate) fn without_null(schema: &Value) -> &Value {
    let is_null = |schema: &&Value| schema["type"] == "null";
    match schema["anyOf"].as_array() {
        Some(choices) if choices.iter().any(|choice| is_null(&choice)) => choices
            .iter()
            .find(|choice| !is_null(choice))
            .unwrap_or(schema),
        _ => schema,
    }
}
