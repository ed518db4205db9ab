//! `/dev` of a box.

use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::mount::MountFlags;

use super::root::{LAYER, Root};
use crate::launcher::{Failure, In as _};

/// The devices of a box: they hold and reach nothing.
pub(super) const DEVICES: &[&str] = &[
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// Memory that the box's processes share by name.
pub(super) const SHARED: &str = "/dev/shm";

/// Adds the devices.
pub(super) fn add(root: &Root) -> Result<(), Failure> {
    root.folder(Path::new("/dev"))?;
    for device in DEVICES.iter().map(Path::new) {
        root.bind_file(device, device)?;
    }
    for (name, target) in [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
    ] {
        symlink(target, root.at(Path::new(name))).at(LAYER, &name)?;
    }
    root.file_system(
        "tmpfs",
        Path::new(SHARED),
        MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC,
        Some(c"mode=0700,size=64m"),
    )
}
