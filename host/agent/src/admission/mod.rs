//! From what came in to a durable row.

mod inbox;
mod wake;

pub(crate) use wake::Address;
