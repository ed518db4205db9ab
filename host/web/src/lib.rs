//! The running host's JSON API and pages, on loopback.
//!
//! Start at [`Server::start`]. [`view`] has the shapes of what it tells, for programs that read a
//! home themselves.
//!
//! # What it promises
//! - **Nobody else's page gets in.** Requests whose `Host` is not this server's loopback address
//!   are refused, against DNS rebinding, and so are those whose `Origin` is another one.
//! - **The API needs its token.** Every path under `/api/` takes `Authorization: Bearer`, compared
//!   in constant time; the token is made at each start and stands in a file that only this user
//!   may read.
//! - **Private pages need a login**, by a link that works once ([`Running::login_link`]) or by the
//!   token. What a page does, it does by a form of that session; looking changes nothing.
//! - **Pages are text.** They work without scripts, of which there are none, and foreign text in
//!   them is shown letter by letter, with nothing hidden in it.
//! - **It decides nothing.** What it shows and does it has from the rooms below: an answer on a
//!   page or by the API is judged where clicks on cards are.

mod answer;
mod api;
mod guard;
mod login;
mod pages;
mod server;
pub mod view;

pub use server::{Options, ProfileState, Running, Server, ServerError};
