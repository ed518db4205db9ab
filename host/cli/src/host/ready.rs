//! What a running host tells of itself: the ready file, and the file that commands find it by.

use std::fmt;
use std::path::{Path, PathBuf};

use ostler_config::{Home, write_atomically};
use serde::Serialize;

use crate::failure::Failure;

/// The addresses of a running host.
#[derive(Debug, Serialize)]
pub(super) struct ReadyFile {
    /// The pages.
    pub(super) pages: String,
    /// The API, to which `/api/v1` is added.
    pub(super) api: String,
    /// The emulator, if there is one.
    pub(super) emulator: Option<String>,
    /// The token of the API and of the emulator's control API.
    pub(super) token: String,
    /// The folder that the assistant's shell works in.
    pub(super) workspace: Option<PathBuf>,
}

/// What `ostler` commands read to find the host.
#[derive(Serialize)]
struct ApiFile<'a> {
    address: &'a str,
    token: &'a str,
}

impl ReadyFile {
    /// Writes both files, for this user alone.
    pub(super) fn write(&self, home: &Home, ready_file: Option<&Path>) -> Result<(), Failure> {
        let api = ApiFile {
            address: &self.api,
            token: &self.token,
        };
        write_json(&api_file(home), &api)?;
        if let Some(path) = ready_file {
            write_json(path, self)?;
        }
        Ok(())
    }

    /// Takes both files away: the addresses are no longer true.
    pub(super) fn remove(home: &Home, ready_file: Option<&Path>) {
        for path in [Some(api_file(home).as_path()), ready_file]
            .into_iter()
            .flatten()
        {
            if let Err(error) = std::fs::remove_file(path)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(path = %path.display(), %error, "a file is left behind");
            }
        }
    }
}

fn api_file(home: &Home) -> PathBuf {
    home.run().join("api.json")
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec(value).map_err(|error| {
        Failure::io(
            &format!("cannot write {}", path.display()),
            &std::io::Error::other(error),
        )
    })?;
    text.push(b'\n');
    Ok(write_atomically(path, &text, 0o600)?)
}

impl fmt::Display for ReadyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pages      {}", self.pages)?;
        writeln!(f, "api        {}/api/v1", self.api)?;
        if let Some(emulator) = &self.emulator {
            writeln!(f, "emulator   {emulator}")?;
        }
        writeln!(f, "token      {}", self.token)?;
        if let Some(workspace) = &self.workspace {
            writeln!(f, "workspace  {}", workspace.display())?;
        }
        Ok(())
    }
}
