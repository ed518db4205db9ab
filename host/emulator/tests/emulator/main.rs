//! The running server, driven as its users drive it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on must fail"
)]

mod attachments;
mod bench;
mod changes;
mod conformance;
mod control;
mod errors;
mod forums;
mod gateway;
mod gateway_faults;
mod guilds;
mod intents;
mod interactions;
mod limits;
mod messages;
mod modals;
mod nonces;
#[allow(
    unreachable_pub,
    dead_code,
    reason = "shared with the tests of the whole host"
)]
#[path = "../openapi/mod.rs"]
mod openapi;
mod permissions;
mod persistence;
mod pins_and_reactions;
mod socket;
mod threads;
