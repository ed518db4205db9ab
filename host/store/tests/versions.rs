//! Published versions are written once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use ostler_store::{PublishOutcome, Store};
use rusqlite::Connection;

mod fixtures;
use fixtures::{Folder, digest, package, version};

fn publish(store: &Store, name: &str, number: &str, at: i64) {
    let mut row = version(name, number);
    row.published_at = at;
    assert_eq!(
        store.publish_version(&row).unwrap(),
        PublishOutcome::Published
    );
}

#[test]
fn a_version_reads_back_as_it_was_published() {
    let folder = Folder::new();
    let mut with_readme = version("handoff", "1.0.0");
    with_readme.statement = "{\"b\":1,  \"a\":\"é\u{1F40E}\"}".to_owned();
    with_readme.signature = std::array::from_fn(|n| u8::try_from(n).unwrap());
    let mut without = version("handoff", "1.0.1");
    without.readme = None;
    {
        let store = folder.open();
        for row in [&with_readme, &without] {
            assert_eq!(
                store.publish_version(row).unwrap(),
                PublishOutcome::Published
            );
        }
    }
    let store = folder.open();
    assert_eq!(
        store.version(&package("handoff"), "1.0.0").unwrap(),
        Some(with_readme)
    );
    assert_eq!(
        store.version(&package("handoff"), "1.0.1").unwrap(),
        Some(without)
    );
    assert_eq!(store.version(&package("handoff"), "1.0.2").unwrap(), None);
    assert_eq!(store.version(&package("other"), "1.0.0").unwrap(), None);
}

#[test]
fn a_second_publish_of_a_version_is_a_conflict_and_changes_nothing() {
    let folder = Folder::new();
    let store = folder.open();
    let first = version("handoff", "1.0.0");
    assert_eq!(
        store.publish_version(&first).unwrap(),
        PublishOutcome::Published
    );

    let mut same_bytes = first.clone();
    same_bytes.readme = Some("another".to_owned());
    let mut other_bytes = first.clone();
    other_bytes.digest = digest(9);
    assert_eq!(
        store.publish_version(&same_bytes).unwrap(),
        PublishOutcome::VersionConflict { same_digest: true }
    );
    assert_eq!(
        store.publish_version(&other_bytes).unwrap(),
        PublishOutcome::VersionConflict { same_digest: false }
    );
    assert_eq!(store.versions(&package("handoff")).unwrap(), vec![first]);
}

#[test]
fn of_many_who_publish_the_same_version_at_once_one_wins() {
    let folder = Folder::new();
    let store = folder.open();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|n| {
                let mut row = version("handoff", "1.0.0");
                row.digest = digest(n);
                let store = &store;
                scope.spawn(move || (row.digest.clone(), store.publish_version(&row).unwrap()))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let winners: Vec<_> = outcomes
        .iter()
        .filter(|(_, outcome)| *outcome == PublishOutcome::Published)
        .collect();
    assert_eq!(winners.len(), 1, "{outcomes:?}");
    let stored = store
        .version(&package("handoff"), "1.0.0")
        .unwrap()
        .unwrap();
    assert_eq!(stored.digest, winners[0].0);
}

#[test]
fn a_published_version_cannot_be_changed_even_by_another_program() {
    let folder = Folder::new();
    let store = folder.open();
    let row = version("handoff", "1.0.0");
    assert_eq!(
        store.publish_version(&row).unwrap(),
        PublishOutcome::Published
    );

    let other = Connection::open(folder.database()).unwrap();
    for attempt in [
        "UPDATE versions SET access = '{}'",
        "UPDATE versions SET published_at = published_at",
        "DELETE FROM versions",
        "INSERT OR REPLACE INTO versions SELECT * FROM versions",
        "INSERT OR IGNORE INTO versions SELECT * FROM versions",
        "UPDATE OR REPLACE versions SET version = '2.0.0'",
    ] {
        let error = other.execute(attempt, []).expect_err(attempt);
        assert!(
            error.to_string().contains("immutable"),
            "{attempt}: {error}"
        );
    }
    assert_eq!(store.versions(&package("handoff")).unwrap(), vec![row]);
}

#[test]
fn a_field_that_breaks_its_bound_is_refused() {
    let folder = Folder::new();
    let store = folder.open();
    let mut rows = vec![version("handoff", "1.0.0"); 8];
    rows[0].manifest = "name = 'handoff'".to_owned();
    rows[1].scan = String::new();
    rows[2].access = "{".to_owned();
    rows[3].catalogue = "[,]".to_owned();
    rows[4].statement = "{\"a\":1".to_owned();
    rows[5].publisher = String::new();
    rows[6].published_at = -1;
    rows[7].version = String::new();
    for row in rows {
        let error = store.publish_version(&row).expect_err("must be refused");
        assert_eq!(error.code(), "store-invalid", "{error}");
    }
    assert!(store.packages(None).unwrap().is_empty());
}

#[test]
fn versions_come_with_the_newest_publish_first() {
    let folder = Folder::new();
    let store = folder.open();
    publish(&store, "handoff", "2.0.0", 50);
    publish(&store, "handoff", "10.0.0", 40);
    publish(&store, "handoff", "1.9.9", 60);
    publish(&store, "handoff", "1.9.10", 60);
    publish(&store, "other", "3.0.0", 70);
    let numbers: Vec<_> = store
        .versions(&package("handoff"))
        .unwrap()
        .into_iter()
        .map(|row| (row.version, row.published_at))
        .collect();
    let expected = [("1.9.10", 60), ("1.9.9", 60), ("2.0.0", 50), ("10.0.0", 40)];
    assert_eq!(
        numbers,
        expected.map(|(number, at)| (number.to_owned(), at))
    );
    assert!(store.versions(&package("missing")).unwrap().is_empty());
}

#[test]
fn packages_are_found_by_a_part_of_their_name_or_description_with_all_their_versions() {
    let folder = Folder::new();
    let store = folder.open();
    publish(&store, "handoff", "1.0.0", 1);
    publish(&store, "weather", "1.0.0", 2);
    let mut renamed = version("weather", "2.0.0");
    renamed.manifest = r#"{"description":"Rain & 100% Sun"}"#.to_owned();
    renamed.published_at = 3;
    assert_eq!(
        store.publish_version(&renamed).unwrap(),
        PublishOutcome::Published
    );
    let mut plain = version("plain", "1.0.0");
    plain.manifest = "{}".to_owned();
    assert_eq!(
        store.publish_version(&plain).unwrap(),
        PublishOutcome::Published
    );

    let find = |query: Option<&str>| -> Vec<String> {
        let rows = store.packages(query).unwrap();
        rows.into_iter()
            .map(|row| format!("{} {}", row.package, row.version))
            .collect()
    };
    let weather = ["weather 2.0.0", "weather 1.0.0"];
    assert_eq!(
        find(None),
        ["handoff 1.0.0", "plain 1.0.0", weather[0], weather[1]]
    );
    assert_eq!(find(Some("")), find(None));
    assert_eq!(find(Some("eat")), weather);
    assert_eq!(find(Some("EATH")), weather);
    assert_eq!(find(Some("rain")), weather);
    assert_eq!(
        find(Some("hands work")),
        ["handoff 1.0.0", weather[0], weather[1]]
    );
    assert_eq!(find(Some("plai")), ["plain 1.0.0"]);
    // A query is plain text.
    assert_eq!(find(Some("%")), weather);
    assert!(find(Some("han_off")).is_empty());
    assert!(find(Some("' OR 1 --")).is_empty());
}
