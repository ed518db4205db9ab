//! The engine, and what is made from it once: compiled components and loaded plugins.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ostler_scanner::ImportedFunction;
use tokio::sync::Semaphore;
use wasmtime::component::{Component, InstancePre};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::bindings::{hook_pre_tool_call, lifecycle, tools};
use crate::cache::Cache;
use crate::error::RuntimeError;
use crate::host_types::HostTypes;
use crate::link;
use crate::member_set::MemberSet;
use crate::state::State;
use crate::ticker::Ticker;

/// Invocations that run at one time; more wait their turn, within their own deadline. The pool has
/// room for this many of the largest components, so that none fails for another's size.
const CONCURRENT_INVOCATIONS: u32 = 200;

/// Core instances, memories and tables that one component may have: what the largest language
/// runtimes need, with room to spare.
const CORE_INSTANCES_PER_COMPONENT: u32 = 60;
const MEMORIES_PER_COMPONENT: u32 = 5;
const TABLES_PER_COMPONENT: u32 = 20;

/// The largest single memory that the pool has room for, in bytes. What one invocation may use
/// in sum is [`Limits::memory_bytes`](crate::Limits::memory_bytes), up to this much.
const LARGEST_MEMORY: usize = 1 << 30;

/// Bytes of memory and tables of a slot that stay resident between invocations. They are set
/// back to the component's image before the slot is used again.
const KEEP_RESIDENT: usize = 1 << 20;

/// Guest code may use this much stack, in bytes, before it traps.
const WASM_STACK: usize = 512 << 10;

/// The engine's configuration. Benchmarks use it for their floor.
///
/// # Errors
/// None; wasmtime checks the configuration when an engine is made from it.
#[must_use]
pub fn engine_config() -> Config {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(CONCURRENT_INVOCATIONS)
        .total_core_instances(CONCURRENT_INVOCATIONS * CORE_INSTANCES_PER_COMPONENT)
        .total_memories(CONCURRENT_INVOCATIONS * MEMORIES_PER_COMPONENT)
        .total_tables(CONCURRENT_INVOCATIONS * TABLES_PER_COMPONENT)
        .total_stacks(CONCURRENT_INVOCATIONS)
        .max_core_instances_per_component(CORE_INSTANCES_PER_COMPONENT)
        .max_memories_per_component(MEMORIES_PER_COMPONENT)
        .max_tables_per_component(TABLES_PER_COMPONENT)
        .max_memories_per_module(MEMORIES_PER_COMPONENT)
        .max_tables_per_module(TABLES_PER_COMPONENT)
        .max_core_instance_size(2 << 20)
        .max_component_instance_size(2 << 20)
        .table_elements(100_000)
        .max_memory_size(LARGEST_MEMORY)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(KEEP_RESIDENT)
        .pagemap_scan(Enabled::Auto);

    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .memory_init_cow(true)
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(WASM_STACK * 2)
        .parallel_compilation(true);
    config
}

/// Which threads run guest code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuestThreads {
    /// Threads of the runtime's own, so that guests cannot hold up whoever calls them. What a
    /// host that serves anything else wants.
    Own(usize),
    /// The caller's: for a process that does nothing but this call.
    Caller,
}

/// What a [`Runtime`] is made with.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeOptions<'a> {
    /// The folder of compiled code; `None` compiles anew in each process.
    pub cache: Option<&'a Path>,
    /// Which threads run guest code.
    pub guest_threads: GuestThreads,
}

/// One engine and what belongs to it. There is one for a process.
pub struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) guests: Option<tokio::runtime::Runtime>,
    cache: Option<Cache>,
    host_types: HostTypes,
    _ticker: Ticker,
}

