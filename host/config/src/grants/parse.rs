//! From a file's text to its grants, with where each stands.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, Key, Table};

use super::{Grant, GrantKind};
use crate::error::Place;
use crate::{ConfigError, name, nearest};

const KEYS: [&str; 6] = ["id", "kind", "text", "session", "added_at", "added_by"];

/// The longest text, in bytes.
const TEXT_BYTES: usize = 16 * 1024;
/// The longest session's key and the longest author, in bytes.
const LABEL_BYTES: usize = 512;

/// A grant and the bytes that it is made of.
pub(super) struct Stated {
    pub(super) grant: Grant,
    /// `[[grant]]`.
    pub(super) header: Range<usize>,
    /// Each key with its value, in no order.
    pub(super) entries: Vec<Range<usize>>,
}

/// The grants of `text`, which `file` holds.
pub(super) fn grants(file: &Path, text: &str) -> Result<Vec<Stated>, ConfigError> {
    let source = Source { file, text };
    let document = Document::parse(text)
        .map_err(|error| source.unreadable(error.span(), error.message().trim_end()))?;
    let root = document.as_table();
    source.only(root, "", &["grant"])?;
    let Some((key, item)) = root.get_key_value("grant") else {
        return Ok(Vec::new());
    };
    // `grant = […]` would keep a table from being added.
    let tables = item.as_array_of_tables().ok_or_else(|| {
        source.unreadable(key.span(), "grants must be written as [[grant]] tables")
    })?;
    let mut ids = HashSet::new();
    let mut stated = Vec::with_capacity(tables.len());
    for table in tables {
        let one = source.grant(table)?;
        if !ids.insert(one.grant.id.clone()) {
            let reason = format!("the id {} stands at two grants", one.grant.id);
            return Err(source.unreadable(place_of(table, "id"), &reason));
        }
        stated.push(one);
    }
    Ok(stated)
}

/// Why `text` cannot be a grant's.
pub(super) fn text_fault(kind: GrantKind, text: &str) -> Option<&'static str> {
    let is_name = |text| name::check("plugin", text).is_ok();
    if text.trim().is_empty() {
        Some("is empty")
    } else if text.len() > TEXT_BYTES {
        Some("is longer than 16 KiB (16,384 bytes)")
    } else if text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    {
        Some("holds a control character other than line breaks and tabs")
    } else if kind == GrantKind::Rule
        && !text
            .split_once('/')
            .is_some_and(|(plugin, rule)| is_name(plugin) && is_name(rule))
    {
        Some("is no plugin's rule: write `<plugin>/<rule-key>`")
    } else {
        None
    }
}

/// Why a text cannot be a session's key or an author.
pub(super) fn label_fault(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        Some("is empty")
    } else if text.len() > LABEL_BYTES {
        Some("is longer than 512 bytes")
    } else if text.contains(char::is_control) {
        Some("holds a control character")
    } else {
        None
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn place_of(table: &Table, key: &str) -> Option<Range<usize>> {
    table.key(key).and_then(Key::span)
}

/// A file and its text, for errors that say where.
struct Source<'t> {
    file: &'t Path,
    text: &'t str,
}

impl Source<'_> {
    fn grant(&self, table: &Table) -> Result<Stated, ConfigError> {
        self.only(table, "grant.", &KEYS)?;
        let id = self.string(table, "id", |id| {
            (!is_id(id)).then_some("must be 8 digits of 0 to 9 and a to f, no two grants the same")
        })?;
        let kind = self.string(table, "kind", |kind| match GrantKind::named(kind) {
            Some(_) => None,
            None => Some("must be \"command\", \"shape\" or \"rule\""),
        })?;
        let kind = GrantKind::named(kind).ok_or_else(|| self.missing(table, "kind"))?;
        let text = self.string(table, "text", |text| text_fault(kind, text))?;
        let session = match table.contains_key("session") {
            true => Some(self.string(table, "session", label_fault)?),
            false => None,
        };
        let added_at = self.value(table, "added_at", "a whole number", Item::as_integer)?;
        let added_by = self.string(table, "added_by", label_fault)?;
        let grant = Grant {
            id: id.to_owned(),
            kind,
            text: text.to_owned(),
            session: session.map(str::to_owned),
            added_at,
            added_by: added_by.to_owned(),
        };
        let spans = || {
            let entries = table.iter().map(|(name, item)| {
                let key = place_of(table, name)?;
                Some(key.start..item.span()?.end)
            });
            Some((table.span()?, entries.collect::<Option<Vec<_>>>()?))
        };
        // A text that was parsed has them all.
        let (header, entries) = spans().ok_or_else(|| ConfigError::GrantsNotEditable {
            path: self.file.to_owned(),
        })?;
        Ok(Stated {
            grant,
            header,
            entries,
        })
    }

    /// Refuses every key that is none of `keys`.
    fn only(&self, table: &Table, above: &str, keys: &[&str]) -> Result<(), ConfigError> {
        for (name, _) in table {
            if !keys.contains(&name) {
                let place = place_of(table, name);
                let nearest = nearest::to(name, keys.iter().copied());
                return Err(ConfigError::UnknownKey {
                    path: self.file.to_owned(),
                    place: place.map(|span| Place::of(self.text.as_bytes(), span.start)),
                    key: format!("{above}{name}"),
                    nearest: nearest.map(str::to_owned),
                });
            }
        }
        Ok(())
    }

    /// A key's text, which must be one string with no fault.
    fn string<'d>(
        &self,
        table: &'d Table,
        key: &str,
        fault: impl FnOnce(&str) -> Option<&'static str>,
    ) -> Result<&'d str, ConfigError> {
        let text = self.value(table, key, "one text in quotes", Item::as_str)?;
        match fault(text) {
            None => Ok(text),
            Some(fault) => {
                let reason = format!("`grant.{key}` {fault}");
                Err(self.unreadable(place_of(table, key), &reason))
            }
        }
    }

    fn value<'d, T>(
        &self,
        table: &'d Table,
        key: &str,
        wanted: &str,
        get: impl FnOnce(&'d Item) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let item = table.get(key).ok_or_else(|| self.missing(table, key))?;
        get(item).ok_or_else(|| {
            let reason = format!("`grant.{key}` must be {wanted}");
            self.unreadable(place_of(table, key), &reason)
        })
    }

    fn missing(&self, table: &Table, key: &str) -> ConfigError {
        self.unreadable(table.span(), &format!("the grant has no `{key}`"))
    }

    fn unreadable(&self, span: Option<Range<usize>>, reason: &str) -> ConfigError {
        ConfigError::Unreadable {
            path: self.file.to_owned(),
            place: span.map(|span| Place::of(self.text.as_bytes(), span.start)),
            reason: reason.to_owned(),
        }
    }
}
