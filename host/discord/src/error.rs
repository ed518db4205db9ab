//! Why an adapter cannot start, and why one ended for good.

use ostler_store::StoreError;

/// Why an adapter did not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The token is no token.
    #[error("the Discord token is empty or malformed: copy it again from the developer portal")]
    TokenMalformed,
    /// `discord.api_base` is no base.
    #[error("discord.api_base {text:?} cannot be used: {why}")]
    ApiBaseInvalid {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No HTTPS client could be made.
    #[error("no HTTPS client can be made on this machine: {0}")]
    NoHttps(String),
    /// The gateway session could not be read.
    #[error("the stored gateway session cannot be read: {0}")]
    Store(String),
}

impl StartError {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TokenMalformed => "token-malformed",
            Self::ApiBaseInvalid { .. } => "api-base-invalid",
            Self::NoHttps(_) => "no-https",
            Self::Store(_) => "store-unreadable",
        }
    }
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        Self::Store(error.to_string())
    }
}

/// Why an adapter ended for good: trying again would end the same way (Discord, *Gateway Close
/// Event Codes*). Each text says what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fatal {
    /// 4004, or 401 of the REST API.
    #[error(
        "Discord refuses the bot's token: reset it in the developer portal (Bot, Reset Token) and \
         store the new one"
    )]
    TokenRefused,
    /// 4010.
    #[error(
        "Discord refuses the shard number: remove the setting for the number of shards, or start \
         again so that it is asked for anew"
    )]
    InvalidShard,
    /// 4011.
    #[error(
        "the bot is in too many servers for its number of shards: remove the setting for the \
         number of shards, or start again so that the recommended number is asked for"
    )]
    ShardingRequired,
    /// 4012.
    #[error(
        "Discord no longer speaks version 10 of its gateway: update Ostler to a release that \
         speaks a newer one"
    )]
    VersionRetired,
    /// 4013.
    #[error(
        "Discord does not know the intents that were asked for: update Ostler; if the API base is \
         not Discord's, the server there is too old"
    )]
    InvalidIntents,
    /// 4014, also without privileged intents.
    #[error(
        "Discord refuses the intents, even without privileged ones: look at the bot's page in the \
         developer portal, whether the application was disabled or restricted"
    )]
    IntentsRefused,
    /// The API base named a gateway that the token may not be shown to.
    #[error(
        "the API base names the gateway {0:?}, which is not its own: correct discord.api_base, or \
         the server behind it; the token was not sent there"
    )]
    GatewayElsewhere(String),
}

impl Fatal {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TokenRefused => "token-refused",
            Self::InvalidShard => "invalid-shard",
            Self::ShardingRequired => "sharding-required",
            Self::VersionRetired => "gateway-version-retired",
            Self::InvalidIntents => "invalid-intents",
            Self::IntentsRefused => "intents-refused",
            Self::GatewayElsewhere(_) => "gateway-elsewhere",
        }
    }
}
