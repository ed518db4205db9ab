//! Without a PID namespace: all processes that a command started, and their end.

use std::io;

/// Makes this process the one that its descendants fall to when their parents end.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> io::Result<()> {
    // The value only says yes or no.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> io::Result<()> {
    Ok(())
}

/// Kills every process of a command whose shell is `leader`, until none runs: the descendants of
/// this process; outside Linux, `leader`'s process group.
#[cfg(target_os = "linux")]
pub(super) fn kill(_: u32) {
    descendants::kill();
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Takes away the dead that fell to this process.
pub(super) fn reap() {
    use rustix::process::{WaitOptions, wait};
    while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
}

#[cfg(target_os = "linux")]
mod descendants {
    use std::collections::BTreeMap;
    use std::fs;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, getpid, kill_process};

    /// How long killing may take; a process that the kernel holds ends when it is let go.
    const PATIENCE: Duration = Duration::from_secs(4);

    pub(super) fn kill() {
        let until = Instant::now() + PATIENCE;
        loop {
            let found = all();
            for process in &found {
                let _ = kill_process(*process, Signal::KILL);
            }
            if found.is_empty() || Instant::now() > until {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The descendants of this process that are not dead, parents first.
    fn all() -> Vec<Pid> {
        let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Ok(process) = entry.file_name().to_string_lossy().parse::<i32>() else {
                continue;
            };
            let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
                continue;
            };
            // The program's name, in parentheses, may hold anything.
            let Some((_, after)) = stat.rsplit_once(") ") else {
                continue;
            };
            let mut fields = after.split(' ');
            let (Some(state), Some(parent)) = (fields.next(), fields.next()) else {
                continue;
            };
            if let (Ok(parent), false) = (parent.parse(), matches!(state, "Z" | "X")) {
                children.entry(parent).or_default().push(process);
            }
        }
        let mut found = Vec::new();
        let mut parents = vec![getpid().as_raw_nonzero().get()];
        while let Some(parent) = parents.pop() {
            for child in children.remove(&parent).into_iter().flatten() {
                found.extend(Pid::from_raw(child));
                parents.push(child);
            }
        }
        found
    }
}
