//! Closes what the host left open for its children by mistake.

use std::fs;

use super::{Failure, In as _};

/// Where a process finds its open descriptors.
const OPEN: &str = if cfg!(target_os = "linux") {
    "/proc/self/fd"
} else {
    "/dev/fd"
};

/// Closes every descriptor but 0, 1 and 2.
///
/// To be called before anything is opened that is to stay.
pub(super) fn close_inherited() -> Result<(), Failure> {
    const LAYER: &str = "descriptors";
    let mut numbers = Vec::new();
    for entry in fs::read_dir(OPEN).in_layer(LAYER)? {
        let name = entry.in_layer(LAYER)?.file_name();
        let number: i32 = name.to_string_lossy().parse().in_layer(LAYER)?;
        numbers.push(number);
    }
    // One of them was the folder's own and is closed by now.
    for number in numbers.into_iter().filter(|number| *number > 2) {
        let _ = nix::unistd::close(number);
    }
    Ok(())
}
