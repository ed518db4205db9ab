//! A Discord-compatible server on loopback, for development and tests.
//!
//! Start at [`Emulator::start`]. A running emulator serves, on one port:
//! - the REST API of version 10 below `/api/v10`, with Discord's checks, errors and rate limits;
//! - the gateway, as WebSocket upgrades of `/`, `/gateway` and `/resume`;
//! - attachments below `/attachments`;
//! - with a token, the control API below `/_emulator`: it makes guilds, channels, users, bots,
//!   speaks and presses as people, and causes faults;
//! - a page at `/` that shows all of this live, and lets a person speak and press as any user. It
//!   needs the control API's token, in the fragment of its address: `/#token=…`.
//!
//! What this crate promises:
//! - **It never says yes to what Discord would refuse.** Routes and features that it does not know
//!   are answered with 404 and code 0, and logged as unimplemented.
//! - **Its answers have Discord's shape.** Tests hold them against Discord's OpenAPI description.
//! - **It is reachable from this machine only**, and its control API only with the token.
//! - **Ids only rise**, also over restarts with a state file. With one, a killed emulator loses at
//!   most the last fraction of a second.
//!
//! It is stricter than Discord in one way: fields of a body that Discord does not know are
//! refused, because a client that sends one has made a mistake.

mod actions;
mod api;
mod control;
mod error;
mod forms;
mod gateway;
mod options;
mod page;
mod permissions;
mod refusal;
mod seed;
mod server;
mod snapshot;
mod snowflake;
mod state;
mod world;

pub use error::EmulatorError;
pub use options::{Options, RateLimits, RouteLimit, Window};
pub use seed::{Seed, SeedUser, Seeded};
pub use server::{Emulator, Running};
