//! The audit log: its newest entries, and those of one ask.

use ostler_store::{Approval, AuditEntry, AuditLog, Profile, StoreError};
use serde::Serialize;
use serde_json::Value;

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditView {
    /// Its place, from 1 and without gaps.
    pub seq: u64,
    /// When, in milliseconds since 1970 (UTC).
    pub at: i64,
    /// In which profile; none for what concerns the host.
    pub profile: Option<Profile>,
    /// What happened.
    pub kind: String,
    /// Who did it.
    pub actor: String,
    /// To what.
    pub subject: Option<String>,
    /// Where.
    pub place: Option<String>,
    /// The SHA-256 of what it is about.
    pub digest: Option<String>,
    /// Everything else, an object.
    pub detail: Value,
    /// The hash of the entry before it.
    pub previous: String,
    /// Its own.
    pub hash: String,
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        Self {
            seq: entry.seq,
            at: entry.at,
            profile: entry.profile,
            kind: entry.kind,
            actor: entry.actor,
            subject: entry.subject,
            place: entry.place,
            digest: entry.digest,
            detail: serde_json::from_str(&entry.detail).unwrap_or(Value::String(entry.detail)),
            previous: entry.previous,
            hash: entry.hash,
        }
    }
}

/// The newest entries, the oldest of them first, `limit` at most; with a profile, its alone.
///
/// # Errors
/// Those of the store.
pub async fn newest_audit(
    log: &dyn AuditLog,
    limit: u32,
    profile: Option<&Profile>,
) -> Result<Vec<AuditEntry>, StoreError> {
    let last = last(log).await?;
    let mut window = u64::from(limit);
    loop {
        let after = last.saturating_sub(window);
        let mut found = log.audit_entries(after, u32::MAX, profile).await?;
        let enough = usize::try_from(limit).unwrap_or(usize::MAX);
        if found.len() >= enough || after == 0 {
            return Ok(found.split_off(found.len().saturating_sub(enough)));
        }
        // Entries of other profiles stand between.
        window = window.saturating_mul(4).max(64);
    }
}

/// Entries that are read at once.
const PAGE: u32 = 1_000;
/// The most of them that are looked through for one ask.
const PAGES: u32 = 50;
/// How far clocks may differ, in milliseconds.
const MARGIN: i64 = 60_000;
/// For how long presses of an ask that has ended are looked for, in milliseconds.
const LATE: i64 = 15 * 60_000;

/// The entries of one ask, the oldest first. Presses that came more than a quarter of an hour
/// after anything changed are left out, and so is what lies more than 50,000 entries away.
///
/// # Errors
/// Those of the store.
pub async fn steps_of(
    log: &dyn AuditLog,
    approval: &Approval,
) -> Result<Vec<AuditEntry>, StoreError> {
    let from = before(log, approval.created_at.saturating_sub(MARGIN)).await?;
    let steps = steps_after(log, approval, from).await?;
    if !steps.is_empty() || from == 0 {
        return Ok(steps);
    }
    // The clock was set back in between: what it says is no guide.
    steps_after(log, approval, 0).await
}

async fn steps_after(
    log: &dyn AuditLog,
    approval: &Approval,
    mut after: u64,
) -> Result<Vec<AuditEntry>, StoreError> {
    let id = approval.id.to_string();
    let until = match approval.ending {
        Some(_) => approval.updated_at.saturating_add(LATE),
        None => i64::MAX,
    };
    let mut steps = Vec::new();
    for _ in 0..PAGES {
        let page = log
            .audit_entries(after, PAGE, Some(&approval.profile))
            .await?;
        let Some(last) = page.last() else {
            break;
        };
        after = last.seq;
        let is_past = last.at > until && !steps.is_empty();
        steps.extend(
            page.into_iter()
                .filter(|entry| entry.subject.as_deref() == Some(id.as_str())),
        );
        if is_past {
            break;
        }
    }
    Ok(steps)
}

/// The place of the last entry: entries are numbered without gaps.
async fn last(log: &dyn AuditLog) -> Result<u64, StoreError> {
    let (mut low, mut high) = (0, 1);
    while entry_after(log, high).await?.is_some() {
        low = high;
        high *= 2;
    }
    // One after `low`, unless there is none at all; none after `high`.
    if entry_after(log, low).await?.is_none() {
        return Ok(low);
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if entry_after(log, middle).await?.is_some() {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(high)
}

/// The last place before the first entry that is not older than `at`.
async fn before(log: &dyn AuditLog, at: i64) -> Result<u64, StoreError> {
    let (mut low, mut high) = (0, last(log).await?);
    while low < high {
        let middle = low + (high - low) / 2;
        match entry_after(log, middle).await? {
            Some(entry) if entry.at < at => low = middle + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

async fn entry_after(log: &dyn AuditLog, place: u64) -> Result<Option<AuditEntry>, StoreError> {
    Ok(log.audit_entries(place, 1, None).await?.pop())
}

#[cfg(test)]
mod tests {
    use ostler_store::{NewAuditEntry, Store};

    use super::*;

    fn entry(at: i64, profile: &str, subject: &str) -> NewAuditEntry {
        NewAuditEntry {
            at,
            profile: Some(profile.parse().unwrap()),
            kind: "tested".to_owned(),
            actor: "host".to_owned(),
            subject: Some(subject.to_owned()),
            place: None,
            digest: None,
            detail: "{}".to_owned(),
        }
    }

    async fn log(count: i64) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("ostler.db")).unwrap();
        for at in 0..count {
            // Every seventh entry is another profile's.
            let profile = if at % 7 == 0 { "other" } else { "main" };
            store.audit(entry(at, profile, "x")).await.unwrap();
        }
        (folder, store)
    }

    fn places(entries: &[AuditEntry]) -> Vec<u64> {
        entries.iter().map(|entry| entry.seq).collect()
    }

    #[tokio::test]
    async fn the_last_place_is_found_in_logs_of_every_length() {
        for count in [0, 1, 2, 3, 4, 5, 8, 9, 31, 33] {
            let (_folder, store) = log(count).await;
            assert_eq!(last(&store).await.unwrap(), count.unsigned_abs(), "{count}");
        }
    }

    #[tokio::test]
    async fn the_newest_are_given_whatever_stands_between() {
        let (_folder, store) = log(100).await;
        let newest = newest_audit(&store, 3, None).await.unwrap();
        assert_eq!(places(&newest), [98, 99, 100]);
        let other = "other".parse().unwrap();
        let newest = newest_audit(&store, 3, Some(&other)).await.unwrap();
        assert_eq!(places(&newest), [85, 92, 99]);
        let all = newest_audit(&store, 1_000, Some(&other)).await.unwrap();
        assert_eq!(all.len(), 15);
        assert!(newest_audit(&store, 0, None).await.unwrap().is_empty());
        let nobody = "nobody".parse().unwrap();
        let none = newest_audit(&store, 3, Some(&nobody)).await.unwrap();
        assert!(none.is_empty());
    }

    #[tokio::test]
    async fn a_time_is_found_between_its_neighbours() {
        let (_folder, store) = log(50).await;
        for at in [0, 1, 17, 49, 50, 1_000] {
            let expected = i64::clamp(at, 0, 50).unsigned_abs();
            assert_eq!(before(&store, at).await.unwrap(), expected, "{at}");
        }
    }
}
