//! The namespaces of a box.

use std::fs;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{getegid, geteuid};

use super::capabilities;
use crate::launcher::{Failure, In as _};

/// Who root is in the box's user namespace: nobody is. Programs that find themselves root try to
/// give files away, which they may not here.
pub(super) const USER: u32 = 1000;

/// Goes into a user namespace, if there is to be one, and makes this process's children start in a
/// PID namespace.
///
/// The mount namespace comes later: this stage must still find the command's own folder.
pub(super) fn enter_first(user_namespace: bool) -> Result<(), Failure> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    if user_namespace {
        const LAYER: &str = "user namespace";
        unshare(CloneFlags::CLONE_NEWUSER).in_layer(LAYER)?;
        let inner = |id| if id == 0 { USER } else { id };
        // user_namespaces(7): a process that maps itself alone needs no rights for it, but must
        // give up changing its groups first.
        for (file, line) in [
            ("/proc/self/setgroups", "deny".to_owned()),
            ("/proc/self/uid_map", format!("{} {user} 1", inner(user))),
            ("/proc/self/gid_map", format!("{} {group} 1", inner(group))),
        ] {
            fs::write(file, line).at(LAYER, &file)?;
        }
    } else if may_change_groups()? {
        // Only root comes this far. Its other groups open files, too.
        rustix::thread::set_thread_groups(&[]).in_layer("groups")?;
    }
    unshare(CloneFlags::CLONE_NEWPID).in_layer("PID namespace")?;
    // The next stage is started by exec, which takes these away from who is not root.
    capabilities::keep_for_init()
}

/// Goes into all other namespaces.
pub(super) fn enter_rest() -> Result<(), Failure> {
    for (flag, layer) in [
        (CloneFlags::CLONE_NEWNS, "mount namespace"),
        (CloneFlags::CLONE_NEWNET, "network namespace"),
        (CloneFlags::CLONE_NEWIPC, "IPC namespace"),
        (CloneFlags::CLONE_NEWUTS, "UTS namespace"),
    ] {
        unshare(flag).in_layer(layer)?;
    }
    rustix::system::sethostname(b"ostler").in_layer("UTS namespace")
}

/// False in a user namespace, of a container's say, that gave it up.
fn may_change_groups() -> Result<bool, Failure> {
    let file = "/proc/self/setgroups";
    let said = fs::read_to_string(file).at("groups", &file)?;
    Ok(said.trim() != "deny")
}
