//! The files of the message that began a turn: fetched, typed by what is in them, and given to the
//! model and to the tools.
//!
//! Page *Sessions* of the design, *Which messages wake a turn*. Only the files of that one message
//! are fetched, once its row is claimed. What a sender says of a file, its name and its type, is
//! foreign text: nothing is shown because of it, though a file may be withheld because of it.

mod inbox;
mod kind;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ostler_config::{InboundMedia, ProfileConfig};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use self::kind::Kind;
use crate::authority::{ToolName, TurnAuthority};
use crate::channel::{Channel, ChannelError};
use crate::inbound::Attachment;
use crate::model::MediaPart;
use crate::rows::NativeText;
use crate::tools::Services;
use crate::turn::frame;

/// The most files of a message that are fetched.
const FILES: usize = 16;
/// The most bytes of a message's files together.
const BYTES: u64 = 32 * 1024 * 1024;
/// The most time that they may take together.
const TIME: Duration = Duration::from_secs(20);
/// The longest text file that is put into the message, in bytes.
const TEXT: usize = 64 * 1024;
/// The most that text files take there together, in bytes, as they are quoted: a turn reads back
/// less than 96 KiB of those before it.
const TEXTS: usize = 80 * 1024;
/// Tools that can read a file of the workspace.
const READERS: [&str; 2] = ["shell", "read_file"];

/// A file, as far as it came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReceivedFile {
    /// Its name, as the sender gave it.
    pub(crate) name: String,
    /// Its size: what came, else what the platform said.
    pub(crate) bytes: u64,
    /// What the model is given of it.
    pub(crate) content: Content,
    /// Where tools find it, from the workspace on.
    pub(crate) path: Option<String>,
}

/// What the model is given of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// It is shown.
    Media(MediaPart),
    /// Its text, as a quotation.
    Text(String),
    /// Its kind and no more.
    Named {
        /// Its media type, by what is in it.
        media_type: &'static str,
        /// Why a text is not there; a stable code.
        why: Option<&'static str>,
    },
    /// Nothing: the profile keeps such files from the model. Inside, the mode that does.
    Withheld(&'static str),
    /// Nothing: it did not come. Inside, why; a stable code.
    Absent(&'static str),
}

/// Fetches the files of a turn's message. The shell's workspace gets them where the turn can read
/// there; files of earlier messages go from it after a week.
pub(crate) async fn receive(
    services: &Services,
    config: &ProfileConfig,
    channel: &Arc<dyn Channel>,
    message: &NativeText,
    authority: &TurnAuthority,
    cancel: &CancellationToken,
) -> Vec<ReceivedFile> {
    let files = message.attachments();
    let adapter = channel.as_ref();
    let one = |file: Attachment, limit| async move { adapter.fetch(&file, limit).await };
    let fetched = fetch(&files, cancel, one).await;
    let can_read = READERS
        .iter()
        .any(|tool| authority.tools.contains(&ToolName((*tool).to_owned())));
    let work = Sorting {
        fetched: files.iter().cloned().zip(fetched).collect(),
        mode: config.inbound_media,
        workspace: services.shell.workspace.clone(),
        folder: can_read.then(|| message.message.to_string()),
        now: services.clock.now(),
    };
    // Files are written and encoded: not on this thread.
    let sorted = tokio::task::spawn_blocking(move || work.run()).await;
    sorted.unwrap_or_else(|error| {
        tracing::error!(%error, "a message's files are left out");
        let lost = |file| ReceivedFile::absent(file, "internal");
        files.iter().map(lost).collect()
    })
}

/// Fetches one after the other, so that each may take what the ones before it left.
async fn fetch<F>(
    files: &[Attachment],
    cancel: &CancellationToken,
    one: impl Fn(Attachment, u64) -> F,
) -> Vec<Result<Vec<u8>, &'static str>>
where
    F: Future<Output = Result<Vec<u8>, ChannelError>>,
{
    let deadline = Instant::now() + TIME;
    let mut room = BYTES;
    let mut fetched = Vec::with_capacity(files.len());
    for (number, file) in files.iter().enumerate() {
        let got = if number >= FILES {
            Err("too-many-files")
        } else if file.bytes > room {
            Err("too-large")
        } else if file.url.is_empty() {
            Err("no-address")
        } else {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err("host-stopped"),
                came = timeout_at(deadline, one(file.clone(), room)) => match came {
                    Ok(Ok(bytes)) => Ok(bytes),
                    Ok(Err(error)) => Err(error.code()),
                    Err(_) => Err("too-slow"),
                },
            }
        };
        match &got {
            Ok(bytes) => room = room.saturating_sub(bytes.len() as u64),
            Err(code) => tracing::warn!(code, bytes = file.bytes, "a file is not fetched"),
        }
        fetched.push(got);
    }
    fetched
}

