//! Effects: one consent, one effect.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ostler_store::{
    ApprovalEnding, ApprovalId, ApprovalStore as _, AuditLog as _, EffectStart, Ending, RowOutcome,
    SessionStore as _,
};
use rusqlite::Connection;

mod fixtures;
use fixtures::asks::{approved, asked, by_host, pressed, turn};
use fixtures::{Folder, digest};

#[tokio::test]
async fn an_approved_effect_begins_once_and_ends_once_and_both_are_in_the_log() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let approval = approved(&store, &turn).await;
    let (id, digest) = (approval.id, approval.digest.as_str());
    let error = store.end_effect(id, "done", 19_000).await.unwrap_err();
    assert_eq!(error.code(), "store-conflict", "it has not begun");

    let start = async |now| {
        store
            .start_effect(id, digest, turn.epoch, now)
            .await
            .unwrap()
    };
    assert_eq!(start(20_000).await, EffectStart::Started);
    assert_eq!(start(20_001).await, EffectStart::AlreadyStarted);
    let began = store.approval(id).await.unwrap().unwrap();
    assert_eq!(began.effect_started_at, Some(20_000));
    assert_eq!((began.effect_ended_at, began.effect_outcome), (None, None));

    let error = store.end_effect(id, "perhaps", 21_000).await.unwrap_err();
    assert_eq!(error.code(), "store-invalid");
    for at in [21_000, 22_000] {
        store.end_effect(id, "done", at).await.unwrap();
    }
    let error = store.end_effect(id, "failed", 23_000).await.unwrap_err();
    assert_eq!(error.code(), "store-conflict", "it has ended");
    assert_eq!(start(24_000).await, EffectStart::AlreadyStarted);

    let ended = store.approval(id).await.unwrap().unwrap();
    assert_eq!(ended.effect_ended_at, Some(21_000));
    assert_eq!(ended.effect_outcome.as_deref(), Some("done"));
    assert_eq!(ended.revision, approval.revision, "a card does not show it");
    let log = store.audit_entries(0, 100, None).await.unwrap();
    let kinds: Vec<_> = log.iter().map(|entry| entry.kind.as_str()).collect();
    assert_eq!(
        kinds,
        ["asked", "approved", "effect-started", "effect-ended"]
    );
}

#[tokio::test]
async fn what_was_not_approved_does_not_begin() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let open = asked(&store, &turn).await;
    let denied = asked(&store, &turn).await;
    let cancelled = asked(&store, &turn).await;
    for (approval, settlement) in [
        (&denied, pressed(ApprovalEnding::Denied, "e")),
        (&cancelled, by_host(ApprovalEnding::Cancelled, 20_000)),
    ] {
        let settled = store.settle_approval(approval.id, settlement).await;
        assert!(matches!(settled, Ok(ostler_store::Settled::Now(_))));
    }
    let unknown = ApprovalId::random().unwrap();
    for id in [open.id, denied.id, cancelled.id, unknown] {
        let start = store
            .start_effect(id, &open.digest, turn.epoch, 20_000)
            .await;
        assert_eq!(start.unwrap(), EffectStart::NotApproved);
    }
}

#[tokio::test]
async fn something_else_than_what_was_approved_does_not_begin_and_leaves_the_consent() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let approval = approved(&store, &turn).await;
    let other = digest(9).to_string();
    for (digest, expected) in [
        (other.as_str(), EffectStart::DigestDiffers),
        (approval.digest.as_str(), EffectStart::Started),
        (other.as_str(), EffectStart::AlreadyStarted),
    ] {
        let start = store.start_effect(approval.id, digest, turn.epoch, 20_000);
        assert_eq!(start.await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_turn_that_is_over_or_lost_or_reset_begins_nothing() {
    let folder = Folder::new();
    let store = folder.open();
    let reset = |folder: &Folder| {
        Connection::open(folder.database())
            .unwrap()
            .execute_batch("UPDATE sessions SET generation = generation + 1")
            .unwrap();
    };
    let over = turn(&store, "10").await;
    let approval = approved(&store, &over).await;
    let ending = Ending {
        outcome: RowOutcome::Completed,
        reason: None,
        detail: None,
        items: Vec::new(),
        posts: Vec::new(),
        settled_at: 20_000,
    };
    store.finish(over.row, over.epoch, ending).await.unwrap();
    let start = store.start_effect(approval.id, &approval.digest, over.epoch, 21_000);
    assert_eq!(start.await.unwrap(), EffectStart::ClaimLost);

    let lost = turn(&store, "11").await;
    let approval = approved(&store, &lost).await;
    let later = store.begin_epoch(5).await.unwrap();
    let start = store.start_effect(approval.id, &approval.digest, later, 21_000);
    assert_eq!(start.await.unwrap(), EffectStart::ClaimLost);
    reset(&folder);
    let start = store.start_effect(approval.id, &approval.digest, lost.epoch, 21_000);
    assert_eq!(start.await.unwrap(), EffectStart::ClaimLost);
    let stands = store.approval(approval.id).await.unwrap().unwrap();
    assert_eq!(stands.effect_started_at, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_begin_at_once_one_does() {
    let folder = Folder::new();
    let store = std::sync::Arc::new(folder.open());
    // Another writer on the same file takes part, as another process has it.
    let other = std::sync::Arc::new(folder.open());
    let turn = turn(&store, "10").await;
    for _ in 0..10 {
        let approval = approved(&store, &turn).await;
        let mut starts = tokio::task::JoinSet::new();
        for n in 0..16 {
            let store = std::sync::Arc::clone(if n % 2 == 0 { &store } else { &other });
            let (approval, epoch) = (approval.clone(), turn.epoch);
            starts.spawn(async move {
                let start = store.start_effect(approval.id, &approval.digest, epoch, 20_000);
                start.await.unwrap()
            });
        }
        let starts = starts.join_all().await;
        let count = |what| starts.iter().filter(|start| **start == what).count();
        assert_eq!(count(EffectStart::Started), 1);
        assert_eq!(count(EffectStart::AlreadyStarted), 15);
    }
    let log = store.audit_entries(0, 100, None).await.unwrap();
    let started = log.iter().filter(|entry| entry.kind == "effect-started");
    assert_eq!(started.count(), 10);
    let verdict = store.verify_audit().await.unwrap();
    assert!(
        matches!(
            verdict,
            ostler_store::AuditVerdict::Whole { entries: 30, .. }
        ),
        "{verdict:?}"
    );
}
