//! The members that a running host serves: the grant that is narrowed meanwhile, the clock that
//! stands still, the number of the call.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use harness::{Guest, context, run};
use ostler_runtime::{
    Admitted, Answer, ChatInfo, EntryPage, ErrorCode, ExportResult, Grant, HostError, HostServices,
    InvocationContext, LimitHit, Limits, MemberSet, NewMessage, Outcome, PausableClock, Platform,
    PostedMessage, SessionInfo, Thread,
};
use ostler_tests::guest::tool;

/// A tool that calls `threads.create` twice, with the title that stands at 1024, and gives the
/// second error's code as a letter (`a` is the first case of the WIT enum), or `-` for a thread.
fn creates_two_threads() -> Vec<u8> {
    let imports = r#"(import "ostler:host/threads@0.1.0" "create"
        (func $create (param i32 i32 i32 i32 i32 i32 i32 i32)))"#;
    let create = "(call $create
        (i32.const 1024) (i32.const 3) (i32.const 1024) (i32.const 3)
        (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2048))";
    let body = format!(
        "{create} {create}
        (i32.store8 (i32.const 1072)
            (if (result i32) (i32.load8_u (i32.const 2048))
                (then (i32.add (i32.const 97) (i32.load8_u (i32.const 2052))))
                (else (i32.const 45))))
        (i32.const 64)"
    );
    tool(imports, &body, "")
}

/// A host that opens threads, and does something meanwhile.
#[derive(Default)]
struct Host {
    clock: Arc<PausableClock>,
    narrows: Option<Arc<Grant>>,
    asks_for: Duration,
    works_for: Duration,
    ordinals: Mutex<Vec<u32>>,
}

fn unexpected<T: Send + 'static>() -> Answer<'static, T> {
    let error = HostError {
        code: ErrorCode::Internal,
        message: "not called by these guests".to_owned(),
        permission: None,
    };
    Box::pin(std::future::ready(Err(error)))
}

impl Platform for Host {
    fn clock(&self) -> &Arc<PausableClock> {
        &self.clock
    }

    fn create_thread<'a>(
        &'a self,
        channel: &'a str,
        title: &'a str,
        _message: Option<&'a str>,
        ordinal: u32,
    ) -> Answer<'a, Thread> {
        Box::pin(async move {
            self.ordinals.lock().unwrap().push(ordinal);
            self.clock.during(tokio::time::sleep(self.asks_for)).await;
            tokio::time::sleep(self.works_for).await;
            if let Some(grant) = &self.narrows {
                grant.narrow(MemberSet::EMPTY);
            }
            Ok(Thread {
                id: "1".to_owned(),
                channel: channel.to_owned(),
                title: title.to_owned(),
            })
        })
    }

    fn start<'a>(
        &'a self,
        _thread: &'a str,
        _text: &'a str,
        _request: Option<&'a str>,
        _ordinal: u32,
    ) -> Answer<'a, Admitted> {
        unexpected()
    }

    fn inject<'a>(
        &'a self,
        _session: &'a str,
        _text: &'a str,
        _request: Option<&'a str>,
        _ordinal: u32,
    ) -> Answer<'a, Admitted> {
        unexpected()
    }

    fn session(&self) -> Answer<'_, SessionInfo> {
        unexpected()
    }

    fn chat(&self) -> Answer<'_, ChatInfo> {
        unexpected()
    }

    fn conversation<'a>(
        &'a self,
        _session: Option<&'a str>,
        _limit: Option<u32>,
        _cursor: Option<&'a str>,
    ) -> Answer<'a, EntryPage> {
        unexpected()
    }

    fn post(&self, _message: NewMessage, _ordinal: u32) -> Answer<'_, PostedMessage> {
        unexpected()
    }
}

fn served_by(host: &Arc<Host>) -> InvocationContext {
    let platform: Arc<dyn Platform> = Arc::<Host>::clone(host);
    let base = context();
    InvocationContext {
        services: HostServices {
            platform: Some(platform),
            grant: host.narrows.clone(),
            ..base.services.clone()
        },
        ..base
    }
}

async fn answer(guest: &Guest, context: InvocationContext) -> String {
    match guest.invoke(run(), context).await.outcome {
        Outcome::Returned(ExportResult::Answer(Ok(answer))) => answer,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_call_has_its_number() {
    let guest = Guest::new(&creates_two_threads());
    let host = Arc::new(Host::default());
    assert_eq!(answer(&guest, served_by(&host)).await, "-one");
    assert_eq!(*host.ordinals.lock().unwrap(), [1, 2]);
}

#[tokio::test]
async fn what_is_taken_away_during_a_call_is_forbidden_in_the_next_one() {
    let guest = Guest::new(&creates_two_threads());
    let host = Arc::new(Host {
        narrows: Some(Arc::new(Grant::new(MemberSet::filtered(|_| true)))),
        ..Host::default()
    });
    assert_eq!(answer(&guest, served_by(&host)).await, "bone");
    assert_eq!(*host.ordinals.lock().unwrap(), [1]);
    // And from the first call of another invocation.
    assert_eq!(answer(&guest, served_by(&host)).await, "bone");
    assert_eq!(*host.ordinals.lock().unwrap(), [1]);
}

#[tokio::test]
async fn waiting_for_a_person_is_no_running_time_and_work_is() {
    let guest = Guest::new(&creates_two_threads());
    let limits = Limits {
        wall_clock: Duration::from_millis(300),
        ..context().limits
    };
    let asks = Arc::new(Host {
        asks_for: Duration::from_millis(400),
        ..Host::default()
    });
    let began = Instant::now();
    let short = InvocationContext {
        limits,
        ..served_by(&asks)
    };
    assert_eq!(answer(&guest, short).await, "-one");
    assert!(began.elapsed() >= Duration::from_millis(800));

    let works = Arc::new(Host {
        works_for: Duration::from_millis(400),
        ..Host::default()
    });
    let short = InvocationContext {
        limits,
        ..served_by(&works)
    };
    let outcome = guest.invoke(run(), short).await.outcome;
    assert!(
        matches!(outcome, Outcome::Limit(LimitHit::WallClock { .. })),
        "{outcome:?}"
    );
}
