//! Whole numbers with a least and a greatest value.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Bounded<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Bounded<MIN, MAX> {
    /// The number; none outside of the bounds.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if MIN <= number && number <= MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// A default, whose bounds the compiler checks.
    pub(crate) const fn constant<const NUMBER: u32>() -> Self {
        const { assert!(MIN <= NUMBER && NUMBER <= MAX) };
        Self(NUMBER)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32> fmt::Display for Bounded<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Bounded<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        u32::try_from(number)
            .ok()
            .and_then(Self::new)
            .ok_or_else(|| {
                let expected = format!("a whole number from {MIN} to {MAX}");
                D::Error::invalid_value(Unexpected::Signed(number), &expected.as_str())
            })
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Bounded<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("From{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": MIN, "maximum": MAX})
    }
}
