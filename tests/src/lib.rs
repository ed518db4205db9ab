//! What tests are made of: guests compiled from text, and the host as a child process.
//!
//! - [`guest`] makes real components from a few lines of core WebAssembly text, against the real
//!   WIT package. Unit tests of other crates use it as well.
//! - [`host`] runs the `ostler` binary in a home of its own.
//! - [`discord`] is a Discord of the test's own: the emulator, with people who speak.
//! - [`cards`] finds and presses the cards in it.
//! - [`serving`] runs `ostler serve` against it, to be stopped and killed.
//! - [`model_server`] speaks the protocols of model providers.
//!
//! The flows themselves stand in `tests/`, one file each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails, with the place where it stopped"
)]

pub mod cards;
pub mod discord;
pub mod guest;
pub mod host;
pub mod model_server;
pub mod serving;
