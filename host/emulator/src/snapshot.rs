//! The state on disk: one JSON file, replaced whole shortly after each change.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::EmulatorError;
use crate::snowflake::Id;
use crate::state::{AppState, lock};
use crate::world::World;

/// How long changes are gathered before they are written.
const GATHER: Duration = Duration::from_millis(50);

const FORMAT: &str = "ostler-emulator-1";

#[derive(Serialize, Deserialize)]
struct File<'a> {
    format: String,
    #[serde(borrow)]
    world: &'a RawValue,
}

/// The folder with the bytes of attachments.
fn folder_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".attachments");
    PathBuf::from(name)
}

/// Reads the state, or begins with an empty one if there is no file yet.
pub(crate) fn load(path: &Path) -> Result<World, EmulatorError> {
    let unreadable = |source| EmulatorError::StateUnreadable {
        path: path.to_owned(),
        source,
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(World::default()),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            let reason = "it is no text".to_owned();
            return Err(EmulatorError::StateCorrupt {
                path: path.to_owned(),
                reason,
            });
        }
        Err(error) => return Err(unreadable(error)),
    };
    let corrupt = |reason| EmulatorError::StateCorrupt {
        path: path.to_owned(),
        reason,
    };
    let file: File<'_> = serde_json::from_str(&text).map_err(|error| corrupt(error.to_string()))?;
    if file.format != FORMAT {
        return Err(corrupt(format!("its format is {}", file.format)));
    }
    let mut world: World =
        serde_json::from_str(file.world.get()).map_err(|error| corrupt(error.to_string()))?;
    let folder = folder_of(path);
    let messages = world.messages.values().flat_map(|list| list.values());
    let ids: Vec<Id> = messages
        .flat_map(|message| message.attachments.iter().map(|a| a.id))
        .collect();
    for id in ids {
        match fs::read(folder.join(id.to_string())) {
            Ok(bytes) => drop(world.files.insert(id, Arc::new(bytes))),
            // The message says what there was; only its bytes are gone.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    Ok(world)
}

/// A file that only its owner reads: it has tokens in it.
fn create(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Puts a file in place whole: a reader, and a start after a crash, sees the old or the new one.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let temporary = PathBuf::from(name);
    let mut file = create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

/// What is written at once.
struct Pending {
    text: String,
    files: Vec<(Id, Arc<Vec<u8>>)>,
}

fn snapshot(state: &AppState) -> Result<Pending, serde_json::Error> {
    let mut world = lock(&state.world);
    let new = std::mem::take(&mut world.new_files);
    let files = new
        .into_iter()
        .filter_map(|id| Some((id, Arc::clone(world.files.get(&id)?))));
    let files = files.collect();
    let raw = serde_json::value::to_raw_value(&*world)?;
    drop(world);
    let text = serde_json::to_string(&File {
        format: FORMAT.to_owned(),
        world: &raw,
    })?;
    Ok(Pending { text, files })
}

/// Writes the state as it is now.
pub(crate) fn write(state: &AppState, path: &Path) -> Result<(), EmulatorError> {
    let unwritable = |source| EmulatorError::StateUnwritable {
        path: path.to_owned(),
        source,
    };
    let Pending { text, files } =
        snapshot(state).map_err(|error| unwritable(std::io::Error::other(error.to_string())))?;
    // The bytes first: a state that names an attachment has it.
    let folder = folder_of(path);
    if !files.is_empty() {
        fs::create_dir_all(&folder).map_err(unwritable)?;
    }
    for (id, bytes) in files {
        replace(&folder.join(id.to_string()), &bytes).map_err(unwritable)?;
    }
    replace(path, text.as_bytes()).map_err(unwritable)
}

/// Writes the state after changes, until the emulator stops, and then once more.
pub(crate) async fn keep(state: AppState, path: PathBuf) {
    loop {
        let stopping = tokio::select! {
            () = state.stop.cancelled() => true,
            () = state.changed.notified() => false,
        };
        if !stopping {
            tokio::time::sleep(GATHER).await;
        }
        let (writer, target) = (state.clone(), path.clone());
        let written = tokio::task::spawn_blocking(move || write(&writer, &target)).await;
        if let Ok(Err(error)) = written {
            tracing::error!(code = error.code(), "{error}");
        }
        if stopping {
            return;
        }
    }
}
