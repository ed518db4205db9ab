//! One guest's trouble is nobody else's.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

use std::sync::Arc;
use std::time::Duration;

use harness::{compile, context, run, runtime};
use ostler_runtime::{
    ExportResult, GuestThreads, InvocationContext, LimitHit, Limits, MemberSet, Outcome,
};
use ostler_tests::guest::tool;

/// A tool that spins if its arguments are empty (`{}`), and answers otherwise.
fn spins_or_answers() -> Vec<u8> {
    let body = "
        (if (i32.eq (local.get $args_len) (i32.const 2)) (then (loop $on (br $on))))
        (i32.const 64)";
    tool("", body, "")
}

fn answering() -> ostler_runtime::ExportCall {
    ostler_runtime::ExportCall::CallTool {
        name: "run".to_owned(),
        arguments: "{\"a\":1}".to_owned(),
    }
}

fn with_cpu(cpu: Duration) -> InvocationContext {
    InvocationContext {
        limits: Limits {
            cpu,
            ..context().limits
        },
        ..context()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_guests_that_spin_on_two_threads_keep_nobody_waiting() {
    let runtime = Arc::new(runtime(None, GuestThreads::Own(2)));
    let compiled = compile(&runtime, &spins_or_answers());
    let plugin = Arc::new(
        runtime
            .load(&compiled, MemberSet::filtered(|_| true))
            .unwrap(),
    );
    let spinning: Vec<_> = (0..2)
        .map(|_| {
            let (runtime, plugin) = (Arc::clone(&runtime), Arc::clone(&plugin));
            tokio::spawn(async move {
                runtime
                    .invoke(&plugin, run(), with_cpu(Duration::from_secs(20)))
                    .await
            })
        })
        .collect();
    for _ in 0..20 {
        let answer = runtime.invoke(&plugin, answering(), context());
        let invoked = tokio::time::timeout(Duration::from_secs(5), answer)
            .await
            .unwrap();
        assert!(
            matches!(
                invoked.outcome,
                Outcome::Returned(ExportResult::Answer(Ok(_)))
            ),
            "{:?}",
            invoked.outcome
        );
    }
    for task in &spinning {
        assert!(!task.is_finished());
        task.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_neighbours_limit_ends_the_neighbour_alone() {
    let runtime = Arc::new(runtime(None, GuestThreads::Own(2)));
    let compiled = compile(&runtime, &spins_or_answers());
    let plugin = Arc::new(
        runtime
            .load(&compiled, MemberSet::filtered(|_| true))
            .unwrap(),
    );
    for _ in 0..10 {
        let (short, long) = tokio::join!(
            runtime.invoke(&plugin, run(), with_cpu(Duration::from_millis(20))),
            runtime.invoke(&plugin, run(), with_cpu(Duration::from_millis(80))),
        );
        let limit = |outcome: &Outcome| match outcome {
            Outcome::Limit(LimitHit::Cpu { limit }) => *limit,
            other => panic!("{other:?}"),
        };
        assert_eq!(limit(&short.outcome), Duration::from_millis(20));
        assert_eq!(limit(&long.outcome), Duration::from_millis(80));
        let next = runtime.invoke(&plugin, answering(), context()).await;
        assert!(
            matches!(next.outcome, Outcome::Returned(_)),
            "{:?}",
            next.outcome
        );
    }
}

#[tokio::test]
async fn a_call_whose_caller_went_away_ends() {
    let runtime = runtime(None, GuestThreads::Own(1));
    let compiled = compile(&runtime, &spins_or_answers());
    let plugin = Arc::new(
        runtime
            .load(&compiled, MemberSet::filtered(|_| true))
            .unwrap(),
    );
    let spinning = runtime.invoke(&plugin, run(), with_cpu(Duration::from_secs(25)));
    assert!(
        tokio::time::timeout(Duration::from_millis(50), spinning)
            .await
            .is_err()
    );
    // With one guest thread, an answer in time shows that the thread is free again.
    let next = runtime.invoke(&plugin, answering(), context());
    let next = tokio::time::timeout(Duration::from_secs(5), next)
        .await
        .unwrap();
    assert!(
        matches!(next.outcome, Outcome::Returned(_)),
        "{:?}",
        next.outcome
    );
}

#[tokio::test]
async fn a_guest_after_a_trap_starts_afresh() {
    let body = "
        (if (i32.eq (local.get $args_len) (i32.const 2)) (then unreachable))
        (i32.const 64)";
    let guest = harness::Guest::new(&tool("", body, ""));
    for _ in 0..100 {
        assert!(matches!(guest.call().await.outcome, Outcome::Trap(_)));
        let good = guest.invoke(answering(), context()).await.outcome;
        assert!(matches!(good, Outcome::Returned(_)), "{good:?}");
    }
}
