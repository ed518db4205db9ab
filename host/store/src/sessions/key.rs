//! Keys of sessions.

use std::fmt;
use std::str::FromStr;

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::{ChannelId, ParseIdError, PersonId, Profile};

/// What a session's chat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChatType {
    /// A channel of a server: one session for each participant.
    Channel,
    /// A thread: one session for everybody in it, unless the profile parts them.
    Thread,
    /// A direct chat.
    Direct,
}

impl ChatType {
    /// `channel`, `thread` or `direct`, as keys spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Thread => "thread",
            Self::Direct => "direct",
        }
    }
}

/// A session's key: `agent:<profile>:<platform>:<chat type>[:chat][:thread][:participant]`.
///
/// On Discord: `…:channel:<channel>:<person>`, `…:thread:<thread>:<thread>[:<person>]` (a thread is
/// its own chat) and `…:direct:<channel>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(String);

impl SessionKey {
    /// The session of one person in a channel of a server.
    #[must_use]
    pub fn channel(
        profile: &Profile,
        platform: &str,
        channel: &ChannelId,
        person: &PersonId,
    ) -> Self {
        Self(format!(
            "agent:{profile}:{platform}:channel:{channel}:{person}"
        ))
    }

    /// The session of a thread; of one person in it, if the profile parts them.
    #[must_use]
    pub fn thread(
        profile: &Profile,
        platform: &str,
        thread: &ChannelId,
        person: Option<&PersonId>,
    ) -> Self {
        let shared = format!("agent:{profile}:{platform}:thread:{thread}:{thread}");
        Self(match person {
            None => shared,
            Some(person) => format!("{shared}:{person}"),
        })
    }

    /// The session of a direct chat.
    #[must_use]
    pub fn direct(profile: &Profile, platform: &str, chat: &ChannelId) -> Self {
        Self(format!("agent:{profile}:{platform}:direct:{chat}"))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts between the colons.
    fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split(':')
    }

    /// The profile that it belongs to.
    #[must_use]
    pub fn profile(&self) -> &str {
        self.parts().nth(1).unwrap_or_default()
    }
}

impl FromStr for SessionKey {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let invalid = || ParseIdError::SessionKey(text.to_owned());
        let parts: Vec<_> = text.split(':').collect();
        let [agent, profile, platform, chat_type, rest @ ..] = parts.as_slice() else {
            return Err(invalid());
        };
        let is_known = match (*chat_type, rest) {
            ("channel", [_, _]) | ("direct", [_]) => true,
            ("thread", [chat, thread] | [chat, thread, _]) => chat == thread,
            _ => false,
        };
        let is_word = |word: &str| {
            (1..=16).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase())
        };
        let good = *agent == "agent"
            && is_known
            && is_word(platform)
            && profile.parse::<Profile>().is_ok()
            && rest.iter().all(|part| part.parse::<ChannelId>().is_ok());
        if good {
            Ok(Self(text.to_owned()))
        } else {
            Err(invalid())
        }
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl serde::Serialize for SessionKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for SessionKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <std::borrow::Cow<'de, str>>::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl ToSql for SessionKey {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for SessionKey {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_as_what_they_were_made_of() {
        let profile: Profile = "main".parse().unwrap();
        let (chat, person): (ChannelId, PersonId) = ("10".parse().unwrap(), "7".parse().unwrap());
        for (key, text) in [
            (
                SessionKey::channel(&profile, "discord", &chat, &person),
                "agent:main:discord:channel:10:7",
            ),
            (
                SessionKey::thread(&profile, "discord", &chat, None),
                "agent:main:discord:thread:10:10",
            ),
            (
                SessionKey::thread(&profile, "discord", &chat, Some(&person)),
                "agent:main:discord:thread:10:10:7",
            ),
            (
                SessionKey::direct(&profile, "discord", &chat),
                "agent:main:discord:direct:10",
            ),
        ] {
            assert_eq!(key.as_str(), text);
            assert_eq!(text.parse::<SessionKey>().unwrap(), key);
            assert_eq!(key.profile(), "main");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for bad in [
            "",
            "agent:main:discord:thread:10",
            "agent:main:discord:thread:10:11",
            "agent:main:discord:channel:10",
            "agent:main:discord:direct:10:7",
            "agent:main:discord:forum:10",
            "agent:Main:discord:direct:10",
            "agent:main:Discord:direct:10",
            "agent:main:discord:direct:",
            "agent:main:discord:direct:1 0",
            "main:discord:direct:10",
        ] {
            assert!(bad.parse::<SessionKey>().is_err(), "{bad}");
        }
    }
}
