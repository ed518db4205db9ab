//! The host's configuration, `host.toml`. The comments are its documentation.

use std::net::{Ipv4Addr, SocketAddr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Bounded;
use crate::read::{Configuration, Misfit};

/// What an operator sets for the process. A file that is missing is the same as an empty one. It
/// is read when the host starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HostConfig {
    /// The address and port of the pages and the API. Port 0 picks a free one. `--listen` goes
    /// before it.
    #[schemars(with = "String", extend("title" = "`ADDRESS:PORT`"))]
    pub listen: SocketAddr,
    /// Says that a proxy which speaks TLS stands in front, without which only a loopback address
    /// may be listened on.
    pub behind_proxy: bool,
    /// How many turns run side by side, of all profiles together. The others wait in their
    /// sessions.
    pub max_turns: Bounded<1, 256>,
    /// How the log is written: as text for people, or one JSON object a line.
    pub log_format: LogFormat,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One object a line.
    Json,
}

impl Default for HostConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7373)),
            behind_proxy: false,
            max_turns: Bounded::constant::<8>(),
            log_format: LogFormat::Text,
        }
    }
}

impl Configuration for HostConfig {
    fn misfits(&self) -> Vec<Misfit> {
        if self.listen.ip().is_loopback() || self.behind_proxy {
            return Vec::new();
        }
        vec![Misfit::new(
            ["listen"],
            "others could reach the pages there without TLS: use a loopback address, or put a \
             proxy that speaks TLS in front and set `behind_proxy = true`",
        )]
    }
}
