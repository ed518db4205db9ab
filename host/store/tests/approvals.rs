//! Approvals: asking, cards, endings, what restarts leave.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ostler_store::{
    Approval, ApprovalClass, ApprovalEnding, ApprovalId, ApprovalState, ApprovalStore as _,
    AuditLog as _, MessageId, SessionStore as _, Settled, Settlement, Store, StoreError, Via,
};
use rusqlite::Connection;

mod fixtures;
use fixtures::asks::{
    ASKED_AT, EXPIRES_AT, ask, asked, by_host, created, pressed, turn, turn_under,
};
use fixtures::{Folder, profile};

fn message(id: &str) -> MessageId {
    id.parse().unwrap()
}

/// The kinds of the audit log's entries about an approval.
async fn kinds(store: &Store, id: ApprovalId) -> Vec<String> {
    let entries = store.audit_entries(0, 1_000, None).await.unwrap();
    let subject = Some(id.to_string());
    entries
        .into_iter()
        .filter(|entry| entry.subject == subject)
        .map(|entry| entry.kind)
        .collect()
}

async fn settle(store: &Store, id: ApprovalId, settlement: Settlement) -> Settled {
    store.settle_approval(id, settlement).await.unwrap()
}

async fn now(store: &Store, id: ApprovalId, settlement: Settlement) -> Approval {
    match settle(store, id, settlement).await {
        Settled::Now(approval) => approval,
        other => panic!("it must end it: {other:?}"),
    }
}

fn ids(approvals: &[Approval]) -> Vec<ApprovalId> {
    approvals.iter().map(|approval| approval.id).collect()
}

#[tokio::test]
async fn what_is_asked_reads_back_whole_and_is_in_the_log_under_the_rows_author() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let new = ask(&turn);
    let approval = created(&store, new.clone()).await;
    assert_eq!(approval, Approval::from(new));
    assert_eq!((approval.revision, approval.drawn), (1, 0));

    let entries = store.audit_entries(0, 10, None).await.unwrap();
    assert_eq!(entries.len(), 1);
    let entry = &entries[0];
    assert_eq!((entry.kind.as_str(), entry.at), ("asked", ASKED_AT));
    assert_eq!(entry.actor, "discord:7");
    assert_eq!(entry.subject, Some(approval.id.to_string()));
    assert_eq!(entry.place.as_deref(), Some("10"));
    assert_eq!(entry.digest, Some(approval.digest));
    let detail: serde_json::Value = serde_json::from_str(&entry.detail).unwrap();
    assert_eq!(detail["tool"], "shell");
    assert_eq!(detail["row"], turn.row.to_string());
    assert_eq!(detail["session"], turn.session.to_string());
}

