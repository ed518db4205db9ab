//! Databases of earlier versions keep what they hold.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use ostler_store::{
    ApprovalStore as _, AuditLog as _, AuditVerdict, Epoch, GatewaySession, RowStatus,
    SessionStore as _, Store,
};
use rusqlite::Connection;
use rusqlite::types::Value;

mod fixtures;
use fixtures::asks::{approved, session, turn_under};
use fixtures::{Folder, package, profile};

/// The schema as it was at version 2, byte for byte what was released.
const VERSION_2: &str = concat!(
    include_str!("../migrations/0001_packages.sql"),
    include_str!("../migrations/0002_sessions.sql"),
    "PRAGMA user_version = 2;"
);

/// A row in every table of version 2.
const ROWS: &str = r#"
INSERT INTO versions VALUES ('handoff', '1.0.0', 'sha256:DIGEST', '{}', '{}', '{}',
    'sha256:DIGEST', '[]', NULL, '{}', zeroblob(64), 'ed25519:alice', 1);
INSERT INTO installs VALUES ('main', 'handoff', '1.0.0', 'sha256:DIGEST', '{}', 'sha256:DIGEST',
    'ed25519:alice', 'active', '[]', 1, 1);
INSERT INTO settings VALUES ('main', 'handoff', 'key', 'value');
INSERT INTO epochs (began_at) VALUES (1), (2);
INSERT INTO sessions VALUES ('agent:main:discord:thread:10:10', 'main', 'main',
    '{"platform":"discord","chat_type":"thread","chat":"10"}', NULL, NULL, 0, 3, 1, 2);
INSERT INTO rows VALUES ('01890a5d-ac96-774b-bcce-b302099a8057',
    'agent:main:discord:thread:10:10', 1, 'discord:7', 'a', 'native_text_v1', '{"text":"x"}',
    '{"kind":"person","id":"7"}', '[]', '{"platform":"discord","chat_type":"thread","chat":"10"}',
    'started', NULL, NULL, NULL, 2, 0, 1, 2, NULL, 0);
INSERT INTO turn_items VALUES ('agent:main:discord:thread:10:10',
    '01890a5d-ac96-774b-bcce-b302099a8057', 0, 'user', '{"kind":"system"}', 'text', '"x"', 0);
INSERT INTO posts VALUES ('01890a5d-ac96-774b-bcce-b302099a8057', 0,
    'agent:main:discord:thread:10:10', '10', NULL, 'nonce', 'x', 2, NULL, NULL, 1, NULL);
INSERT INTO previews VALUES ('01890a5d-ac96-774b-bcce-b302099a8057', '10', NULL);
INSERT INTO overheard VALUES ('main', '10', '500', '7', 'Ann', 0, 'x', 1);
INSERT INTO channels_heard VALUES ('main', '10', '{}', '500', '7', NULL, 1);
INSERT INTO bot_threads VALUES ('main', '10', NULL, '7', NULL, 1);
INSERT INTO todos VALUES ('agent:main:discord:thread:10:10', 1, 'x', 'open', '7', NULL, 1, 1);
INSERT INTO secrets VALUES ('main', 'MODEL_KEY', x'00ff', 1);
INSERT INTO gateway_sessions VALUES ('main', 0, 'id', 'wss://gateway.example', 42, '99');
"#;

type Rows = Vec<Vec<Value>>;

/// Every row of every table that version 2 has, without columns that came later.
fn contents(connection: &Connection, tables: &[String]) -> BTreeMap<String, Rows> {
    tables
        .iter()
        .map(|table| {
            let mut statement = connection
                .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))
                .unwrap();
            let columns: Vec<usize> = (0..statement.column_count())
                .filter(|n| statement.column_name(*n).unwrap() != "application")
                .collect();
            let rows = statement
                .query_map([], |row| columns.iter().map(|n| row.get(*n)).collect())
                .unwrap()
                .map(Result::unwrap)
                .collect();
            (table.clone(), rows)
        })
        .collect()
}

fn tables(connection: &Connection) -> Vec<String> {
    connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[tokio::test]
async fn a_database_of_version_2_keeps_every_row_and_can_do_what_a_new_one_can() {
    let folder = Folder::new();
    let raw = Connection::open(folder.database()).unwrap();
    raw.execute_batch(VERSION_2).unwrap();
    raw.execute_batch(&ROWS.replace("DIGEST", &"0f".repeat(32)))
        .unwrap();
    let tables = tables(&raw);
    let before = contents(&raw, &tables);
    let empty: Vec<_> = before.iter().filter(|(_, rows)| rows.is_empty()).collect();
    assert!(empty.is_empty(), "every table has a row: {empty:?}");
    drop(raw);

    let store = folder.open();
    assert_eq!(store.schema_version().unwrap(), 3);
    assert_eq!(store.integrity().unwrap(), Vec::<String>::new());
    let raw = Connection::open(folder.database()).unwrap();
    assert_eq!(contents(&raw, &tables), before);

    // As the typed queries see them.
    let main = profile("main");
    let rows = store.rows(&session("10"), 10).await.unwrap();
    assert_eq!(rows[0].status, RowStatus::Started);
    let value = store.settings_get(&main, &package("handoff"), "key");
    assert_eq!(value.unwrap().as_deref(), Some("value"));
    assert_eq!(
        store.gateway_session(&main, 0).await.unwrap(),
        Some(gateway(None))
    );
    asks_and_records(&store, rows[0].epoch.unwrap()).await;
}

/// What version 3 adds works.
async fn asks_and_records(store: &Store, older: Epoch) {
    let main = profile("main");
    let epoch = store.begin_epoch(3).await.unwrap();
    assert!(epoch > older);
    let approval = approved(store, &turn_under(store, "11", epoch).await).await;
    let past = store.past_approvals(&main, 10).await.unwrap();
    assert_eq!(past, [approval]);
    let verdict = store.verify_audit().await.unwrap();
    assert!(
        matches!(verdict, AuditVerdict::Whole { entries: 2, .. }),
        "{verdict:?}"
    );
    let known = gateway(Some("98"));
    store.save_gateway_session(&main, 0, &known).await.unwrap();
    let read = store.gateway_session(&main, 0).await.unwrap();
    assert_eq!(read, Some(known));
}

fn gateway(application: Option<&str>) -> GatewaySession {
    GatewaySession {
        session: "id".to_owned(),
        resume_url: "wss://gateway.example".to_owned(),
        sequence: 42,
        bot: "99".parse().unwrap(),
        application: application.map(str::to_owned),
    }
}
