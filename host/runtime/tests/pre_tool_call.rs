//! What a plugin's rule says of a tool call, and every way in which it fails to.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

use std::time::Duration;

use harness::{Guest, context};
use ostler_runtime::{
    AskRequest, CallVerdict, ChatKind, ExportCall, ExportResult, InvocationContext, InvocationKind,
    LimitHit, Limits, OriginKind, Outcome, PendingCall, SessionInfo, TurnContext,
};
use ostler_tests::guest::{DONE, RuleVerdict, rule, tool};

/// A call with every field set.
fn pending(tool: &str, arguments: &str) -> PendingCall {
    let text = |text: &str| Some(text.to_owned());
    PendingCall {
        context: TurnContext {
            session: Some(SessionInfo {
                key: "discord:1".to_owned(),
                profile: "main".to_owned(),
                agent: "main".to_owned(),
                platform: "discord".to_owned(),
                kind: ChatKind::Thread,
                chat: text("2"),
                thread: text("2"),
                participant: text("3"),
                title: text("Lunch"),
                has_operator: true,
                created_at: u64::MAX,
                active_at: 5,
            }),
            row_id: text("row"),
            agent: text("main"),
            origin: OriginKind::Person,
            depth: 1,
        },
        id: "call-1".to_owned(),
        tool: tool.to_owned(),
        family: "shell".to_owned(),
        args_json: arguments.to_owned(),
    }
}

/// A hook's circumstances.
fn hook() -> InvocationContext {
    InvocationContext {
        kind: InvocationKind::Middleware,
        limits: Limits::for_kind(InvocationKind::Middleware),
        ..context()
    }
}

