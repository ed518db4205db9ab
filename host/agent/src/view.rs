//! Sessions as people and programs read them: the shapes of the running host's API and of
//! `ostler sessions`.

use ostler_store::{
    Cause, HumanEnvelope, ItemKind, Origin, Role, Route, Row, RowId, RowOutcome, RowStatus,
    Session, SessionKey, SessionStore, StoreError, TurnItem,
};
use serde::Serialize;
use serde_json::Value;

/// Rows of a session that are shown.
const ROWS: u32 = 200;

/// A session in a list.
#[derive(Clone, Debug, Serialize)]
pub struct SessionView {
    /// Its key.
    pub key: SessionKey,
    /// Its agent.
    pub agent: String,
    /// Where its answers go.
    pub route: Route,
    /// Who vouches for it.
    pub human_envelope: Option<HumanEnvelope>,
    /// Why nothing of it runs, if so.
    pub paused: Option<String>,
    /// How often it was reset.
    pub generation: u64,
    /// Rows that wait.
    pub queued: u64,
    /// Rows whose turns were lost.
    pub unknown: u64,
    /// All its rows.
    pub rows: u64,
    /// When it was made, in milliseconds since 1970 (UTC).
    pub created_at: i64,
    /// When a row last came, likewise.
    pub updated_at: i64,
}

impl From<Session> for SessionView {
    fn from(session: Session) -> Self {
        Self {
            key: session.key,
            agent: session.agent,
            route: session.route,
            human_envelope: session.human_envelope,
            paused: session.paused,
            generation: session.generation,
            queued: session.queued,
            unknown: session.unknown,
            rows: session.rows,
            created_at: session.created_at,
            updated_at: session.updated_at,
        }
    }
}

/// A session with its newest rows.
#[derive(Clone, Debug, Serialize)]
pub struct SessionDetail {
    /// The session.
    #[serde(flatten)]
    pub session: SessionView,
    /// Its newest rows, the oldest of them first.
    pub row_list: Vec<RowView>,
}

/// A row with what its turn left.
#[derive(Clone, Debug, Serialize)]
pub struct RowView {
    /// Its id.
    pub id: RowId,
    /// Its place in the session, from 1.
    pub seq: u64,
    /// Its kind, such as `native_text_v1`.
    pub kind: String,
    /// What it says; the kind's own shape.
    pub payload: Value,
    /// Under whom it was admitted.
    pub principal: String,
    /// Who caused it.
    pub origin: Origin,
    /// What led to it, the first cause first.
    pub causes: Vec<Cause>,
    /// How far it has come.
    pub status: RowStatus,
    /// How it ended.
    pub outcome: Option<RowOutcome>,
    /// Why: a stable code.
    pub reason: Option<String>,
    /// The same for people.
    pub detail: Option<String>,
    /// When it was admitted, in milliseconds since 1970 (UTC).
    pub admitted_at: i64,
    /// When its turn began, likewise.
    pub started_at: Option<i64>,
    /// When it settled, likewise.
    pub settled_at: Option<i64>,
    /// What its turn read, called and said.
    pub items: Vec<ItemView>,
}

/// One item of a turn.
#[derive(Clone, Debug, Serialize)]
pub struct ItemView {
    /// Who speaks.
    pub role: Role,
    /// What the content is.
    pub kind: ItemKind,
    /// The content.
    pub content: Value,
}

impl RowView {
    fn new(row: Row, items: Vec<TurnItem>) -> Self {
        Self {
            id: row.id,
            seq: row.seq,
            kind: row.descriptor.kind,
            payload: parsed(&row.descriptor.payload),
            principal: row.principal.0,
            origin: row.origin,
            causes: row.causes,
            status: row.status,
            outcome: row.outcome,
            reason: row.reason,
            detail: row.detail,
            admitted_at: row.admitted_at,
            started_at: row.started_at,
            settled_at: row.settled_at,
            items: items
                .into_iter()
                .map(|item| ItemView {
                    role: item.role,
                    kind: item.kind,
                    content: parsed(&item.content),
                })
                .collect(),
        }
    }
}

/// Stored JSON. The database holds nothing else in these columns.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// A session with its newest 200 rows; none if there is none.
///
/// # Errors
/// Those of the store.
pub async fn session_detail(
    store: &dyn SessionStore,
    key: &SessionKey,
) -> Result<Option<SessionDetail>, StoreError> {
    let Some(session) = store.session(key).await? else {
        return Ok(None);
    };
    let mut row_list = Vec::new();
    for row in store.rows(key, ROWS).await? {
        let items = store.items(row.id).await?;
        row_list.push(RowView::new(row, items));
    }
    Ok(Some(SessionDetail {
        session: session.into(),
        row_list,
    }))
}
