//! What lies in the system's folders and is still not the box's to read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::mount::mount_bind;

use super::root::{LAYER, Root};
use crate::launcher::{Failure, In as _};

/// Folders of configuration, which may hold keys.
const CONFIGURATION: &[&str] = &["/etc", "/usr/local/etc"];

/// How many files of configuration are looked at.
const FILES: usize = 100_000;

/// Covers `hidden`, and of the system's configuration what is not everybody's to read, such as
/// `/etc/shadow`: a host that runs as root could read it.
///
/// `system`: the system's folders that the root has.
pub(super) fn add(root: &Root, system: &[&Path], hidden: &[PathBuf]) -> Result<(), Failure> {
    let mut covered: Vec<PathBuf> = Vec::new();
    for path in hidden {
        if system.iter().any(|folder| folder.starts_with(path)) {
            let reason = format!(
                "{} is to be hidden, and is part of the system",
                path.display()
            );
            return Err(Failure::new(LAYER, reason));
        }
        if system.iter().any(|folder| path.starts_with(folder)) {
            covered.push(path.clone());
        }
    }
    let mut left = FILES;
    for folder in CONFIGURATION.iter().map(Path::new) {
        let link = fs::symlink_metadata(root.at(folder)).is_ok_and(|there| there.is_symlink());
        if !link && system.iter().any(|system| folder.starts_with(system)) {
            private_files(root, folder, &mut covered, &mut left)?;
        }
    }
    // Outer ones first: what lies in a covered folder is covered.
    covered.sort();
    covered.dedup_by(|later, earlier| later.starts_with(&*earlier));

    // Without rights over others' files, even its owner cannot open what has no mode.
    let (file, folder) = (
        root.at(Path::new("/covered")),
        root.at(Path::new("/covering")),
    );
    fs::write(&file, "").in_layer(LAYER)?;
    fs::create_dir(&folder).in_layer(LAYER)?;
    for cover in [&file, &folder] {
        fs::set_permissions(cover, Permissions::from_mode(0o000)).in_layer(LAYER)?;
    }
    for path in covered {
        let at = root.at(&path);
        // What is not there needs no cover.
        let Ok(metadata) = fs::symlink_metadata(&at) else {
            continue;
        };
        let cover = if metadata.is_dir() { &folder } else { &file };
        mount_bind(cover, &at).at(LAYER, &path.display())?;
    }
    // The mounts hold them.
    fs::remove_file(&file).in_layer(LAYER)?;
    fs::remove_dir(&folder).in_layer(LAYER)
}

/// Finds below `folder` what is not everybody's to read.
fn private_files(
    root: &Root,
    folder: &Path,
    found: &mut Vec<PathBuf>,
    left: &mut usize,
) -> Result<(), Failure> {
    let entries = match fs::read_dir(root.at(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        // What this user cannot list, the box cannot either.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => return Err(error).at(LAYER, &folder.display()),
    };
    for entry in entries {
        *left = left.checked_sub(1).ok_or_else(|| {
            Failure::new(
                LAYER,
                format!("{} has more than {FILES} files", folder.display()),
            )
        })?;
        let entry = entry.at(LAYER, &folder.display())?;
        let path = folder.join(entry.file_name());
        let metadata = entry.metadata().at(LAYER, &path.display())?;
        let everybodys = if metadata.is_dir() { 0o005 } else { 0o004 };
        if metadata.is_symlink() {
            continue;
        }
        if metadata.permissions().mode() & everybodys != everybodys {
            found.push(path);
        } else if metadata.is_dir() {
            private_files(root, &path, found, left)?;
        }
    }
    Ok(())
}
