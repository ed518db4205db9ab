//! Many writers, few transactions.

use std::pin::pin;
use std::task::{Context, Waker};

use rusqlite::Connection;

mod fixtures;
use fixtures::{Folder, handoff_in_main, profile};

#[test]
fn many_concurrent_writers_cost_fewer_transactions_than_writes() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let before = store.commits();
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let (store, main, handoff) = (&store, &main, &handoff);
            scope.spawn(move || {
                for n in 0..40 {
                    let key = format!("{thread}-{n}");
                    store.settings_set(main, handoff, &key, "v").unwrap();
                    // What was answered is seen by the next read.
                    assert!(store.settings_get(main, handoff, &key).unwrap().is_some());
                }
            });
        }
    });
    let commits = store.commits() - before;
    println!("{commits} commits for 640 writes");
    assert!(commits < 640, "{commits} commits");
    assert_eq!(
        store
            .settings_list(&main, &handoff, "", None, 1_000)
            .unwrap()
            .keys
            .len(),
        640
    );
}

#[test]
fn a_writer_alone_is_committed_at_once() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let before = store.commits();
    for n in 0..5 {
        store
            .settings_set(&main, &handoff, "key", &n.to_string())
            .unwrap();
        assert_eq!(store.commits() - before, n + 1);
    }
}

#[test]
fn a_refused_write_leaves_the_neighbours_that_wait_with_it() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let stranger = profile("stranger");
    let before = store.commits();

    // While another process holds the lock, everything that was polled waits in the queue.
    let lock = Connection::open(folder.database()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let keys: Vec<String> = (0..100).map(|n| format!("key-{n}")).collect();
    let mut writes: Vec<_> = keys
        .iter()
        .enumerate()
        .map(|(n, key)| {
            let profile = if n == 50 { &stranger } else { &main };
            Box::pin(store.settings_set_async(profile, &handoff, key, "v"))
        })
        .collect();
    let mut context = Context::from_waker(Waker::noop());
    for write in &mut writes {
        assert!(pin!(write).poll(&mut context).is_pending());
    }
    lock.execute_batch("COMMIT").unwrap();

    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        for (n, write) in writes.into_iter().enumerate() {
            match (n, write.await) {
                (50, Err(error)) => assert_eq!(error.code(), "store-not-found"),
                (50, Ok(())) => panic!("the stranger's write must be refused"),
                (_, outcome) => outcome.unwrap(),
            }
        }
    });
    // The writer may have taken the first few alone before it met the lock.
    assert!(
        store.commits() - before <= 2,
        "{} commits",
        store.commits() - before
    );
    assert_eq!(
        store
            .settings_list(&main, &handoff, "", None, 1_000)
            .unwrap()
            .keys
            .len(),
        99
    );
}