impl Runtime {
    /// Makes the engine, its epoch ticker and its threads.
    ///
    /// # Errors
    /// [`RuntimeError::Engine`] where the machine cannot give the address space or threads,
    /// [`RuntimeError::Cache`] where the folder is not this user's own.
    pub fn new(options: RuntimeOptions<'_>) -> Result<Self, RuntimeError> {
        let engine = Engine::new(&engine_config())
            .map_err(|error| RuntimeError::Engine(format!("{error:#}")))?;
        let cache = options
            .cache
            .map(|folder| Cache::open(folder, &engine))
            .transpose()?;
        let ticker =
            Ticker::start(&engine).map_err(|error| RuntimeError::Engine(error.to_string()))?;
        let guests = match options.guest_threads {
            GuestThreads::Caller => None,
            GuestThreads::Own(threads) => Some(
                tokio::runtime::Builder::new_multi_thread()
                    .worker_threads(threads.max(1))
                    .thread_name("ostler-guest")
                    .enable_time()
                    .build()
                    .map_err(|error| RuntimeError::Engine(error.to_string()))?,
            ),
        };
        Ok(Self {
            engine,
            permits: Arc::new(Semaphore::new(CONCURRENT_INVOCATIONS as usize)),
            guests,
            cache,
            host_types: HostTypes::default(),
            _ticker: ticker,
        })
    }

    /// Compiles a component, or takes its compiled code from the cache.
    ///
    /// `digest` is the SHA-256 of `bytes` in 64 hexadecimal digits, which the caller has checked:
    /// it names the cache entry.
    ///
    /// # Errors
    /// [`RuntimeError::Compile`] if the runtime refuses the bytes, [`RuntimeError::Signature`] if an
    /// export that the host calls has another type than the host's.
    pub fn compile(&self, digest: &str, bytes: &[u8]) -> Result<Compiled, RuntimeError> {
        if let Some(component) = self
            .cache
            .as_ref()
            .and_then(|cache| cache.load(&self.engine, digest))
        {
            return Ok(Compiled { component });
        }
        let component = Component::new(&self.engine, bytes)
            .map_err(|error| RuntimeError::Compile(format!("{error:#}")))?;
        // Once, as compiling: a start from the cache has no time for it.
        self.host_types.check_exports(&self.engine, &component)?;
        if let Some(cache) = &self.cache {
            cache.store(digest, &component);
        }
        Ok(Compiled { component })
    }

    /// The component's outermost imports as the runtime reads them.
    #[must_use]
    pub fn imported_functions(&self, compiled: &Compiled) -> BTreeSet<ImportedFunction> {
        link::imported_functions(&self.engine, &compiled.component)
    }

    /// Links a component with the members of `granted` and nothing else.
    ///
    /// # Errors
    /// [`RuntimeError::NotGranted`] if the component imports another member,
    /// [`RuntimeError::UnknownImport`] if it imports what is no member,
    /// [`RuntimeError::Signature`] if an imported function has another type than the host's.
    pub fn load(&self, compiled: &Compiled, granted: MemberSet) -> Result<Loaded, RuntimeError> {
        let linker = link::linker(&self.engine, &self.host_types, &compiled.component, granted)?;
        let signature = |error: wasmtime::Error| RuntimeError::Signature(format!("{error:#}"));
        let instance_pre = linker
            .instantiate_pre(&compiled.component)
            .map_err(signature)?;
        let exports = |name: &str| {
            compiled
                .component
                .get_export_index(None, link::host_interface(name))
                .is_some()
        };
        let tools = exports("tools")
            .then(|| tools::GuestIndices::new(&instance_pre))
            .transpose()
            .map_err(signature)?;
        let lifecycle = exports("lifecycle")
            .then(|| lifecycle::GuestIndices::new(&instance_pre))
            .transpose()
            .map_err(signature)?;
        let pre_tool_call = exports("hook-pre-tool-call")
            .then(|| hook_pre_tool_call::GuestIndices::new(&instance_pre))
            .transpose()
            .map_err(signature)?;
        Ok(Loaded {
            instance_pre,
            tools,
            lifecycle,
            pre_tool_call,
        })
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // Waiting for the threads would block whoever drops the runtime, which may be async
        // code. Guests that still run end at their next epoch.
        if let Some(guests) = self.guests.take() {
            guests.shutdown_background();
        }
    }
}

/// A compiled component. Cloning it is cheap.
#[derive(Clone)]
pub struct Compiled {
    component: Component,
}

/// A component linked with one grant: all of it that outlives an invocation. It holds no guest
/// memory.
pub struct Loaded {
    pub(crate) instance_pre: InstancePre<State>,
    pub(crate) tools: Option<tools::GuestIndices>,
    pub(crate) lifecycle: Option<lifecycle::GuestIndices>,
    pub(crate) pre_tool_call: Option<hook_pre_tool_call::GuestIndices>,
}
