//! Rules before tool calls: published, accepted, asked.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod home;

use std::collections::BTreeSet;
use std::time::Duration;

use home::{TestHome, name, pending, profile};
use ostler_registry::{HookOutcome, PRE_TOOL_CALL, RegistryError};
use ostler_runtime::{
    AskRequest, CallVerdict, ChatKind, InvocationKind, Limits, SessionInfo, TurnContext,
};
use ostler_tests::guest::{DONE, RuleVerdict, package_with_rule, rule, tool};

const FAILS_CLOSED: &str = "fail_closed = [\"pre-tool-call\"]";

/// Installs a rule for the tool `shell`. `more` stands in its manifest.
async fn install(home: &TestHome, package: &str, verdict: RuleVerdict<'_>, more: &str) {
    let component = rule("shell", verdict);
    let folder = package_with_rule(home.outside(), package, "0.1.0", &component, more);
    home.install(&folder).await;
}

/// What a rule for `shell` says when `shell` is called.
async fn asked(verdict: RuleVerdict<'_>) -> HookOutcome {
    let home = TestHome::new();
    install(&home, "rules", verdict, "").await;
    let rules = home.load("rules").unwrap();
    rules.pre_tool_call(pending("shell")).await
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn every_verdict_of_an_installed_rule_comes_through() {
    let asks = RuleVerdict::Ask {
        message: "Really?",
        rule: "no-shell",
        review: true,
    };
    let question = AskRequest {
        message: "Really?".to_owned(),
        rule_key: "no-shell".to_owned(),
        review: true,
    };
    for (verdict, expected) in [
        (RuleVerdict::Allow, CallVerdict::Allow),
        (
            RuleVerdict::Block("Not today."),
            CallVerdict::Block("Not today.".to_owned()),
        ),
        (asks, CallVerdict::Ask(question)),
        (
            RuleVerdict::Change("{\"command\":\"true\"}"),
            CallVerdict::Change("{\"command\":\"true\"}".to_owned()),
        ),
        (
            RuleVerdict::BlockWithArguments,
            CallVerdict::Block("{\"command\":\"ls\"}".to_owned()),
        ),
    ] {
        assert_eq!(
            asked(verdict).await,
            HookOutcome::Verdict(expected),
            "{verdict:?}"
        );
    }
}

#[tokio::test]
async fn a_rule_that_gives_no_verdict_says_why_in_one_line() {
    for (verdict, expected) in [
        (
            RuleVerdict::Error("no rules\ntoday"),
            "error: no rules today",
        ),
        (
            RuleVerdict::Trap,
            "trap: wasm trap: wasm `unreachable` instruction executed \
             (in breaks, called by handle)",
        ),
        (
            RuleVerdict::Block(""),
            "bad-output: `hook-pre-tool-call` gave a reason to block of 0 characters; it has 1 \
             to 1000",
        ),
    ] {
        assert_eq!(
            asked(verdict).await,
            HookOutcome::Failed(expected.to_owned()),
            "{verdict:?}"
        );
    }
}

#[tokio::test]
async fn a_rule_that_spins_fails_in_time_and_the_next_call_works_at_once() {
    let home = TestHome::new();
    install(&home, "rules", RuleVerdict::Spin, "").await;
    let rules = home.load("rules").unwrap();
    let call = pending("shell");
    let mut context = rules.hook_context(&call.context);
    context.limits = Limits {
        wall_clock: Duration::from_millis(100),
        ..context.limits
    };
    assert_eq!(
        rules.pre_tool_call_in(call, context).await,
        HookOutcome::Failed("limit: wall_clock: not done after 100 ms".to_owned())
    );
    assert_eq!(
        rules.pre_tool_call(pending("another")).await,
        HookOutcome::Verdict(CallVerdict::Allow)
    );
}

#[tokio::test]
async fn a_hook_runs_in_the_circumstances_of_its_turn() {
    let home = TestHome::new();
    install(&home, "rules", RuleVerdict::Allow, "").await;
    let rules = home.load("rules").unwrap();
    let outside = pending("shell").context;
    let context = rules.hook_context(&outside);
    assert_eq!(context.kind, InvocationKind::Middleware);
    assert_eq!(context.limits.wall_clock, Duration::from_secs(5));
    assert_eq!(
        (context.has_session, context.has_agent, context.depth),
        (false, false, 0)
    );

    let turn = TurnContext {
        session: Some(SessionInfo {
            key: "key".to_owned(),
            profile: "main".to_owned(),
            agent: "main".to_owned(),
            platform: "discord".to_owned(),
            kind: ChatKind::Direct,
            chat: None,
            thread: None,
            participant: None,
            title: None,
            has_operator: false,
            created_at: 1,
            active_at: 1,
        }),
        agent: Some("main".to_owned()),
        depth: 256,
        ..outside
    };
    let context = rules.hook_context(&turn);
    // Not 0, which is what 256 would be in eight bits.
    assert_eq!(
        (context.has_session, context.has_agent, context.depth),
        (true, true, 255)
    );
}

#[tokio::test]
async fn whether_a_rule_fails_closed_is_what_was_accepted() {
    let home = TestHome::new();
    install(&home, "open", RuleVerdict::Trap, "").await;
    install(&home, "closed", RuleVerdict::Trap, FAILS_CLOSED).await;
    let (open, closed) = (home.load("open").unwrap(), home.load("closed").unwrap());
    assert_eq!(open.hooks(), &set(&[PRE_TOOL_CALL]));
    assert!(!open.fails_closed(PRE_TOOL_CALL));
    assert!(closed.fails_closed(PRE_TOOL_CALL));
    assert!(!closed.fails_closed("post-tool-call"));

    // The accepted access counts, not the manifest, which is still without it.
    home.change_accepted("open", |access| {
        access.fail_closed_hooks = set(&[PRE_TOOL_CALL]);
    });
    let open = home.load("open").unwrap();
    assert!(open.fails_closed(PRE_TOOL_CALL));
    // It is known of an install that does not load as well.
    let granted = home.registry.granted(&home.row("open")).unwrap();
    assert_eq!(granted.fail_closed_hooks, set(&[PRE_TOOL_CALL]));
}

#[tokio::test]
async fn a_hook_that_was_not_accepted_keeps_the_plugin_from_loading() {
    let home = TestHome::new();
    install(&home, "rules", RuleVerdict::Trap, "").await;
    home.change_accepted("rules", |access| access.hooks.clear());
    let Err(RegistryError::ConsentNeeded { asks, .. }) = home.load("rules") else {
        panic!("it loads")
    };
    assert_eq!(asks.len(), 1);
    assert_eq!(asks[0].id, "hook:pre-tool-call");
}

#[tokio::test]
async fn a_plugin_without_the_hook_has_no_say() {
    let home = TestHome::new();
    let folder = package_with_rule(home.outside(), "tools", "0.1.0", &tool("", DONE, ""), "");
    let manifest = folder.join("ostler.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("middleware", "tools")).unwrap();
    home.install(&folder).await;
    let tools = home.load("tools").unwrap();
    assert_eq!(tools.hooks(), &set(&[]));
    assert!(!tools.fails_closed(PRE_TOOL_CALL));
    assert_eq!(
        tools.pre_tool_call(pending("shell")).await,
        HookOutcome::Verdict(CallVerdict::Allow)
    );
}

#[tokio::test]
async fn installs_stand_in_the_order_of_installation_and_an_update_keeps_its_place() {
    let home = TestHome::new();
    let order = || -> Vec<String> {
        let rows = home.registry.installs_in_order(&profile()).unwrap();
        rows.iter().map(|row| row.package.to_string()).collect()
    };
    for package in ["zebra", "middle", "ape"] {
        install(&home, package, RuleVerdict::Allow, "").await;
        // The order is of milliseconds.
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    assert_eq!(order(), ["zebra", "middle", "ape"]);

    let newer = rule("shell", RuleVerdict::Block("no"));
    let folder = package_with_rule(home.outside(), "zebra", "0.2.0", &newer, "");
    home.install(&folder).await;
    assert_eq!(order(), ["zebra", "middle", "ape"]);

    // One that is being removed is asked no more.
    let store = home.registry.store();
    let now = home.row("middle").updated_at + 1;
    store
        .begin_removal(&profile(), &name("middle"), now)
        .unwrap();
    assert_eq!(order(), ["zebra", "ape"]);
}
