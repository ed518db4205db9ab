//! The file tools: `read_file`, `search_files`, `write_file`, `patch`, in the profile's workspace.
//!
//! - [`place`] looks up where a path leads: never out of the workspace, and never through
//!   something that was swapped in meanwhile;
//! - [`guard`] tells what asks: what the profile protects, and what may hold keys;
//! - [`content`], [`edit`] and [`diff`] are what a file holds, what it becomes, and what a person
//!   reads of that;
//! - [`commit`] puts a whole new content in the place of the old one, or nothing.

mod commit;
mod content;
mod diff;
mod edit;
mod error;
mod guard;
mod place;
mod read;
mod search;
#[cfg(test)]
mod testing;
mod text;
mod walk;
mod write;

use std::path::PathBuf;

use serde_json::{Value, json};

pub(super) use read::ReadFile;
pub(super) use search::SearchFiles;
pub(super) use write::{Patch, WriteFile};

use self::error::FileError;
use self::guard::Guard;
use super::{ToolContext, ToolFailure};
use crate::gate::{CallDigest, Covered};

/// Where a call works.
#[derive(Clone)]
struct Ground {
    workspace: PathBuf,
    protected: Vec<String>,
}

impl Ground {
    fn of(context: &ToolContext<'_>) -> Self {
        let services = context.services;
        Self {
            workspace: services.shell.workspace.clone(),
            protected: services.config.borrow().approvals.protected.clone(),
        }
    }

    fn guard(&self) -> Guard {
        Guard::new(&self.workspace, &self.protected)
    }
}

/// Does what waits for the disk, where that holds nobody up.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, ToolFailure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(error) => Err(ToolFailure::new(
            "internal",
            format!("the file tool broke off: {error}. Tell the person."),
        )),
    }
}

/// The digest of a call that depends on a file.
fn covered(tool: &str, arguments: &Value, before: String) -> Result<CallDigest, FileError> {
    CallDigest::of(&Covered {
        tool,
        arguments,
        folder: None,
        environment: Vec::new(),
        scripts: Default::default(),
        before: Some(before),
    })
    .map_err(|error| FileError::Invalid(format!("the arguments are wrong: {error}")))
}

/// How a path is given.
fn path_schema() -> Value {
    json!({
        "type": "string", "minLength": 1, "maxLength": 4_096,
        "description": "The file, from the workspace's root, such as `src/main.rs`."
    })
}
