//! Standing grants in files as the program and operators write them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ostler_config::{ConfigError, Grant, GrantKind, add_grant, read_grants, remove_grant};
use tempfile::TempDir;

const NOW: i64 = 1_760_000_000_000;
const CLI: &str = "local:cli";

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(text: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        fs::write(folder.file(), text).unwrap();
        folder
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("allow.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn add(file: &Path, text: &str) -> Grant {
    add_grant(file, GrantKind::Command, text, None, CLI, NOW).unwrap()
}

/// A `[[grant]]` of the command `text`.
fn stated(id: &str, text: &str) -> String {
    format!(
        "[[grant]]\nid = \"{id}\"\nkind = \"command\"\ntext = {text}\nadded_at = {NOW}\n\
         added_by = \"local:cli\"\n"
    )
}

fn code(error: &ConfigError) -> &'static str {
    error.code()
}

#[test]
fn a_missing_file_has_no_grants_and_is_not_made_by_asking() {
    let folder = Folder::new();
    assert_eq!(read_grants(&folder.file()).unwrap(), []);
    assert_eq!(remove_grant(&folder.file(), "00000000").unwrap(), None);
    assert!(folder.names().is_empty());
    for text in ["", "# none yet\n", "\n\n"] {
        assert_eq!(read_grants(&Folder::with(text).file()).unwrap(), []);
    }
}

#[test]
fn a_grant_reads_back_as_it_was_given() {
    let folder = Folder::new();
    let long = "é".repeat(8 * 1024);
    let mut all = Vec::new();
    for (kind, text, session) in [
        (GrantKind::Command, "cargo test", None),
        (
            GrantKind::Command,
            "cargo test",
            Some("agent:main:discord:dm:1"),
        ),
        (GrantKind::Shape, "cargo test <name>", None),
        (GrantKind::Rule, "handoff/ask-first", None),
        (
            GrantKind::Rule,
            "handoff/ask-first",
            Some("a \"b\" \\ 'c' # d"),
        ),
        // Quotes, escapes, lines and what looks like TOML are nothing but text.
        (
            GrantKind::Command,
            "printf '%s\\n' \"$A\" \"\"\"x\"\"\" '''y'''",
            None,
        ),
        (
            GrantKind::Command,
            "cat <<E\n[[grant]]\nkind = \"rule\"\n\tE\n# no\n",
            None,
        ),
        (
            GrantKind::Command,
            "echo \u{2028}\u{feff}\u{202e}🐎 \\u0041",
            None,
        ),
        (GrantKind::Command, " spaces stay ", None),
        (GrantKind::Command, "*", None),
        (GrantKind::Command, &long, None),
    ] {
        let grant = add_grant(&folder.file(), kind, text, session, "local:page", NOW).unwrap();
        assert_eq!((grant.kind, grant.text.as_str()), (kind, text));
        assert_eq!(grant.session.as_deref(), session);
        assert_eq!(
            (grant.added_at, grant.added_by.as_str()),
            (NOW, "local:page")
        );
        assert!(grant.id.len() == 8 && grant.id.bytes().all(|b| b.is_ascii_hexdigit()));
        all.push(grant);
        assert_eq!(read_grants(&folder.file()).unwrap(), all);
    }
    let mut ids: Vec<_> = all.iter().map(|grant| &grant.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all.len());
    // One after the other goes, the others stay as they were.
    while !all.is_empty() {
        let gone = all.remove(all.len() / 2);
        assert_eq!(
            remove_grant(&folder.file(), &gone.id).unwrap(),
            Some(gone.clone())
        );
        assert_eq!(remove_grant(&folder.file(), &gone.id).unwrap(), None);
        assert_eq!(read_grants(&folder.file()).unwrap(), all);
    }
}

#[test]
fn a_star_is_an_exact_command_and_nothing_more() {
    let folder = Folder::new();
    let grant = add(&folder.file(), "*");
    assert_eq!((grant.kind, grant.text.as_str()), (GrantKind::Command, "*"));
    assert_eq!(read_grants(&folder.file()).unwrap(), [grant]);
    // As a rule it is none.
    let refused = add_grant(&folder.file(), GrantKind::Rule, "*", None, CLI, NOW);
    assert_eq!(code(&refused.unwrap_err()), "grant-invalid");
}

