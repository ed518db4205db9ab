//! The running host's JSON API and pages, on loopback.
//!
//! Start at [`Server::start`].
//!
//! # What it promises
//! - **Nobody else's page gets in.** Requests whose `Host` is not this server's loopback address
//!   are refused, against DNS rebinding, and so are those whose `Origin` is another one.
//! - **The API needs its token.** Every path under `/api/` takes `Authorization: Bearer`, compared
//!   in constant time; the token is made at each start and stands in a file that only this user
//!   may read.
//! - **It decides nothing.** What it shows and does it has from the rooms below.

mod api;
mod guard;
mod page;
mod server;

pub use server::{Options, ProfileState, Running, Server, ServerError};
