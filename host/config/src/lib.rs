//! The host's home folder, its configuration, and the sealing of secrets.
//!
//! Start at [`Home::locate`]. Then:
//! - [`read_profile`] and [`read_host`] give a file's configuration, [`ConfigWatch`] a profile's
//!   while it changes;
//! - [`read_allow_keys`], [`read_plugin_keys`] and [`read_thread_sessions_per_user`] give the keys
//!   that are read at every check; [`write_allow_keys`] and [`remove_allow_keys`] edit those that
//!   an accept writes;
//! - [`read_grants`] gives a profile's standing grants, at each use; [`add_grant`] and
//!   [`remove_grant`] edit them;
//! - [`SecretsKey`] seals and opens secrets;
//! - [`documentation`] is the reference of every key.
//!
//! What this crate promises:
//! - **Keys are read afresh.** Each `read_…` opens the file again. What is not there is not
//!   allowed; a file that cannot be read or understood is an error, never an answer.
//! - **A configuration is whole or refused.** An unknown key, a wrong type or a value out of range
//!   refuses the file, by key, line and column; a host that runs keeps what it had.
//! - **The operator's file stays the operator's.** An edit adds or takes away the bytes of its own
//!   keys and leaves every other byte: comments, order, spacing, line endings. A file that does
//!   not parse is refused and left alone.
//! - **A file is old or new, never half.** Files are written by [`write_atomically`], and editors
//!   of one file wait for each other.
//! - **A secret does not show.** No `Debug`, `Display` or error holds any of its value.
//! - **Nothing ambient.** Besides the platform's data folder, everything is given by the caller.

mod allow;
mod bounded;
mod documentation;
mod durable;
mod edit;
mod endpoint;
mod error;
mod grants;
mod home;
mod host;
mod live;
mod name;
mod nearest;
mod profile;
mod read;
mod rewrite;
mod schema;
mod sealing;
mod secret;
mod snowflake;
mod splice;
mod toolset;
mod watch;

pub use allow::{
    AllowKeys, PluginKeys, read_allow_keys, read_plugin_keys, remove_allow_keys, write_allow_keys,
};
pub use bounded::Bounded;
pub use documentation::{EXAMPLE_PROFILE, documentation};
pub use durable::write_atomically;
pub use endpoint::{ApiBase, BaseUrl};
pub use error::{ConfigError, Place};
pub use grants::{Grant, GrantKind, add_grant, read_grants, remove_grant};
pub use home::Home;
pub use host::{HostConfig, LogFormat};
pub use live::read_thread_sessions_per_user;
pub use name::Name;
pub use profile::{
    AgentConfig, ApprovalMode, Approvals, DiscordConfig, InboundMedia, MAIN_AGENT, MeshChannel,
    MeshConfig, MeshToken, ModelConfig, NatsUrl, PlatformToolsets, PluginConfig, ProfileConfig,
    Provider, ScheduleApprovals, ShellConfig, TurnVerbosity, WidePostChannels,
};
pub use read::{check_host, check_profile, parse_profile, read_host, read_profile};
pub use sealing::SecretsKey;
pub use secret::{Secret, SecretName};
pub use snowflake::Snowflake;
pub use toolset::ToolsetName;
pub use watch::ConfigWatch;
