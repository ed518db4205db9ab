//! Names of profiles and plugins.

use crate::ConfigError;

/// Checks `[a-z][a-z0-9-]{0,63}`, which also keeps a name from being a path.
pub(crate) fn check(kind: &'static str, name: &str) -> Result<(), ConfigError> {
    let good = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if good {
        Ok(())
    } else {
        Err(ConfigError::InvalidName {
            kind,
            name: name.to_owned(),
        })
    }
}
