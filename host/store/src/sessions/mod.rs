//! Sessions: durable queues of rows, what their turns leave, and what is to be sent.
//!
//! [`SessionStore`] is the authority over them, whatever it keeps them in; [`Store`] keeps them in
//! SQLite. Admission, claims and endings are single transactions, and each is on disk when it
//! answers. Who may run what is not decided here.

mod flags;
mod heard;
mod key;
mod list;
mod outbox;
mod queue;
mod row;
mod todos;
mod transcript;

use async_trait::async_trait;

pub use heard::{BotThread, Overheard};
pub use key::{ChatType, SessionKey};
pub use list::Session;
pub use outbox::{Delivery, NewPost, Post, Preview};
pub use queue::Ending;
pub use row::{
    Admitted, Cause, Descriptor, Epoch, Heard, HumanEnvelope, NewRow, Origin, Principal, Route,
    Row, RowId, RowOutcome, RowStatus,
};
pub use todos::{Todo, TodoState};
pub use transcript::{ItemKind, Role, TurnItem};

use crate::error::StoreError;
use crate::{ChannelId, Profile, Store};

/// The authority over sessions. Every method answers when what it did is durable. Times are
/// milliseconds since 1970 (UTC).
///
/// Besides what is named at each method, errors are those of the database itself.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Begins the epoch of a host that starts. Claims of older ones no longer count.
    async fn begin_epoch(&self, now: i64) -> Result<Epoch, StoreError>;

    /// Admits a row at the end of its session, and makes the session if there is none. The same
    /// request again is the same row.
    ///
    /// # Errors
    /// `admission_conflict`: the request was admitted with another payload.
    async fn admit(&self, row: NewRow) -> Result<Admitted, StoreError>;

    /// The row that a session would run next: the oldest that waits, unless one runs or the
    /// session is paused.
    async fn head(&self, session: &SessionKey) -> Result<Option<Row>, StoreError>;

    /// Claims a row for a turn: whether it is now this epoch's. It is not if another claim came
    /// first, the session is paused or was reset, or another row is before it.
    async fn claim(&self, row: RowId, epoch: Epoch, now: i64) -> Result<bool, StoreError>;

    /// Ends a claimed row.
    ///
    /// # Errors
    /// `claim-lost`: the row is no longer this epoch's, or its session was reset.
    async fn finish(&self, row: RowId, epoch: Epoch, ending: Ending) -> Result<(), StoreError>;

    /// Ends a row that waits, without a turn: whether it still waited.
    async fn refuse(&self, row: RowId, epoch: Epoch, ending: Ending) -> Result<bool, StoreError>;

    /// Pauses a session: nothing of it is claimed until it is reset.
    async fn pause(&self, session: &SessionKey, reason: &str, now: i64) -> Result<(), StoreError>;

    /// Makes a profile's started rows of older epochs `unknown`; how many.
    async fn lose_older(&self, profile: &Profile, epoch: Epoch) -> Result<usize, StoreError>;

    /// Unknown rows of a profile whose sessions were not told yet, the oldest first.
    async fn untold(&self, profile: &Profile) -> Result<Vec<Row>, StoreError>;

    /// Records that a session is told of a lost row, with what is sent for it. Only the first
    /// call does.
    async fn tell(
        &self,
        row: RowId,
        epoch: Epoch,
        posts: Vec<NewPost>,
        now: i64,
    ) -> Result<(), StoreError>;

    /// A profile's sessions that have rows to run or posts to send.
    async fn with_work(&self, profile: &Profile) -> Result<Vec<SessionKey>, StoreError>;

    /// A session's open posts, in the order in which they are to be sent.
    async fn open_posts(&self, session: &SessionKey) -> Result<Vec<Post>, StoreError>;

    /// Closes a post.
    async fn delivered(
        &self,
        row: RowId,
        part: u16,
        delivery: Delivery,
        now: i64,
    ) -> Result<(), StoreError>;

    /// Keeps the message that shows a running turn.
    async fn keep_preview(&self, preview: Preview) -> Result<(), StoreError>;

    /// Forgets it: it was deleted.
    async fn drop_preview(&self, row: RowId) -> Result<(), StoreError>;

    /// A profile's previews whose turns run no more.
    async fn stale_previews(&self, profile: &Profile) -> Result<Vec<Preview>, StoreError>;

    /// The items of a session's newest `rows` rows, the oldest first.
    async fn recent_items(
        &self,
        session: &SessionKey,
        rows: u32,
    ) -> Result<Vec<(RowId, TurnItem)>, StoreError>;

    /// A row's items.
    async fn items(&self, row: RowId) -> Result<Vec<TurnItem>, StoreError>;

    /// Keeps a message that wakes nobody; of each channel the newest 50.
    async fn overhear(&self, heard: Heard, overheard: Overheard) -> Result<(), StoreError>;

    /// What was overheard in a channel after `since` and not after `until`, the oldest first.
    async fn overheard(
        &self,
        profile: &Profile,
        channel: &ChannelId,
        since: i64,
        until: i64,
    ) -> Result<Vec<Overheard>, StoreError>;

    /// The newest message that was taken in a channel.
    async fn last_heard(
        &self,
        profile: &Profile,
        channel: &ChannelId,
    ) -> Result<Option<Heard>, StoreError>;

    /// The same of every channel, the latest 500.
    async fn all_heard(&self, profile: &Profile) -> Result<Vec<Heard>, StoreError>;

    /// Notes that a profile was connected to its platform at this time. The last call wins.
    async fn keep_connected_at(&self, profile: &Profile, at: i64) -> Result<(), StoreError>;

    /// When a profile was last known to be connected; none if it never was.
    async fn connected_at(&self, profile: &Profile) -> Result<Option<i64>, StoreError>;

    /// Marks a thread as the bot's.
    async fn mark_bot_thread(
        &self,
        profile: &Profile,
        thread: BotThread,
        row: Option<RowId>,
        now: i64,
    ) -> Result<(), StoreError>;

    /// A thread of the bot's.
    async fn bot_thread(
        &self,
        profile: &Profile,
        thread: &ChannelId,
    ) -> Result<Option<BotThread>, StoreError>;

    /// Adds a to-do to a session.
    ///
    /// # Errors
    /// `limited`: the session has 500, or the title is empty or longer than 2,000 bytes.
    async fn add_todo(
        &self,
        session: &SessionKey,
        title: &str,
        created_by: &str,
        row: Option<RowId>,
        now: i64,
    ) -> Result<Todo, StoreError>;

    /// A session's to-dos.
    async fn todos(&self, session: &SessionKey) -> Result<Vec<Todo>, StoreError>;

    /// Changes a to-do; none if there is none of this number.
    ///
    /// # Errors
    /// `limited`: the title is empty or longer than 2,000 bytes.
    async fn change_todo(
        &self,
        session: &SessionKey,
        id: u32,
        title: Option<&str>,
        state: Option<TodoState>,
        now: i64,
    ) -> Result<Option<Todo>, StoreError>;

    /// Deletes a to-do: whether it was there.
    async fn delete_todo(&self, session: &SessionKey, id: u32) -> Result<bool, StoreError>;

    /// Sets (`on`) or takes away that nothing of a session asks for approval: whether there is such
    /// a session. It is in the audit log as `yolo-on` or `yolo-off`, under `by`: 1 to 512 bytes,
    /// such as `local:cli`.
    async fn set_yolo(
        &self,
        session: &SessionKey,
        on: bool,
        by: &str,
        now: i64,
    ) -> Result<bool, StoreError>;

    /// Whether nothing of a session asks for approval.
    async fn is_yolo(&self, session: &SessionKey) -> Result<bool, StoreError>;

    /// A profile's sessions, the latest first, `limit` at most.
    async fn sessions(&self, profile: &Profile, limit: u32) -> Result<Vec<Session>, StoreError>;

    /// A session.
    async fn session(&self, key: &SessionKey) -> Result<Option<Session>, StoreError>;

    /// A session's newest `limit` rows, the oldest of them first.
    async fn rows(&self, session: &SessionKey, limit: u32) -> Result<Vec<Row>, StoreError>;

    /// The row before a place in a session.
    async fn row_before(&self, session: &SessionKey, seq: u64) -> Result<Option<Row>, StoreError>;

    /// A row.
    async fn row(&self, id: RowId) -> Result<Option<Row>, StoreError>;
}

