//! Admissions per second with durability on, beside bare SQLite that commits the same rows in
//! batches of the same size.
//!
//! Run with `cargo bench -p ostler-store --bench admission`.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::path::Path;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use ostler_store::{
    Cause, ChatType, Descriptor, NewRow, Origin, Principal, Profile, Route, RowId, SessionKey,
    SessionStore as _, Store,
};
use rusqlite::{Connection, TransactionBehavior};
use tempfile::TempDir;

/// Rows of one burst.
const ROWS: usize = 1_024;
/// Rows of one bare transaction: what the writer puts into one at most.
const BATCH: usize = 256;
/// Sessions that a burst is spread over.
const SESSIONS: usize = 16;

fn row(n: usize) -> NewRow {
    let profile: Profile = "main".parse().unwrap();
    let thread = (1_000 + n % SESSIONS).to_string().parse().unwrap();
    let origin = Origin::Person {
        id: "112233445566778899".parse().unwrap(),
    };
    NewRow {
        id: RowId::new(),
        session: SessionKey::thread(&profile, "discord", &thread, None),
        profile,
        principal: Principal("discord:112233445566778899".to_owned()),
        request: n.to_string(),
        descriptor: Descriptor {
            kind: "native_text_v1".to_owned(),
            payload: format!("{{\"text\":\"message number {n}\",\"author\":\"1122334455667788\"}}"),
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
            chat: thread,
            parent: Some("2".parse().unwrap()),
        },
        envelope: None,
        heard: None,
        admitted_at: 1_000,
    }
}

fn rows() -> Vec<NewRow> {
    (0..ROWS).map(row).collect()
}

/// A migrated database, closed again.
fn database() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ostler.db");
    drop(Store::open(&path).unwrap());
    (folder, path)
}

/// The floor: the rows alone, in the same tables with the same indexes and the same durability.
fn bare(path: &Path, rows: &[NewRow]) {
    let mut connection = Connection::open(path).unwrap();
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .unwrap();
    connection
        .pragma_update(None, "synchronous", "FULL")
        .unwrap();
    for row in rows.iter().take(SESSIONS) {
        connection
            .execute(
                "INSERT INTO sessions (key, profile, route, created_at, updated_at)
                 VALUES (?1, 'main', '{}', 0, 0)",
                [row.session.as_str()],
            )
            .unwrap();
    }
    for (batch, chunk) in rows.chunks(BATCH).enumerate() {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .unwrap();
        for (n, row) in chunk.iter().enumerate() {
            transaction
                .prepare_cached(
                    "INSERT INTO rows (id, session, seq, principal, request, kind, payload, origin,
                         causes, route, status, generation, admitted_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'queued', 0, ?11)",
                )
                .unwrap()
                .execute((
                    row.id.to_string(),
                    row.session.as_str(),
                    i64::try_from((batch * BATCH + n) / SESSIONS + 1).unwrap(),
                    &row.principal.0,
                    &row.request,
                    &row.descriptor.kind,
                    &row.descriptor.payload,
                    serde_json::to_string(&row.origin).unwrap(),
                    serde_json::to_string(&row.causes).unwrap(),
                    serde_json::to_string(&row.route).unwrap(),
                    row.admitted_at,
                ))
                .unwrap();
        }
        transaction.commit().unwrap();
    }
}

fn admission(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let mut group = criterion.benchmark_group("admission");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.sample_size(20);
    group.bench_function("bare batched SQLite", |bencher| {
        bencher.iter_batched(
            || (database(), rows()),
            |((folder, path), rows)| {
                bare(&path, &rows);
                folder
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("admit", |bencher| {
        bencher.iter_batched(
            || (database(), rows()),
            |((folder, path), rows)| {
                let store = Arc::new(Store::open(&path).unwrap());
                runtime.block_on(async {
                    let mut burst = tokio::task::JoinSet::new();
                    for row in rows {
                        let store = Arc::clone(&store);
                        burst.spawn(async move { store.admit(row).await.unwrap() });
                    }
                    burst.join_all().await;
                });
                drop(store);
                folder
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, admission);
criterion_main!(benches);
