//! How an emulator is set up.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How an emulator is set up. [`Options::default`] listens on a free port of 127.0.0.1, keeps its
/// state in memory, and has no control API.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen. It must be a loopback address; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Where the state is kept; without it, it ends with the emulator. The bytes of attachments
    /// are kept in a folder beside it, with `.attachments` after its name.
    pub state_file: Option<PathBuf>,
    /// What requests to the control API must carry as `Authorization: Bearer`. Without it there is
    /// no control API.
    pub control_token: Option<String>,
    /// What the gateway tells clients as the time between heartbeats. A client that is silent for
    /// one and a half of it is disconnected.
    pub heartbeat_interval: Duration,
    /// How many requests are answered in what time.
    pub rate_limits: RateLimits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            state_file: None,
            control_token: None,
            heartbeat_interval: Duration::from_millis(41_250),
            rate_limits: RateLimits::default(),
        }
    }
}

/// How many requests are answered in what time. The defaults are like Discord's.
#[derive(Clone, Debug)]
pub struct RateLimits {
    /// Requests of one bot in a second, over all routes but interaction callbacks and webhooks.
    pub global_per_second: u32,
    /// Limits of single routes; each holds for one major parameter (channel, guild, webhook).
    pub routes: Vec<RouteLimit>,
    /// The limit of every other route.
    pub other: Window,
    /// The least time between two identifies of one bot on one shard.
    pub identify_every: Duration,
    /// Identifies of one bot in a day.
    pub identifies_per_day: u32,
}

/// So many requests in so much time, from the first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Requests in the window; at least 1.
    pub limit: u32,
    /// How long it lasts.
    pub length: Duration,
}

/// The limit of one route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteLimit {
    /// The method, in capitals: `POST`.
    pub method: &'static str,
    /// The route as Discord's documentation writes it: `channels/{channel.id}/messages`, with any
    /// text between the braces.
    pub route: &'static str,
    /// How much.
    pub window: Window,
}

const fn route(
    method: &'static str,
    route: &'static str,
    limit: u32,
    milliseconds: u64,
) -> RouteLimit {
    let window = Window {
        limit,
        length: Duration::from_millis(milliseconds),
    };
    RouteLimit {
        method,
        route,
        window,
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            global_per_second: 50,
            routes: vec![
                route("POST", "channels/{channel.id}/messages", 5, 5_000),
                route(
                    "PATCH",
                    "channels/{channel.id}/messages/{message.id}",
                    5,
                    5_000,
                ),
                route(
                    "DELETE",
                    "channels/{channel.id}/messages/{message.id}",
                    5,
                    1_000,
                ),
                route("GET", "channels/{channel.id}/messages", 5, 1_000),
                route("POST", "channels/{channel.id}/typing", 5, 5_000),
                route(
                    "PUT",
                    "channels/{channel.id}/messages/{message.id}/reactions/{emoji}/@me",
                    1,
                    250,
                ),
                route("GET", "guilds/{guild.id}/members", 10, 10_000),
                route("GET", "guilds/{guild.id}/members/search", 10, 10_000),
                route(
                    "PUT",
                    "guilds/{guild.id}/members/{user.id}/roles/{role.id}",
                    10,
                    10_000,
                ),
                route(
                    "DELETE",
                    "guilds/{guild.id}/members/{user.id}/roles/{role.id}",
                    10,
                    10_000,
                ),
                route("POST", "webhooks/{application.id}/{token}", 5, 2_000),
                route(
                    "PATCH",
                    "webhooks/{application.id}/{token}/messages/{message.id}",
                    5,
                    2_000,
                ),
            ],
            other: Window {
                limit: 50,
                length: Duration::from_secs(1),
            },
            identify_every: Duration::from_secs(5),
            identifies_per_day: 1_000,
        }
    }
}

impl RateLimits {
    /// Limits that no test reaches, for those that are about something else.
    #[must_use]
    pub fn none() -> Self {
        Self {
            global_per_second: u32::MAX,
            routes: Vec::new(),
            other: Window {
                limit: u32::MAX,
                length: Duration::from_secs(1),
            },
            identify_every: Duration::ZERO,
            identifies_per_day: u32::MAX,
        }
    }
}