#[tokio::test]
async fn only_a_running_turn_of_this_start_asks_and_a_refused_ask_leaves_nothing() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let waits = store.admit(fixtures::asks::row("11", "a")).await.unwrap();
    let later = store.begin_epoch(5).await.unwrap();

    let mut asks = vec![ask(&turn); 4];
    asks[0].row = waits.row;
    asks[0].session = fixtures::asks::session("11");
    asks[1].epoch = later;
    asks[2].session = fixtures::asks::session("11");
    asks[3].profile = profile("other");
    for new in asks {
        let error = store.create_approval(new).await.unwrap_err();
        assert_eq!(error.code(), "claim-lost", "{error}");
    }

    // A reset of the session raises its generation.
    let raw = Connection::open(folder.database()).unwrap();
    raw.execute_batch("UPDATE sessions SET generation = generation + 1")
        .unwrap();
    let error = store.create_approval(ask(&turn)).await.unwrap_err();
    assert_eq!(error.code(), "claim-lost");

    assert!(store.approvals_of_row(turn.row).await.unwrap().is_empty());
    assert!(store.audit_entries(0, 10, None).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_no_ask_is_refused() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let stands = asked(&store, &turn).await;
    let mut bad = vec![ask(&turn); 9];
    bad[0].id = stands.id;
    bad[1].nonce = stands.nonce.clone();
    bad[2].nonce = "n".repeat(26);
    bad[3].nonce = String::new();
    bad[4].digest = "sha256:00".to_owned();
    bad[5].document = "{".to_owned();
    bad[6].document = format!("\"{}\"", "x".repeat(4 << 20));
    bad[7].expires_at = bad[7].created_at;
    bad[8].tool = String::new();
    for (n, new) in bad.into_iter().enumerate() {
        let error = store.create_approval(new).await.unwrap_err();
        assert_eq!(error.code(), "store-invalid", "{n}: {error}");
    }
    let mut longest = ask(&turn);
    longest.document = format!("\"{}\"", "x".repeat((4 << 20) - 2));
    store.create_approval(longest).await.unwrap();
    assert_eq!(store.audit_entries(0, 100, None).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_card_that_stands_makes_it_pending_and_its_first_message_stays() {
    let folder = Folder::new();
    let store = folder.open();
    let approval = asked(&store, &turn(&store, "10").await).await;
    for id in ["500", "501"] {
        let posted = store
            .approval_posted(approval.id, message(id), 11_000)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(posted.state, ApprovalState::Pending);
        assert_eq!(posted.message, Some(message("500")));
        assert_eq!((posted.revision, posted.drawn), (1, 1));
    }
    let unknown = ApprovalId::random().unwrap();
    let none = store.approval_posted(unknown, message("500"), 1).await;
    assert_eq!(none.unwrap(), None);
}

#[tokio::test]
async fn an_ask_that_ended_before_its_message_was_known_keeps_it_to_be_drawn_again() {
    let folder = Folder::new();
    let store = folder.open();
    let main = profile("main");
    let approval = asked(&store, &turn(&store, "10").await).await;
    let ended = now(&store, approval.id, pressed(ApprovalEnding::Denied, "e")).await;
    assert_eq!(
        (ended.state, ended.message),
        (ApprovalState::Resolved, None)
    );
    assert_eq!(
        ids(&store.undrawn_approvals(&main).await.unwrap()),
        [ended.id]
    );

    let posted = store
        .approval_posted(approval.id, message("500"), 20_000)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(posted.state, ApprovalState::Resolved);
    assert_eq!(posted.message, Some(message("500")));
    assert_eq!((posted.revision, posted.drawn), (2, 1));
    assert_eq!(store.undrawn_approvals(&main).await.unwrap(), [posted]);

    store.approval_drawn(ended.id, 2, 21_000).await.unwrap();
    assert!(store.undrawn_approvals(&main).await.unwrap().is_empty());
    // One that draws late, and one that draws what never was.
    for revision in [1, 9] {
        store.approval_drawn(ended.id, revision, 1).await.unwrap();
        let stands = store.approval(ended.id).await.unwrap().unwrap();
        assert_eq!((stands.drawn, stands.updated_at), (2, 21_000));
    }
}

#[tokio::test]
async fn a_card_that_was_deleted_is_posted_again_under_another_nonce() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let approval = asked(&store, &turn).await;
    let id = approval.id;
    // Nothing to forget: a post under the nonce may be on its way.
    let stands = store.forget_card(id, "other", 1).await.unwrap();
    assert_eq!(stands, Some(approval.clone()));

    store.approval_posted(id, message("500"), 2).await.unwrap();
    let gone = store.forget_card(id, "other", 3).await.unwrap().unwrap();
    assert_eq!((gone.state, gone.drawn), (ApprovalState::Creating, 0));
    assert_eq!((gone.message, gone.nonce.as_str()), (None, "other"));
    let again = store.approval_posted(id, message("501"), 4).await.unwrap();
    assert_eq!(again.unwrap().message, Some(message("501")));

    // One that has ended stays so, and shows nothing wrong.
    now(&store, id, pressed(ApprovalEnding::Approved, "e")).await;
    store.approval_drawn(id, 2, 5).await.unwrap();
    let ended = store.forget_card(id, "third", 6).await.unwrap().unwrap();
    assert_eq!(
        (ended.state, ended.message),
        (ApprovalState::Resolved, None)
    );
    let main = profile("main");
    assert!(store.undrawn_approvals(&main).await.unwrap().is_empty());

    let other = asked(&store, &turn).await;
    store
        .approval_posted(other.id, message("502"), 7)
        .await
        .unwrap();
    let error = store.forget_card(other.id, "third", 8).await.unwrap_err();
    assert_eq!(error.code(), "store-invalid", "a nonce names one message");
    let unknown = ApprovalId::random().unwrap();
    assert_eq!(store.forget_card(unknown, "fourth", 9).await.unwrap(), None);
}

#[tokio::test]
async fn every_ending_says_who_how_when_and_why_and_is_in_the_log() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    for ending in [
        ApprovalEnding::Approved,
        ApprovalEnding::Denied,
        ApprovalEnding::Answered,
        ApprovalEnding::Unanswered,
        ApprovalEnding::Unreachable,
        ApprovalEnding::Cancelled,
    ] {
        let mut new = ask(&turn);
        if ending == ApprovalEnding::Answered {
            new.class = ApprovalClass::Clarify;
        }
        let approval = created(&store, new).await;
        let mut settlement = if ending.is_an_answer() {
            pressed(ending, ending.as_str())
        } else {
            by_host(ending, EXPIRES_AT)
        };
        settlement.reason = Some("because".to_owned());
        let ended = now(&store, approval.id, settlement.clone()).await;
        assert_eq!(ended.state, ApprovalState::Resolved);
        assert_eq!(ended.ending, Some(ending));
        assert_eq!(ended.reason.as_deref(), Some("because"));
        assert_eq!(ended.answer, settlement.answer);
        assert_eq!(ended.decided_by, Some(settlement.by.clone()));
        assert_eq!(ended.decided_via, Some(settlement.via));
        assert_eq!(ended.decided_at, Some(settlement.at));
        assert_eq!(ended.event, settlement.event);
        assert_eq!(ended.revision, approval.revision + 1);
        assert_eq!(store.approval(ended.id).await.unwrap(), Some(ended));

        let last = store.audit_entries(0, 100, None).await.unwrap();
        let last = last.last().unwrap();
        assert_eq!(
            (last.kind.as_str(), &last.actor),
            (ending.as_str(), &settlement.by)
        );
        let detail: serde_json::Value = serde_json::from_str(&last.detail).unwrap();
        assert_eq!(detail["reason"], "because");
        assert_eq!(detail["via"], settlement.via.as_str());
        assert!(
            !last.detail.contains("the second"),
            "the answer's words stay out"
        );
    }
}

