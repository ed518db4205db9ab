//! The profile's scheduled jobs.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:cronJobs.read`.
    pub const CRON_JOBS_READ: Self = Self::new("agentApi:cronJobs.read");

    /// `agentApi:cronJobs.write`.
    pub const CRON_JOBS_WRITE: Self = Self::new("agentApi:cronJobs.write");
}

pub(super) static GROUP: Group = Group {
    name: "cron-jobs",
    permissions: &[
        PermissionText {
            permission: Permission::CRON_JOBS_READ,
            sentence: "see your scheduled jobs, what each tells the assistant to do, and which \
                events can start one",
        },
        PermissionText {
            permission: Permission::CRON_JOBS_WRITE,
            sentence: "create, change and delete scheduled jobs, which wake the assistant while \
                nobody is watching",
        },
    ],
    members: &[
        Member {
            interface: "cron-jobs-read",
            function: "list",
            path: "cronJobs.list",
            permissions: &[Permission::CRON_JOBS_READ],
            presence: Presence::Platform,
            sentence: "list the scheduled jobs and their prompts",
        },
        Member {
            interface: "cron-jobs-read",
            function: "list-event-sources",
            path: "cronJobs.listEventSources",
            permissions: &[Permission::CRON_JOBS_READ],
            presence: Presence::Platform,
            sentence: "list the events that can start jobs",
        },
        Member {
            interface: "cron-jobs-write",
            function: "create",
            path: "cronJobs.create",
            permissions: &[Permission::CRON_JOBS_WRITE],
            presence: Presence::Platform,
            sentence: "create a scheduled job",
        },
        Member {
            interface: "cron-jobs-write",
            function: "update",
            path: "cronJobs.update",
            permissions: &[Permission::CRON_JOBS_WRITE],
            presence: Presence::Platform,
            sentence: "change a scheduled job",
        },
        Member {
            interface: "cron-jobs-write",
            function: "delete",
            path: "cronJobs.delete",
            permissions: &[Permission::CRON_JOBS_WRITE],
            presence: Presence::Platform,
            sentence: "delete a scheduled job",
        },
    ],
};
