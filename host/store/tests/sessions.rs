//! Sessions: admission, claims, endings, restarts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ostler_store::{
    AuditLog as _, Cause, ChatType, Delivery, Descriptor, Ending, Epoch, Heard, HumanEnvelope,
    ItemKind, NewPost, NewRow, Origin, Overheard, Principal, Profile, Role, Route, RowId,
    RowOutcome, RowStatus, SessionKey, SessionStore as _, Store, TurnItem,
};
use tempfile::TempDir;

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn open(&self) -> Store {
        Store::open(&self.folder.path().join("ostler.db")).unwrap()
    }
}

fn profile() -> Profile {
    "main".parse().unwrap()
}

fn session(thread: &str) -> SessionKey {
    SessionKey::thread(&profile(), "discord", &thread.parse().unwrap(), None)
}

fn row(thread: &str, request: &str, text: &str) -> NewRow {
    let origin = Origin::Person {
        id: "7".parse().unwrap(),
    };
    NewRow {
        id: RowId::new(),
        session: session(thread),
        profile: profile(),
        principal: Principal("discord:7".to_owned()),
        request: request.to_owned(),
        descriptor: Descriptor {
            kind: "native_text_v1".to_owned(),
            payload: serde_json::json!({"text": text}).to_string(),
        },
        causes: vec![Cause {
            origin: origin.clone(),
            version: None,
            row: None,
        }],
        origin,
        route: Route {
            platform: "discord".to_owned(),
            chat_type: ChatType::Thread,
            guild: Some("1".parse().unwrap()),
            chat: thread.parse().unwrap(),
            parent: Some("2".parse().unwrap()),
        },
        envelope: None,
        heard: None,
        admitted_at: 1_000,
    }
}

fn ending(text: &str) -> Ending {
    Ending {
        outcome: RowOutcome::Completed,
        reason: None,
        detail: None,
        items: vec![TurnItem {
            role: Role::Assistant,
            origin: Origin::System,
            kind: ItemKind::Text,
            content: serde_json::json!(text).to_string(),
        }],
        posts: vec![NewPost {
            channel: "10".parse().unwrap(),
            reply_to: None,
            content: text.to_owned(),
        }],
        settled_at: 3_000,
    }
}

/// Claims and ends the session's next row: its request.
async fn run_next(store: &Store, thread: &str, epoch: Epoch) -> Option<String> {
    let head = store.head(&session(thread)).await.unwrap()?;
    assert!(store.claim(head.id, epoch, 2_000).await.unwrap());
    store.finish(head.id, epoch, ending("done")).await.unwrap();
    Some(head.request)
}

#[tokio::test]
async fn rows_of_a_session_run_in_the_order_of_their_admission() {
    let home = Home::new();
    let store = home.open();
    let epoch = store.begin_epoch(1).await.unwrap();
    for request in ["a", "b", "c"] {
        let admitted = store.admit(row("10", request, request)).await.unwrap();
        assert!(!admitted.is_duplicate);
    }
    let mut ran = Vec::new();
    while let Some(request) = run_next(&store, "10", epoch).await {
        ran.push(request);
    }
    assert_eq!(ran, ["a", "b", "c"]);
    let seqs: Vec<u64> = store
        .rows(&session("10"), 10)
        .await
        .unwrap()
        .iter()
        .map(|row| row.seq)
        .collect();
    assert_eq!(seqs, [1, 2, 3]);
}

#[tokio::test]
async fn the_same_request_is_the_same_row_and_leaves_no_gap() {
    let home = Home::new();
    let store = home.open();
    let first = store.admit(row("10", "a", "hello")).await.unwrap();
    let again = store.admit(row("10", "a", "hello")).await.unwrap();
    assert!(again.is_duplicate);
    assert_eq!((again.row, again.seq), (first.row, 1));
    let next = store.admit(row("10", "b", "hello")).await.unwrap();
    assert_eq!(next.seq, 2);
}

