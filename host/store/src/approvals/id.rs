//! Ids of approvals.

use std::fmt;
use std::str::FromStr;

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::ParseIdError;

/// An approval's id: 128 random bits, written as 32 lower-case hexadecimal digits. It names a row
/// and is no secret: who may answer is judged for each answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApprovalId([u8; 16]);

/// The operating system gave no random bits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bits: {0}; nothing can be asked until it does")]
pub struct RandomError(String);

impl RandomError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "no-random-bits"
    }
}

impl ApprovalId {
    /// A new one, of bits from the operating system.
    ///
    /// # Errors
    /// `no-random-bits`: the system gives none.
    pub fn random() -> Result<Self, RandomError> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|error| RandomError(error.to_string()))?;
        Ok(Self(bits))
    }
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApprovalId({self})")
    }
}

impl FromStr for ApprovalId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let invalid = || ParseIdError::ApprovalId(text.to_owned());
        // One spelling for each: the decoder takes upper case too.
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(invalid());
        }
        let mut bits = [0; 16];
        hex::decode_to_slice(text, &mut bits).map_err(|_| invalid())?;
        Ok(Self(bits))
    }
}

impl serde::Serialize for ApprovalId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for ApprovalId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl ToSql for ApprovalId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.to_string()))
    }
}

impl FromSql for ApprovalId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_32_lower_case_hexadecimal_digits_everywhere() {
        let id = ApprovalId::random().unwrap();
        let text = id.to_string();
        assert_eq!(text.len(), 32);
        assert_eq!(text.parse::<ApprovalId>().unwrap(), id);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<ApprovalId>(&json).unwrap(), id);
        assert_ne!(ApprovalId::random().unwrap(), id);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        let good = "00112233445566778899aabbccddeeff";
        assert_eq!(good.parse::<ApprovalId>().unwrap().to_string(), good);
        for bad in [
            "",
            &good[1..],
            &format!("{good}0"),
            &good.to_uppercase(),
            "00112233445566778899aabbccddeefg",
            "00112233-4455-6677-8899-aabbccddeeff",
        ] {
            let error = bad.parse::<ApprovalId>().unwrap_err();
            assert_eq!(error.code(), "invalid-approval-id");
            assert!(serde_json::from_str::<ApprovalId>(&format!("{bad:?}")).is_err());
        }
    }
}