#[async_trait]
impl SessionStore for Store {
    async fn begin_epoch(&self, now: i64) -> Result<Epoch, StoreError> {
        self.writer
            .write_async(move |connection| queue::begin_epoch(connection, now))
            .await
    }

    async fn admit(&self, row: NewRow) -> Result<Admitted, StoreError> {
        self.writer
            .write_async(move |connection| queue::admit(connection, &row))
            .await
    }

    async fn head(&self, session: &SessionKey) -> Result<Option<Row>, StoreError> {
        let session = session.clone();
        self.readers
            .read_async(move |connection| queue::head(connection, &session))
            .await
    }

    async fn claim(&self, row: RowId, epoch: Epoch, now: i64) -> Result<bool, StoreError> {
        self.writer
            .write_async(move |connection| queue::claim(connection, row, epoch, now))
            .await
    }

    async fn finish(&self, row: RowId, epoch: Epoch, ending: Ending) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| queue::finish(connection, row, epoch, &ending))
            .await
    }

    async fn refuse(&self, row: RowId, epoch: Epoch, ending: Ending) -> Result<bool, StoreError> {
        self.writer
            .write_async(move |connection| queue::refuse(connection, row, epoch, &ending))
            .await
    }

    async fn pause(&self, session: &SessionKey, reason: &str, now: i64) -> Result<(), StoreError> {
        let (session, reason) = (session.clone(), reason.to_owned());
        self.writer
            .write_async(move |connection| queue::pause(connection, &session, &reason, now))
            .await
    }

    async fn lose_older(&self, profile: &Profile, epoch: Epoch) -> Result<usize, StoreError> {
        let profile = profile.clone();
        self.writer
            .write_async(move |connection| queue::lose_older(connection, &profile, epoch))
            .await
    }

    async fn untold(&self, profile: &Profile) -> Result<Vec<Row>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| queue::untold(connection, &profile))
            .await
    }

    async fn tell(
        &self,
        row: RowId,
        epoch: Epoch,
        posts: Vec<NewPost>,
        now: i64,
    ) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| queue::tell(connection, row, epoch, &posts, now))
            .await
    }

    async fn with_work(&self, profile: &Profile) -> Result<Vec<SessionKey>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| queue::with_work(connection, &profile))
            .await
    }

    async fn open_posts(&self, session: &SessionKey) -> Result<Vec<Post>, StoreError> {
        let session = session.clone();
        self.readers
            .read_async(move |connection| outbox::open(connection, &session))
            .await
    }

    async fn delivered(
        &self,
        row: RowId,
        part: u16,
        delivery: Delivery,
        now: i64,
    ) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| outbox::delivered(connection, row, part, &delivery, now))
            .await
    }

    async fn keep_preview(&self, preview: Preview) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| outbox::keep_preview(connection, &preview))
            .await
    }

    async fn drop_preview(&self, row: RowId) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| outbox::drop_preview(connection, row))
            .await
    }

    async fn stale_previews(&self, profile: &Profile) -> Result<Vec<Preview>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| outbox::stale_previews(connection, &profile))
            .await
    }

    async fn recent_items(
        &self,
        session: &SessionKey,
        rows: u32,
    ) -> Result<Vec<(RowId, TurnItem)>, StoreError> {
        let session = session.clone();
        self.readers
            .read_async(move |connection| transcript::recent(connection, &session, rows))
            .await
    }

    async fn items(&self, row: RowId) -> Result<Vec<TurnItem>, StoreError> {
        self.readers
            .read_async(move |connection| transcript::of_row(connection, row))
            .await
    }

    async fn overhear(&self, heard: Heard, overheard: Overheard) -> Result<(), StoreError> {
        self.writer
            .write_async(move |connection| heard::overhear(connection, &heard, &overheard))
            .await
    }

    async fn overheard(
        &self,
        profile: &Profile,
        channel: &ChannelId,
        since: i64,
        until: i64,
    ) -> Result<Vec<Overheard>, StoreError> {
        let (profile, channel) = (profile.clone(), channel.clone());
        self.readers
            .read_async(move |connection| {
                heard::overheard(connection, &profile, &channel, since, until)
            })
            .await
    }

    async fn last_heard(
        &self,
        profile: &Profile,
        channel: &ChannelId,
    ) -> Result<Option<Heard>, StoreError> {
        let (profile, channel) = (profile.clone(), channel.clone());
        self.readers
            .read_async(move |connection| heard::last_heard(connection, &profile, &channel))
            .await
    }

    async fn all_heard(&self, profile: &Profile) -> Result<Vec<Heard>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| heard::all_heard(connection, &profile))
            .await
    }

    async fn keep_connected_at(&self, profile: &Profile, at: i64) -> Result<(), StoreError> {
        let profile = profile.clone();
        self.writer
            .write_async(move |connection| heard::keep_connected_at(connection, &profile, at))
            .await
    }

    async fn connected_at(&self, profile: &Profile) -> Result<Option<i64>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| heard::connected_at(connection, &profile))
            .await
    }

    async fn mark_bot_thread(
        &self,
        profile: &Profile,
        thread: BotThread,
        row: Option<RowId>,
        now: i64,
    ) -> Result<(), StoreError> {
        let profile = profile.clone();
        self.writer
            .write_async(move |connection| {
                heard::mark_thread(connection, &profile, &thread, row, now)
            })
            .await
    }

    async fn bot_thread(
        &self,
        profile: &Profile,
        thread: &ChannelId,
    ) -> Result<Option<BotThread>, StoreError> {
        let (profile, thread) = (profile.clone(), thread.clone());
        self.readers
            .read_async(move |connection| heard::bot_thread(connection, &profile, &thread))
            .await
    }

    async fn add_todo(
        &self,
        session: &SessionKey,
        title: &str,
        created_by: &str,
        row: Option<RowId>,
        now: i64,
    ) -> Result<Todo, StoreError> {
        let (session, title) = (session.clone(), title.to_owned());
        let created_by = created_by.to_owned();
        self.writer
            .write_async(move |connection| {
                todos::add(connection, &session, &title, &created_by, row, now)
            })
            .await
    }

    async fn todos(&self, session: &SessionKey) -> Result<Vec<Todo>, StoreError> {
        let session = session.clone();
        self.readers
            .read_async(move |connection| todos::list(connection, &session))
            .await
    }

    async fn change_todo(
        &self,
        session: &SessionKey,
        id: u32,
        title: Option<&str>,
        state: Option<TodoState>,
        now: i64,
    ) -> Result<Option<Todo>, StoreError> {
        let (session, title) = (session.clone(), title.map(str::to_owned));
        self.writer
            .write_async(move |connection| {
                todos::change(connection, &session, id, title.as_deref(), state, now)
            })
            .await
    }

    async fn delete_todo(&self, session: &SessionKey, id: u32) -> Result<bool, StoreError> {
        let session = session.clone();
        self.writer
            .write_async(move |connection| todos::delete(connection, &session, id))
            .await
    }

    async fn set_yolo(
        &self,
        session: &SessionKey,
        on: bool,
        by: &str,
        now: i64,
    ) -> Result<bool, StoreError> {
        let (session, by) = (session.clone(), by.to_owned());
        self.writer
            .write_async(move |connection| flags::set_yolo(connection, &session, on, &by, now))
            .await
    }

    async fn is_yolo(&self, session: &SessionKey) -> Result<bool, StoreError> {
        let session = session.clone();
        self.readers
            .read_async(move |connection| flags::is_yolo(connection, &session))
            .await
    }

    async fn sessions(&self, profile: &Profile, limit: u32) -> Result<Vec<Session>, StoreError> {
        let profile = profile.clone();
        self.readers
            .read_async(move |connection| list::sessions(connection, &profile, limit))
            .await
    }

    async fn session(&self, key: &SessionKey) -> Result<Option<Session>, StoreError> {
        let key = key.clone();
        self.readers
            .read_async(move |connection| list::session(connection, &key))
            .await
    }

    async fn rows(&self, session: &SessionKey, limit: u32) -> Result<Vec<Row>, StoreError> {
        let session = session.clone();
        self.readers
            .read_async(move |connection| list::rows(connection, &session, limit))
            .await
    }

    async fn row_before(&self, session: &SessionKey, seq: u64) -> Result<Option<Row>, StoreError> {
        let session = session.clone();
        self.readers
            .read_async(move |connection| list::row_before(connection, &session, seq))
            .await
    }

    async fn row(&self, id: RowId) -> Result<Option<Row>, StoreError> {
        self.readers
            .read_async(move |connection| list::row(connection, id))
            .await
    }
}
