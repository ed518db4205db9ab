//! A package as it stands in an author's folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::RegistryError;
use crate::manifest::Manifest;

/// The manifest's file name.
const MANIFEST_FILE: &str = "ostler.toml";

/// The largest readme that travels with a version, in bytes.
const MAX_README_BYTES: u64 = 256 << 10;

/// A manifest and its folder.
#[derive(Clone, Debug)]
pub struct Package {
    /// The folder.
    pub folder: PathBuf,
    /// What `ostler.toml` says.
    pub manifest: Manifest,
}

impl Package {
    /// Reads `ostler.toml` of a folder.
    ///
    /// # Errors
    /// [`RegistryError::NotAPackage`] if there is none, [`RegistryError::Manifest`] if it is
    /// broken.
    pub fn open(folder: &Path) -> Result<Self, RegistryError> {
        let file = folder.join(MANIFEST_FILE);
        if !file.is_file() {
            return Err(RegistryError::NotAPackage {
                folder: folder.to_owned(),
            });
        }
        let text = fs::read_to_string(&file).map_err(|error| RegistryError::read(&file, &error))?;
        let manifest = Manifest::parse(&file.display().to_string(), &text)?;
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
        })
    }

    /// Where the component stands.
    #[must_use]
    pub fn component_path(&self) -> PathBuf {
        self.folder.join(&self.manifest.build.component)
    }

    /// The component's bytes.
    ///
    /// # Errors
    /// [`RegistryError::ComponentMissing`] if it is not built yet, [`RegistryError::Io`] if it
    /// cannot be read.
    pub fn component(&self) -> Result<Vec<u8>, RegistryError> {
        let path = self.component_path();
        if !path.exists() {
            return Err(RegistryError::ComponentMissing { path });
        }
        read_bounded(&path, ostler_scanner::MAX_COMPONENT_BYTES as u64)
    }

    /// The readme, if the manifest names one.
    ///
    /// # Errors
    /// [`RegistryError::Io`] if it cannot be read or is no UTF-8 text.
    pub fn readme(&self) -> Result<Option<String>, RegistryError> {
        let Some(name) = &self.manifest.readme else {
            return Ok(None);
        };
        let path = self.folder.join(name);
        let bytes = read_bounded(&path, MAX_README_BYTES)?;
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| RegistryError::Io {
                path,
                reason: "it is not UTF-8 text".to_owned(),
            })
    }
}

/// Reads a file that may not be larger than `limit` bytes, without allocating for what it claims.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, RegistryError> {
    use std::io::Read as _;
    let file = fs::File::open(path).map_err(|error| RegistryError::read(path, &error))?;
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| RegistryError::read(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(RegistryError::Io {
            path: path.to_owned(),
            reason: format!("it has more than {limit} bytes"),
        });
    }
    Ok(bytes)
}
