//! Where a host keeps its data.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::{ConfigError, name};

/// A host's home folder. Making one touches nothing; [`Home::create`] does.
///
/// ```text
/// host.toml  profiles/<name>/profile.toml  profiles/<name>/allow.toml
/// ostler.db  blobs/  cache/  keys/  run/
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
}

impl Home {
    /// Chooses the home: `flag` (`--home`), else `env` (the value of `OSTLER_HOME`; an empty one
    /// counts as unset), else `ostler` in the platform's data folder.
    ///
    /// # Errors
    /// `home-unknown`: the flag is empty, or nothing is given and the platform names no folder.
    pub fn locate(flag: Option<PathBuf>, env: Option<OsString>) -> Result<Self, ConfigError> {
        let given = flag.or_else(|| env.filter(|value| !value.is_empty()).map(PathBuf::from));
        let path = match given {
            Some(path) if path.as_os_str().is_empty() => return Err(ConfigError::HomeUnknown),
            Some(path) => path,
            None => etcetera::base_strategy::choose_native_strategy()
                .map_err(|_| ConfigError::HomeUnknown)?
                .data_dir()
                .join("ostler"),
        };
        Ok(Self { path })
    }

    /// Makes the home and its folders where they are missing, each for this user alone (0700),
    /// and checks those that are there.
    ///
    /// # Errors
    /// - `home-not-a-folder`: something else stands there;
    /// - `home-unreadable`: it cannot be made, or its owner lacks a permission on it;
    /// - `home-exposed`: its group or others may write to it, or another user (not root) owns it.
    pub fn create(&self) -> Result<(), ConfigError> {
        ensure_folder(&self.path)?;
        for folder in [
            self.profiles(),
            self.blobs(),
            self.cache(),
            self.keys(),
            self.run(),
        ] {
            ensure_folder(&folder)?;
        }
        Ok(())
    }

    /// The home itself, as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A profile's configuration, `profiles/<profile>/profile.toml`.
    ///
    /// # Errors
    /// `invalid-name`: `profile` is not `[a-z][a-z0-9-]{0,63}`.
    pub fn profile_file(&self, profile: &str) -> Result<PathBuf, ConfigError> {
        name::check("profile", profile)?;
        Ok(self.profiles().join(profile).join("profile.toml"))
    }

    /// A profile's standing grants, `profiles/<profile>/allow.toml`.
    ///
    /// # Errors
    /// `invalid-name`: `profile` is not `[a-z][a-z0-9-]{0,63}`.
    pub fn grants_file(&self, profile: &str) -> Result<PathBuf, ConfigError> {
        name::check("profile", profile)?;
        Ok(self.profiles().join(profile).join("allow.toml"))
    }

    /// The host's configuration, `host.toml`.
    #[must_use]
    pub fn host_file(&self) -> PathBuf {
        self.path.join("host.toml")
    }

    /// Where a profile's shell works unless the profile says otherwise:
    /// `HOME-workspaces/<profile>`, beside the home and never in it.
    ///
    /// # Errors
    /// `invalid-name`: `profile` is not `[a-z][a-z0-9-]{0,63}`.
    pub fn workspaces(&self, profile: &str) -> Result<PathBuf, ConfigError> {
        name::check("profile", profile)?;
        // Put together from its parts, so that a slash at the end of the home does not count.
        let absolute = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let mut name = absolute.file_name().unwrap_or_default().to_owned();
        name.push("-workspaces");
        Ok(absolute.with_file_name(name).join(profile))
    }

    /// The database, `ostler.db`.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join("ostler.db")
    }

    /// Components by their digest, `blobs/`.
    #[must_use]
    pub fn blobs(&self) -> PathBuf {
        self.path.join("blobs")
    }

    /// What can be made again, such as compiled code: `cache/`.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// Key files, `keys/`.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.path.join("keys")
    }

    /// What a running host tells of itself, `run/`.
    #[must_use]
    pub fn run(&self) -> PathBuf {
        self.path.join("run")
    }

    fn profiles(&self) -> PathBuf {
        self.path.join("profiles")
    }
}

fn ensure_folder(path: &Path) -> Result<(), ConfigError> {
    let unreadable = |source| ConfigError::HomeUnreadable {
        path: path.to_owned(),
        source,
    };
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .map_err(unreadable)?;
            fs::metadata(path)
        }
        found => found,
    };
    check_folder(path, &found.map_err(unreadable)?)
}

fn check_folder(path: &Path, found: &Metadata) -> Result<(), ConfigError> {
    let path = path.to_owned();
    let (owner, mode) = (found.uid(), found.mode() & 0o7777);
    if !found.is_dir() {
        return Err(ConfigError::HomeNotAFolder { path });
    }
    let is_ours = owner == rustix::process::geteuid().as_raw() || owner == 0;
    if !is_ours || mode & 0o022 != 0 {
        return Err(ConfigError::HomeExposed { path, owner, mode });
    }
    // Asked by its bits, because root is let in whatever they say, and the next user is not.
    if mode & 0o700 != 0o700 {
        let reason = format!("its mode {mode:04o} keeps its owner out");
        let source = io::Error::new(io::ErrorKind::PermissionDenied, reason);
        return Err(ConfigError::HomeUnreadable { path, source });
    }
    Ok(())
}
