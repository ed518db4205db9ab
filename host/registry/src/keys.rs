//! The publisher's signing key.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use ed25519_dalek::SigningKey;

use crate::error::RegistryError;

/// The key's file in the folder of keys: 64 hexadecimal digits, mode 0600.
const FILE: &str = "publisher.ed25519";

/// Reads the key, making one at the first use.
pub(crate) fn publisher(folder: &Path) -> Result<SigningKey, RegistryError> {
    let path = folder.join(FILE);
    if !path.exists() {
        make(folder, &path)?;
    }
    let metadata = fs::metadata(&path).map_err(|error| RegistryError::read(&path, &error))?;
    if metadata.mode() & 0o077 != 0 {
        return Err(RegistryError::Key {
            path,
            reason: "others may read it; make it 0600, and publish with a new key if it leaked"
                .to_owned(),
        });
    }
    let text = fs::read_to_string(&path).map_err(|error| RegistryError::read(&path, &error))?;
    hex::decode(text.trim())
        .ok()
        .and_then(|bytes| <[u8; 32]>::try_from(bytes).ok())
        .map(|bytes| SigningKey::from_bytes(&bytes))
        .ok_or_else(|| RegistryError::Key {
            path,
            reason: "it does not hold 64 hexadecimal digits; restore it from a copy".to_owned(),
        })
}

/// Makes a key. Two processes that do so at once end with one key: the name is taken by a link,
/// which fails where it exists.
fn make(folder: &Path, path: &Path) -> Result<(), RegistryError> {
    let mut seed = [0; 32];
    let no_randomness = |error| RegistryError::Key {
        path: path.to_owned(),
        reason: format!("the system gives no randomness: {error}"),
    };
    getrandom::fill(&mut seed).map_err(no_randomness)?;
    let mut name = [0; 8];
    getrandom::fill(&mut name).map_err(no_randomness)?;
    let temporary = folder.join(format!("{FILE}.{}", hex::encode(name)));
    let written = (|| {
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(hex::encode(seed).as_bytes())?;
        file.sync_all()?;
        match fs::hard_link(&temporary, path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        }?;
        // The name must outlive a power cut: versions that are signed with the key do.
        File::open(folder)?.sync_all()
    })();
    let _ = fs::remove_file(&temporary);
    written.map_err(|error| RegistryError::Io {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}
