//! The audit log: what is recorded stays, and what was done to the file shows.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use ostler_store::{AuditEntry, AuditLog as _, AuditVerdict, NewAuditEntry, Store};
use rusqlite::Connection;

mod fixtures;
use fixtures::{Folder, digest, profile};

fn entry(n: usize) -> NewAuditEntry {
    NewAuditEntry {
        at: 1_700_000_000_000 + i64::try_from(n).unwrap(),
        profile: Some(profile(if n.is_multiple_of(2) { "main" } else { "other" })),
        kind: "press-refused".to_owned(),
        actor: "discord:7".to_owned(),
        subject: Some(format!("subject-{n}")),
        place: Some("10".to_owned()),
        digest: Some(digest(1).to_string()),
        detail: format!(r#"{{"n":{n},"name":"Zoë \"Z\""}}"#),
    }
}

/// A store with so many entries.
async fn with_entries(folder: &Folder, entries: usize) -> Store {
    let store = folder.open();
    for n in 0..entries {
        store.audit(entry(n)).await.unwrap();
    }
    store
}

async fn all(store: &Store) -> Vec<AuditEntry> {
    store.audit_entries(0, 1_000, None).await.unwrap()
}

#[tokio::test]
async fn entries_read_back_as_they_were_written_each_after_the_one_before() {
    let folder = Folder::new();
    let store = folder.open();
    let verdict = store.verify_audit().await.unwrap();
    let AuditVerdict::Whole { entries: 0, head } = verdict else {
        panic!("{verdict:?}");
    };
    let mut previous = head;
    let bare = NewAuditEntry {
        profile: None,
        subject: None,
        place: None,
        digest: None,
        detail: "{}".to_owned(),
        ..entry(0)
    };
    for (n, new) in [entry(1), bare, entry(3)].into_iter().enumerate() {
        let seq = store.audit(new.clone()).await.unwrap();
        assert_eq!(seq, n as u64 + 1);
        let read = store.audit_entries(seq - 1, 10, None).await.unwrap();
        let [read] = read.as_slice() else {
            panic!("{read:?}");
        };
        let expected = AuditEntry {
            seq,
            at: new.at,
            profile: new.profile,
            kind: new.kind,
            actor: new.actor,
            subject: new.subject,
            place: new.place,
            digest: new.digest,
            detail: new.detail,
            previous,
            hash: read.hash.clone(),
        };
        assert_eq!(*read, expected);
        assert_eq!(store.is_audit_head(&read.hash).await.unwrap(), Some(seq));
        previous = read.hash.clone();
    }
    let whole = AuditVerdict::Whole {
        entries: 3,
        head: previous,
    };
    assert_eq!(store.verify_audit().await.unwrap(), whole);
    drop(store);
    assert_eq!(folder.open().verify_audit().await.unwrap(), whole);
}

#[tokio::test]
async fn entries_are_listed_in_pages_and_by_profile() {
    let folder = Folder::new();
    let store = with_entries(&folder, 10).await;
    let seqs = async |after, limit, name: Option<&str>| {
        let profile = name.map(profile);
        let entries = store.audit_entries(after, limit, profile.as_ref()).await;
        entries
            .unwrap()
            .iter()
            .map(|entry| entry.seq)
            .collect::<Vec<_>>()
    };
    assert_eq!(seqs(0, 3, None).await, [1, 2, 3]);
    assert_eq!(seqs(3, 3, None).await, [4, 5, 6]);
    assert_eq!(seqs(8, 100, None).await, [9, 10]);
    assert_eq!(seqs(0, 3, Some("other")).await, [2, 4, 6]);
    assert_eq!(seqs(6, 100, Some("other")).await, [8, 10]);
    assert!(seqs(0, 100, Some("nobody")).await.is_empty());
    assert!(seqs(u64::MAX, 100, None).await.is_empty());
}

#[tokio::test]
async fn what_is_no_entry_is_refused_and_leaves_no_gap() {
    let folder = Folder::new();
    let store = with_entries(&folder, 1).await;
    type Change = fn(&mut NewAuditEntry);
    let changes: [Change; 12] = [
        |entry| entry.at = -1,
        |entry| entry.at = 1 << 53,
        |entry| entry.at = i64::MAX,
        |entry| entry.kind = String::new(),
        |entry| entry.kind = "Press_Refused".to_owned(),
        |entry| entry.kind = "k".repeat(65),
        |entry| entry.actor = String::new(),
        |entry| entry.subject = Some("s".repeat(513)),
        |entry| entry.digest = Some("sha256:00".to_owned()),
        |entry| entry.detail = "[]".to_owned(),
        |entry| entry.detail = "{".to_owned(),
        |entry| entry.detail = format!(r#"{{"a":"{}"}}"#, "x".repeat(65_536)),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut entry = entry(1);
        change(&mut entry);
        let error = store.audit(entry).await.unwrap_err();
        assert_eq!(error.code(), "store-invalid", "{n}: {error}");
    }
    assert_eq!(store.audit(entry(1)).await.unwrap(), 2);
}

#[tokio::test]
async fn no_program_changes_removes_or_replaces_an_entry() {
    let folder = Folder::new();
    let store = with_entries(&folder, 3).await;
    let before = all(&store).await;
    let raw = Connection::open(folder.database()).unwrap();
    let columns = "at, profile, kind, actor, subject, place, digest, detail";
    for change in [
        "UPDATE audit SET actor = 'discord:8' WHERE seq = 2".to_owned(),
        "DELETE FROM audit WHERE seq = 3".to_owned(),
        // In the place of another, past the end, and under a hash that stands.
        format!(
            "INSERT OR REPLACE INTO audit SELECT 2, {columns}, previous, hash FROM audit WHERE seq = 3"
        ),
        format!(
            "INSERT INTO audit SELECT 9, {columns}, hash, 'sha256:{}' FROM audit WHERE seq = 3",
            "1".repeat(64)
        ),
        format!(
            "INSERT OR REPLACE INTO audit SELECT 4, {columns}, hash, hash FROM audit WHERE seq = 3"
        ),
        format!(
            "INSERT INTO audit SELECT 4, {columns}, previous, previous FROM audit WHERE seq = 3"
        ),
    ] {
        let error = raw.execute(&change, []).unwrap_err();
        assert!(error.to_string().contains("audit log"), "{change}: {error}");
    }
    assert_eq!(all(&store).await, before);
}

/// What is found after somebody dropped the triggers and did this to a log of ten entries.
async fn tampered(change: &str) -> (AuditVerdict, Vec<Option<u64>>) {
    let folder = Folder::new();
    let store = with_entries(&folder, 10).await;
    let heads: Vec<_> = all(&store).await.into_iter().map(|e| e.hash).collect();
    Connection::open(folder.database())
        .unwrap()
        .execute_batch(&format!(
            "PRAGMA ignore_check_constraints = ON;
             DROP TRIGGER audit_is_never_updated; DROP TRIGGER audit_is_never_deleted;
             DROP TRIGGER audit_is_a_chain; {change}"
        ))
        .unwrap();
    let mut places = Vec::new();
    for head in &heads {
        places.push(store.is_audit_head(head).await.unwrap());
    }
    (store.verify_audit().await.unwrap(), places)
}

#[tokio::test]
async fn each_change_of_the_file_is_found_where_it_is() {
    for (change, at) in [
        ("UPDATE audit SET at = at + 1 WHERE seq = 4", 4),
        ("UPDATE audit SET at = 9007199254740993 WHERE seq = 4", 4),
        ("UPDATE audit SET profile = 'elsewhere' WHERE seq = 4", 4),
        ("UPDATE audit SET profile = NULL WHERE seq = 4", 4),
        ("UPDATE audit SET profile = 'NO NAME' WHERE seq = 4", 4),
        ("UPDATE audit SET kind = 'approved' WHERE seq = 4", 4),
        ("UPDATE audit SET actor = 'discord:8' WHERE seq = 4", 4),
        ("UPDATE audit SET subject = place, place = subject WHERE seq = 4", 4),
        ("UPDATE audit SET place = NULL WHERE seq = 4", 4),
        ("UPDATE audit SET digest = NULL WHERE seq = 4", 4),
        // The same to JSON, and not the same bytes.
        ("UPDATE audit SET detail = detail || ' ' WHERE seq = 4", 4),
        ("UPDATE audit SET hash = replace(hash, 'a', 'b') WHERE seq = 4", 4),
        ("UPDATE audit SET previous = replace(previous, 'a', 'b') WHERE seq = 4", 4),
        ("DELETE FROM audit WHERE seq = 1", 1),
        ("DELETE FROM audit WHERE seq = 4", 4),
        // Removed, and what follows moved up.
        (
            "DELETE FROM audit WHERE seq = 4;
             UPDATE audit SET seq = -seq WHERE seq > 4; UPDATE audit SET seq = -seq - 1 WHERE seq < 0",
            4,
        ),
        // Two entries swapped: whole, and only what they say.
        (
            "UPDATE audit SET seq = 0 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 5;
             UPDATE audit SET seq = 5 WHERE seq = 0",
            4,
        ),
        (
            "UPDATE audit SET subject = CASE seq WHEN 4 THEN 'subject-4' ELSE 'subject-3' END
             WHERE seq IN (4, 5)",
            4,
        ),
        // One put in between.
        (
            "UPDATE audit SET seq = -seq WHERE seq > 4; UPDATE audit SET seq = -seq + 1 WHERE seq < 0;
             INSERT INTO audit SELECT 5, at, profile, kind, actor, subject, place, digest, detail,
                 hash, replace(hash, 'a', 'b') FROM audit WHERE seq = 4",
            5,
        ),
    ] {
        let (verdict, _) = tampered(change).await;
        match verdict {
            AuditVerdict::Broken { seq, what } => {
                assert_eq!(seq, at, "{change}: {what}");
                assert!(!what.is_empty());
            }
            AuditVerdict::Whole { .. } => panic!("not found: {change}"),
        }
    }
    let (verdict, _) = tampered("").await;
    assert!(
        matches!(verdict, AuditVerdict::Whole { entries: 10, .. }),
        "a dropped trigger is no change: {verdict:?}"
    );
}

#[tokio::test]
async fn entries_cut_off_the_end_show_only_against_a_head_that_was_noted() {
    let (verdict, heads) = tampered("DELETE FROM audit WHERE seq > 7").await;
    assert!(
        matches!(verdict, AuditVerdict::Whole { entries: 7, .. }),
        "{verdict:?}"
    );
    assert_eq!(
        heads[6],
        Some(7),
        "one that was noted before is still there"
    );
    assert!(heads[7..].iter().all(Option::is_none), "{heads:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn entries_of_many_tasks_and_of_two_writers_on_one_file_are_one_chain() {
    let folder = Folder::new();
    let stores = [Arc::new(folder.open()), Arc::new(folder.open())];
    let before = stores[0].commits() + stores[1].commits();
    let mut writes = tokio::task::JoinSet::new();
    for n in 0..600 {
        let store = Arc::clone(&stores[n % 2]);
        writes.spawn(async move {
            let mut entry = entry(n);
            // Refused ones among them leave no gap.
            if n.is_multiple_of(5) {
                entry.detail = "no JSON".to_owned();
            }
            store.audit(entry).await.ok()
        });
    }
    let mut seqs: Vec<u64> = writes.join_all().await.into_iter().flatten().collect();
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=480).collect::<Vec<u64>>());
    let verdict = stores[0].verify_audit().await.unwrap();
    assert!(
        matches!(verdict, AuditVerdict::Whole { entries: 480, .. }),
        "{verdict:?}"
    );
    let commits = stores[0].commits() + stores[1].commits() - before;
    assert!(
        commits < 480,
        "{commits} commits: entries share transactions"
    );
}
