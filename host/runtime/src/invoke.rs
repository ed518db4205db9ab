//! One invocation: a fresh store, an instance, one call, and the end of both.

use std::sync::Arc;

use wasmtime::component::Instance;
use wasmtime::{Store, UpdateDeadline, WasmBacktrace};

use crate::bindings::{CallVerdict, PendingCall, Tool, ToolError};
use crate::context::InvocationContext;
use crate::engine::{Loaded, Runtime};
use crate::limits::{LimitHit, Limits};
use crate::outcome::{HostFault, Invoked, Outcome, Trap};
use crate::state::State;
use crate::verdict;

/// What is called.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportCall {
    /// `tools.list`
    ListTools,
    /// `tools.call`
    CallTool {
        /// The tool's name.
        name: String,
        /// Its arguments as JSON text.
        arguments: String,
    },
    /// A handler of `lifecycle`.
    Lifecycle(LifecycleEvent),
    /// `hook-pre-tool-call.handle`
    PreToolCall(Box<PendingCall>),
}

/// The events of `lifecycle` that the host has today.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LifecycleEvent {
    /// The package was installed.
    Installed,
    /// The package was updated from this version.
    Updated {
        /// The version before.
        from: String,
    },
    /// The package is about to be uninstalled.
    Uninstalling,
}

/// What an export gave.
#[derive(Debug)]
pub enum ExportResult {
    /// The tools that the component has.
    Tools(Vec<Tool>),
    /// A tool's answer, or its own error.
    Answer(Result<String, ToolError>),
    /// A handler's answer, or its own error.
    Handled(Result<(), String>),
    /// What a hook says of a tool call, within the bounds of [`CallVerdict::check`], or its own
    /// error.
    CallVerdict(Result<CallVerdict, String>),
}

impl Runtime {
    /// Calls one export in a fresh store. The only caller of guest code.
    ///
    /// Never fails: whatever happens is an [`Outcome`]. Dropping the future ends the invocation.
    pub async fn invoke(
        &self,
        plugin: &Arc<Loaded>,
        call: ExportCall,
        context: InvocationContext,
    ) -> Invoked {
        let invocation = Invocation {
            engine: self.engine.clone(),
            permits: Arc::clone(&self.permits),
            plugin: Arc::clone(plugin),
            call,
            limits: context.limits,
        };
        match &self.guests {
            None => invocation.run(context).await,
            Some(guests) => {
                let task = AbortOnDrop(guests.spawn(invocation.run(context)));
                task.await.unwrap_or_else(|error| Invoked {
                    outcome: Outcome::HostError(HostFault(format!(
                        "the invocation did not end in order: {error}"
                    ))),
                    usage: Default::default(),
                    log: Vec::new(),
                })
            }
        }
    }
}

/// A task that ends with whoever waits for it.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        std::pin::Pin::new(&mut self.0).poll(cx)
    }
}

struct Invocation {
    engine: wasmtime::Engine,
    permits: Arc<tokio::sync::Semaphore>,
    plugin: Arc<Loaded>,
    call: ExportCall,
    limits: Limits,
}

impl Invocation {
    async fn run(self, context: InvocationContext) -> Invoked {
        let mut store = Store::new(&self.engine, State::new(context));
        // Limits are armed before instantiation: a start function is guest code too.
        store.limiter(|state| &mut state.allocations);
        store.set_hostcall_fuel(self.limits.host_call_bytes);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut store| {
            store.data_mut().count_tick()?;
            // Giving way at each epoch keeps one guest from holding a thread.
            Ok(UpdateDeadline::Yield(1))
        });

