//! Sealing secrets for the database, with a key that is not in it.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};

use crate::secret::wipe;
use crate::{ConfigError, Home, Secret, SecretName, name};

/// The key's file in the folder of keys.
const FILE: &str = "secrets.key";
const KEY_BYTES: usize = 32;
/// What a sealed value begins with: how the rest is to be read.
const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;

/// The key that seals a home's secrets: XChaCha20-Poly1305 with a random nonce for each value.
///
/// A sealed value is the byte 1, the nonce (24 bytes), and the ciphertext with its tag (16 bytes
/// more than the value). The profile and the secret's name are authenticated with it, so that it
/// opens nowhere else.
pub struct SecretsKey(XChaCha20Poly1305);

impl SecretsKey {
    /// Where the key of a home is: `keys/secrets.key`, 32 bytes, mode 0600.
    #[must_use]
    pub fn file(home: &Home) -> PathBuf {
        home.keys().join(FILE)
    }

    /// Reads the key of a home.
    ///
    /// # Errors
    /// - `secrets-key-missing`: there is none;
    /// - `secrets-key-exposed`: its group or others may use it, or it is another user's (not
    ///   root's);
    /// - `secrets-key-unusable`: it cannot be read, or is not 32 bytes long.
    pub fn open(home: &Home) -> Result<Self, ConfigError> {
        read(&Self::file(home))
    }

    /// Reads the key of a home, and makes one if there is none. Processes that do so at the same
    /// time end with the same key.
    ///
    /// # Errors
    /// As [`SecretsKey::open`], but for `secrets-key-missing`; and `secrets-key-unusable` when it
    /// cannot be made.
    pub fn open_or_create(home: &Home) -> Result<Self, ConfigError> {
        match Self::open(home) {
            Err(ConfigError::SecretsKeyMissing { path }) => {
                create(&home.keys(), &path)?;
                read(&path)
            }
            opened => opened,
        }
    }

    /// Seals a value for one name in one profile.
    ///
    /// # Errors
    /// - `invalid-name`: `profile` is not `[a-z][a-z0-9-]{0,63}`;
    /// - `secrets-key-unusable`: the system gives no randomness.
    pub fn seal(
        &self,
        profile: &str,
        name: &SecretName,
        secret: &Secret,
    ) -> Result<Vec<u8>, ConfigError> {
        name::check("profile", profile)?;
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|error| no_randomness(Path::new(FILE), error))?;
        let payload = Payload {
            msg: secret.expose().as_bytes(),
            aad: &place(profile, name),
        };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload);
        // It fails only for values of many gigabytes.
        let sealed = sealed.map_err(|_| ConfigError::SecretValue {
            reason: "cannot be sealed",
        })?;
        Ok([&[VERSION][..], &nonce, &sealed].concat())
    }

    /// Opens what [`SecretsKey::seal`] gave for this name in this profile.
    ///
    /// # Errors
    /// `secret-damaged`: a bit of it has changed, or it was sealed with another key or for another
    /// name, profile or version of the format.
    pub fn unseal(
        &self,
        profile: &str,
        name: &SecretName,
        sealed: &[u8],
    ) -> Result<Secret, ConfigError> {
        let damaged = || ConfigError::SecretDamaged {
            profile: profile.to_owned(),
            name: name.to_string(),
        };
        let rest = sealed.strip_prefix(&[VERSION]).ok_or_else(damaged)?;
        let (nonce, text) = rest
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or_else(damaged)?;
        let payload = Payload {
            msg: text,
            aad: &place(profile, name),
        };
        let value = self.0.decrypt(&XNonce::from(*nonce), payload);
        Secret::new(value.map_err(|_| damaged())?).map_err(|_| damaged())
    }
}

impl fmt::Debug for SecretsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretsKey(…)")
    }
}

/// What a sealed value is bound to. No part can hold a NUL, so that two places never look alike.
fn place(profile: &str, name: &SecretName) -> Vec<u8> {
    format!("ostler secret v{VERSION}\0{profile}\0{name}").into_bytes()
}

fn read(path: &Path) -> Result<SecretsKey, ConfigError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ConfigError::SecretsKeyMissing {
            path: path.to_owned(),
        },
        _ => unusable(path, error.to_string()),
    };
    // Opening something else, such as a pipe, might wait for ever.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(unusable(path, "it is no file; move it away"));
    }
    let mut file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    let (owner, mode) = (found.uid(), found.mode() & 0o7777);
    let is_ours = owner == rustix::process::geteuid().as_raw() || owner == 0;
    if mode & 0o077 != 0 || !is_ours {
        return Err(ConfigError::SecretsKeyExposed {
            path: path.to_owned(),
            owner,
            mode,
        });
    }
    let mut key = [0; KEY_BYTES];
    let whole = file.read_exact(&mut key).is_ok() && found.len() == KEY_BYTES as u64;
    let cipher = XChaCha20Poly1305::new((&key).into());
    wipe(&mut key);
    if whole {
        Ok(SecretsKey(cipher))
    } else {
        Err(unusable(
            path,
            "it is not 32 bytes long; put it back from a copy",
        ))
    }
}

/// Makes a key. The name is given to a whole file, and only where nothing has it yet.
fn create(folder: &Path, path: &Path) -> Result<(), ConfigError> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(|error| no_randomness(path, error))?;
    let made = (|| {
        // Made with 0600, whatever the umask.
        let mut file = tempfile::Builder::new()
            .prefix(".secrets.key.")
            .suffix(".tmp")
            .tempfile_in(folder)?;
        file.write_all(&key)?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            other => _ = other?,
        }
        // The name must outlive a power cut: values that are sealed with the key do.
        File::open(folder)?.sync_all()
    })();
    wipe(&mut key);
    made.map_err(|error: io::Error| unusable(path, error.to_string()))
}

fn unusable(path: &Path, reason: impl Into<String>) -> ConfigError {
    ConfigError::SecretsKeyUnusable {
        path: path.to_owned(),
        reason: reason.into(),
    }
}

fn no_randomness(path: &Path, error: getrandom::Error) -> ConfigError {
    unusable(path, format!("the system gives no randomness: {error}"))
}