#[tokio::test]
async fn the_same_request_with_another_payload_is_a_conflict_and_writes_nothing() {
    let home = Home::new();
    let store = home.open();
    store.admit(row("10", "a", "hello")).await.unwrap();
    let error = store.admit(row("10", "a", "other")).await.unwrap_err();
    assert_eq!(error.code(), "admission_conflict");
    let next = store.admit(row("10", "b", "hello")).await.unwrap();
    assert_eq!(next.seq, 2, "the refused one took no place");
    assert_eq!(store.rows(&session("10"), 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn one_row_of_a_session_runs_at_a_time_and_only_the_first_that_waits() {
    let home = Home::new();
    let store = home.open();
    let epoch = store.begin_epoch(1).await.unwrap();
    let first = store.admit(row("10", "a", "x")).await.unwrap().row;
    let second = store.admit(row("10", "b", "x")).await.unwrap().row;
    let elsewhere = store.admit(row("11", "c", "x")).await.unwrap().row;
    assert!(
        !store.claim(second, epoch, 2).await.unwrap(),
        "not its turn"
    );
    assert!(store.claim(first, epoch, 2).await.unwrap());
    assert!(
        !store.claim(first, epoch, 2).await.unwrap(),
        "claimed already"
    );
    assert!(!store.claim(second, epoch, 2).await.unwrap(), "one runs");
    assert!(store.head(&session("10")).await.unwrap().is_none());
    assert!(
        store.claim(elsewhere, epoch, 2).await.unwrap(),
        "another session"
    );
    store.finish(first, epoch, ending("x")).await.unwrap();
    assert!(store.claim(second, epoch, 2).await.unwrap());
}

#[tokio::test]
async fn a_claim_that_was_lost_writes_nothing() {
    let home = Home::new();
    let store = home.open();
    let old = store.begin_epoch(1).await.unwrap();
    let lost = store.admit(row("10", "a", "x")).await.unwrap().row;
    assert!(store.claim(lost, old, 2).await.unwrap());
    let new = store.begin_epoch(3).await.unwrap();
    assert_eq!(store.lose_older(&profile(), new).await.unwrap(), 1);
    let error = store.finish(lost, old, ending("late")).await.unwrap_err();
    assert_eq!(error.code(), "claim-lost");
    assert!(store.items(lost).await.unwrap().is_empty());
    assert!(store.open_posts(&session("10")).await.unwrap().is_empty());
    let found = store.row(lost).await.unwrap().unwrap();
    assert_eq!(found.status, RowStatus::Unknown);
}

#[tokio::test]
async fn after_a_restart_started_rows_are_unknown_and_told_once_and_queued_ones_run() {
    let home = Home::new();
    let (lost, epoch) = {
        let store = home.open();
        let epoch = store.begin_epoch(1).await.unwrap();
        let lost = store.admit(row("10", "a", "x")).await.unwrap().row;
        store.admit(row("10", "b", "x")).await.unwrap();
        assert!(store.claim(lost, epoch, 2).await.unwrap());
        (lost, epoch)
    };
    let store = home.open();
    let next = store.begin_epoch(3).await.unwrap();
    assert!(next > epoch);
    assert_eq!(store.lose_older(&profile(), next).await.unwrap(), 1);
    let untold = store.untold(&profile()).await.unwrap();
    assert_eq!(untold.iter().map(|row| row.id).collect::<Vec<_>>(), [lost]);
    for _ in 0..2 {
        let post = ending("I was cut off").posts;
        store.tell(lost, next, post, 4).await.unwrap();
    }
    assert!(store.untold(&profile()).await.unwrap().is_empty());
    let open = store.open_posts(&session("10")).await.unwrap();
    assert_eq!(open.len(), 1, "told once");
    assert_eq!(run_next(&store, "10", next).await.as_deref(), Some("b"));
    assert_eq!(run_next(&store, "10", next).await, None, "never run again");
}

#[tokio::test]
async fn posts_are_sent_in_order_and_closed_once() {
    let home = Home::new();
    let store = home.open();
    let epoch = store.begin_epoch(1).await.unwrap();
    for request in ["a", "b"] {
        store.admit(row("10", request, "x")).await.unwrap();
    }
    run_next(&store, "10", epoch).await.unwrap();
    run_next(&store, "10", epoch).await.unwrap();
    let open = store.open_posts(&session("10")).await.unwrap();
    assert_eq!(open.len(), 2);
    assert_ne!(open[0].nonce, open[1].nonce);
    assert_eq!(store.with_work(&profile()).await.unwrap(), [session("10")]);
    let sent = Delivery::Sent("500".parse().unwrap());
    for delivery in [sent, Delivery::GivenUp("late".to_owned())] {
        store.delivered(open[0].row, 0, delivery, 5).await.unwrap();
    }
    let left = store.open_posts(&session("10")).await.unwrap();
    assert_eq!(left, open[1..]);
}

#[tokio::test]
async fn a_refused_row_settles_without_a_turn_and_the_next_one_runs() {
    let home = Home::new();
    let store = home.open();
    let epoch = store.begin_epoch(1).await.unwrap();
    let refused = store.admit(row("10", "a", "x")).await.unwrap().row;
    store.admit(row("10", "b", "x")).await.unwrap();
    let cancelled = Ending {
        outcome: RowOutcome::Cancelled,
        reason: Some("stopped".to_owned()),
        ..ending("no")
    };
    assert!(
        store
            .refuse(refused, epoch, cancelled.clone())
            .await
            .unwrap()
    );
    assert!(!store.refuse(refused, epoch, cancelled).await.unwrap());
    let row = store.row(refused).await.unwrap().unwrap();
    assert_eq!(row.outcome, Some(RowOutcome::Cancelled));
    assert_eq!(row.reason.as_deref(), Some("stopped"));
    assert_eq!(row.started_at, None);
    assert_eq!(run_next(&store, "10", epoch).await.as_deref(), Some("b"));
}

#[tokio::test]
async fn a_paused_session_keeps_its_rows_and_runs_none() {
    let home = Home::new();
    let store = home.open();
    let epoch = store.begin_epoch(1).await.unwrap();
    let waits = store.admit(row("10", "a", "x")).await.unwrap().row;
    store
        .pause(&session("10"), "permission_denied", 2)
        .await
        .unwrap();
    assert!(store.head(&session("10")).await.unwrap().is_none());
    assert!(!store.claim(waits, epoch, 2).await.unwrap());
    let shown = store.session(&session("10")).await.unwrap().unwrap();
    assert_eq!(shown.paused.as_deref(), Some("permission_denied"));
    assert_eq!(shown.queued, 1);
}

#[tokio::test]
async fn an_envelope_is_written_with_its_row_and_a_guests_row_does_not_take_it_away() {
    let home = Home::new();
    let store = home.open();
    store.admit(row("10", "a", "x")).await.unwrap();
    assert_eq!(envelope(&store).await, None);
    let mut operator = row("10", "b", "x");
    operator.envelope = Some("7".parse().unwrap());
    let admitted = store.admit(operator).await.unwrap();
    let written = envelope(&store).await.unwrap();
    assert_eq!(written.person.as_str(), "7");
    assert_eq!(written.row, admitted.row);
    store.admit(row("10", "c", "x")).await.unwrap();
    assert_eq!(envelope(&store).await.unwrap(), written);
}

async fn envelope(store: &Store) -> Option<HumanEnvelope> {
    let found = store.session(&session("10")).await.unwrap().unwrap();
    found.human_envelope
}

fn heard(channel: &str, message: u32, addressed: bool) -> Heard {
    Heard {
        profile: profile(),
        channel: channel.parse().unwrap(),
        place: "{}".to_owned(),
        message: message.to_string().parse().unwrap(),
        author: "7".parse().unwrap(),
        addressed_at: addressed.then_some(i64::from(message)),
        heard_at: i64::from(message),
    }
}

#[tokio::test]
async fn what_is_overheard_is_bounded_to_the_newest_of_each_channel() {
    let home = Home::new();
    let store = home.open();
    for n in 1..=60 {
        let overheard = Overheard {
            message: n.to_string().parse().unwrap(),
            author: "7".parse().unwrap(),
            author_name: "Ann".to_owned(),
            is_bot: false,
            text: format!("number {n}"),
            sent_at: i64::from(n),
        };
        for _ in 0..2 {
            store
                .overhear(heard("10", n, false), overheard.clone())
                .await
                .unwrap();
        }
    }
    let channel = "10".parse().unwrap();
    let kept = store.overheard(&profile(), &channel, 0, 100).await.unwrap();
    assert_eq!(kept.len(), 50);
    assert_eq!(kept[0].text, "number 11");
    let between = store.overheard(&profile(), &channel, 58, 59).await.unwrap();
    assert_eq!(between.len(), 1, "after the first, up to the second");
    let last = store
        .last_heard(&profile(), &channel)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(last.message.as_str(), "60");
}

#[tokio::test]
async fn what_was_heard_last_never_goes_back() {
    let home = Home::new();
    let store = home.open();
    for (n, request) in [(5, "a"), (4, "b")] {
        let mut row = row("10", request, "x");
        row.heard = Some(heard("10", n, true));
        store.admit(row).await.unwrap();
    }
    let last = store
        .last_heard(&profile(), &"10".parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(last.message.as_str(), "5");
    assert_eq!(last.addressed_at, Some(5));
}

#[tokio::test]
async fn a_turn_reads_back_whole_rows_in_order() {
    let home = Home::new();
    let store = home.open();
    let epoch = store.begin_epoch(1).await.unwrap();
    for request in ["a", "b", "c"] {
        store.admit(row("10", request, "x")).await.unwrap();
        let head = store.head(&session("10")).await.unwrap().unwrap();
        assert!(store.claim(head.id, epoch, 2).await.unwrap());
        let mut ending = ending(request);
        ending.items.push(ending.items[0].clone());
        store.finish(head.id, epoch, ending).await.unwrap();
    }
    let items = store.recent_items(&session("10"), 2).await.unwrap();
    let texts: Vec<_> = items
        .iter()
        .map(|(_, item)| item.content.as_str())
        .collect();
    assert_eq!(texts, ["\"b\"", "\"b\"", "\"c\"", "\"c\""]);
}

#[tokio::test]
async fn todos_have_numbers_that_are_not_used_again_while_later_ones_stand() {
    let home = Home::new();
    let store = home.open();
    store.admit(row("10", "a", "x")).await.unwrap();
    let session = session("10");
    for title in ["one", "two", "three"] {
        store.add_todo(&session, title, "7", None, 1).await.unwrap();
    }
    assert!(store.delete_todo(&session, 2).await.unwrap());
    assert!(!store.delete_todo(&session, 2).await.unwrap());
    let fourth = store
        .add_todo(&session, "four", "7", None, 1)
        .await
        .unwrap();
    assert_eq!(fourth.id, 4);
    let error = store
        .add_todo(&session, "", "7", None, 1)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "limited");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_at_once_keep_each_session_dense_and_share_commits() {
    let home = Home::new();
    let store = std::sync::Arc::new(home.open());
    let before = store.commits();
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..400 {
        let store = std::sync::Arc::clone(&store);
        tasks.spawn(async move {
            let thread = format!("{}", 10 + n % 4);
            store
                .admit(row(&thread, &n.to_string(), "x"))
                .await
                .unwrap()
        });
    }
    tasks.join_all().await;
    for thread in ["10", "11", "12", "13"] {
        let rows = store.rows(&session(thread), 200).await.unwrap();
        let seqs: Vec<u64> = rows.iter().map(|row| row.seq).collect();
        assert_eq!(seqs, (1..=100).collect::<Vec<u64>>());
    }
    let commits = store.commits() - before;
    assert!(commits < 400, "{commits} commits");
}

#[tokio::test]
async fn yolo_is_a_sessions_own_and_stays_until_it_is_taken_away_and_each_call_is_in_the_log() {
    let home = Home::new();
    let store = home.open();
    for thread in ["10", "11"] {
        store.admit(row(thread, "a", "x")).await.unwrap();
    }
    let set = async |thread, on, by, now| {
        let session = session(thread);
        store.set_yolo(&session, on, by, now).await.unwrap()
    };
    assert!(!set("12", true, "local:cli", 2).await, "no such session");
    assert!(!store.is_yolo(&session("12")).await.unwrap());
    assert!(set("10", false, "local:cli", 3).await, "it was not on");
    for (on, by, now) in [(true, "local:cli", 4), (true, "local:page", 5)] {
        assert!(set("10", on, by, now).await);
        assert!(store.is_yolo(&session("10")).await.unwrap());
        assert!(!store.is_yolo(&session("11")).await.unwrap());
    }
    store.pause(&session("10"), "paused", 6).await.unwrap();
    assert!(store.is_yolo(&session("10")).await.unwrap());
    drop(store);
    let store = home.open();
    assert!(store.is_yolo(&session("10")).await.unwrap());
    let off = store.set_yolo(&session("10"), false, "local:cli", 7).await;
    assert!(off.unwrap());
    assert!(!store.is_yolo(&session("10")).await.unwrap());

    let log = store.audit_entries(0, 100, Some(&profile())).await.unwrap();
    let log: Vec<_> = log
        .iter()
        .map(|entry| (entry.kind.as_str(), entry.actor.as_str(), entry.at))
        .collect();
    assert_eq!(
        log,
        [
            ("yolo-off", "local:cli", 3),
            ("yolo-on", "local:cli", 4),
            ("yolo-on", "local:page", 5),
            ("yolo-off", "local:cli", 7),
        ]
    );
    let error = store
        .set_yolo(&session("10"), true, "", 8)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "store-invalid");
    assert!(!store.is_yolo(&session("10")).await.unwrap());
}

#[tokio::test]
async fn when_a_profile_was_connected_is_what_was_said_last() {
    let home = Home::new();
    let store = home.open();
    assert_eq!(store.connected_at(&profile()).await.unwrap(), None);
    // The clock was set back in between.
    for at in [5_000, 9_000, 7_000] {
        store.keep_connected_at(&profile(), at).await.unwrap();
        assert_eq!(store.connected_at(&profile()).await.unwrap(), Some(at));
    }
    let other = "other".parse().unwrap();
    assert_eq!(store.connected_at(&other).await.unwrap(), None);
    drop(store);
    let kept = home.open().connected_at(&profile()).await.unwrap();
    assert_eq!(kept, Some(7_000));
}
