//! What the served members answer, and what those answer that nobody serves yet.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

use harness::{Guest, context, run};
use ostler_runtime::{
    ExportResult, InvocationContext, InvocationKind, MemberId, MemberSet, Outcome,
};
use ostler_tests::guest::tool;

/// A tool that calls `threads.create` and gives the code of the error: the number of the case in
/// the WIT enum, as a letter (`a` is the first).
fn creates_a_thread() -> Vec<u8> {
    let imports = r#"(import "ostler:host/threads@0.1.0" "create"
        (func $create (param i32 i32 i32 i32 i32 i32 i32 i32)))"#;
    let body = "
        (call $create
            (i32.const 1024) (i32.const 3) (i32.const 1024) (i32.const 3)
            (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2048))
        (if (i32.ne (i32.load8_u (i32.const 2048)) (i32.const 1)) (then unreachable))
        (i32.store8 (i32.const 1072)
            (i32.add (i32.const 97) (i32.load8_u (i32.const 2052))))
        (i32.const 64)";
    tool(imports, body, "")
}

async fn answer(guest: &Guest, context: InvocationContext) -> String {
    match guest.invoke(run(), context).await.outcome {
        Outcome::Returned(ExportResult::Answer(Ok(answer))) => answer,
        other => panic!("{other:?}"),
    }
}

/// A tool that calls `agents.delete`, which nothing serves yet.
fn deletes_an_agent() -> Vec<u8> {
    let imports = r#"(import "ostler:host/agents-write@0.1.0" "delete"
        (func $delete (param i32 i32 i32)))"#;
    let body = "
        (call $delete (i32.const 1024) (i32.const 3) (i32.const 2048))
        (if (i32.ne (i32.load8_u (i32.const 2048)) (i32.const 1)) (then unreachable))
        (i32.store8 (i32.const 1072)
            (i32.add (i32.const 97) (i32.load8_u (i32.const 2052))))
        (i32.const 64)";
    tool(imports, body, "")
}

#[tokio::test]
async fn a_member_that_nobody_serves_answers_unsupported() {
    let guest = Guest::new(&deletes_an_agent());
    // absent, forbidden, unsupported, …
    assert_eq!(answer(&guest, context()).await, "cone");
}

#[tokio::test]
async fn a_member_that_needs_a_host_says_so_where_none_runs() {
    let guest = Guest::new(&creates_a_thread());
    // …, discord-unavailable, …
    assert_eq!(answer(&guest, context()).await, "pone");
}

#[tokio::test]
async fn a_member_past_the_fuse_is_absent() {
    let guest = Guest::new(&creates_a_thread());
    let deep = InvocationContext {
        depth: 6,
        ..context()
    };
    assert_eq!(answer(&guest, deep).await, "aone");
}

#[tokio::test]
async fn a_member_outside_the_turns_authority_is_forbidden() {
    let guest = Guest::new(&creates_a_thread());
    let create = MemberId::of("threads.create").unwrap();
    let narrow = MemberSet::filtered(|member| member.path != create.member().path);
    let narrow = InvocationContext {
        members: narrow,
        ..context()
    };
    assert_eq!(answer(&guest, narrow).await, "bone");
}

#[tokio::test]
async fn every_member_is_absent_when_the_catalogue_is_taken() {
    let guest = Guest::new(&creates_a_thread());
    let catalogue = InvocationContext {
        kind: InvocationKind::Catalogue,
        ..context()
    };
    assert_eq!(answer(&guest, catalogue).await, "aone");
}
