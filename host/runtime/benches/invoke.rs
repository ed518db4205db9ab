//! What an invocation and a host call cost, beside bare wasmtime in the same run.
//!
//! `cargo bench -p ostler-runtime` measures. Three hosts run the same component:
//! - `bare-best`: wasmtime alone, synchronous, with the fastest settings known (pooling, memory
//!   kept resident, `pagemap_scan`), no limits: the floor.
//! - `bare-same`: wasmtime alone, asynchronous, with Ostler's engine settings, no limits.
//! - `ostler`: [`ostler_runtime::Runtime::invoke`], every limit armed.

#![allow(missing_docs, reason = "the macro's main function has none")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use ostler_runtime::{
    ExportCall, ExportResult, GuestThreads, HostServices, InvocationContext, InvocationKind,
    Limits, Loaded, MemberSet, NoSettings, Outcome, Runtime, RuntimeOptions, engine_config,
};
use ostler_tests::guest::{DONE, tool};
use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Config, Engine, Store};

/// Host calls in one invocation of the second guest.
const CALLS: u32 = 1_000;

fn answers() -> Vec<u8> {
    tool("", DONE, "")
}

fn calls_the_host() -> Vec<u8> {
    let import = r#"(import "ostler:host/log@0.1.0" "info" (func $info (param i32 i32)))"#;
    let body = format!(
        "(local $left i32)
         (local.set $left (i32.const {CALLS}))
         (loop $on
             (call $info (i32.const 1072) (i32.const 4))
             (local.set $left (i32.sub (local.get $left) (i32.const 1)))
             (br_if $on (local.get $left)))
         (i32.const 64)"
    );
    tool(import, &body, "")
}

/// The settings that made bare wasmtime fastest on the machines where it was tried.
fn best_config() -> Config {
    let mut pool = wasmtime::PoolingAllocationConfig::default();
    pool.linear_memory_keep_resident(1 << 20)
        .table_keep_resident(1 << 20)
        .pagemap_scan(wasmtime::Enabled::Auto);
    let mut config = Config::new();
    config
        .allocation_strategy(wasmtime::InstanceAllocationStrategy::Pooling(pool))
        .epoch_interruption(true);
    config
}

/// A guest on wasmtime alone. Its log goes into a list, as ours does.
struct Bare {
    engine: Engine,
    instance_pre: InstancePre<Vec<String>>,
    call: wasmtime::component::ComponentExportIndex,
}

impl Bare {
    fn new(config: &Config, bytes: &[u8]) -> Self {
        let engine = Engine::new(config).unwrap();
        let component = Component::new(&engine, bytes).unwrap();
        let mut linker = Linker::<Vec<String>>::new(&engine);
        linker
            .instance("ostler:host/log@0.1.0")
            .unwrap()
            .func_wrap("info", |mut store, (line,): (String,)| {
                store.data_mut().push(line);
                Ok(())
            })
            .unwrap();
        let instance_pre = linker.instantiate_pre(&component).unwrap();
        let tools = component
            .get_export_index(None, "ostler:host/tools@0.1.0")
            .unwrap();
        let call = component.get_export_index(Some(&tools), "call").unwrap();
        Self {
            engine,
            instance_pre,
            call,
        }
    }

    fn store(&self) -> Store<Vec<String>> {
        let mut store = Store::new(&self.engine, Vec::new());
        store.set_epoch_deadline(u64::MAX / 2);
        store
    }

    fn run_sync(&self) {
        let mut store = self.store();
        let instance = self.instance_pre.instantiate(&mut store).unwrap();
        let call = instance.get_func(&mut store, self.call).unwrap();
        let call = call.typed::<Parameters<'_>, Results>(&store).unwrap();
        black_box(call.call(&mut store, ("run", "{}")).unwrap().0.unwrap());
    }

    async fn run_async(&self) {
        let mut store = self.store();
        let instance = self
            .instance_pre
            .instantiate_async(&mut store)
            .await
            .unwrap();
        let call = instance.get_func(&mut store, self.call).unwrap();
        let call = call.typed::<Parameters<'_>, Results>(&store).unwrap();
        black_box(
            call.call_async(&mut store, ("run", "{}"))
                .await
                .unwrap()
                .0
                .unwrap(),
        );
    }
}

type Parameters<'a> = (&'a str, &'a str);
type Results = (Result<String, ToolError>,);

#[derive(wasmtime::component::ComponentType, wasmtime::component::Lift, Debug)]
#[component(record)]
#[allow(dead_code, reason = "the shape of the type matters, not its values")]
struct ToolError {
    code: String,
    message: String,
}

/// A guest on Ostler's runtime, on the benchmark's own thread.
struct Ostler {
    runtime: Runtime,
    loaded: Arc<Loaded>,
    context: InvocationContext,
}

impl Ostler {
    fn new(bytes: &[u8]) -> Self {
        let options = RuntimeOptions {
            cache: None,
            guest_threads: GuestThreads::Caller,
        };
        let runtime = Runtime::new(options).unwrap();
        let compiled = runtime.compile("benchmark", bytes).unwrap();
        let every = MemberSet::filtered(|_| true);
        let loaded = Arc::new(runtime.load(&compiled, every).unwrap());
        let context = InvocationContext {
            kind: InvocationKind::Tool,
            has_session: false,
            has_agent: false,
            depth: 0,
            members: every,
            limits: Limits::for_kind(InvocationKind::Tool),
            services: HostServices::alone(Arc::new(NoSettings)),
        };
        Self {
            runtime,
            loaded,
            context,
        }
    }

    async fn run(&self) {
        let call = ExportCall::CallTool {
            name: "run".to_owned(),
            arguments: "{}".to_owned(),
        };
        let invoked = self
            .runtime
            .invoke(&self.loaded, call, self.context.clone())
            .await;
        match black_box(invoked).outcome {
            Outcome::Returned(ExportResult::Answer(Ok(_))) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn invoke(criterion: &mut Criterion) {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let guests = BTreeMap::from([
        ("store+instantiate+call+drop", answers()),
        ("the same with 1000 host calls", calls_the_host()),
    ]);
    for (name, bytes) in guests {
        let mut group = criterion.benchmark_group(name);
        let best = Bare::new(&best_config(), &bytes);
        group.bench_function("bare-best", |bencher| bencher.iter(|| best.run_sync()));
        let same = Bare::new(&engine_config(), &bytes);
        group.bench_function("bare-same", |bencher| {
            bencher.iter(|| tokio.block_on(same.run_async()));
        });
        let ostler = Ostler::new(&bytes);
        group.bench_function("ostler", |bencher| {
            bencher.iter(|| tokio.block_on(ostler.run()));
        });
        group.finish();
    }
}

criterion_group!(benches, invoke);
criterion_main!(benches);
