//! Asks and the audit log as people and programs read them: the shapes of the running host's API,
//! of its pages, and of `ostler approvals` and `ostler audit`.

mod approval;
mod audit;

pub use approval::{ApprovalDetail, ApprovalView, approval_detail, utc};
pub use audit::{AuditView, newest_audit, steps_of};
