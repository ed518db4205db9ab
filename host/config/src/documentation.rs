//! The reference of all keys, made from the types.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::schema::{Keys, schema_of, without_null};
use crate::{Grant, HostConfig, ProfileConfig, ToolsetName};

/// A profile's file with every key in it, each explained; all but a few are commented out.
pub const EXAMPLE_PROFILE: &str = include_str!("example_profile.toml");

const INTRODUCTION: &str = "\
# Configuration

This page is made from the program's types; `ostler config show --docs` prints it. `ostler config \
check` looks a profile's file and the host's file over, and `ostler config show` prints a \
profile's configuration as it is in force, defaults included.

Files are TOML. A key that is not on this page is an error. An id is the digits of a Discord id in \
quotes; a name is `[a-z][a-z0-9-]{0,63}`; a secret is named by `[A-Z][A-Z0-9_]{0,63}` and kept by \
`ostler secrets set`.

A running host reads a profile's file again when it changes, all of it or nothing: a file that is \
broken or gone leaves the configuration as it was, and the log says so. The keys under \
`[plugins.<name>]` and `discord.thread_sessions_per_user` are read from the disk at every check; \
as long as the file cannot be read, nothing that they allow is allowed.
";

const GRANTS: &str = "
## `profiles/<name>/allow.toml`

Standing grants: what passes without a question, each a `[[grant]]` table. `ostler allow add` and \
the pages write it, never anything on Discord; comments and order stay as you write them. Deny \
beats a grant: what `approvals.deny` or the host itself refuses stays refused. A turn that a \
plugin or a peer caused has no grants. The file is read at each use; one that has an unknown key \
or a wrong value grants nothing until it is corrected.
";

/// The reference of every key, in Markdown.
#[must_use]
pub fn documentation() -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "\n## `profiles/<name>/profile.toml`\n";
    table(&mut page, "", &schema_of::<ProfileConfig>());
    page += "\n### Tools\n\nThe names that `[platform_toolsets]` and an agent's `families` take, \
             beside `plugin:<id>`:\n\n| family | tools |\n|---|---|\n";
    for (family, tools) in ToolsetName::families() {
        let tools: Vec<_> = tools.iter().map(|tool| format!("`{tool}`")).collect();
        let _ = writeln!(page, "| `{family}` | {} |", tools.join(", "));
    }
    page += "\n### Example\n\n```toml\n";
    page += EXAMPLE_PROFILE;
    page += "```\n\n## `host.toml`\n";
    table(&mut page, "", &schema_of::<HostConfig>());
    page += GRANTS;
    table(&mut page, "", &schema_of::<Grant>());
    page
}

/// Writes a table's keys, then the tables in it.
fn table(page: &mut String, path: &str, schema: &Value) {
    let schema = without_null(schema);
    match Keys::of_table(schema) {
        Some(Keys::Fixed(properties)) => fixed(page, path, schema, properties),
        Some(Keys::Chosen(below)) => table(page, &format!("{path}.<name>"), below),
        None => {}
    }
}

fn fixed(page: &mut String, path: &str, schema: &Value, properties: &Map<String, Value>) {
    // By name, whatever order the map has: another crate's features may change that.
    let mut keys: Vec<_> = properties.iter().collect();
    keys.sort_by_key(|(name, _)| name.as_str());
    let (tables, values): (Vec<_>, Vec<_>) = keys
        .into_iter()
        .partition(|(_, schema)| Keys::of_table(schema).is_some());
    if !values.is_empty() {
        page.push_str("\n| key | value | default | |\n|---|---|---|---|\n");
    }
    for (name, key) in values {
        let is_required = schema["required"]
            .as_array()
            .is_some_and(|required| required.iter().any(|required| required == name));
        let _ = writeln!(
            page,
            "| `{name}` | {} | {} | {} |",
            kind(key),
            if is_required {
                "required".to_owned()
            } else {
                default(key)
            },
            one_line(&key["description"]),
        );
    }
    for (name, below) in tables {
        let path = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        let header = match Keys::of_table(below) {
            Some(Keys::Chosen(_)) => format!("{path}.<name>"),
            _ => path.clone(),
        };
        let about = one_line(&below["description"]);
        let _ = write!(page, "\n### `[{header}]`\n\n{about}\n");
        table(page, &path, below);
    }
}

/// What a value is, for people.
fn kind(schema: &Value) -> String {
    let schema = without_null(schema);
    if let Some(title) = schema["title"].as_str() {
        return title.to_owned();
    }
    let choices = schema["enum"]
        .as_array()
        .map(|values| values.iter().collect());
    let choices: Option<Vec<&Value>> = choices.or_else(|| {
        let variants = schema["oneOf"].as_array()?;
        Some(variants.iter().map(|variant| &variant["const"]).collect())
    });
    if let Some(choices) = choices {
        let choices = choices.iter().filter_map(|choice| choice.as_str());
        return choices
            .map(|choice| format!("`{choice}`"))
            .collect::<Vec<_>>()
            .join(", ");
    }
    let is = |name: &str| match &schema["type"] {
        Value::Array(types) => types.iter().any(|one| one == name),
        one => one == name,
    };
    if is("array") {
        format!("list: {}", kind(&schema["items"]))
    } else if is("integer") {
        format!("{} to {}", schema["minimum"], schema["maximum"])
    } else if is("boolean") {
        "`true` or `false`".to_owned()
    } else {
        "text".to_owned()
    }
}

fn default(schema: &Value) -> String {
    match &schema["default"] {
        Value::Null => "unset".to_owned(),
        Value::Array(items) if items.is_empty() => "`[]`".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| format!("`{item}`")).collect();
            items.join(" ")
        }
        value => format!("`{value}`"),
    }
}

/// A description within a table's cell: its first paragraph.
fn one_line(description: &Value) -> String {
    let text = description.as_str().unwrap_or_default();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    paragraph.replace('\n', " ").replace('|', "\\|")
}
