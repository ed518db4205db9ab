//! What a store holds: one invocation's bounds, members and log.

use std::time::{Duration, Instant};

use ostler_scanner::members::Member;

use crate::bindings::{ErrorCode, HostError};
use crate::context::{HostServices, InvocationContext};
use crate::grant::Grant;
use crate::limits::{Allocations, LimitHit, Limits};
use crate::member_set::{MemberId, MemberSet};
use crate::outcome::{LogLevel, LogLine, Usage};
use crate::presence::present;
use crate::ticker::TICK;

/// The data of one store.
pub(crate) struct State {
    pub(crate) allocations: Allocations,
    pub(crate) services: HostServices,
    limits: Limits,
    /// What the call may use, before what the install holds now is looked at.
    called_with: MemberSet,
    granted: MemberSet,
    /// Which change of the install's grant `granted` knows.
    grant_epoch: u64,
    present: MemberSet,
    started: Instant,
    ran: Duration,
    host_calls: u32,
    log: Vec<LogLine>,
    log_bytes: usize,
}

/// A log line counts for its text and for what keeping it costs.
const LOG_LINE_OVERHEAD: usize = size_of::<LogLine>();

impl State {
    pub(crate) fn new(context: InvocationContext) -> Self {
        let grant = context.services.grant.as_deref();
        // The epoch first: a change between the two is seen at the next call.
        let grant_epoch = grant.map_or(0, Grant::epoch);
        let held = grant.map_or(context.members, Grant::members);
        Self {
            allocations: Allocations::new(context.limits),
            limits: context.limits,
            called_with: context.members,
            granted: context.members.meet(held),
            grant_epoch,
            present: present(&context),
            services: context.services,
            started: Instant::now(),
            ran: Duration::ZERO,
            host_calls: 0,
            log: Vec::new(),
            log_bytes: 0,
        }
    }

    /// Begins a host call: counts it, and says whether the member may be used here. The outer
    /// error ends the invocation, the inner one is the guest's to handle.
    pub(crate) fn enter(&mut self, member: MemberId) -> wasmtime::Result<Result<(), HostError>> {
        self.host_calls += 1;
        if self.host_calls > self.limits.host_calls {
            return Err(LimitHit::HostCalls {
                limit: self.limits.host_calls,
            }
            .into());
        }
        if let Some(grant) = &self.services.grant
            && grant.epoch() != self.grant_epoch
        {
            self.grant_epoch = grant.epoch();
            self.granted = self.called_with.meet(grant.members());
        }
        Ok(if self.usable().contains(member) {
            Ok(())
        } else {
            Err(self.refusal(member.member()))
        })
    }

    /// Which host call of the invocation this is, from 1.
    pub(crate) fn ordinal(&self) -> u32 {
        self.host_calls
    }

    /// How long a person was waited for.
    fn waited(&self) -> Duration {
        let platform = self.services.platform.as_ref();
        platform.map_or(Duration::ZERO, |platform| platform.clock().waited())
    }

    /// The members that a call would reach.
    pub(crate) fn usable(&self) -> MemberSet {
        self.granted.meet(self.present)
    }

    #[cold]
    fn refusal(&self, member: &Member) -> HostError {
        let is_present = MemberId::of(member.path).is_some_and(|id| self.present.contains(id));
        if !is_present {
            return HostError {
                code: ErrorCode::Absent,
                message: format!("`{}` is not present in this invocation", member.path),
                permission: None,
            };
        }
        let permission = member.permissions.first().map(ToString::to_string);
        HostError {
            code: ErrorCode::Forbidden,
            message: match &permission {
                Some(permission) => {
                    format!(
                        "`{}` needs {permission}, which is not granted here",
                        member.path
                    )
                }
                None => format!("`{}` is not granted here", member.path),
            },
            permission,
        }
    }

    pub(crate) fn log(&mut self, level: LogLevel, message: String) -> wasmtime::Result<()> {
        self.log_bytes = self
            .log_bytes
            .saturating_add(message.len() + LOG_LINE_OVERHEAD);
        if self.log_bytes > self.limits.log_bytes {
            return Err(LimitHit::LogBytes {
                limit: self.limits.log_bytes,
            }
            .into());
        }
        self.log.push(LogLine { level, message });
        Ok(())
    }

    /// Called at each epoch in which guest code runs.
    pub(crate) fn count_tick(&mut self) -> Result<(), LimitHit> {
        self.ran += TICK;
        if self.ran > self.limits.cpu {
            return Err(LimitHit::Cpu {
                limit: self.limits.cpu,
            });
        }
        if self.started.elapsed().saturating_sub(self.waited()) > self.limits.wall_clock {
            return Err(LimitHit::WallClock {
                limit: self.limits.wall_clock,
            });
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> (Usage, Vec<LogLine>) {
        let usage = Usage {
            wall_clock: self.started.elapsed(),
            host_calls: self.host_calls,
            memory_bytes: self.allocations.memory_bytes(),
        };
        (usage, self.log)
    }
}
