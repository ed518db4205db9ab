//! A long audit log. In a file of its own, since it measures what its process takes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use ostler_store::{AuditLog as _, AuditVerdict, NewAuditEntry, Store};
use rusqlite::Connection;
use serde_json::json;
use sha2::{Digest as _, Sha256};

mod fixtures;
use fixtures::Folder;

const ENTRIES: u64 = 100_000;

/// Writes the log as its documentation says, without the store: with the triggers in place, in one
/// transaction, and nothing is left to the store's own way of hashing. Gives the head.
fn write_past_the_store(raw: &mut Connection, first: String) -> String {
    raw.pragma_update(None, "synchronous", "OFF").unwrap();
    let transaction = raw.transaction().unwrap();
    let mut insert = transaction
        .prepare(
            "INSERT INTO audit (seq, at, kind, actor, detail, previous, hash)
             VALUES (?1, 1700000000000, 'approved', 'discord:7', '{\"via\":\"discord\"}', ?2, ?3)",
        )
        .unwrap();
    let mut previous = first;
    for seq in 1..=ENTRIES {
        // Its names are sorted, and its texts need no escape but `\"`: RFC 8785 to the byte.
        let canonical = json!({
            "actor": "discord:7", "at": 1_700_000_000_000_i64, "detail": "{\"via\":\"discord\"}",
            "digest": null, "kind": "approved", "place": null, "profile": null, "seq": seq,
            "subject": null,
        })
        .to_string();
        let bytes = [
            b"ostler.audit.v1\0",
            previous.as_bytes(),
            canonical.as_bytes(),
        ]
        .concat();
        let hash = format!("sha256:{}", hex::encode(Sha256::digest(bytes)));
        insert
            .execute((i64::try_from(seq).unwrap(), &previous, &hash))
            .unwrap();
        previous = hash;
    }
    drop(insert);
    transaction.commit().unwrap();
    previous
}

/// The processor's time that this process has taken; elsewhere than on Linux the time that passed,
/// which other processes make longer.
fn spent(began: Instant) -> Duration {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else {
        return began.elapsed();
    };
    // proc(5): after the name in brackets, `utime` and `stime` are the 12th and 13th, in 1/100 s.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = |n| -> u64 { fields.split_whitespace().nth(n).unwrap().parse().unwrap() };
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// The most memory that this process ever had, in KiB; none elsewhere than on Linux.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

async fn head(store: &Store) -> (u64, String) {
    match store.verify_audit().await.unwrap() {
        AuditVerdict::Whole { entries, head } => (entries, head),
        broken @ AuditVerdict::Broken { .. } => panic!("{broken:?}"),
    }
}

#[tokio::test]
async fn a_hundred_thousand_entries_are_looked_through_within_seconds_and_one_at_a_time() {
    let folder = Folder::new();
    let store = folder.open();
    let (_, first) = head(&store).await;
    let mut raw = Connection::open(folder.database()).unwrap();
    let last = write_past_the_store(&mut raw, first);
    drop(raw);

    let began = Instant::now();
    let (before, least) = (spent(began), peak());
    assert_eq!(head(&store).await, (ENTRIES, last));
    let took = spent(began) - before;
    println!("{ENTRIES} entries in {took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    if let (Some(least), Some(most)) = (least, peak()) {
        // All of them together are more than 60 MB.
        assert!(most - least < 16 << 10, "{least} to {most} KiB");
    }

    // The store goes on from there.
    let entry = NewAuditEntry {
        at: 1_700_000_000_000,
        profile: None,
        kind: "approved".to_owned(),
        actor: "discord:7".to_owned(),
        subject: None,
        place: None,
        digest: None,
        detail: "{}".to_owned(),
    };
    assert_eq!(store.audit(entry).await.unwrap(), ENTRIES + 1);
    assert_eq!(head(&store).await.0, ENTRIES + 1);
}
