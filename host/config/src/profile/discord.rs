//! `[discord]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::endpoint::ApiBase;
use crate::{SecretName, Snowflake};

/// The assistant on Discord.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiscordConfig {
    /// The secret that holds the bot's token; its name, never the token. Unset, the assistant is
    /// not on Discord.
    pub token_secret: Option<SecretName>,
    /// Where Discord's API is: an emulator's or a proxy's URL, to which `/api/v10/…` is added. The
    /// token goes there, so it must be `https://`, or `http://` with a loopback host.
    pub api_base: ApiBase,
    /// The channels that may be written to. Unset, turns of mesh peers and plugins may write to
    /// none and read none, and other turns are not restricted; an empty list restricts everybody
    /// to none.
    // Not public: unset means one thing for narrow turns and another for the others.
    pub(crate) post_channels: Option<Vec<Snowflake>>,
    /// Whether a card mentions the operators.
    pub approval_mentions: bool,
    /// Accounts that may answer cards of the host beside the owner, while they are members of the
    /// server.
    pub allowed_users: Vec<Snowflake>,
    /// Roles whose members may answer cards of the host.
    pub allowed_roles: Vec<Snowflake>,
    /// Whether everybody in a thread has a session of their own there. Plugins then start no
    /// sessions. Read afresh at every check.
    pub thread_sessions_per_user: bool,
    /// Bots that wake the assistant like a person's message does. Other bots never do.
    pub listen_to_bots: Vec<Snowflake>,
}

/// The channels that a turn may write to which is neither a peer's nor a plugin's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WidePostChannels<'a> {
    /// Every channel.
    Unrestricted,
    /// These channels, and the threads in them.
    Only(&'a [Snowflake]),
}

impl DiscordConfig {
    /// Sets `post_channels`; none leaves it unset.
    pub fn set_post_channels(&mut self, channels: Option<Vec<Snowflake>>) {
        self.post_channels = channels;
    }

    /// The channels that narrow turns, those of mesh peers and plugins, may write to, with the
    /// threads in them. None where `post_channels` is unset.
    #[must_use]
    pub fn narrow_post_channels(&self) -> &[Snowflake] {
        self.post_channels.as_deref().unwrap_or_default()
    }

    /// The channels that other turns may write to. Every one where `post_channels` is unset.
    #[must_use]
    pub fn wide_post_channels(&self) -> WidePostChannels<'_> {
        match &self.post_channels {
            None => WidePostChannels::Unrestricted,
            Some(channels) => WidePostChannels::Only(channels),
        }
    }
}
