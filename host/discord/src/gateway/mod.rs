//! The gateway: twilight's socket under our own supervision.
//!
//! [`supervisor`] decides when a connection begins and what it continues, [`connection`] holds one
//! until it ends, [`handed`] knows which events reached the inbox.

mod brake;
mod close;
mod connection;
mod handed;
mod session;
mod shard;
mod supervisor;

pub(crate) use connection::{Dispatch, Flow};
pub(crate) use handed::Ticket;
pub(crate) use session::ShardSession;
pub(crate) use supervisor::supervise;
