//! Every way in which an invocation ends, each with the smallest guest that ends so.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

use std::time::{Duration, Instant};

use harness::{Guest, context};
use ostler_runtime::{
    ExportCall, ExportResult, InvocationContext, LimitHit, Limits, LogLevel, MemberSet, Outcome,
    RuntimeError,
};
use ostler_tests::guest::{DONE, component, tool};

const LOG: &str = r#"(import "ostler:host/log@0.1.0" "info" (func $info (param i32 i32)))"#;

/// Limits that a test can wait for.
fn short() -> InvocationContext {
    let limits = Limits {
        wall_clock: Duration::from_millis(2_000),
        cpu: Duration::from_millis(100),
        ..context().limits
    };
    InvocationContext {
        limits,
        ..context()
    }
}

#[tokio::test]
async fn an_answer_is_returned() {
    let guest = Guest::new(&tool("", DONE, ""));
    let invoked = guest.call().await;
    let Outcome::Returned(ExportResult::Answer(Ok(answer))) = invoked.outcome else {
        panic!("{:?}", invoked.outcome);
    };
    assert_eq!(answer, "done");
    assert_eq!(invoked.usage.host_calls, 0);
    assert_eq!(invoked.usage.memory_bytes, 65_536);
}

#[tokio::test]
async fn the_list_of_tools_is_returned() {
    let guest = Guest::new(&tool("", DONE, ""));
    let Outcome::Returned(ExportResult::Tools(tools)) =
        guest.invoke(ExportCall::ListTools, context()).await.outcome
    else {
        panic!("no list");
    };
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].name, "run");
    assert_eq!(tools[0].description, "Runs");
    assert_eq!(tools[0].input_schema, "{}");
}

#[tokio::test]
async fn a_trap_has_the_names_of_the_guests_functions() {
    let guest = Guest::new(&tool(
        "",
        "(call $deeper)",
        "(func $deeper (result i32) unreachable)",
    ));
    let Outcome::Trap(trap) = guest.call().await.outcome else {
        panic!("no trap")
    };
    assert_eq!(
        trap.message,
        "wasm trap: wasm `unreachable` instruction executed"
    );
    assert_eq!(trap.backtrace, ["deeper", "call"]);
}

#[tokio::test]
async fn endless_recursion_is_a_trap() {
    let guest = Guest::new(&tool(
        "",
        "(call $again)",
        "(func $again (result i32) (call $again))",
    ));
    let Outcome::Trap(trap) = guest.call().await.outcome else {
        panic!("no trap")
    };
    assert_eq!(trap.message, "wasm trap: call stack exhausted");
}

#[tokio::test]
async fn a_guest_that_spins_crosses_the_cpu_limit() {
    let guest = Guest::new(&tool("", "(loop $on (br $on)) unreachable", ""));
    let invoked = guest.invoke(harness::run(), short()).await;
    let Outcome::Limit(LimitHit::Cpu { limit }) = invoked.outcome else {
        panic!("{:?}", invoked.outcome);
    };
    assert_eq!(limit, Duration::from_millis(100));
    assert!(invoked.usage.wall_clock < Duration::from_secs(2));
}

