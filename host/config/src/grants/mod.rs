//! Standing grants of a profile, `profiles/<name>/allow.toml`: what passes without a question.

mod edit;
mod parse;

use std::collections::HashSet;
use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rewrite::{Mode, behind_links, make_folder_of, rewrite};
use crate::{ConfigError, read};

/// A command, a shape of commands or a plugin's rule that passes without a question.
///
/// `approvals.deny` and the host's floors go before it, and a turn that a plugin or a peer caused
/// has none; whoever decides looks at those first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Its name, by which it is taken away. No two grants of the file have the same.
    #[schemars(extend("title" = "8 digits of `0` to `9` and `a` to `f`"))]
    pub id: String,
    /// How `text` is to be read: `command` is one exact command, in which no character stands for
    /// anything but itself; `shape` is a shape of commands, such as `cargo test <name>`; `rule` is
    /// a plugin's rule, `<plugin>/<rule-key>`.
    pub kind: GrantKind,
    /// The exact command, the shape, or the rule: 1 byte to 16 KiB, with no control characters but
    /// line breaks (LF) and tabs.
    pub text: String,
    /// The key of the only session that it holds in. Unset, it holds in all of the profile's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    #[schemars(extend("title" = "milliseconds"))]
    pub added_at: i64,
    /// Who made it: `local:cli` or `local:page`.
    pub added_by: String,
}

/// How a grant's text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrantKind {
    /// One command and no other: no character of it stands for anything but itself.
    Command,
    /// A shape such as `cargo test <name>`.
    Shape,
    /// A plugin's rule: `<plugin>/<rule-key>`, each `[a-z][a-z0-9-]{0,63}`.
    Rule,
}

impl GrantKind {
    /// As it stands in the file: `command`, `shape` or `rule`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Shape => "shape",
            Self::Rule => "rule",
        }
    }

    /// The kind with this name, if there is one.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Command, Self::Shape, Self::Rule]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// Reads the grants from the disk, at every call, in the file's order. A missing file has none.
///
/// # Errors
/// In every case the caller must count no grant at all:
/// - `config-unreadable`: the file cannot be read, is no UTF-8 or no TOML; a value is missing, has
///   the wrong type or is not in order; or two grants have the same `id`;
/// - `config-unknown-key`: it has a key that is none of a grant's.
pub fn read_grants(file: &Path) -> Result<Vec<Grant>, ConfigError> {
    let Some(text) = read::text(file)? else {
        return Ok(Vec::new());
    };
    let stated = parse::grants(file, &text)?;
    Ok(stated.into_iter().map(|stated| stated.grant).collect())
}

/// Adds a grant at the file's end, under a new random id, and gives it; a grant of the same kind,
/// text and session that is there already is given as it stands. `by` is who asks for it
/// (`local:cli`, `local:page`; never somebody on Discord), `now` is in milliseconds since 1970.
///
/// The file has mode 0600 afterwards, and every byte that was there before; a new one begins with
/// a comment that says what it is. Its folder is made (0700) where it is missing.
///
/// # Errors
/// - `grant-invalid`: `text` is blank, longer than 16 KiB, holds a control character other than LF
///   and tab, or is no `<plugin>/<rule-key>` for a rule; `session` or `by` is empty, longer than
///   512 bytes, or holds a control character;
/// - `config-unreadable`, `config-unknown-key`: as for [`read_grants`]; the file is left as it is;
/// - `config-not-editable`: it can only be changed by hand; the file is left as it is;
/// - `config-unwritable`: the file, its folder or its lock cannot be written, or the system gives
///   no randomness.
pub fn add_grant(
    file: &Path,
    kind: GrantKind,
    text: &str,
    session: Option<&str>,
    by: &str,
    now: i64,
) -> Result<Grant, ConfigError> {
    for (what, fault) in [
        ("text", parse::text_fault(kind, text)),
        ("session", session.and_then(parse::label_fault)),
        ("author", parse::label_fault(by)),
    ] {
        if let Some(reason) = fault {
            return Err(ConfigError::GrantInvalid { what, reason });
        }
    }
    let file = behind_links(file);
    make_folder_of(&file)?;
    rewrite(&file, Mode::Private, |old| {
        let stated = parse::grants(&file, old.unwrap_or_default())?;
        let grants = || stated.iter().map(|stated| &stated.grant);
        let is_same = |grant: &&Grant| {
            grant.kind == kind && grant.text == text && grant.session.as_deref() == session
        };
        if let Some(standing) = grants().find(is_same) {
            return Ok((old.unwrap_or_default().to_owned(), standing.clone()));
        }
        let ids = grants().map(|grant| grant.id.as_str()).collect();
        let grant = Grant {
            id: new_id(&file, &ids)?,
            kind,
            text: text.to_owned(),
            session: session.map(str::to_owned),
            added_at: now,
            added_by: by.to_owned(),
        };
        let new = edit::with_grant(old, &grant);
        checked(&file, &new, grants().chain([&grant]))?;
        Ok((new, grant))
    })
}

/// Takes the grant `id` away and gives it; none when there is no such grant. Every other byte
/// stays, comments among and beside the grant's lines too. The file has mode 0600 afterwards.
///
/// # Errors
/// As for [`add_grant`], but for `grant-invalid`.
pub fn remove_grant(file: &Path, id: &str) -> Result<Option<Grant>, ConfigError> {
    let file = behind_links(file);
    // Without this, a lock file would be made where nothing is.
    if read::text(&file)?.is_none() {
        return Ok(None);
    }
    rewrite(&file, Mode::Private, |old| {
        let text = old.unwrap_or_default();
        let stated = parse::grants(&file, text)?;
        let Some(gone) = stated.iter().find(|stated| stated.grant.id == id) else {
            return Ok((text.to_owned(), None));
        };
        let new = edit::without_grant(text, gone);
        let rest = stated.iter().map(|stated| &stated.grant);
        checked(&file, &new, rest.filter(|grant| grant.id != id))?;
        Ok((new, Some(gone.grant.clone())))
    })
}

/// Whether a changed text holds what it should. A text that does not is never written.
fn checked<'g>(
    file: &Path,
    text: &str,
    expected: impl Iterator<Item = &'g Grant>,
) -> Result<(), ConfigError> {
    let found = parse::grants(file, text);
    if found.is_ok_and(|found| found.iter().map(|stated| &stated.grant).eq(expected)) {
        return Ok(());
    }
    Err(ConfigError::GrantsNotEditable {
        path: file.to_owned(),
    })
}

/// A random id that is none of `taken`.
fn new_id(file: &Path, taken: &HashSet<&str>) -> Result<String, ConfigError> {
    loop {
        let number = getrandom::u32().map_err(|error| ConfigError::Unwritable {
            path: file.to_owned(),
            source: io::Error::other(format!("the system gives no randomness: {error}")),
        })?;
        let id = format!("{number:08x}");
        if !taken.contains(id.as_str()) {
            return Ok(id);
        }
    }
}