/// What comes of a rule for `shell` when `shell` is called.
async fn judged(verdict: RuleVerdict<'_>, context: InvocationContext) -> Outcome {
    let guest = Guest::new(&rule("shell", verdict));
    let call = ExportCall::PreToolCall(Box::new(pending("shell", r#"{"command":"ls"}"#)));
    guest.invoke(call, context).await.outcome
}

async fn said(verdict: RuleVerdict<'_>) -> Result<CallVerdict, String> {
    match judged(verdict, hook()).await {
        Outcome::Returned(ExportResult::CallVerdict(said)) => said,
        other => panic!("{verdict:?}: {other:?}"),
    }
}

#[tokio::test]
async fn every_verdict_comes_through() {
    assert_eq!(said(RuleVerdict::Allow).await, Ok(CallVerdict::Allow));
    assert_eq!(
        said(RuleVerdict::Block("Not on a Friday.")).await,
        Ok(CallVerdict::Block("Not on a Friday.".to_owned()))
    );
    for review in [false, true] {
        let asks = RuleVerdict::Ask {
            message: "Köln?",
            rule: "no-shell",
            review,
        };
        let expected = AskRequest {
            message: "Köln?".to_owned(),
            rule_key: "no-shell".to_owned(),
            review,
        };
        assert_eq!(said(asks).await, Ok(CallVerdict::Ask(expected)));
    }
    assert_eq!(
        said(RuleVerdict::Change(r#"{"command":"ls -l"}"#)).await,
        Ok(CallVerdict::Change(r#"{"command":"ls -l"}"#.to_owned()))
    );
    assert_eq!(
        said(RuleVerdict::Error("no rules today")).await,
        Err("no rules today".to_owned())
    );
}

#[tokio::test]
async fn a_rule_sees_the_tool_and_its_arguments() {
    assert_eq!(
        said(RuleVerdict::BlockWithArguments).await,
        Ok(CallVerdict::Block(r#"{"command":"ls"}"#.to_owned()))
    );
    let guest = Guest::new(&rule("shell", RuleVerdict::Block("no")));
    for other in ["shel", "shelf", "shell_", ""] {
        let call = ExportCall::PreToolCall(Box::new(pending(other, "{}")));
        let outcome = guest.invoke(call, hook()).await.outcome;
        assert!(
            matches!(
                outcome,
                Outcome::Returned(ExportResult::CallVerdict(Ok(CallVerdict::Allow)))
            ),
            "{other}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn a_verdict_at_its_bounds_is_one() {
    let (reason, question, error) = ("ä".repeat(1_000), "ä".repeat(500), "ä".repeat(500));
    let key = format!("a{}", "0".repeat(63));
    let arguments = format!(r#"{{"a":"{}"}}"#, "x".repeat(262_144 - 8));
    assert_eq!(
        said(RuleVerdict::Block(&reason)).await,
        Ok(CallVerdict::Block(reason.clone()))
    );
    let asks = RuleVerdict::Ask {
        message: &question,
        rule: &key,
        review: true,
    };
    assert!(matches!(said(asks).await, Ok(CallVerdict::Ask(_))));
    assert_eq!(
        said(RuleVerdict::Change(&arguments)).await,
        Ok(CallVerdict::Change(arguments.clone()))
    );
    assert_eq!(said(RuleVerdict::Error(&error)).await, Err(error.clone()));
}

#[tokio::test]
async fn a_verdict_beyond_its_bounds_is_bad_output() {
    let (reason, question, error) = ("ä".repeat(1_001), "ä".repeat(501), "ä".repeat(501));
    let key = format!("a{}", "0".repeat(64));
    let arguments = format!(r#"{{"a":"{}"}}"#, "x".repeat(262_145 - 8));
    let ask = |message, rule| RuleVerdict::Ask {
        message,
        rule,
        review: false,
    };
    for (verdict, part) in [
        (RuleVerdict::Block(""), "reason to block of 0 characters"),
        (
            RuleVerdict::Block(&reason),
            "reason to block of 1001 characters; it has 1 to 1000",
        ),
        (ask("", "rule"), "question of 0 characters"),
        (
            ask(&question, "rule"),
            "question of 501 characters; it has 1 to 500",
        ),
        (ask("Really?", ""), "[a-z][a-z0-9-]{0,63}"),
        (ask("Really?", "No_Deletes"), "[a-z][a-z0-9-]{0,63}"),
        (ask("Really?", &key), "[a-z][a-z0-9-]{0,63}"),
        (
            RuleVerdict::Change(&arguments),
            "262145 bytes; they have at most 262144",
        ),
        (RuleVerdict::Change(""), "no JSON object"),
        (RuleVerdict::Change("[]"), "no JSON object"),
        (RuleVerdict::Change("{} rm"), "no JSON object"),
        (RuleVerdict::Error(&error), "error of 501 characters"),
    ] {
        let outcome = judged(verdict, hook()).await;
        let Outcome::BadOutput(what) = outcome else {
            panic!("{part}: {outcome:?}")
        };
        assert!(what.contains(part), "{what}");
    }
}

#[tokio::test]
async fn a_verdict_beyond_the_payload_limit_crosses_it() {
    let narrow = |payload_bytes| InvocationContext {
        limits: Limits {
            payload_bytes,
            ..hook().limits
        },
        ..hook()
    };
    let asks = RuleVerdict::Ask {
        message: "Really?",
        rule: "rule",
        review: false,
    };
    for (verdict, bytes) in [
        (RuleVerdict::Block("0123456789"), 10),
        (RuleVerdict::Change(r#"{"a":"b"}"#), 9),
        (RuleVerdict::Error("0123456789"), 10),
        (asks, 11),
    ] {
        let fits = judged(verdict, narrow(bytes)).await;
        assert!(
            matches!(fits, Outcome::Returned(_)),
            "{verdict:?}: {fits:?}"
        );
        let outcome = judged(verdict, narrow(bytes - 1)).await;
        assert!(
            matches!(outcome, Outcome::Limit(LimitHit::PayloadBytes { limit }) if limit == bytes - 1),
            "{verdict:?}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn a_rule_that_traps_says_where() {
    let Outcome::Trap(trap) = judged(RuleVerdict::Trap, hook()).await else {
        panic!("no trap")
    };
    assert_eq!(trap.backtrace, ["breaks", "handle"]);
}

#[tokio::test]
async fn a_rule_has_5_seconds_and_one_that_spins_is_stopped() {
    assert_eq!(hook().limits.wall_clock, Duration::from_secs(5));
    let limits = Limits {
        wall_clock: Duration::from_millis(100),
        ..hook().limits
    };
    let short = InvocationContext { limits, ..hook() };
    let outcome = judged(RuleVerdict::Spin, short).await;
    assert!(
        matches!(outcome, Outcome::Limit(LimitHit::WallClock { limit }) if limit == limits.wall_clock),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_plugin_without_the_hook_is_the_hosts_error() {
    let guest = Guest::new(&tool("", DONE, ""));
    let call = ExportCall::PreToolCall(Box::new(pending("shell", "{}")));
    let outcome = guest.invoke(call, hook()).await.outcome;
    let Outcome::HostError(fault) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        fault.to_string(),
        "the component does not export `hook-pre-tool-call`"
    );
}
