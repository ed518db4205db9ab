//! Locks the mounts of a box: what it may not write is mounted for reading.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount_remount};

use super::devices::{DEVICES, SHARED};
use super::root::{LAYER, Root};
use crate::launcher::{Failure, In as _};

/// Locks every mount of `root`: no writing but in `writable`, no devices but the box's own, no
/// set-user-ID.
pub(super) fn lock(root: &Root, writable: &[&Path]) -> Result<(), Failure> {
    let devices: Vec<PathBuf> = DEVICES
        .iter()
        .map(|path| root.at(Path::new(path)))
        .collect();
    let mut writable: Vec<PathBuf> = writable.iter().map(|path| root.at(path)).collect();
    writable.push(root.at(Path::new(SHARED)));
    let top = root.at(Path::new("/"));
    for mount in mounts()? {
        // The top itself is locked last, when all is built.
        if !mount.starts_with(&top) || mount == top.as_path() {
            continue;
        }
        let writes = writable.iter().any(|folder| mount.starts_with(folder));
        let mut flags = MountFlags::NOSUID;
        flags.set(MountFlags::RDONLY, !writes);
        // A device may be written to on a mount for reading; its mode and owner may not.
        flags.set(MountFlags::NODEV, !devices.contains(&mount));
        set_flags(&mount, flags)?;
    }
    Ok(())
}

/// Locks the mount at `path`.
pub(super) fn remount(path: &Path) -> Result<(), Failure> {
    set_flags(
        path,
        MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV,
    )
}

/// Gives the mount at `mount` the flags `add`, beside those that it has.
fn set_flags(mount: &Path, add: MountFlags) -> Result<(), Failure> {
    let has = match statvfs(mount) {
        Ok(statistics) => statistics.f_flag,
        // Under another mount, or where this user cannot go: the box cannot either.
        Err(Errno::ACCESS | Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(error) => return Err(error).at(LAYER, &mount.display()),
    };
    // Flags that a mount has may be locked, and a remount must name them again.
    let mut flags = MountFlags::BIND | add;
    for (had, flag) in [
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
    ] {
        if has.contains(had) {
            flags |= flag;
        }
    }
    mount_remount(mount, flags, c"").at(LAYER, &mount.display())
}

/// Where this namespace has mounts, from proc_pid_mountinfo(5).
fn mounts() -> Result<Vec<PathBuf>, Failure> {
    let table = fs::read("/proc/self/mountinfo").in_layer(LAYER)?;
    let point = |line: &[u8]| line.split(|byte| *byte == b' ').nth(4).map(unescape);
    Ok(table
        .split(|byte| *byte == b'\n')
        .filter_map(point)
        .collect())
}

/// Blanks and backslashes in the table are written `\ooo`, in octal.
fn unescape(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((byte, after)) = rest.split_first() {
        let octal = after.get(..3).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        });
        match (byte, octal) {
            (b'\\', Some(escaped)) => {
                path.push(escaped);
                rest = &after[3..];
            }
            _ => {
                path.push(*byte);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_unescaped() {
        for (field, path) in [
            ("/a/b", "/a/b"),
            (r"/my\040work", "/my work"),
            (r"/back\134slash\011tab", "/back\\slash\ttab"),
            (r"/end\04", r"/end\04"),
        ] {
            assert_eq!(unescape(field.as_bytes()), Path::new(path));
        }
    }
}
