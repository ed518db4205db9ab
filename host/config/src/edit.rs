//! The allow-list keys in a profile's text: found by a TOML parser, changed by splicing.
//!
//! Splicing instead of printing a changed document keeps every byte that is not ours. Each result
//! is parsed again before it is given out.

use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, Key, Table, TableLike, TomlError, Value};

use crate::splice::{after_line, line_of, out_of_braces, splice, without_header, without_line};
use crate::{AllowKeys, PluginKeys};

const GATEWAY: &str = "allow_gateway_injection";
const ORIGIN: &str = "allow_origin_sessions";
const INHERIT: &str = "inherit_session";

/// Why a text was not read or changed.
#[derive(Debug)]
pub(crate) enum EditError {
    /// It is no TOML, or a part that we read has the wrong type.
    Unreadable {
        offset: Option<usize>,
        reason: String,
    },
    /// It is in order, but a splice would break it.
    NotEditable,
}

impl From<TomlError> for EditError {
    fn from(error: TomlError) -> Self {
        Self::Unreadable {
            offset: error.span().map(|span| span.start),
            reason: error.message().trim_end().to_owned(),
        }
    }
}

/// The keys that `text` gives to `plugin`.
pub(crate) fn keys(text: &str, plugin: &str) -> Result<AllowKeys, EditError> {
    let document = Document::parse(text)?;
    let table = find(document.as_table(), plugin)?;
    let allowed = |key| Ok::<_, EditError>(table.flag(key)?.is_some_and(|flag| flag.value));
    Ok(AllowKeys {
        allow_gateway_injection: allowed(GATEWAY)?,
        allow_origin_sessions: allowed(ORIGIN)?,
    })
}

/// All keys that `text` gives to `plugin`.
pub(crate) fn plugin_keys(text: &str, plugin: &str) -> Result<PluginKeys, EditError> {
    let document = Document::parse(text)?;
    let table = find(document.as_table(), plugin)?;
    Ok(PluginKeys {
        allow: keys(text, plugin)?,
        inherit_session: table.flag(INHERIT)?.is_some_and(|flag| flag.value),
    })
}

/// `text` with those of the keys set to true that are true in `keys`.
pub(crate) fn with_keys(text: &str, plugin: &str, keys: AllowKeys) -> Result<String, EditError> {
    let old = self::keys(text, plugin)?;
    let mut new = text.to_owned();
    // Each new key goes in front of the others, so the last comes first.
    for (key, wanted, is_set) in [
        (
            ORIGIN,
            keys.allow_origin_sessions,
            old.allow_origin_sessions,
        ),
        (
            GATEWAY,
            keys.allow_gateway_injection,
            old.allow_gateway_injection,
        ),
    ] {
        if wanted && !is_set {
            new = with_key(&new, plugin, key).map_err(not_ours)?;
        }
    }
    let expected = AllowKeys {
        allow_gateway_injection: old.allow_gateway_injection || keys.allow_gateway_injection,
        allow_origin_sessions: old.allow_origin_sessions || keys.allow_origin_sessions,
    };
    checked(new, plugin, expected)
}

/// `text` without either key, and without the plugin's table if it is then empty and uncommented.
pub(crate) fn without_keys(text: &str, plugin: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let table = find(document.as_table(), plugin)?;
    for key in [GATEWAY, ORIGIN] {
        // A value of a wrong type goes too: without it no less is refused.
        if let Some((name, item)) = table.entry(key)
            && !item.is_value()
        {
            return Err(wrong_type(name, key, "true or false"));
        }
    }
    let mut new = text.to_owned();
    for key in [GATEWAY, ORIGIN] {
        new = without_key(&new, plugin, key).map_err(not_ours)?;
    }
    let new = without_empty_table(&new, plugin).map_err(not_ours)?;
    checked(new, plugin, AllowKeys::default())
}

/// A step after the first works on a text that the operator never saw.
fn not_ours(_: EditError) -> EditError {
    EditError::NotEditable
}

fn checked(new: String, plugin: &str, expected: AllowKeys) -> Result<String, EditError> {
    match keys(&new, plugin) {
        Ok(found) if found == expected => Ok(new),
        _ => Err(EditError::NotEditable),
    }
}

/// Where a plugin's keys stand, or would stand.
enum PluginTable<'d> {
    /// There is no entry, and `plugins` is absent or made of headers or dotted keys.
    Nowhere,
    /// There is no entry, and `plugins` is an inline table.
    NotIn(&'d InlineTable),
    /// `[plugins.NAME]`, dotted keys, or implied by `[plugins.NAME.more]`.
    Table(&'d Table),
    /// `{ … }`, with the key that names it and whether that stands in an inline table itself.
    Inline {
        key: &'d Key,
        table: &'d InlineTable,
        in_inline: bool,
    },
}

/// A key with a boolean value.
struct Flag {
    value: bool,
    span: Range<usize>,
}

impl<'d> PluginTable<'d> {
    fn entry(&self, key: &str) -> Option<(&'d Key, &'d Item)> {
        match self {
            Self::Nowhere | Self::NotIn(_) => None,
            Self::Table(table) => table.get_key_value(key),
            Self::Inline { table, .. } => table.get_key_value(key),
        }
    }

    fn flag(&self, key: &str) -> Result<Option<Flag>, EditError> {
        let Some((name, item)) = self.entry(key) else {
            return Ok(None);
        };
        match (item.as_bool(), item.span()) {
            (Some(value), Some(span)) => Ok(Some(Flag { value, span })),
            _ => Err(wrong_type(name, key, "true or false")),
        }
    }
}

fn wrong_type(key: &Key, name: &str, wanted: &str) -> EditError {
    EditError::Unreadable {
        offset: key.span().map(|span| span.start),
        reason: format!("`{name}` must be {wanted}"),
    }
}

fn find<'d>(root: &'d Table, plugin: &str) -> Result<PluginTable<'d>, EditError> {
    let Some((key, item)) = root.get_key_value("plugins") else {
        return Ok(PluginTable::Nowhere);
    };
    let (plugins, inline): (&dyn TableLike, _) = match item {
        Item::Table(table) => (table, None),
        Item::Value(Value::InlineTable(table)) => (table, Some(table)),
        _ => return Err(wrong_type(key, "plugins", "a table")),
    };
    match plugins.get_key_value(plugin) {
        None => Ok(inline.map_or(PluginTable::Nowhere, PluginTable::NotIn)),
        Some((_, Item::Table(table))) => Ok(PluginTable::Table(table)),
        Some((key, Item::Value(Value::InlineTable(table)))) => Ok(PluginTable::Inline {
            key,
            table,
            in_inline: inline.is_some(),
        }),
        Some((key, _)) => Err(wrong_type(key, &format!("plugins.{plugin}"), "a table")),
    }
}

