//! From a file's text to a configuration, or to everything that is wrong with it.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;
use toml_edit::{Document, Item, TableLike};

use crate::error::Place;
use crate::schema::{Keys, schema_of};
use crate::{ConfigError, HostConfig, ProfileConfig};

/// A configuration that a file holds.
pub(crate) trait Configuration: DeserializeOwned + JsonSchema {
    /// Values that are in order each by itself, and not together.
    fn misfits(&self) -> Vec<Misfit>;
}

/// A value that does not go with the others, or that is not in order and whose type does not say
/// so.
pub(crate) struct Misfit {
    key: Vec<String>,
    /// The element, where the key's value is a list and one of its elements is wrong.
    element: Option<usize>,
    fault: Fault,
}

/// What is wrong.
enum Fault {
    Invalid(String),
    SecretInEnvironment(&'static str),
}

impl Misfit {
    pub(crate) fn new<'a>(
        key: impl IntoIterator<Item = &'a str>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            key: key.into_iter().map(str::to_owned).collect(),
            element: None,
            fault: Fault::Invalid(reason.into()),
        }
    }

    /// An element of the list `key`.
    pub(crate) fn of_element(key: &str, element: usize, reason: impl Into<String>) -> Self {
        Self {
            element: Some(element),
            ..Self::new([key], reason)
        }
    }

    /// An element of the list `key` that names a variable with `part` in its name.
    pub(crate) fn secret_in_environment(key: &str, element: usize, part: &'static str) -> Self {
        Self {
            key: vec![key.to_owned()],
            element: Some(element),
            fault: Fault::SecretInEnvironment(part),
        }
    }

    /// The same, seen from the table above.
    pub(crate) fn under<'a>(self, table: impl IntoIterator<Item = &'a str>) -> Self {
        let above = table.into_iter().map(str::to_owned);
        Self {
            key: above.chain(self.key).collect(),
            ..self
        }
    }

    /// As the error that names the file, the place and the key.
    fn told(self, file: &Path, text: &str, root: &dyn TableLike) -> ConfigError {
        let element = self.element.and_then(|element| {
            let list = item_at(root, &self.key)?.as_array()?;
            list.get(element)?.span()
        });
        let place = element
            .or_else(|| span_of(root, &self.key))
            .map(|span| Place::of(text.as_bytes(), span.start));
        let mut key = self.key.join(".");
        if let Some(element) = self.element {
            key += &format!("[{element}]");
        }
        let path = file.to_owned();
        match self.fault {
            Fault::Invalid(reason) => ConfigError::Invalid {
                path,
                place,
                key: Some(key),
                reason,
            },
            Fault::SecretInEnvironment(part) => ConfigError::SecretInEnvironment {
                path,
                place,
                key,
                part,
            },
        }
    }
}

/// Reads a profile's configuration. A missing file is the same as an empty one.
///
/// # Errors
/// The first of what [`check_profile`] finds.
pub fn read_profile(file: &Path) -> Result<ProfileConfig, ConfigError> {
    first(read(file))
}

/// Reads the host's configuration. A missing file is the same as an empty one.
///
/// # Errors
/// The first of what [`check_host`] finds.
pub fn read_host(file: &Path) -> Result<HostConfig, ConfigError> {
    first(read(file))
}

/// Everything that is wrong with a profile's file; nothing for a missing one:
/// - `config-unreadable`: it cannot be read, is no UTF-8 or no TOML;
/// - `config-unknown-key`: every key that nothing reads;
/// - `config-invalid`: a value of a wrong type or out of range (the first one), else every value
///   that does not go with the others;
/// - `secret-in-environment`: `shell.environment` names a variable that looks like a secret.
#[must_use]
pub fn check_profile(file: &Path) -> Vec<ConfigError> {
    read::<ProfileConfig>(file).err().unwrap_or_default()
}

/// As [`check_profile`], for the host's file.
#[must_use]
pub fn check_host(file: &Path) -> Vec<ConfigError> {
    read::<HostConfig>(file).err().unwrap_or_default()
}

/// The configuration in a profile's `text`; errors name `file`, which is not read.
///
/// # Errors
/// As [`read_profile`], but for what concerns reading.
pub fn parse_profile(file: &Path, text: &str) -> Result<ProfileConfig, ConfigError> {
    first(parse(file, text))
}

fn first<T>(read: Result<T, Vec<ConfigError>>) -> Result<T, ConfigError> {
    read.map_err(|mut errors| errors.swap_remove(0))
}

fn read<T: Configuration>(file: &Path) -> Result<T, Vec<ConfigError>> {
    let text = text(file).map_err(|error| vec![error])?;
    parse(file, text.as_deref().unwrap_or_default())
}

