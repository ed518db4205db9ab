//! Where the notes are kept: in the install's settings, one key a note.
//!
//! A key is 128 characters at most and holds no control characters; a title is what the assistant
//! made up. So the key is the title's hash, and the title stands in the value.

use ostler_plugin::{ToolError, host};

use crate::note::{self, Note};

const PREFIX: &str = "note.";

/// Keeps the note, and says whether it replaced one.
pub fn put(note: &Note) -> Result<bool, ToolError> {
    let key = key(&note.title)?;
    let replaced = host::settings::get(&key)?.is_some();
    host::settings::set(&key, &note::json(note)?)?;
    Ok(replaced)
}

pub fn get(title: &str) -> Result<Option<Note>, ToolError> {
    host::settings::get(&key(title)?)?
        .map(|json| Note::read(&json))
        .transpose()
}

/// Removes the note, and says whether it was there.
pub fn remove(title: &str) -> Result<bool, ToolError> {
    Ok(host::settings::delete(&key(title)?)?)
}

/// One page of titles, sorted, and where the next page starts.
pub fn titles(cursor: Option<&str>) -> Result<(Vec<String>, Option<String>), ToolError> {
    let page = host::settings::list(Some(PREFIX), None, cursor)?;
    let mut titles = Vec::new();
    for key in page.items {
        // Another call may have removed it meanwhile.
        if let Some(json) = host::settings::get(&key)? {
            titles.push(Note::read(&json)?.title);
        }
    }
    titles.sort();
    Ok((titles, page.next_cursor))
}

fn key(title: &str) -> Result<String, ToolError> {
    let hash = host::crypto::hash(host::crypto::HashAlgorithm::Sha256, title.as_bytes())?;
    Ok(hash.iter().fold(PREFIX.to_owned(), |mut key, byte| {
        for nibble in [byte >> 4, byte & 0xf] {
            key.push(char::from(b"0123456789abcdef"[usize::from(nibble)]));
        }
        key
    }))
}