#[test]
fn the_same_grant_again_is_the_one_that_stands() {
    let folder = Folder::new();
    let first = add(&folder.file(), "make");
    let text = folder.text();
    let again = add_grant(
        &folder.file(),
        GrantKind::Command,
        "make",
        None,
        "local:page",
        NOW + 1,
    )
    .unwrap();
    assert_eq!(again, first);
    assert_eq!(folder.text(), text);
    // Another kind, session or text is another grant.
    for (kind, text, session) in [
        (GrantKind::Shape, "make", None),
        (GrantKind::Command, "make", Some("s")),
        (GrantKind::Command, "make ", None),
    ] {
        let other = add_grant(&folder.file(), kind, text, session, CLI, NOW).unwrap();
        assert_ne!(other.id, first.id);
    }
    assert_eq!(read_grants(&folder.file()).unwrap().len(), 4);
}

#[test]
fn a_new_file_says_what_it_is_and_is_for_its_user_alone() {
    let folder = Folder::new();
    let file = folder.0.path().join("profiles/main/allow.toml");
    let grant = add(&file, "make");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    let text = fs::read_to_string(&file).unwrap();
    let (head, rest) = text.split_once("\n\n").unwrap();
    assert!(
        head.lines()
            .all(|line| line.starts_with("# ") && line.len() <= 100),
        "{head}"
    );
    assert!(head.contains("Deny beats them"), "{head}");
    assert_eq!(rest, stated(&grant.id, "\"make\""));
    // Also where somebody made it readable.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let second = add(&file, "make test");
    assert_eq!(mode(&file), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    remove_grant(&file, &second.id).unwrap().unwrap();
    assert_eq!(mode(&file), 0o600);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    remove_grant(&file, &grant.id).unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{head}\n"));
}

#[test]
fn what_cannot_be_a_grant_is_refused_before_anything_is_made() {
    let folder = Folder::new();
    let long = "x".repeat(16 * 1024 + 1);
    let label = "x".repeat(513);
    let refused = |kind, text: &str, session: Option<&str>, by: &str| {
        let error = add_grant(&folder.file(), kind, text, session, by, NOW).unwrap_err();
        assert_eq!(code(&error), "grant-invalid", "{text:?}: {error}");
        error.to_string()
    };
    for text in [
        "",
        " ",
        "\n\t",
        "a\rb",
        "a\0",
        "a\u{1b}[2J",
        "a\u{7f}",
        "a\u{85}",
        &long,
    ] {
        for kind in [GrantKind::Command, GrantKind::Shape, GrantKind::Rule] {
            assert!(refused(kind, text, None, CLI).contains("its text "));
        }
    }
    for rule in [
        "handoff",
        "handoff/",
        "/ask",
        "handoff/ask/more",
        "Handoff/ask",
        "handoff/Ask",
        "handoff/*",
        "*/*",
        " handoff/ask",
        "handoff/ask\n",
        "../x/ask",
    ] {
        assert!(refused(GrantKind::Rule, rule, None, CLI).contains("`<plugin>/<rule-key>`"));
    }
    for bad in ["", " ", "a\nb", "a\tb", &label] {
        assert!(refused(GrantKind::Command, "x", Some(bad), CLI).contains("its session "));
        assert!(refused(GrantKind::Command, "x", None, bad).contains("its author "));
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_file_that_is_not_in_order_gives_no_grant_and_is_left_byte_identical() {
    let good = stated("0123abcd", "\"make\"");
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    let unreadable = "config-unreadable";
    let mut cases = vec![
        // A text that is split into its characters, or made of anything else but one string.
        (with("\"make\"", "[\"*\"]"), unreadable, ":4:1:"),
        (
            with("\"make\"", "[\"m\", \"a\", \"k\", \"e\"]"),
            unreadable,
            ":4:1:",
        ),
        (with("\"make\"", "[]"), unreadable, ":4:1:"),
        (with("\"make\"", "true"), unreadable, ":4:1:"),
        (with("\"make\"", "7"), unreadable, ":4:1:"),
        (with("\"make\"", "{ x = \"make\" }"), unreadable, ":4:1:"),
        (
            with("text = \"make\"", "text.x = \"make\""),
            unreadable,
            ":4:1:",
        ),
        (with("\"make\"", "1979-05-27"), unreadable, ":4:1:"),
        (with("\"make\"", "\"\""), unreadable, ":4:1:"),
        (with("\"make\"", "\"a\\u0000b\""), unreadable, ":4:1:"),
        (with("\"make\"", "\"a\\rb\""), unreadable, ":4:1:"),
        (with("\"make\"", "\"a\\u009Bb\""), unreadable, ":4:1:"),
        (
            with("\"make\"", &format!("'{}'", "x".repeat(16_385))),
            unreadable,
            ":4:1:",
        ),
        (with("\"command\"", "\"any\""), unreadable, ":3:1:"),
        (with("\"command\"", "\"Command\""), unreadable, ":3:1:"),
        (with("\"command\"", "[\"command\"]"), unreadable, ":3:1:"),
        (with("\"command\"", "\"rule\""), unreadable, ":4:1:"),
        (with("\"0123abcd\"", "12345678"), unreadable, ":2:1:"),
        (with("0123abcd", "0123ABCD"), unreadable, ":2:1:"),
        (with("0123abcd", "0123abc"), unreadable, ":2:1:"),
        (with("0123abcd", "../../ab"), unreadable, ":2:1:"),
        (with(&NOW.to_string(), "1.5"), unreadable, ":5:1:"),
        (with(&NOW.to_string(), "\"now\""), unreadable, ":5:1:"),
        (with("\"local:cli\"", "\"\""), unreadable, ":6:1:"),
        (
            with("added_at", "session = false\nadded_at"),
            unreadable,
            ":5:1:",
        ),
        (
            with("added_at", "session = []\nadded_at"),
            unreadable,
            ":5:1:",
        ),
        (
            with("added_at", "session = \"\"\nadded_at"),
            unreadable,
            ":5:1:",
        ),
        (
            with("added_at", "text = \"x\"\nadded_at"),
            unreadable,
            ":5:1:",
        ),
        (
            with("added_at", "sesion = \"x\"\nadded_at"),
            "config-unknown-key",
            ":5:1:",
        ),
        (
            with("[[grant]]", "allow_all = true\n[[grant]]"),
            "config-unknown-key",
            ":1:1:",
        ),
        (
            with("[[grant]]", "[[grants]]"),
            "config-unknown-key",
            ":1:3:",
        ),
        (with("[[grant]]", "[grant]"), unreadable, ":1:2:"),
        (
            format!("{good}[grant.session]\nx = 1\n"),
            unreadable,
            ":7:8:",
        ),
        (format!("{good}[grants]\n"), "config-unknown-key", ":7:2:"),
        (format!("{good}[[grant]]\n"), unreadable, ":7:1:"),
        (format!("{good}{good}"), unreadable, ":8:1:"),
        (format!("{good}[[grant"), unreadable, ":7:"),
        ("grant = []\n".to_owned(), unreadable, ":1:1:"),
        (
            "grant = [{ id = \"0123abcd\" }]\n".to_owned(),
            unreadable,
            ":1:1:",
        ),
        ("grant = true\n".to_owned(), unreadable, ":1:1:"),
        ("[]".to_owned(), unreadable, ":1:"),
        (format!("x = {}", "[".repeat(100_000)), unreadable, ":1:"),
    ];
    for key in ["id", "kind", "text", "added_at", "added_by"] {
        let lines = good
            .lines()
            .filter(|line| !line.starts_with(&format!("{key} =")));
        let text = lines.map(|line| line.to_owned() + "\n").collect();
        cases.push((text, unreadable, ":1:1:"));
    }
    for (alone, expected, place) in cases {
        // Also beside a good one: none of the two counts.
        let beside = format!("{alone}\n{}", stated("ffffffff", "\"ls\""));
        for text in [&alone, &beside] {
            let folder = Folder::with(text);
            let refusals = [
                read_grants(&folder.file()).map(drop),
                add_grant(&folder.file(), GrantKind::Command, "x", None, CLI, NOW).map(drop),
                remove_grant(&folder.file(), "0123abcd").map(drop),
            ];
            for refusal in refusals {
                let told = refusal.as_ref().unwrap_err().to_string();
                let shown: String = text.chars().take(300).collect();
                assert_eq!(code(&refusal.unwrap_err()), expected, "{shown}\n{told}");
                let is_placed = told.contains(&format!("allow.toml{place}"));
                assert!(text == &beside || is_placed, "{shown}\n{place} {told}");
            }
            assert_eq!(&folder.text(), text);
        }
    }
    let folder = Folder::with(b"# \xff\n");
    assert_eq!(code(&read_grants(&folder.file()).unwrap_err()), unreadable);
    let folder = Folder::new();
    fs::create_dir(folder.file()).unwrap();
    assert_eq!(code(&read_grants(&folder.file()).unwrap_err()), unreadable);
    let error = add_grant(&folder.file(), GrantKind::Command, "x", None, CLI, NOW).unwrap_err();
    assert_eq!(code(&error), unreadable);
    let error = remove_grant(&folder.file(), "0123abcd").unwrap_err();
    assert_eq!(code(&error), unreadable);
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_known_one() {
    let text = stated("0123abcd", "\"make\"").replace("added_by", "aded_by");
    let folder = Folder::with(&text);
    let error = read_grants(&folder.file()).unwrap_err();
    assert_eq!(error.key(), Some("grant.aded_by"));
    let told = error.to_string();
    assert!(
        told.ends_with(":6:1: unknown key `grant.aded_by`; did you mean `added_by`?"),
        "{told}"
    );
}

#[test]
fn the_file_is_read_afresh_at_each_call() {
    let folder = Folder::new();
    let grant = add(&folder.file(), "make");
    assert_eq!(read_grants(&folder.file()).unwrap(), [grant]);
    fs::write(folder.file(), "[[grant").unwrap();
    assert_eq!(
        code(&read_grants(&folder.file()).unwrap_err()),
        "config-unreadable"
    );
    fs::remove_file(folder.file()).unwrap();
    assert_eq!(read_grants(&folder.file()).unwrap(), []);
}

const OPERATORS_FILE: &str = "\
# What Ann lets pass.   Do not sort!

# builds
[[grant]]   # since May
  text   = 'make'  # the whole of it
  # by hand
  id = \"aaaaaaaa\"
  kind = 'command'
  added_by = \"local:cli\"
  added_at = 1_760_000_000_000

[[grant]]
id = \"bbbbbbbb\"
kind = \"command\"
text = '''
ls
# not a comment
'''
added_at = 0x10
added_by = \"local:page\"

# the last one
[[\"grant\"]]
id = \"cccccccc\"
kind = \"shape\"
text = \"cargo test <name>\"
session = \"s\"
added_at = 3
added_by = \"local:page\"
# the end";

#[test]
fn an_operators_file_keeps_every_byte_when_a_grant_comes() {
    let folder = Folder::with(OPERATORS_FILE);
    let before = read_grants(&folder.file()).unwrap();
    assert_eq!(before.len(), 3);
    assert_eq!(before[1].text, "ls\n# not a comment\n");
    assert_eq!(before[1].added_at, 16);
    let grant = add(&folder.file(), "make test");
    let section = stated(&grant.id, "\"make test\"");
    assert_eq!(folder.text(), format!("{OPERATORS_FILE}\n\n{section}"));
    remove_grant(&folder.file(), &grant.id).unwrap().unwrap();
    assert_eq!(folder.text(), format!("{OPERATORS_FILE}\n"));
    assert_eq!(read_grants(&folder.file()).unwrap(), before);

    // A text over several lines would have CR in it, which no command of the shell has.
    let lines = OPERATORS_FILE.replace("'''\nls\n# not a comment\n'''", "'ls'");
    let crlf = lines.replace('\n', "\r\n");
    let folder = Folder::with(&crlf);
    let grant = add(&folder.file(), "a\nb");
    let section = stated(&grant.id, "\"a\\nb\"").replace('\n', "\r\n");
    assert_eq!(folder.text(), format!("{crlf}\r\n\r\n{section}"));
    remove_grant(&folder.file(), &grant.id).unwrap().unwrap();
    assert_eq!(folder.text(), format!("{crlf}\r\n"));
}

#[test]
fn an_operators_file_keeps_its_comments_when_a_grant_goes() {
    let left = |id: &str| {
        let folder = Folder::with(OPERATORS_FILE);
        assert_eq!(remove_grant(&folder.file(), id).unwrap().unwrap().id, id);
        folder.text()
    };
    let (first, rest) = OPERATORS_FILE
        .split_once("[[grant]]   # since May\n")
        .unwrap();
    let (_, rest) = rest.split_once("1_760_000_000_000\n").unwrap();
    assert_eq!(
        left("aaaaaaaa"),
        format!("{first}# since May\n  # the whole of it\n  # by hand\n{rest}")
    );
    let (first, rest) = OPERATORS_FILE
        .split_once("\n[[grant]]\nid = \"bbbbbbbb\"")
        .unwrap();
    let (_, rest) = rest.split_once("added_by = \"local:page\"\n").unwrap();
    assert_eq!(left("bbbbbbbb"), format!("{first}{rest}"));
    let (first, _) = OPERATORS_FILE.split_once("[[\"grant\"]]").unwrap();
    assert_eq!(left("cccccccc"), format!("{first}# the end"));
}

#[test]
fn grants_go_from_everywhere_in_a_file() {
    let one = |id: &str| stated(id, "\"make\"").replace("make", id);
    let [a, b, c] = ["aaaaaaaa", "bbbbbbbb", "cccccccc"].map(one);
    for (text, id, expected) in [
        (format!("{a}{b}{c}"), "bbbbbbbb", format!("{a}{c}")),
        (format!("{a}\n{b}\n{c}"), "bbbbbbbb", format!("{a}\n{c}")),
        (format!("{a}\n{b}\n{c}"), "aaaaaaaa", format!("\n{b}\n{c}")),
        (format!("{a}\n{b}\n{c}"), "cccccccc", format!("{a}\n{b}")),
        // The comment of the next keeps its distance.
        (
            format!("{a}\n{b}# c\n{c}"),
            "bbbbbbbb",
            format!("{a}\n# c\n{c}"),
        ),
        (a.trim_end().to_owned(), "aaaaaaaa", String::new()),
        (format!("\u{feff}{a}"), "aaaaaaaa", "\u{feff}".to_owned()),
        (
            format!("\u{feff}{}", a.replacen("]]", "]] # a", 1)),
            "aaaaaaaa",
            "\u{feff}# a\n".to_owned(),
        ),
    ] {
        let folder = Folder::with(&text);
        remove_grant(&folder.file(), id).unwrap().unwrap();
        assert_eq!(folder.text(), expected, "{text}");
        let ids: Vec<_> = read_grants(&folder.file()).unwrap();
        assert!(ids.iter().all(|grant| grant.id != id));
        // What is left takes a new one.
        add(&folder.file(), "x");
        assert_eq!(read_grants(&folder.file()).unwrap().len(), ids.len() + 1);
    }
}

#[test]
fn a_link_to_the_operators_file_stays_a_link() {
    let elsewhere = Folder::with("# in my dotfiles\n");
    let folder = Folder::new();
    symlink(elsewhere.file(), folder.file()).unwrap();
    let grant = add(&folder.file(), "make");
    assert!(fs::symlink_metadata(folder.file()).unwrap().is_symlink());
    assert_eq!(
        read_grants(&elsewhere.file()).unwrap(),
        std::slice::from_ref(&grant)
    );
    remove_grant(&folder.file(), &grant.id).unwrap().unwrap();
    assert!(fs::symlink_metadata(folder.file()).unwrap().is_symlink());
    assert_eq!(elsewhere.text(), "# in my dotfiles\n");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    if cfg!(target_os = "linux") {
        let file = Path::new("/proc/ostler/allow.toml");
        let error = add_grant(file, GrantKind::Command, "x", None, CLI, NOW).unwrap_err();
        assert_eq!(code(&error), "config-unwritable");
        assert!(
            error.to_string().contains("/proc/ostler/allow.toml"),
            "{error}"
        );
    }
}

#[test]
fn a_kind_is_named_the_same_in_the_file_and_in_json() {
    for kind in [GrantKind::Command, GrantKind::Shape, GrantKind::Rule] {
        let json = serde_json::to_value(kind).unwrap();
        assert_eq!(json, kind.as_str());
    }
    let folder = Folder::new();
    let grant = add(&folder.file(), "make");
    let json = serde_json::to_value(&grant).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "id": grant.id, "kind": "command", "text": "make", "added_at": NOW,
            "added_by": "local:cli"
        })
    );
    assert_eq!(serde_json::from_value::<Grant>(json).unwrap(), grant);
}
