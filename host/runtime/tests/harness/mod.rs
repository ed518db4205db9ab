//! A runtime with one loaded guest.

#![allow(dead_code, reason = "each test file uses some of these")]

use std::path::Path;
use std::sync::Arc;

use ostler_runtime::{
    Compiled, ExportCall, GuestThreads, HostServices, InvocationContext, InvocationKind, Invoked,
    Limits, Loaded, MemberSet, Runtime, RuntimeError, RuntimeOptions, ServiceFuture, Settings,
    SettingsError, SettingsPage,
};

/// A runtime and a guest that it loaded.
pub(crate) struct Guest {
    pub(crate) runtime: Runtime,
    pub(crate) loaded: Arc<Loaded>,
}

impl Guest {
    /// Loads a component with every member granted.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self::load(bytes, MemberSet::filtered(|_| true)).unwrap()
    }

    /// Loads a component with some members granted.
    pub(crate) fn load(bytes: &[u8], granted: MemberSet) -> Result<Self, RuntimeError> {
        let runtime = runtime(None, GuestThreads::Caller);
        let compiled = compile(&runtime, bytes);
        let loaded = Arc::new(runtime.load(&compiled, granted)?);
        Ok(Self { runtime, loaded })
    }

    /// Calls the tool `run`.
    pub(crate) async fn call(&self) -> Invoked {
        self.invoke(run(), context()).await
    }

    /// Calls an export.
    pub(crate) async fn invoke(&self, call: ExportCall, context: InvocationContext) -> Invoked {
        self.runtime.invoke(&self.loaded, call, context).await
    }
}

/// A runtime.
pub(crate) fn runtime(cache: Option<&Path>, guest_threads: GuestThreads) -> Runtime {
    Runtime::new(RuntimeOptions {
        cache,
        guest_threads,
    })
    .unwrap()
}

/// A compiled component, under a digest that stands for its bytes in the cache.
pub(crate) fn compile(runtime: &Runtime, bytes: &[u8]) -> Compiled {
    let digest = ostler_scanner::scan_component(bytes).digest;
    runtime
        .compile(digest.strip_prefix("sha256:").unwrap(), bytes)
        .unwrap()
}

/// A call of the tool `run`.
pub(crate) fn run() -> ExportCall {
    ExportCall::CallTool {
        name: "run".to_owned(),
        arguments: "{}".to_owned(),
    }
}

/// A tool's invocation with every member granted, without session and agent.
pub(crate) fn context() -> InvocationContext {
    InvocationContext {
        kind: InvocationKind::Tool,
        has_session: false,
        has_agent: false,
        depth: 0,
        members: MemberSet::filtered(|_| true),
        limits: Limits::for_kind(InvocationKind::Tool),
        services: HostServices::alone(Arc::new(Memory::default())),
    }
}

/// Services that never answer.
pub(crate) fn never_answers() -> HostServices {
    HostServices::alone(Arc::new(Never))
}

/// Settings in memory.
#[derive(Default)]
pub(crate) struct Memory(std::sync::Mutex<std::collections::BTreeMap<String, String>>);

impl Settings for Memory {
    fn get<'a>(&'a self, key: &'a str) -> ServiceFuture<'a, Result<Option<String>, SettingsError>> {
        Box::pin(async { Ok(self.0.lock().unwrap().get(key).cloned()) })
    }

    fn set<'a>(
        &'a self,
        key: &'a str,
        value: &'a str,
    ) -> ServiceFuture<'a, Result<(), SettingsError>> {
        Box::pin(async {
            self.0
                .lock()
                .unwrap()
                .insert(key.to_owned(), value.to_owned());
            Ok(())
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> ServiceFuture<'a, Result<bool, SettingsError>> {
        Box::pin(async { Ok(self.0.lock().unwrap().remove(key).is_some()) })
    }

    fn list<'a>(
        &'a self,
        prefix: &'a str,
        _cursor: Option<&'a str>,
        _limit: u32,
    ) -> ServiceFuture<'a, Result<SettingsPage, SettingsError>> {
        Box::pin(async move {
            let all = self.0.lock().unwrap();
            Ok(SettingsPage {
                keys: all
                    .keys()
                    .filter(|key| key.starts_with(prefix))
                    .cloned()
                    .collect(),
                next_cursor: None,
            })
        })
    }
}

/// Settings that keep everyone waiting.
struct Never;

impl Settings for Never {
    fn get<'a>(&'a self, _: &'a str) -> ServiceFuture<'a, Result<Option<String>, SettingsError>> {
        Box::pin(std::future::pending())
    }

    fn set<'a>(&'a self, _: &'a str, _: &'a str) -> ServiceFuture<'a, Result<(), SettingsError>> {
        Box::pin(std::future::pending())
    }

    fn delete<'a>(&'a self, _: &'a str) -> ServiceFuture<'a, Result<bool, SettingsError>> {
        Box::pin(std::future::pending())
    }

    fn list<'a>(
        &'a self,
        _: &'a str,
        _: Option<&'a str>,
        _: u32,
    ) -> ServiceFuture<'a, Result<SettingsPage, SettingsError>> {
        Box::pin(std::future::pending())
    }
}
