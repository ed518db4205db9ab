//! The bounds of one invocation, and the guard that holds memory, tables and instances to them.

use std::time::Duration;

use wasmtime::ResourceLimiter;

use crate::context::InvocationKind;

/// The bounds of one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of linear memory, summed over all memories of the invocation.
    pub memory_bytes: usize,
    /// Elements of tables, summed over all tables.
    pub table_elements: usize,
    /// Core instances.
    pub instances: usize,
    /// Time from the start of instantiation to the end of the call, host calls included.
    pub wall_clock: Duration,
    /// Time during which guest code ran, counted in epoch ticks of 5 ms.
    pub cpu: Duration,
    /// Calls from guest to host.
    pub host_calls: u32,
    /// Bytes of log text.
    pub log_bytes: usize,
    /// Bytes that the export may return.
    pub payload_bytes: usize,
    /// Bytes that one host call may hand over; the host allocates that much at most, whatever
    /// lengths the guest claims.
    pub host_call_bytes: usize,
}

impl Limits {
    /// The defaults for a kind of invocation: 30 s for tools, 5 s for middleware hooks, 10 s for
    /// lifecycle handlers and for the catalogue, which is taken at publish.
    #[must_use]
    pub fn for_kind(kind: InvocationKind) -> Self {
        let wall_clock = match kind {
            InvocationKind::Tool => Duration::from_secs(30),
            InvocationKind::Middleware => Duration::from_secs(5),
            InvocationKind::Lifecycle | InvocationKind::Catalogue => Duration::from_secs(10),
        };
        Self {
            memory_bytes: 64 << 20,
            table_elements: 100_000,
            instances: 50,
            wall_clock,
            cpu: wall_clock,
            host_calls: 10_000,
            log_bytes: 256 << 10,
            payload_bytes: 4 << 20,
            host_call_bytes: 16 << 20,
        }
    }
}

/// The limit that an invocation crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitHit {
    /// [`Limits::memory_bytes`]
    #[error("memory: more than {limit} bytes of linear memory")]
    Memory {
        /// The bound, in bytes.
        limit: usize,
    },
    /// [`Limits::table_elements`]
    #[error("table_elements: more than {limit} table elements")]
    TableElements {
        /// The bound.
        limit: usize,
    },
    /// [`Limits::instances`]
    #[error("instances: more than {limit} core instances")]
    Instances {
        /// The bound.
        limit: usize,
    },
    /// [`Limits::wall_clock`]
    #[error("wall_clock: not done after {} ms", limit.as_millis())]
    WallClock {
        /// The bound.
        limit: Duration,
    },
    /// [`Limits::cpu`]
    #[error("cpu: more than {} ms of guest code", limit.as_millis())]
    Cpu {
        /// The bound.
        limit: Duration,
    },
    /// [`Limits::host_calls`]
    #[error("host_calls: more than {limit} host calls")]
    HostCalls {
        /// The bound.
        limit: u32,
    },
    /// [`Limits::host_call_bytes`]
    #[error("host_call_bytes: more than {limit} bytes handed over at once")]
    HostCallBytes {
        /// The bound, in bytes.
        limit: usize,
    },
    /// [`Limits::log_bytes`]
    #[error("log_bytes: more than {limit} bytes of log")]
    LogBytes {
        /// The bound, in bytes.
        limit: usize,
    },
    /// [`Limits::payload_bytes`]
    #[error("payload_bytes: more than {limit} bytes returned")]
    PayloadBytes {
        /// The bound, in bytes.
        limit: usize,
    },
}

/// Holds memory and tables to their bounds, in sum: wasmtime's own limits count each memory by
/// itself, so that a guest with many memories would have many times the bound.
#[derive(Debug)]
pub(crate) struct Allocations {
    limits: Limits,
    memory_bytes: usize,
    /// The size that a pending growth adds, taken back if the growth fails after all.
    pending_memory: usize,
    table_elements: usize,
    pending_elements: usize,
}

impl Allocations {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            memory_bytes: 0,
            pending_memory: 0,
            table_elements: 0,
            pending_elements: 0,
        }
    }

    /// Bytes of linear memory now; memories never shrink, so that this is the peak too.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }
}

impl ResourceLimiter for Allocations {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let added = desired.saturating_sub(current);
        let sum = self.memory_bytes.saturating_add(added);
        if sum > self.limits.memory_bytes {
            // An answer of "no" would let the guest go on and fail in some other way; the
            // operator is better served by the limit's name.
            return Err(LimitHit::Memory {
                limit: self.limits.memory_bytes,
            }
            .into());
        }
        self.memory_bytes = sum;
        self.pending_memory = added;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.memory_bytes -= std::mem::take(&mut self.pending_memory);
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let added = desired.saturating_sub(current);
        let sum = self.table_elements.saturating_add(added);
        if sum > self.limits.table_elements {
            return Err(LimitHit::TableElements {
                limit: self.limits.table_elements,
            }
            .into());
        }
        self.table_elements = sum;
        self.pending_elements = added;
        Ok(true)
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.table_elements -= std::mem::take(&mut self.pending_elements);
        Ok(())
    }

    // Counts of memories and tables are bounded by what each adds to the sums, and by the pool.
    fn instances(&self) -> usize {
        self.limits.instances
    }
}
