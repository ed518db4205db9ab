//! The root that the box sees: an empty tree, and in it what the box may have.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, unmount,
};
use rustix::process::{getegid, geteuid, pivot_root};

use super::{devices, masks, readonly};
use crate::launcher::private::Private;
use crate::launcher::{Failure, In as _};
use crate::order::{Order, SYSTEM};

pub(super) const LAYER: &str = "mount namespace";

/// The most processes and threads of a box, where the kernel bounds a namespace (Linux 6.14).
const PROCESSES: u32 = 1024;

/// A root under construction.
#[derive(Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    /// Where `path`, as the box sees it, is for now.
    pub(super) fn at(&self, path: &Path) -> PathBuf {
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Makes the folder `path` and those above it.
    pub(super) fn folder(&self, path: &Path) -> Result<PathBuf, Failure> {
        let at = self.at(path);
        fs::create_dir_all(&at).at(LAYER, &path.display())?;
        Ok(at)
    }

    /// Shows the folder `from` as `path`, with all that is mounted in it.
    pub(super) fn bind_folder(&self, from: &Path, path: &Path) -> Result<(), Failure> {
        let at = self.folder(path)?;
        mount_bind_recursive(from, at).at(LAYER, &path.display())
    }

    /// Shows the file `from` as `path`.
    pub(super) fn bind_file(&self, from: &Path, path: &Path) -> Result<(), Failure> {
        let at = self.at(path);
        if fs::symlink_metadata(&at).is_err() {
            fs::write(&at, "").at(LAYER, &path.display())?;
        }
        mount_bind(from, at).at(LAYER, &path.display())
    }

    /// Mounts a file system of `kind` at `path`.
    pub(super) fn file_system(
        &self,
        kind: &str,
        path: &Path,
        flags: MountFlags,
        options: Option<&std::ffi::CStr>,
    ) -> Result<(), Failure> {
        let at = self.folder(path)?;
        mount(kind, at, kind, flags, options).at(LAYER, &path.display())
    }
}

/// Builds the root and makes it this process's.
pub(super) fn enter(order: &Order, private: &Private) -> Result<(), Failure> {
    // What is mounted from here on stays in this namespace.
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )
    .in_layer(LAYER)?;
    let root = Root(private.root());
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    root.file_system("tmpfs", Path::new("/"), flags, Some(c"mode=0755,size=4m"))?;
    let mut system = Vec::new();
    for folder in SYSTEM.iter().map(Path::new) {
        if add_system(&root, folder)? {
            system.push(folder);
        }
    }
    let tmp = Path::new("/tmp");
    root.bind_folder(&private.tmp(), tmp)?;
    root.bind_folder(&order.workspace, &order.workspace)?;
    devices::add(&root)?;
    add_processes(&root)?;
    for folder in ["/run", "/var", "/root", "/home"] {
        root.folder(Path::new(folder))?;
    }
    symlink("/tmp", root.at(Path::new("/var/tmp"))).at(LAYER, &"/var/tmp")?;
    accounts(&root)?;
    masks::add(&root, &system, &order.hidden)?;
    readonly::lock(&root, &[&order.workspace, tmp])?;
    make_root(&root)
}

/// Shows a folder of the system's; false if there is none. One that is a link stays one.
fn add_system(root: &Root, folder: &Path) -> Result<bool, Failure> {
    let Ok(metadata) = fs::symlink_metadata(folder) else {
        return Ok(false);
    };
    if metadata.is_symlink() {
        let target = fs::read_link(folder).at(LAYER, &folder.display())?;
        symlink(target, root.at(folder)).at(LAYER, &folder.display())?;
        return Ok(false);
    }
    if !metadata.is_dir() {
        return Ok(false);
    }
    root.bind_folder(folder, folder)?;
    Ok(true)
}

/// `/proc` of the box's own PID namespace, and the bound of its processes.
fn add_processes(root: &Root) -> Result<(), Failure> {
    let path = Path::new("/proc");
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    root.file_system("proc", path, flags, None)?;
    // Kernels before 6.14 have one bound for the whole system, which this process may not change.
    let _ = fs::write(
        root.at(Path::new("/proc/sys/kernel/pid_max")),
        PROCESSES.to_string(),
    );
    Ok(())
}

/// The box's own accounts: its user has a name there, and the machine's other users do not show.
fn accounts(root: &Root) -> Result<(), Failure> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let entry = |line: String, id: u32| if id == 0 { String::new() } else { line };
    let users = format!(
        "{}root:x:0:0:root:/:/bin/false\nnobody:x:65534:65534:nobody:/:/bin/false\n",
        entry(
            format!("ostler:x:{user}:{group}:ostler:/tmp/home:/bin/sh\n"),
            user
        ),
    );
    let groups = format!(
        "{}root:x:0:\nnogroup:x:65534:\n",
        entry(format!("ostler:x:{group}:\n"), group)
    );
    for (file, text) in [("/etc/passwd", users), ("/etc/group", groups)] {
        let path = Path::new(file);
        let there = fs::symlink_metadata(root.at(path)).is_ok_and(|there| there.is_file());
        if !there {
            continue;
        }
        let own = root.at(Path::new("/accounts"));
        fs::write(&own, text).at(LAYER, &file)?;
        root.bind_file(&own, path)?;
        // The mount holds the file.
        fs::remove_file(&own).at(LAYER, &file)?;
    }
    Ok(())
}

/// Makes `root` the root, and lets go of the old one.
fn make_root(root: &Root) -> Result<(), Failure> {
    std::env::set_current_dir(&root.0).in_layer(LAYER)?;
    // pivot_root(2): with both the same, the old root lies over the new one until it is unmounted.
    pivot_root(".", ".").in_layer(LAYER)?;
    unmount(".", UnmountFlags::DETACH).in_layer(LAYER)?;
    std::env::set_current_dir("/").in_layer(LAYER)?;
    readonly::remount(Path::new("/"))
}