#[tokio::test]
async fn the_second_to_answer_is_told_what_stands() {
    let folder = Folder::new();
    let store = folder.open();
    let approval = asked(&store, &turn(&store, "10").await).await;
    let id = approval.id;
    let stands = now(&store, id, pressed(ApprovalEnding::Denied, "first")).await;
    for settlement in [
        pressed(ApprovalEnding::Approved, "second"),
        // The same click again gives what it gave.
        pressed(ApprovalEnding::Denied, "first"),
        by_host(ApprovalEnding::Cancelled, ASKED_AT + 6_000),
        by_host(ApprovalEnding::Unanswered, EXPIRES_AT),
    ] {
        assert_eq!(
            settle(&store, id, settlement).await,
            Settled::Before(stands.clone())
        );
    }
    assert_eq!(kinds(&store, id).await, ["asked", "denied"]);
    let unknown = ApprovalId::random().unwrap();
    let settlement = pressed(ApprovalEnding::Approved, "third");
    assert_eq!(settle(&store, unknown, settlement).await, Settled::Unknown);
}

#[tokio::test]
async fn a_click_that_decided_one_ask_decides_no_other() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let (first, second) = (asked(&store, &turn).await, asked(&store, &turn).await);
    now(&store, first.id, pressed(ApprovalEnding::Approved, "click")).await;
    let error = store
        .settle_approval(second.id, pressed(ApprovalEnding::Approved, "click"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "event-reused");
    let StoreError::EventReused {
        decided, approval, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((decided, approval), (first.id, second.id));
    assert_eq!(store.approval(second.id).await.unwrap(), Some(second));
}

#[tokio::test]
async fn people_answer_before_it_expires_and_silence_ends_it_from_then_on() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let at = |ending, event, at| Settlement {
        at,
        ..pressed(ending, event)
    };

    let in_time = asked(&store, &turn).await;
    let last_moment = at(ApprovalEnding::Approved, "a", EXPIRES_AT - 1);
    now(&store, in_time.id, last_moment).await;

    let mut question = ask(&turn);
    question.class = ApprovalClass::Clarify;
    let question = created(&store, question).await;
    let late = asked(&store, &turn).await;
    for (approval, ending) in [
        (&late, ApprovalEnding::Approved),
        (&late, ApprovalEnding::Denied),
        (&question, ApprovalEnding::Answered),
    ] {
        let settled = settle(&store, approval.id, at(ending, "b", EXPIRES_AT)).await;
        assert_eq!(settled, Settled::Expired(approval.clone()));
    }
    let early = by_host(ApprovalEnding::Unanswered, EXPIRES_AT - 1);
    let error = store.settle_approval(late.id, early).await.unwrap_err();
    assert_eq!(error.code(), "store-invalid");
    assert_eq!(store.approval(late.id).await.unwrap(), Some(late.clone()));

    assert!(
        store
            .expired_approvals(EXPIRES_AT - 1, 10)
            .await
            .unwrap()
            .is_empty()
    );
    let expired = store.expired_approvals(EXPIRES_AT, 10).await.unwrap();
    assert_eq!(ids(&expired), [question.id, late.id]);
    assert_eq!(
        store.expired_approvals(EXPIRES_AT, 1).await.unwrap().len(),
        1
    );
    for approval in expired {
        now(
            &store,
            approval.id,
            by_host(ApprovalEnding::Unanswered, EXPIRES_AT),
        )
        .await;
    }
    assert!(
        store
            .expired_approvals(i64::MAX, 10)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn endings_that_do_not_fit_are_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let consent = asked(&store, &turn).await;
    let mut question = ask(&turn);
    question.class = ApprovalClass::Clarify;
    let question = created(&store, question).await;

    let denied = || pressed(ApprovalEnding::Denied, "e");
    let answered = || pressed(ApprovalEnding::Answered, "e");
    let with = |settlement: Settlement, change: fn(&mut Settlement)| {
        let mut settlement = settlement;
        change(&mut settlement);
        settlement
    };
    for (n, (approval, settlement)) in [
        (&consent, answered()),
        (&question, denied()),
        (&question, pressed(ApprovalEnding::Approved, "e")),
        (&question, with(answered(), |s| s.answer = None)),
        (
            &consent,
            with(denied(), |s| s.answer = Some("no".to_owned())),
        ),
        (
            &consent,
            with(denied(), |s| s.reason = Some("é".repeat(501))),
        ),
        (
            &question,
            with(answered(), |s| s.answer = Some("é".repeat(4_001))),
        ),
        // SQLite's `length` would stop at the zero byte.
        (
            &consent,
            with(denied(), |s| {
                s.reason = Some(format!("\0{}", "x".repeat(2_000)));
            }),
        ),
        (&consent, with(denied(), |s| s.by = String::new())),
        (&consent, with(denied(), |s| s.event = Some(String::new()))),
        (&consent, with(denied(), |s| s.at = -1)),
    ]
    .into_iter()
    .enumerate()
    {
        let error = store
            .settle_approval(approval.id, settlement)
            .await
            .unwrap_err();
        assert_eq!(error.code(), "store-invalid", "{n}: {error}");
        let stands = store.approval(approval.id).await.unwrap();
        assert_eq!(stands.as_ref(), Some(approval), "{n}");
    }
    assert_eq!(store.audit_entries(0, 100, None).await.unwrap().len(), 2);

    let longest = with(denied(), |s| s.reason = Some("é".repeat(500)));
    now(&store, consent.id, longest).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_answer_at_once_one_decides_and_all_see_the_same() {
    let folder = Folder::new();
    let store = std::sync::Arc::new(folder.open());
    let turn = turn(&store, "10").await;
    for round in 0..10 {
        let id = asked(&store, &turn).await.id;
        let mut presses = tokio::task::JoinSet::new();
        for n in 0..16 {
            let store = std::sync::Arc::clone(&store);
            let ending = if n % 2 == 0 {
                ApprovalEnding::Approved
            } else {
                ApprovalEnding::Denied
            };
            let settlement = Settlement {
                by: format!("discord:{n}"),
                ..pressed(ending, &format!("{round}-{n}"))
            };
            presses.spawn(async move { store.settle_approval(id, settlement).await.unwrap() });
        }
        let (mut first, mut others) = (Vec::new(), Vec::new());
        for settled in presses.join_all().await {
            match settled {
                Settled::Now(approval) => first.push(approval),
                Settled::Before(approval) => others.push(approval),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((first.len(), others.len()), (1, 15));
        assert!(others.iter().all(|approval| *approval == first[0]));
        let kinds = kinds(&store, id).await;
        assert_eq!(kinds, ["asked", first[0].ending.unwrap().as_str()]);
    }
}

#[tokio::test]
async fn cancelling_a_row_ends_what_is_open_of_it_and_nothing_else() {
    let folder = Folder::new();
    let store = folder.open();
    let turn = turn(&store, "10").await;
    let other = turn_under(&store, "11", turn.epoch).await;
    let (open, shown) = (asked(&store, &turn).await, asked(&store, &turn).await);
    store
        .approval_posted(shown.id, message("500"), 11_000)
        .await
        .unwrap();
    let denied = asked(&store, &turn).await;
    let denied = now(&store, denied.id, pressed(ApprovalEnding::Denied, "e")).await;
    let elsewhere = asked(&store, &other).await;

    let ended = store
        .cancel_of_row(turn.row, "stopped", 12_000)
        .await
        .unwrap();
    assert_eq!(ids(&ended), [open.id, shown.id]);
    for approval in &ended {
        assert_eq!(approval.ending, Some(ApprovalEnding::Cancelled));
        assert_eq!(approval.reason.as_deref(), Some("stopped"));
        assert_eq!(approval.decided_via, Some(Via::Host));
        assert_eq!(kinds(&store, approval.id).await, ["asked", "cancelled"]);
    }
    assert_eq!(store.approval(denied.id).await.unwrap(), Some(denied));
    assert_eq!(store.approval(elsewhere.id).await.unwrap(), Some(elsewhere));
    let again = store
        .cancel_of_row(turn.row, "stopped", 13_000)
        .await
        .unwrap();
    assert_eq!(again, []);
}

#[tokio::test]
async fn after_a_restart_the_asks_of_lost_turns_are_found_and_those_of_new_ones_are_not() {
    let folder = Folder::new();
    let (lost, ended) = {
        let store = folder.open();
        let turn = turn(&store, "10").await;
        let ended = asked(&store, &turn).await;
        now(&store, ended.id, pressed(ApprovalEnding::Denied, "e")).await;
        (asked(&store, &turn).await, ended)
    };
    let store = folder.open();
    let main = profile("main");
    let epoch = store.begin_epoch(5).await.unwrap();
    let running = turn_under(&store, "11", epoch).await;
    let waits = asked(&store, &running).await;
    // Before and after the row itself is said to be lost.
    for _ in 0..2 {
        let abandoned = store.abandoned_approvals(&main, epoch).await.unwrap();
        assert_eq!(abandoned, std::slice::from_ref(&lost));
        store.lose_older(&main, epoch).await.unwrap();
    }
    let nobodys = store.abandoned_approvals(&profile("other"), epoch).await;
    assert_eq!(nobodys.unwrap(), []);
    assert_eq!(
        ids(&store.open_approvals(&main).await.unwrap()),
        [lost.id, waits.id]
    );
    now(&store, lost.id, by_host(ApprovalEnding::Cancelled, 20_000)).await;
    assert_eq!(ids(&store.open_approvals(&main).await.unwrap()), [waits.id]);
    assert_eq!(store.open_approvals(&profile("other")).await.unwrap(), []);
    let past = store.past_approvals(&main, 10).await.unwrap();
    assert_eq!(ids(&past), [lost.id, ended.id], "the last to end first");
    assert_eq!(store.past_approvals(&main, 1).await.unwrap(), past[..1]);
    assert_eq!(
        ids(&store.approvals_of_row(lost.row).await.unwrap()),
        [ended.id, lost.id]
    );
}

#[tokio::test]
async fn no_program_changes_what_was_asked_or_decided() {
    let folder = Folder::new();
    let store = folder.open();
    let approval = asked(&store, &turn(&store, "10").await).await;
    let approval = now(&store, approval.id, pressed(ApprovalEnding::Denied, "e")).await;
    let raw = Connection::open(folder.database()).unwrap();
    for change in [
        "digest = digest",
        "document = '{}'",
        "expires_at = 999999999",
        "asker = '8'",
        "ending = 'approved'",
        "state = 'pending', ending = NULL",
        "decided_by = 'discord:8'",
        "effect_started_at = 1",
        "drawn = 3",
    ] {
        let error = raw
            .execute(&format!("UPDATE approvals SET {change}"), [])
            .unwrap_err();
        let code = error.sqlite_error_code();
        let refused = Some(rusqlite::ErrorCode::ConstraintViolation);
        assert_eq!(code, refused, "{change}: {error}");
    }
    assert_eq!(store.approval(approval.id).await.unwrap(), Some(approval));
}