#[tokio::test]
async fn a_start_function_that_spins_crosses_the_cpu_limit() {
    let rest = "(func $spin (loop $on (br $on))) (start $spin)";
    let guest = Guest::new(&tool("", DONE, rest));
    let outcome = guest.invoke(harness::run(), short()).await.outcome;
    assert!(
        matches!(outcome, Outcome::Limit(LimitHit::Cpu { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_guest_that_waits_on_the_host_crosses_the_wall_clock() {
    let imports = r#"(import "ostler:host/settings@0.1.0" "get" (func $get (param i32 i32 i32)))"#;
    let body = "(call $get (i32.const 1024) (i32.const 3) (i32.const 2048)) (i32.const 64)";
    let guest = Guest::new(&tool(imports, body, ""));
    let limits = Limits {
        wall_clock: Duration::from_millis(100),
        ..context().limits
    };
    let waiting = InvocationContext {
        limits,
        services: harness::never_answers(),
        ..context()
    };
    let started = Instant::now();
    let outcome = guest.invoke(harness::run(), waiting).await.outcome;
    assert!(
        matches!(outcome, Outcome::Limit(LimitHit::WallClock { .. })),
        "{outcome:?}"
    );
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn memory_is_bounded_in_sum_over_all_memories() {
    // Each memory stays far below the limit; together they cross it.
    let memories: String = (0..3).map(|n| format!("(memory $m{n} 400) ")).collect();
    let guest = Guest::new(&tool("", DONE, &memories));
    let outcome = guest.call().await.outcome;
    let Outcome::Limit(LimitHit::Memory { limit }) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(limit, 64 << 20);
}

#[tokio::test]
async fn more_core_instances_than_the_limit_are_refused_by_its_name() {
    let instances: String = (0..51)
        .map(|_| "(core instance (instantiate $m)) ")
        .collect();
    let bytes = wat::parse_str(format!("(component (core module $m) {instances})")).unwrap();
    let outcome = Guest::new(&bytes).call().await.outcome;
    assert!(
        matches!(outcome, Outcome::Limit(LimitHit::Instances { limit: 50 })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn growing_memory_without_end_crosses_the_memory_limit() {
    let body = "(loop $on (drop (memory.grow (i32.const 16))) (br $on)) unreachable";
    let outcome = Guest::new(&tool("", body, "")).call().await.outcome;
    assert!(
        matches!(outcome, Outcome::Limit(LimitHit::Memory { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn growing_a_table_without_end_crosses_the_table_limit() {
    let body = "(loop $on (drop (table.grow $t (ref.null func) (i32.const 999))) (br $on)) \
                unreachable";
    let outcome = Guest::new(&tool("", body, "(table $t 1 funcref)"))
        .call()
        .await
        .outcome;
    assert!(
        matches!(outcome, Outcome::Limit(LimitHit::TableElements { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_flood_of_host_calls_crosses_their_limit() {
    let body = "(loop $on (call $info (i32.const 1024) (i32.const 0)) (br $on)) unreachable";
    let guest = Guest::new(&tool(LOG, body, ""));
    let limits = Limits {
        log_bytes: usize::MAX,
        ..context().limits
    };
    let invoked = guest
        .invoke(
            harness::run(),
            InvocationContext {
                limits,
                ..context()
            },
        )
        .await;
    let Outcome::Limit(LimitHit::HostCalls { limit: 10_000 }) = invoked.outcome else {
        panic!("{:?}", invoked.outcome);
    };
}

#[tokio::test]
async fn a_flood_of_log_crosses_its_limit_and_keeps_what_came_before() {
    let body = "(loop $on (call $info (i32.const 1024) (i32.const 1000)) (br $on)) unreachable";
    let invoked = Guest::new(&tool(LOG, body, "")).call().await;
    assert!(matches!(
        invoked.outcome,
        Outcome::Limit(LimitHit::LogBytes { .. })
    ));
    let bytes: usize = invoked.log.iter().map(|line| line.message.len()).sum();
    assert!((200 << 10..256 << 10).contains(&bytes), "{bytes}");
}

#[tokio::test]
async fn a_string_of_gigabytes_handed_to_the_host_allocates_nothing() {
    // The guest's own memory is too small to hold what it claims.
    let body = "(call $info (i32.const 0) (i32.const 0x7fffffff)) (i32.const 64)";
    let outcome = Guest::new(&tool(LOG, body, "")).call().await.outcome;
    let Outcome::BadOutput(what) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(what.contains("out of bounds"), "{what}");
}

#[tokio::test]
async fn a_string_of_megabytes_handed_to_the_host_crosses_the_limit_of_one_call() {
    let body = "
        (drop (memory.grow (i32.const 320)))
        (call $info (i32.const 0) (i32.const 0x1000001))
        (i32.const 64)";
    let outcome = Guest::new(&tool(LOG, body, "")).call().await.outcome;
    assert!(
        matches!(
            outcome,
            Outcome::Limit(LimitHit::HostCallBytes { limit: 16_777_216 })
        ),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn an_answer_beyond_the_payload_limit_is_refused() {
    let body = "
        (drop (memory.grow (i32.const 80)))
        (i32.store (i32.const 2048) (i32.const 0))
        (i32.store (i32.const 2052) (i32.const 65536))
        (i32.store (i32.const 2056) (i32.const 4194305))
        (i32.const 2048)";
    let outcome = Guest::new(&tool("", body, "")).call().await.outcome;
    assert!(
        matches!(
            outcome,
            Outcome::Limit(LimitHit::PayloadBytes { limit: 4_194_304 })
        ),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn values_that_are_not_of_their_type_are_bad_output() {
    let answer = |discriminant: u32, place: u32, length: u32| {
        format!(
            "(i32.store (i32.const 2048) (i32.const {discriminant}))
             (i32.store (i32.const 2052) (i32.const {place}))
             (i32.store (i32.const 2056) (i32.const {length}))
             (i32.store8 (i32.const 3000) (i32.const 255))
             (i32.const 2048)"
        )
    };
    for (body, part) in [
        (answer(7, 1072, 4), "discriminant"),
        (answer(0, 3000, 1), "utf-8"),
        (answer(0, 65_530, 100), "out of bounds"),
        ("(i32.const 65535)".to_owned(), "not aligned"),
        ("(i32.const 0x7ffffffc)".to_owned(), "out of bounds"),
    ] {
        let outcome = Guest::new(&tool("", &body, "")).call().await.outcome;
        let Outcome::BadOutput(what) = outcome else {
            panic!("{body}: {outcome:?}")
        };
        assert!(what.contains(part), "{body}: {what}");
    }
}

#[tokio::test]
async fn an_export_that_is_not_there_is_the_hosts_error() {
    let guest = Guest::new(&component("imports", "(module)"));
    let outcome = guest.call().await.outcome;
    let Outcome::HostError(fault) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(fault.to_string(), "the component does not export `tools`");
}

#[tokio::test]
async fn log_lines_come_back_with_their_level() {
    let body = "(call $info (i32.const 1072) (i32.const 4)) (i32.const 64)";
    let invoked = Guest::new(&tool(LOG, body, "")).call().await;
    assert_eq!(invoked.log.len(), 1);
    assert_eq!(invoked.log[0].level, LogLevel::Info);
    assert_eq!(invoked.log[0].message, "done");
    assert_eq!(invoked.usage.host_calls, 1);
}

#[tokio::test]
async fn nothing_survives_in_guest_memory() {
    // The tool answers with the first letter of a counter that it also raises.
    let body = "
        (i32.store8 (i32.const 1072) (i32.add (i32.load8_u (i32.const 1072)) (i32.const 1)))
        (i32.const 64)";
    let guest = Guest::new(&tool("", body, ""));
    for _ in 0..3 {
        let Outcome::Returned(ExportResult::Answer(Ok(answer))) = guest.call().await.outcome else {
            panic!("no answer");
        };
        assert_eq!(answer, "eone");
    }
}

#[tokio::test]
async fn an_import_that_was_not_granted_does_not_load() {
    let imports = r#"(import "ostler:host/threads@0.1.0" "create"
        (func $create (param i32 i32 i32 i32 i32 i32 i32 i32)))"#;
    let body = "
        (call $create
            (i32.const 1024) (i32.const 3) (i32.const 1024) (i32.const 3)
            (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2048))
        (i32.const 64)";
    let bytes = tool(imports, body, "");
    let nothing = MemberSet::granted(&std::collections::BTreeSet::new());
    let Err(error) = Guest::load(&bytes, nothing) else {
        panic!("it loads")
    };
    assert!(matches!(error, RuntimeError::NotGranted { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "component wants threads.create, which this install was not granted"
    );
    assert!(Guest::load(&bytes, MemberSet::filtered(|_| true)).is_ok());
}

#[tokio::test]
async fn an_import_of_another_type_does_not_load() {
    // `origin.start` with a parameter too few.
    let bytes = wat::parse_str(
        r#"(component (import "ostler:host/origin@0.1.0" (instance
            (export "start" (func (param "thread" string))))))"#,
    )
    .unwrap();
    let Err(error) = Guest::load(&bytes, MemberSet::filtered(|_| true)) else {
        panic!("it loads");
    };
    assert_eq!(error.code(), "signature-mismatch", "{error}");
}