/// What came, before it is looked at.
struct Sorting {
    fetched: Vec<(Attachment, Result<Vec<u8>, &'static str>)>,
    mode: InboundMedia,
    workspace: PathBuf,
    /// The folder of the inbox to write to, if any tool could read there.
    folder: Option<String>,
    now: i64,
}

impl Sorting {
    fn run(self) -> Vec<ReceivedFile> {
        inbox::clean(&self.workspace, self.now);
        let mut inbox = LazyInbox {
            workspace: &self.workspace,
            folder: self.folder.as_deref(),
            made: None,
        };
        let mut quoted = 0;
        let mut sorted = Vec::with_capacity(self.fetched.len());
        for (file, came) in &self.fetched {
            let bytes = match came {
                Ok(bytes) => bytes,
                Err(code) => {
                    sorted.push(ReceivedFile::absent(file, code));
                    continue;
                }
            };
            // All of them or none: each is judged by the same rule.
            let protection = protection(self.mode, file, bytes);
            let content = match protection {
                Some(mode) => Content::Withheld(mode),
                None => content(file, bytes, &mut quoted),
            };
            sorted.push(ReceivedFile {
                name: file.name.clone(),
                bytes: bytes.len() as u64,
                content,
                path: match protection {
                    Some(_) => None,
                    None => inbox.put(&file.name, bytes),
                },
            });
        }
        sorted
    }
}

impl ReceivedFile {
    fn absent(file: &Attachment, code: &'static str) -> Self {
        Self {
            name: file.name.clone(),
            bytes: file.bytes,
            content: Content::Absent(code),
            path: None,
        }
    }
}

/// The mode that keeps a file from the model, if one does: whoever protects pictures would rather
/// miss a file that is none, so what the sender says counts here as well.
fn protection(mode: InboundMedia, file: &Attachment, bytes: &[u8]) -> Option<&'static str> {
    let claimed = file.content_type.as_deref();
    let is_image = || kind::may_be_image(bytes, &file.name, claimed);
    let is_pdf = || kind::may_be_pdf(bytes, &file.name, claimed);
    match mode {
        InboundMedia::Model => None,
        InboundMedia::ImagesProtected => is_image().then_some("images-protected"),
        InboundMedia::VisualProtected => (is_image() || is_pdf()).then_some("visual-protected"),
    }
}

/// What the model is given of a file that nothing keeps from it. `quoted` counts what the texts
/// have taken.
fn content(file: &Attachment, bytes: &[u8], quoted: &mut usize) -> Content {
    let kind = Kind::of(bytes);
    let media_type = kind.media_type();
    match kind {
        Kind::Image(_) | Kind::Pdf => Content::Media(MediaPart {
            name: inbox::safe_name(&file.name),
            media_type,
            base64: STANDARD.encode(bytes).into(),
        }),
        Kind::Text(text) => {
            let too_long = Content::Named {
                media_type,
                why: Some("text-too-long"),
            };
            if text.len() > TEXT {
                return too_long;
            }
            let quotation = frame::quote(text.trim_end());
            if *quoted + quotation.len() > TEXTS {
                return too_long;
            }
            *quoted += quotation.len();
            Content::Text(quotation)
        }
        Kind::Other => Content::Named {
            media_type,
            why: None,
        },
    }
}

/// The message's folder in the inbox, made when the first file is written.
struct LazyInbox<'a> {
    workspace: &'a Path,
    folder: Option<&'a str>,
    /// None inside, if it cannot be made.
    made: Option<Option<inbox::Inbox>>,
}

impl LazyInbox<'_> {
    /// Writes a file, and gives its path; none if nobody could read it or it cannot be written.
    fn put(&mut self, name: &str, bytes: &[u8]) -> Option<String> {
        let folder = self.folder?;
        let made = self.made.get_or_insert_with(|| {
            inbox::Inbox::make(self.workspace, folder)
                .inspect_err(|error| tracing::warn!(%error, folder, "the inbox cannot be made"))
                .ok()
        });
        made.as_ref()?
            .put(name, bytes)
            .inspect_err(|error| tracing::warn!(%error, folder, "a file is not written"))
            .ok()
    }
}

#[cfg(test)]
mod tests;
