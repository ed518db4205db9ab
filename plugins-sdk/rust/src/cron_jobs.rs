//! Scheduled jobs: prompts that wake an agent at a time, or at an event.

pub use crate::bindings::imports::ostler::host::cron_jobs_read::*;
pub use crate::bindings::imports::ostler::host::cron_jobs_write::*;
// The names that both interfaces use.
pub use crate::bindings::imports::ostler::host::types::{CronJob, HostError};