        // Epochs bound guest code; this bounds everything, a host call that waits included. The
        // clock stands still while a person is waited for.
        let clock = store
            .data()
            .services
            .platform
            .as_ref()
            .map(|platform| Arc::clone(platform.clock()));
        let over = async {
            match clock {
                Some(clock) => clock.deadline(self.limits.wall_clock).await,
                None => tokio::time::sleep(self.limits.wall_clock).await,
            }
        };
        let outcome = tokio::select! {
            biased;
            ended = self.within(&mut store) => match ended {
                Ok(result) => result,
                Err(error) => classify(&error, &self.limits),
            },
            () = over => Outcome::Limit(LimitHit::WallClock {
                limit: self.limits.wall_clock,
            }),
        };
        let (usage, log) = store.into_data().finish();
        Invoked {
            outcome,
            usage,
            log,
        }
    }

    async fn within(&self, store: &mut Store<State>) -> wasmtime::Result<Outcome> {
        let _permit = self
            .permits
            .acquire()
            .await
            .map_err(|_closed| HostFault("the runtime is shutting down".to_owned()))?;
        let instance = self
            .plugin
            .instance_pre
            .instantiate_async(&mut *store)
            .await?;
        let result = self.call(store, &instance).await?;
        if payload_bytes(&result) > self.limits.payload_bytes {
            let limit = self.limits.payload_bytes;
            return Ok(Outcome::Limit(LimitHit::PayloadBytes { limit }));
        }
        // WIT has no bounds on texts; a verdict beyond those of the interface is no verdict.
        if let ExportResult::CallVerdict(answer) = &result
            && let Err(error) = verdict::check_answer(answer)
        {
            return Ok(Outcome::BadOutput(error.to_string()));
        }
        Ok(Outcome::Returned(result))
    }

    async fn call(
        &self,
        store: &mut Store<State>,
        instance: &Instance,
    ) -> wasmtime::Result<ExportResult> {
        let missing = |export: &str| {
            wasmtime::Error::from(HostFault(format!(
                "the component does not export `{export}`"
            )))
        };
        match &self.call {
            ExportCall::ListTools => {
                let tools = self.plugin.tools.as_ref().ok_or_else(|| missing("tools"))?;
                let tools = tools.load(&mut *store, instance)?;
                Ok(ExportResult::Tools(tools.call_list(store).await?))
            }
            ExportCall::CallTool { name, arguments } => {
                let tools = self.plugin.tools.as_ref().ok_or_else(|| missing("tools"))?;
                let tools = tools.load(&mut *store, instance)?;
                Ok(ExportResult::Answer(
                    tools.call_call(store, name, arguments).await?,
                ))
            }
            ExportCall::Lifecycle(event) => {
                let handlers = self
                    .plugin
                    .lifecycle
                    .as_ref()
                    .ok_or_else(|| missing("lifecycle"))?;
                let handlers = handlers.load(&mut *store, instance)?;
                Ok(ExportResult::Handled(match event {
                    LifecycleEvent::Installed => handlers.call_installed(store).await?,
                    LifecycleEvent::Updated { from } => handlers.call_updated(store, from).await?,
                    LifecycleEvent::Uninstalling => handlers.call_uninstalling(store).await?,
                }))
            }
            ExportCall::PreToolCall(pending) => {
                let hook = self
                    .plugin
                    .pre_tool_call
                    .as_ref()
                    .ok_or_else(|| missing("hook-pre-tool-call"))?;
                let hook = hook.load(&mut *store, instance)?;
                Ok(ExportResult::CallVerdict(
                    hook.call_handle(store, pending).await?,
                ))
            }
        }
    }
}

fn payload_bytes(result: &ExportResult) -> usize {
    match result {
        ExportResult::Tools(tools) => tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.input_schema.len())
            .sum(),
        ExportResult::Answer(Ok(answer)) => answer.len(),
        ExportResult::Answer(Err(error)) => error.code.len() + error.message.len(),
        ExportResult::Handled(Ok(())) => 0,
        ExportResult::CallVerdict(Ok(verdict)) => match verdict {
            CallVerdict::Allow => 0,
            CallVerdict::Block(text) | CallVerdict::Change(text) => text.len(),
            CallVerdict::Ask(ask) => ask.message.len() + ask.rule_key.len(),
        },
        ExportResult::Handled(Err(message)) | ExportResult::CallVerdict(Err(message)) => {
            message.len()
        }
    }
}

/// Tells the ends of an invocation apart by what is in the error's chain.
fn classify(error: &wasmtime::Error, limits: &Limits) -> Outcome {
    if let Some(hit) = error.downcast_ref::<LimitHit>() {
        return Outcome::Limit(*hit);
    }
    if let Some(fault) = error.downcast_ref::<HostFault>() {
        return Outcome::HostError(fault.clone());
    }
    if let Some(trap) = error.downcast_ref::<wasmtime::Trap>() {
        let backtrace = error
            .downcast_ref::<WasmBacktrace>()
            .map(frames)
            .unwrap_or_default();
        return Outcome::Trap(Trap {
            message: trap.to_string(),
            backtrace,
        });
    }
    if error.is::<wasmtime::PoolConcurrencyLimitError>() {
        let fault = "the runtime has no room for another instance";
        return Outcome::HostError(HostFault(fault.to_owned()));
    }
    let cause = error.root_cause().to_string();
    // Wasmtime keeps the types of these two errors to itself; tests hold their texts.
    if cause.contains("instance count too high") {
        let limit = limits.instances;
        return Outcome::Limit(LimitHit::Instances { limit });
    }
    if cause.contains("fuel allocated for hostcalls") {
        let limit = limits.host_call_bytes;
        return Outcome::Limit(LimitHit::HostCallBytes { limit });
    }
    // What is left are values that crossed the boundary and were not of their type: strings that
    // are not UTF-8, pointers outside the memory, discriminants that no case has.
    Outcome::BadOutput(cause)
}

fn frames(backtrace: &WasmBacktrace) -> Vec<String> {
    backtrace
        .frames()
        .iter()
        .map(|frame| match frame.func_name() {
            // Rust's hash suffix (`::h0123…`) tells a reader nothing.
            Some(name) => format!("{:#}", rustc_demangle::demangle(name)),
            None => format!("function {}", frame.func_index()),
        })
        .collect()
}
