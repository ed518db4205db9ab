//! Names and digests that every room uses: checked once, when they are made.

use std::fmt;
use std::str::FromStr;

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// Why a text is no name or digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseIdError {
    /// Not a profile's name.
    #[error(
        "{0:?} is no profile name: use a to z, 0 to 9 and `-`, a letter first, at most 64 characters"
    )]
    Profile(String),
    /// Not a package's name.
    #[error(
        "{0:?} is no package name: use a to z, 0 to 9 and `-`, a letter first, at most 64 characters"
    )]
    PackageName(String),
    /// Not a digest.
    #[error("{0:?} is no digest: it must be `sha256:` and 64 lower-case hexadecimal digits")]
    Digest(String),
    /// Not a platform's id.
    #[error(
        "{0:?} is no id of a person, server, channel or message: use 1 to 64 letters, digits, `.`, \
         `_` and `-`"
    )]
    Platform(String),
    /// Not a session's key.
    #[error(
        "{0:?} is no session: a key is `agent:<profile>:<platform>:<chat type>` and what names the \
         chat; `ostler sessions list` shows them"
    )]
    SessionKey(String),
    /// Not an approval's id.
    #[error("{0:?} is no approval: its id is 32 lower-case hexadecimal digits")]
    ApprovalId(String),
}

impl ParseIdError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Profile(_) => "invalid-profile-name",
            Self::PackageName(_) => "invalid-package-name",
            Self::Digest(_) => "invalid-digest",
            Self::Platform(_) => "invalid-id",
            Self::SessionKey(_) => "invalid-session-key",
            Self::ApprovalId(_) => "invalid-approval-id",
        }
    }
}

/// `[a-z][a-z0-9-]{0,63}`
fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// `sha256:[0-9a-f]{64}`
fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|hex| {
        hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// `[A-Za-z0-9._-]{1,64}`: no `:`, which parts a session's key.
fn is_platform_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

macro_rules! text_id {
    ($(#[$doc:meta])* $id:ident, $accepts:ident, $error:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $id(String);

        impl $id {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $id {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                if $accepts(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(ParseIdError::$error(text.to_owned()))
                }
            }
        }

        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $id {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $id {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?
                    .parse()
                    .map_err(serde::de::Error::custom)
            }
        }

        impl ToSql for $id {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $id {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(FromSqlError::other)
            }
        }
    };
}

text_id! {
    /// A profile's name: `[a-z][a-z0-9-]{0,63}`. One profile is one assistant.
    Profile, is_name, Profile
}
text_id! {
    /// A package's name, which is its plugin's id: `[a-z][a-z0-9-]{0,63}`.
    PackageName, is_name, PackageName
}
text_id! {
    /// A SHA-256: `sha256:` and 64 lower-case hexadecimal digits.
    Digest, is_digest, Digest
}

text_id! {
    /// A person's, or a bot's, account on a platform. On Discord a snowflake in decimal digits.
    PersonId, is_platform_id, Platform
}
text_id! {
    /// A Discord server.
    GuildId, is_platform_id, Platform
}
text_id! {
    /// A channel, thread or direct chat.
    ChannelId, is_platform_id, Platform
}
text_id! {
    /// A message.
    MessageId, is_platform_id, Platform
}
text_id! {
    /// A role in a Discord server.
    RoleId, is_platform_id, Platform
}

impl Digest {
    /// The digest with these bytes.
    #[must_use]
    pub fn from_sha256(bytes: [u8; 32]) -> Self {
        Self(format!("sha256:{}", hex::encode(bytes)))
    }

    /// The 64 hexadecimal digits, without the scheme.
    #[must_use]
    pub fn hex(&self) -> &str {
        self.0.strip_prefix("sha256:").unwrap_or(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lower_case_words_of_at_most_64_characters() {
        for good in ["a", "handoff", "a-1", "z--", &"a".repeat(64)] {
            assert_eq!(good.parse::<PackageName>().unwrap().as_str(), good);
            assert_eq!(good.parse::<Profile>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "A",
            "1a",
            "-a",
            "a_b",
            "a b",
            "a/b",
            "..",
            "é",
            "a\n",
            &"a".repeat(65),
        ] {
            assert_eq!(
                bad.parse::<PackageName>(),
                Err(ParseIdError::PackageName(bad.into()))
            );
            assert_eq!(
                bad.parse::<Profile>().unwrap_err().code(),
                "invalid-profile-name"
            );
        }
    }

    #[test]
    fn a_digest_is_sha256_and_64_lower_case_hexadecimal_digits() {
        let good = format!("sha256:{}", "0f".repeat(32));
        assert_eq!(good.parse::<Digest>().unwrap().to_string(), good);
        for bad in [
            "0f".repeat(32),
            format!("sha256:{}", "0F".repeat(32)),
            format!("sha256:{}", "0f".repeat(31)),
            format!("sha256:{}0", "0f".repeat(32)),
            format!("sha512:{}", "0f".repeat(32)),
            format!("sha256:{}0g", "0f".repeat(31)),
        ] {
            assert_eq!(
                bad.parse::<Digest>(),
                Err(ParseIdError::Digest(bad.clone()))
            );
        }
    }
}
