//! One host for one home.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;

use ostler_config::Home;

use crate::failure::{Exit, Failure};

/// Held while a host runs. The system lets it go with the process, however that ends.
pub(crate) struct HostLock(#[allow(dead_code, reason = "held, not read")] File);

impl HostLock {
    /// Takes the lock of a home.
    ///
    /// # Errors
    /// `host-running`: another process holds it.
    pub(crate) fn take(home: &Home) -> Result<Self, Failure> {
        let path = home.run().join("host.lock");
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| Failure::io(&format!("cannot open {}", path.display()), &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                Exit::Usage,
                "host-running",
                format!("another host runs on {}", home.path().display()),
            )
            .with_help("stop it first, or choose another home with --home DIR")),
            Err(TryLockError::Error(error)) => Err(Failure::io(
                &format!("cannot lock {}", path.display()),
                &error,
            )),
        }
    }
}
