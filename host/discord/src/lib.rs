//! The Discord adapter: between Discord's gateway and REST API, and the host's own traits.
//!
//! Start at [`Adapter::start`]. The adapter implements [`ostler_agent::Channel`], and calls the
//! [`ostler_agent::Inbox`] that it was given. It owns no policy.
//!
//! What this crate promises:
//! - **One base.** Every request goes to the configured base and is rate-limited; the token is
//!   shown to no gateway of another world (Discord's to Discord's, this machine's to this machine's).
//! - **It comes back.** Whatever the gateway does, the adapter reconnects, resumes where it can, and
//!   never spins; what cannot be repaired by waiting ends it with a [`Fatal`] that says what to
//!   change.
//! - **Order.** What happens in one channel is handed on in order; channels do not wait for each
//!   other; a click waits for nothing and is acknowledged within 2.5 s. It counts even where Discord
//!   did not take the acknowledgement.
//! - **Nothing is lost quietly.** The stored sequence never runs ahead of what the inbox took. What
//!   could not be read or handed on is counted in [`Health`].
//! - **Nothing is told twice within one process**, as far as memory goes: the last 8,192 messages
//!   and as many clicks are known by their ids.
//!
//! Where things are: `gateway` holds connections, `handover` and `click` bring events to the inbox,
//! `rest` sends requests and `fetch` gets files; `reading`, `writing`, `threads`, `server` and
//! `written` know Discord's endpoints; `payload` and `interaction` read its objects.

mod adapter;
mod catch_up;
mod channel;
mod click;
mod components;
mod core;
mod error;
mod fetch;
mod files;
mod gateway;
mod guilds;
mod handover;
mod health;
mod interaction;
mod jitter;
mod lanes;
mod options;
mod overwrites;
mod payload;
mod places;
mod reading;
mod recent;
mod rest;
mod server;
mod snowflake;
mod threads;
mod writing;
mod written;

pub use adapter::Adapter;
pub use error::{Fatal, StartError};
pub use health::{Health, MissingIntent};
pub use options::{ApiBase, Backlog, BaseUrl, Options, Shards, Timings, Token};
