//! Components by digest, in a folder.

use std::path::{Path, PathBuf};

use ostler_store::Digest;
use sha2::{Digest as _, Sha256};

use crate::error::RegistryError;
use crate::package::read_bounded;

/// The folder of components. A file is written whole under its digest, or not at all.
#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    folder: PathBuf,
}

impl Blobs {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Keeps `bytes`, durably. Keeping them again does nothing.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<Digest, RegistryError> {
        let digest = digest_of(bytes);
        if self.get(&digest).is_ok() {
            return Ok(digest);
        }
        ostler_config::write_atomically(&self.path(&digest), bytes, 0o600)?;
        Ok(digest)
    }

    /// The bytes with this digest, verified.
    pub(crate) fn get(&self, digest: &Digest) -> Result<Vec<u8>, RegistryError> {
        let path = self.path(digest);
        if !path.exists() {
            return Err(RegistryError::BlobMissing { path });
        }
        let bytes = read_bounded(&path, ostler_scanner::MAX_COMPONENT_BYTES as u64)?;
        if digest_of(&bytes) != *digest {
            return Err(RegistryError::BlobCorrupt { path });
        }
        Ok(bytes)
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.folder.join(format!("{}.wasm", digest.hex()))
    }
}

/// The SHA-256 of some bytes.
pub(crate) fn digest_of(bytes: &[u8]) -> Digest {
    Digest::from_sha256(Sha256::digest(bytes).into())
}