/// Reads a text file; none when there is none.
pub(crate) fn text(path: &Path) -> Result<Option<String>, ConfigError> {
    let unreadable = |place, reason| ConfigError::Unreadable {
        path: path.to_owned(),
        place,
        reason,
    };
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(None, error.to_string())),
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let place = Place::of(error.as_bytes(), error.utf8_error().valid_up_to());
        unreadable(Some(place), "the file is not UTF-8".to_owned())
    })
}

/// The configuration in `text`, which `file` holds. There is at least one error where there is
/// any.
pub(crate) fn parse<T: Configuration>(file: &Path, text: &str) -> Result<T, Vec<ConfigError>> {
    let place =
        |span: Option<Range<usize>>| span.map(|span| Place::of(text.as_bytes(), span.start));
    let document = Document::parse(text).map_err(|error| {
        vec![ConfigError::Unreadable {
            path: file.to_owned(),
            place: place(error.span()),
            reason: error.message().trim_end().to_owned(),
        }]
    })?;

    let mut unknown = Vec::new();
    let schema = schema_of::<T>();
    unknown_keys(
        document.as_table(),
        Keys::of(&schema),
        "",
        &mut |key, found| {
            unknown.push(ConfigError::UnknownKey {
                path: file.to_owned(),
                place: place(found.span),
                key,
                nearest: found.nearest,
            });
        },
    );
    if !unknown.is_empty() {
        return Err(unknown);
    }

    let invalid = |place, key, reason| ConfigError::Invalid {
        path: file.to_owned(),
        place,
        key,
        reason,
    };
    let deserializer = toml::Deserializer::parse(text).map_err(|error| {
        vec![invalid(
            place(error.span()),
            None,
            error.message().to_owned(),
        )]
    })?;
    let configuration: T = serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = error.path().to_string();
        let key = (path != ".").then_some(path);
        // An error in a list's element comes with the place of the list.
        let element = element_span(document.as_table(), error.path());
        let inner = error.into_inner();
        let found = place(element.or_else(|| inner.span()));
        vec![invalid(found, key, inner.message().to_owned())]
    })?;

    let misfits: Vec<_> = configuration
        .misfits()
        .into_iter()
        .map(|misfit| misfit.told(file, text, document.as_table()))
        .collect();
    if misfits.is_empty() {
        Ok(configuration)
    } else {
        Err(misfits)
    }
}

/// A key that nothing reads.
struct Unknown {
    span: Option<Range<usize>>,
    nearest: Option<String>,
}

/// Tells of every key of `table` and the tables in it that `keys` does not have.
fn unknown_keys(
    table: &dyn TableLike,
    keys: Keys<'_>,
    above: &str,
    tell: &mut dyn FnMut(String, Unknown),
) {
    for (name, item) in table.iter() {
        let path = match above {
            "" => name.to_owned(),
            above => format!("{above}.{name}"),
        };
        match keys.get(name) {
            Some(below) => {
                if let (Some(table), Some(below)) = (item.as_table_like(), below) {
                    unknown_keys(table, below, &path, tell);
                }
            }
            None => tell(
                path,
                Unknown {
                    span: table.key(name).and_then(toml_edit::Key::span),
                    nearest: crate::nearest::to(name, keys.names()).map(str::to_owned),
                },
            ),
        }
    }
}

/// Where a key's value stands, or the innermost table above it that there is.
fn span_of(table: &dyn TableLike, key: &[String]) -> Option<Range<usize>> {
    let (first, rest) = key.split_first()?;
    let item = table.get(first)?;
    let own = || {
        table
            .key(first)
            .and_then(toml_edit::Key::span)
            .or_else(|| item.span())
    };
    match (rest, item) {
        ([], _) => item.span().or_else(own),
        (_, Item::Table(_) | Item::Value(_)) => item
            .as_table_like()
            .and_then(|below| span_of(below, rest))
            .or_else(own),
        _ => own(),
    }
}

/// A key's value, if there is one.
fn item_at<'d>(root: &'d dyn TableLike, key: &[String]) -> Option<&'d Item> {
    let (first, rest) = key.split_first()?;
    let item = root.get(first)?;
    if rest.is_empty() {
        return Some(item);
    }
    item_at(item.as_table_like()?, rest)
}

/// Where a list's element stands; none for a path that does not end in one.
fn element_span(root: &dyn TableLike, path: &serde_path_to_error::Path) -> Option<Range<usize>> {
    let mut segments = path.iter();
    let Some(Segment::Seq { index }) = segments.next_back() else {
        return None;
    };
    let mut table = root;
    let mut item = None;
    for segment in segments {
        let Segment::Map { key } = segment else {
            return None;
        };
        if let Some(below) = item {
            table = Item::as_table_like(below)?;
        }
        item = table.get(key);
        item?;
    }
    item?.as_array()?.get(*index)?.span()
}
