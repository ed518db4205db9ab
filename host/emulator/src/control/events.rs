//! A stream of notices, for pages that show the state live.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, StreamExt, stream};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;

use crate::state::AppState;

/// `GET events`: what changed, as it changes. Whoever was too slow is told to look at everything
/// anew, by a notice of the type `reset`.
pub(super) async fn stream(
    State(state): State<AppState>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let receiver = state.notices.subscribe();
    let stop = state.stop.clone();
    let notices = stream::unfold((receiver, stop), |(mut receiver, stop)| async move {
        let notice = tokio::select! {
            () = stop.cancelled() => return None,
            notice = receiver.recv() => match notice {
                Ok(notice) => notice,
                Err(RecvError::Lagged(_)) => json!({"type": "reset"}),
                Err(RecvError::Closed) => return None,
            },
        };
        Some((
            Ok(Event::default().data(notice.to_string())),
            (receiver, stop),
        ))
    });
    let connected = stream::once(async { Ok(Event::default().comment("connected")) });
    Sse::new(connected.chain(notices)).keep_alive(KeepAlive::default())
}
