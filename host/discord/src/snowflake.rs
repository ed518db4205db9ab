//! Ids as Discord counts them. An id becomes part of a path, so nothing but a number may pass.

use std::num::NonZeroU64;

use ostler_agent::ChannelError;

/// The number of an id.
pub(crate) fn snowflake(id: &str, what: &str) -> Result<NonZeroU64, ChannelError> {
    id.parse()
        .map_err(|_| ChannelError::Invalid(format!("{id:?} is no id of a {what} on Discord")))
}
