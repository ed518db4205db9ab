//! The host's functions, under the names of the members that they are: `session.todo.create` is
//! [`host::session::todo::create`](session::todo::create).
//!
//! Where the WIT package keeps reading and writing apart, in two interfaces, they stand in one
//! module here, just as the members do. Two members are functions of no group: [`fetch`] and
//! [`license`](fn@license).

pub use crate::bindings::imports::ostler::host::{
    cards, connection, crypto, decide, http, license, llm, log, media, models, oauth, presence,
    ssh, threads, types,
};

// The files stand flat, each under the name of its WIT file; the modules follow the members.
#[path = "agents.rs"]
pub mod agents;
#[path = "cron_jobs.rs"]
pub mod cron_jobs;
#[path = "origin.rs"]
pub mod origin;
#[path = "plugins.rs"]
pub mod plugins;
#[path = "session.rs"]
pub mod session;
#[path = "settings.rs"]
pub mod settings;
#[path = "workspace.rs"]
pub mod workspace;

pub use http::fetch;
pub use license::get as license;