fn with_key(text: &str, plugin: &str, key: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let table = find(document.as_table(), plugin)?;
    if let Some(flag) = table.flag(key)? {
        return Ok(splice(text, flag.span, "true"));
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    match table {
        PluginTable::NotIn(plugins) => {
            into_braces(text, plugins, &format!("{plugin} = {{ {key} = true }}"))
        }
        PluginTable::Inline { table, .. } if !table.is_dotted() => {
            into_braces(text, table, &format!("{key} = true"))
        }
        // `plugins = { handoff.other = … }`: beside the first of its keys, spelled like that.
        PluginTable::Inline {
            key: name, table, ..
        } => {
            let (first, _) = first_entry(table)?;
            let path = &text[start(name)?..start(first)?];
            Ok(splice(
                text,
                start(name)?..start(name)?,
                &format!("{path}{key} = true, "),
            ))
        }
        // `plugins.handoff.other = …`: after the line of its first key, spelled like that.
        PluginTable::Table(table) if table.is_dotted() => {
            let (first, mut item) = first_entry(table)?;
            let at = start(first)?;
            let path = &text[line_of(text, at).start..at];
            while let Item::Table(dotted) = item {
                item = first_entry(dotted)?.1;
            }
            let line = format!("{path}{key} = true{newline}");
            Ok(after_line(text, end(item)?, &line, newline))
        }
        PluginTable::Table(table) if !table.is_implicit() => {
            let header = table.span().ok_or(EditError::NotEditable)?;
            Ok(after_line(
                text,
                header.start,
                &format!("{key} = true{newline}"),
                newline,
            ))
        }
        PluginTable::Table(_) | PluginTable::Nowhere => {
            let section = format!("[plugins.{plugin}]{newline}{key} = true{newline}");
            let mut new = text.to_owned();
            if !new.is_empty() && !new.ends_with('\n') {
                new.push_str(newline);
            }
            if new
                .lines()
                .next_back()
                .is_some_and(|line| !line.trim().is_empty())
            {
                new.push_str(newline);
            }
            Ok(new + &section)
        }
    }
}

fn without_key(text: &str, plugin: &str, key: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let table = find(document.as_table(), plugin)?;
    let Some((name, item)) = table.entry(key) else {
        return Ok(text.to_owned());
    };
    if !item.is_value() {
        return Err(wrong_type(name, key, "true or false"));
    }
    let entry = start(name)?..end(item)?;
    match table {
        PluginTable::Inline { .. } => Ok(out_of_braces(text, entry)),
        _ => Ok(without_line(text, entry)),
    }
}

fn without_empty_table(text: &str, plugin: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    match find(document.as_table(), plugin)? {
        PluginTable::Table(table) if table.is_empty() => {
            let header = table.span().ok_or(EditError::NotEditable)?;
            Ok(without_header(text, line_of(text, header.start)))
        }
        PluginTable::Inline {
            key,
            table,
            in_inline,
        } if table.is_empty() => {
            let braces = table.span().ok_or(EditError::NotEditable)?;
            let entry = start(key)?..braces.end;
            match (text[braces].contains('#'), in_inline) {
                (true, _) => Ok(text.to_owned()),
                (false, true) => Ok(out_of_braces(text, entry)),
                (false, false) => Ok(without_line(text, entry)),
            }
        }
        _ => Ok(text.to_owned()),
    }
}

/// Puts an entry behind the opening brace: what follows may end in a comma or a comment.
fn into_braces(text: &str, table: &InlineTable, entry: &str) -> Result<String, EditError> {
    let braces = table.span().ok_or(EditError::NotEditable)?;
    let inside = braces.start + 1..braces.end - 1;
    if table.is_empty() && text[inside.clone()].trim().is_empty() {
        return Ok(splice(text, inside, &format!(" {entry} ")));
    }
    let comma = if table.is_empty() { "" } else { "," };
    Ok(splice(
        text,
        inside.start..inside.start,
        &format!(" {entry}{comma}"),
    ))
}

fn first_entry(table: &dyn TableLike) -> Result<(&Key, &Item), EditError> {
    let (name, _) = table.iter().next().ok_or(EditError::NotEditable)?;
    table.get_key_value(name).ok_or(EditError::NotEditable)
}

fn start(key: &Key) -> Result<usize, EditError> {
    key.span()
        .map(|span| span.start)
        .ok_or(EditError::NotEditable)
}

fn end(item: &Item) -> Result<usize, EditError> {
    item.span()
        .map(|span| span.end)
        .ok_or(EditError::NotEditable)
}
