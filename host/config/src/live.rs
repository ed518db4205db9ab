//! Keys that are read from the disk at every check.

use std::path::Path;

use toml_edit::{Document, Item, TableLike};

use crate::error::Place;
use crate::{ConfigError, read};

/// Reads `discord.thread_sessions_per_user` from the disk, at every call. A file, table or key that
/// is missing means false.
///
/// # Errors
/// `config-unreadable`: the file cannot be read, is no UTF-8 or no TOML, or `discord` or the key
/// has the wrong type. The caller must then refuse what only shared threads allow.
pub fn read_thread_sessions_per_user(profile_file: &Path) -> Result<bool, ConfigError> {
    let Some(text) = read::text(profile_file)? else {
        return Ok(false);
    };
    let unreadable = |span: Option<std::ops::Range<usize>>, reason: String| {
        let place = span.map(|span| Place::of(text.as_bytes(), span.start));
        ConfigError::Unreadable {
            path: profile_file.to_owned(),
            place,
            reason,
        }
    };
    let document = Document::parse(text.as_str())
        .map_err(|error| unreadable(error.span(), error.message().trim_end().to_owned()))?;
    let Some(discord) = document.get("discord") else {
        return Ok(false);
    };
    let Some(table) = discord.as_table_like() else {
        return Err(unreadable(
            discord.span(),
            "`discord` must be a table".to_owned(),
        ));
    };
    match table.get("thread_sessions_per_user") {
        None => Ok(false),
        Some(item) => item.as_bool().ok_or_else(|| {
            let reason = "`thread_sessions_per_user` must be true or false";
            unreadable(place_of(table, item), reason.to_owned())
        }),
    }
}

fn place_of(table: &dyn TableLike, item: &Item) -> Option<std::ops::Range<usize>> {
    let key = table.key("thread_sessions_per_user");
    key.and_then(toml_edit::Key::span).or_else(|| item.span())
}
