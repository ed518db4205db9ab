//! Writing a file so that a crash leaves the old one or the new one.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::ConfigError;

/// Writes `bytes` to `path` with the permission bits `mode`: whole and on disk when this returns,
/// and at no moment half. Its folder must exist. A link at `path` is replaced, not followed.
///
/// A process that is killed on the way may leave a hidden `.NAME.*.tmp` beside the file.
///
/// # Errors
/// `config-unwritable`; the old file is then whole.
pub fn write_atomically(path: &Path, bytes: &[u8], mode: u32) -> Result<(), ConfigError> {
    replace(path, bytes, mode).map_err(|source| ConfigError::Unwritable {
        path: path.to_owned(),
        source,
    })
}

fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        // A bare file name.
        _ => Path::new("."),
    };
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    // Made with 0600, whatever the umask; `mode` holds before the file has its name.
    let mut file = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".tmp")
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file()
        .set_permissions(Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name is on disk only once the folder is.
    File::open(folder)?.sync_all()
}
