//! What one process of a command may use.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Failure, In as _};

const GIB: u64 = 1024 * 1024 * 1024;

/// Sets the limits, for this process and all that it starts.
///
/// Not bounded here: memory, since programs reserve far more address space than they use; and the
/// processes of root, whom the kernel does not count (the box bounds its process numbers instead).
pub(super) fn set(cpu_seconds: u64) -> Result<(), Failure> {
    for (resource, limit) in [
        (Resource::Core, 0),
        (Resource::Cpu, cpu_seconds),
        (Resource::Fsize, 8 * GIB),
        (Resource::Nofile, 4096),
        (Resource::Nproc, 1024),
    ] {
        let had = getrlimit(resource).maximum;
        let limit = had.map_or(limit, |had| had.min(limit));
        let both = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        setrlimit(resource, both).at("limits", &format_args!("{resource:?}"))?;
    }
    Ok(())
}
