//! Turns: one run of the assistant on one row.
//!
//! - [`workers`] runs each session's rows in order, sessions side by side;
//! - [`prepare`] reads the live facts and asks who the turn is;
//! - [`run`] is the loop of model and tools;
//! - [`deliver`] sends what was committed to be sent.

pub(crate) mod deliver;
pub(crate) mod frame;
mod history;
pub(crate) mod prepare;
pub(crate) mod preview;
mod prompt;
mod run;
pub(crate) mod split;
pub(crate) mod waiting;
pub(crate) mod workers;
