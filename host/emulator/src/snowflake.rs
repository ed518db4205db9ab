//! Discord's ids: 42 bits of milliseconds since its epoch, 22 bits below.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The first second of 2015, in milliseconds since 1970.
const EPOCH_MS: u64 = 1_420_070_400_000;

/// An id of anything. In JSON it is a string, as on Discord.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(pub(crate) u64);

impl Id {
    /// When the thing was made, in milliseconds since 1970.
    pub(crate) fn created_ms(self) -> u64 {
        (self.0 >> 22) + EPOCH_MS
    }

    /// The shard among `count` that a guild with this id belongs to.
    pub(crate) fn shard(self, count: u64) -> u64 {
        (self.0 >> 22) % count.max(1)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Id {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        // Discord takes neither signs nor leading zeros, and no id is larger than a signed integer.
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        match text.parse::<u64>() {
            Ok(id) if plain && i64::try_from(id).is_ok() => Ok(Self(id)),
            _ => Err(()),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "0" {
            return Ok(Self(0));
        }
        text.parse()
            .map_err(|()| D::Error::custom("not a snowflake"))
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(EPOCH_MS, |since| {
            u64::try_from(since.as_millis()).unwrap_or(EPOCH_MS)
        })
}

/// A time as Discord writes it, or the epoch's if it is out of any calendar.
pub(crate) fn timestamp(ms: u64) -> String {
    let nanoseconds = i128::from(ms) * 1_000_000;
    let Ok(at) = time::OffsetDateTime::from_unix_timestamp_nanos(nanoseconds) else {
        return "2015-01-01T00:00:00.000000+00:00".to_owned();
    };
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}000+00:00",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        at.millisecond()
    )
}

/// Gives ids that only ever rise, also when the clock goes back.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Sequence {
    last: Id,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { last: Id(0) }
    }
}

impl Sequence {
    pub(crate) fn next(&mut self) -> Id {
        let by_clock = now_ms().saturating_sub(EPOCH_MS) << 22;
        self.last = Id(by_clock.max(self.last.0 + 1));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_and_carry_their_time() {
        let mut sequence = Sequence::default();
        let before = now_ms();
        let ids: Vec<Id> = (0..10_000).map(|_| sequence.next()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(ids[0].created_ms() >= before);
    }

    #[test]
    fn only_plain_numbers_are_ids() {
        assert_eq!(
            "175928847299117063".parse(),
            Ok(Id(175_928_847_299_117_063))
        );
        for wrong in [
            "",
            "0",
            "01",
            "+1",
            "-1",
            "abc",
            "99999999999999999999",
            "9300000000000000000",
        ] {
            assert_eq!(wrong.parse::<Id>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn times_are_written_as_discord_writes_them() {
        assert_eq!(
            timestamp(1_420_070_400_123),
            "2015-01-01T00:00:00.123000+00:00"
        );
    }
}
