//! Compiled code on disk.
//!
//! An entry is two files, named for the component's digest and kept in a folder named for the
//! engine's compatibility hash: the code, and the SHA-256 of the code. Loading maps the code into
//! memory, so that nothing is compiled and idle code costs no private memory.
//!
//! Compiled code is run as it is, so an entry is only as trustworthy as whoever wrote it. The
//! folder and its files must belong to the user who runs the host and be writable by nobody else;
//! the digest finds damage. Whatever does not fit is thrown away and compiled again.

use std::fs::{self, File, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::error::RuntimeError;

/// The folder of compiled code for one engine.
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens the folder below `root`, making both if need be.
    pub(crate) fn open(root: &Path, engine: &Engine) -> Result<Self, RuntimeError> {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let folder = root.join(format!("{:016x}", hasher.finish()));
        for folder in [root, &folder] {
            make_private_folder(folder).map_err(|reason| RuntimeError::Cache {
                path: folder.to_owned(),
                reason,
            })?;
        }
        Ok(Self { folder })
    }

    /// The entry for the component with this digest, if there is a good one. `digest` is 64
    /// hexadecimal digits.
    pub(crate) fn load(&self, engine: &Engine, digest: &str) -> Option<Component> {
        let path = self.code_path(digest);
        match self.load_checked(engine, &path) {
            Ok(component) => component,
            Err(reason) => {
                tracing::warn!(
                    entry = %path.display(),
                    reason,
                    "compiled code thrown away; compiling again"
                );
                self.remove(digest);
                None
            }
        }
    }

    fn load_checked(&self, engine: &Engine, path: &Path) -> Result<Option<Component>, String> {
        let mut code = match File::open(path) {
            Ok(code) => code,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        check_private(&code.metadata().map_err(|error| error.to_string())?)?;
        let expected = fs::read_to_string(sum_path(path)).map_err(|error| error.to_string())?;
        if digest_of(&mut code).map_err(|error| error.to_string())? != expected {
            return Err("its digest is not the one written beside it".to_owned());
        }
        #[allow(unsafe_code, reason = "wasmtime cannot verify compiled code")]
        // SAFETY: the file was written by `store` below: it belongs to this user, nobody else can
        // write it, and its digest is the one that was written with it. Wasmtime checks that the
        // same version and configuration made it.
        let component = unsafe { Component::deserialize_file(engine, path) };
        component.map(Some).map_err(|error| format!("{error:#}"))
    }

    /// Keeps compiled code. A failure costs time at the next start and nothing else.
    pub(crate) fn store(&self, digest: &str, component: &Component) {
        if let Err(error) = self.try_store(digest, component) {
            tracing::warn!(
                folder = %self.folder.display(),
                %error,
                "compiled code not kept; the next start compiles again"
            );
        }
    }

    fn try_store(&self, digest: &str, component: &Component) -> io::Result<()> {
        let code = component
            .serialize()
            .map_err(|error| io::Error::other(format!("{error:#}")))?;
        let path = self.code_path(digest);
        // The code comes last: it is looked for first.
        self.write(
            &sum_path(&path),
            hex::encode(Sha256::digest(&code)).as_bytes(),
        )?;
        self.write(&path, &code)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let temporary = path.with_extension(format!("tmp-{}", uuid::Uuid::new_v4()));
        let written = (|| {
            let mut file = File::options()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&temporary)?;
            file.write_all(bytes)?;
            fs::rename(&temporary, path)
        })();
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    fn remove(&self, digest: &str) {
        let path = self.code_path(digest);
        let _ = fs::remove_file(sum_path(&path));
        let _ = fs::remove_file(path);
    }

    fn code_path(&self, digest: &str) -> PathBuf {
        self.folder.join(format!("{digest}.cwasm"))
    }
}

fn sum_path(code: &Path) -> PathBuf {
    code.with_extension("sha256")
}

fn digest_of(file: &mut File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex::encode(hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

fn make_private_folder(folder: &Path) -> Result<(), String> {
    if !folder.exists() {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        fs::set_permissions(folder, Permissions::from_mode(0o700))
            .map_err(|error| error.to_string())?;
    }
    let metadata = fs::metadata(folder).map_err(|error| error.to_string())?;
    if !metadata.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    check_private(&metadata)
}

fn check_private(metadata: &fs::Metadata) -> Result<(), String> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    if metadata.mode() & 0o022 != 0 {
        return Err("others can write it; take the write permission away from them".to_owned());
    }
    Ok(())
}
