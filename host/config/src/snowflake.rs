//! Ids of Discord accounts, roles and channels.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// An id as Discord writes it (Discord, *Snowflakes*): a 64-bit number, kept as its decimal
/// digits. In a file it stands in quotes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Snowflake(String);

impl Snowflake {
    /// The id that these digits are; none for anything but the digits of a number from 1 to
    /// 2⁶⁴ − 1, without a leading zero.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let good = text.bytes().all(|b| b.is_ascii_digit())
            && !text.starts_with('0')
            && text.parse::<u64>().is_ok();
        good.then(|| Self(text.to_owned()))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Snowflake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Snowflake {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;

        impl Visitor<'_> for Digits {
            type Value = Snowflake;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an id: its digits in quotes, such as \"112233445566778899\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Snowflake, E> {
                Snowflake::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Digits)
    }
}

impl JsonSchema for Snowflake {
    fn schema_name() -> Cow<'static, str> {
        "Snowflake".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "title": "id", "pattern": "^[1-9][0-9]{0,19}$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_digits_of_a_64_bit_number() {
        for good in ["1", "112233445566778899", "18446744073709551615"] {
            assert_eq!(Snowflake::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "0", "01", "-1", "+1", "1 ", "18446744073709551616", "١"] {
            assert_eq!(Snowflake::parse(bad), None, "{bad:?}");
        }
    }
}
