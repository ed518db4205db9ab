//! The allow-list keys: `[plugins.<name>]` in a profile's file.

use std::path::Path;

use crate::edit::{self, EditError};
use crate::error::Place;
use crate::read::text as read;
use crate::rewrite::{Mode, behind_links, make_folder_of, rewrite};
use crate::{ConfigError, name};

/// What an operator allows a plugin beyond its access. Both are false unless the file says `true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllowKeys {
    /// `allow_gateway_injection`: the plugin may put notes into sessions.
    pub allow_gateway_injection: bool,
    /// `allow_origin_sessions`: the plugin may start sessions in threads.
    pub allow_origin_sessions: bool,
}

/// All keys of a plugin: those that an accept writes, and the one that only the operator does.
/// They are two types, so that no accept can write the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PluginKeys {
    /// What the plugin is allowed beyond its access.
    pub allow: AllowKeys,
    /// `inherit_session`: the plugin's notes into a session run as that session's automation.
    /// Without effect beside `allow_origin_sessions`; whoever decides looks at both.
    pub inherit_session: bool,
}

/// Reads all of a plugin's keys from the disk, at every call, with the promises of
/// [`read_allow_keys`].
///
/// # Errors
/// As [`read_allow_keys`]; the caller must take `config-unreadable` as not allowed, and narrow.
pub fn read_plugin_keys(profile_file: &Path, plugin: &str) -> Result<PluginKeys, ConfigError> {
    name::check("plugin", plugin)?;
    let Some(text) = read(profile_file)? else {
        return Ok(PluginKeys::default());
    };
    edit::plugin_keys(&text, plugin).map_err(|error| told(error, profile_file, &text, plugin))
}

/// Reads a plugin's keys from the disk, at every call. A file, table or key that is missing means
/// false.
///
/// # Errors
/// - `config-unreadable`: the file cannot be read, is no UTF-8 or no TOML, or `plugins`, the
///   plugin's entry or a key in it has the wrong type. The caller must take this as not allowed;
/// - `invalid-name`: `plugin` is not `[a-z][a-z0-9-]{0,63}`.
pub fn read_allow_keys(profile_file: &Path, plugin: &str) -> Result<AllowKeys, ConfigError> {
    name::check("plugin", plugin)?;
    let Some(text) = read(profile_file)? else {
        return Ok(AllowKeys::default());
    };
    edit::keys(&text, plugin).map_err(|error| told(error, profile_file, &text, plugin))
}

/// Sets those of a plugin's keys that are true in `keys`, and leaves the others as they are; for
/// an explicit accept. Makes the file (0600) and its folder (0700) where they are missing, else
/// keeps the file's permissions and every byte that is not one of the keys.
///
/// # Errors
/// - `config-unreadable`: as for [`read_allow_keys`]; the file is left as it is;
/// - `config-not-editable`: the keys can only be set by hand; the file is left as it is;
/// - `config-unwritable`: the file, its folder or its lock cannot be written;
/// - `invalid-name`: `plugin` is not `[a-z][a-z0-9-]{0,63}`.
pub fn write_allow_keys(
    profile_file: &Path,
    plugin: &str,
    keys: AllowKeys,
) -> Result<(), ConfigError> {
    name::check("plugin", plugin)?;
    if keys == AllowKeys::default() {
        return Ok(());
    }
    let file = behind_links(profile_file);
    make_folder_of(&file)?;
    change(&file, plugin, |text| edit::with_keys(text, plugin, keys))
}

/// Removes both of a plugin's keys, and its table when that is then empty and without comments.
/// Every other byte stays; a comment on a key's line stays as a line. Does nothing without a file.
///
/// # Errors
/// As for [`write_allow_keys`].
pub fn remove_allow_keys(profile_file: &Path, plugin: &str) -> Result<(), ConfigError> {
    name::check("plugin", plugin)?;
    let file = behind_links(profile_file);
    if read(&file)?.is_none() {
        return Ok(());
    }
    change(&file, plugin, |text| edit::without_keys(text, plugin))
}

/// Reads, changes and writes under the file's lock.
fn change(
    file: &Path,
    plugin: &str,
    change: impl FnOnce(&str) -> Result<String, EditError>,
) -> Result<(), ConfigError> {
    rewrite(file, Mode::Kept, |old| {
        let text = old.unwrap_or_default();
        let new = change(text).map_err(|error| told(error, file, text, plugin))?;
        Ok((new, ()))
    })
}

fn told(error: EditError, path: &Path, text: &str, plugin: &str) -> ConfigError {
    let path = path.to_owned();
    match error {
        EditError::Unreadable { offset, reason } => {
            let place = offset.map(|offset| Place::of(text.as_bytes(), offset));
            ConfigError::Unreadable {
                path,
                place,
                reason,
            }
        }
        EditError::NotEditable => ConfigError::NotEditable {
            path,
            plugin: plugin.to_owned(),
        },
    }
}
