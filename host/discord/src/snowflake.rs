//! Ids as Discord counts them. An id becomes part of a path, so nothing but a number may pass.

use std::num::NonZeroU64;

use ostler_agent::ChannelError;

/// When Discord's time begins, in milliseconds since 1970 (Discord, *Snowflakes*).
const EPOCH: i64 = 1_420_070_400_000;
/// An id's lower bits, which tell apart what was made in the same millisecond.
const LOWER: u32 = 22;

/// When an id was made, in milliseconds since 1970; 0 if it is no number. A message's id is made
/// when it is sent.
pub(crate) fn made_at(id: &str) -> i64 {
    id.parse::<u64>()
        .ok()
        .and_then(|snowflake| i64::try_from(snowflake >> LOWER).ok())
        .map_or(0, |since| since + EPOCH)
}

/// The smallest id of whatever is made in this millisecond since 1970 or later.
pub(crate) fn first_at(milliseconds: i64) -> u64 {
    u64::try_from(milliseconds.saturating_sub(EPOCH))
        .unwrap_or(0)
        .saturating_mul(1 << LOWER)
}

/// The number of an id.
pub(crate) fn snowflake(id: &str, what: &str) -> Result<NonZeroU64, ChannelError> {
    id.parse()
        .map_err(|_| ChannelError::Invalid(format!("{id:?} is no id of a {what} on Discord")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_the_time_and_times_the_first_id() {
        assert_eq!(made_at("175928847299117063"), 1_462_015_105_796);
        assert_eq!(made_at("nonsense"), 0);
        let first = first_at(1_462_015_105_796);
        assert!(first <= 175_928_847_299_117_063);
        assert!(first_at(1_462_015_105_797) > 175_928_847_299_117_063);
        assert_eq!(made_at(&first.to_string()), 1_462_015_105_796);
        assert_eq!(first_at(0), 0);
        assert_eq!(first_at(i64::MIN), 0);
        assert_eq!(first_at(i64::MAX), u64::MAX);
    }
}
