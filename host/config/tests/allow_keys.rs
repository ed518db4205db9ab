//! The allow-list keys in files as operators write them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ostler_config::{AllowKeys, read_allow_keys, remove_allow_keys, write_allow_keys};
use tempfile::TempDir;

const NONE: AllowKeys = AllowKeys {
    allow_gateway_injection: false,
    allow_origin_sessions: false,
};
const GATEWAY: AllowKeys = AllowKeys {
    allow_gateway_injection: true,
    ..NONE
};
const ORIGIN: AllowKeys = AllowKeys {
    allow_origin_sessions: true,
    ..NONE
};
const BOTH: AllowKeys = AllowKeys {
    allow_gateway_injection: true,
    allow_origin_sessions: true,
};

struct Profile {
    folder: TempDir,
}

impl Profile {
    fn new(text: impl AsRef<[u8]>) -> Self {
        let profile = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(profile.file(), text).unwrap();
        profile
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("profile.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }
}

/// The text after both keys of `handoff` were written.
fn written(text: &str, keys: AllowKeys) -> String {
    let profile = Profile::new(text);
    write_allow_keys(&profile.file(), "handoff", keys).unwrap();
    let found = read_allow_keys(&profile.file(), "handoff").unwrap();
    assert_eq!(found, keys, "{}", profile.text());
    // Again, it changes nothing.
    let once = profile.text();
    write_allow_keys(&profile.file(), "handoff", keys).unwrap();
    assert_eq!(profile.text(), once);
    once
}

/// The text after the keys of `handoff` were removed.
fn removed(text: &str) -> String {
    let profile = Profile::new(text);
    remove_allow_keys(&profile.file(), "handoff").unwrap();
    let found = read_allow_keys(&profile.file(), "handoff").unwrap();
    assert_eq!(found, NONE, "{}", profile.text());
    profile.text()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Files in which `handoff` has both keys, each spelled in another way of TOML.
const BOTH_SPELLINGS: &[&str] = &[
    "[plugins.handoff]\nallow_gateway_injection = true\nallow_origin_sessions = true\n",
    "[ plugins . \"handoff\" ]\n\"allow_gateway_injection\"=true\n'allow_origin_sessions'=true",
    "[plugins]\nhandoff.allow_gateway_injection = true\nhandoff.allow_origin_sessions = true\n",
    "[plugins]\nhandoff = { allow_gateway_injection = true, allow_origin_sessions = true }\n",
    "plugins.handoff.allow_origin_sessions = true\nplugins.handoff.allow_gateway_injection = true",
    "plugins.handoff = { allow_origin_sessions = true, allow_gateway_injection = true }\n",
    "plugins = { handoff = { allow_origin_sessions = true, allow_gateway_injection = true } }\n",
    "plugins={handoff.allow_origin_sessions=true,handoff.allow_gateway_injection=true}\n",
    "[plugins.handoff.more]\nx = 1\n[plugins.handoff]\nallow_gateway_injection = true\n\
     allow_origin_sessions = true\n",
    "plugins = {\n  # who\n  handoff = {\n    allow_origin_sessions = true, # why, and when\n    \
     allow_gateway_injection = true,\n  },\n}\n",
    "\u{feff}[plugins.handoff]\r\nallow_gateway_injection = true\r\nallow_origin_sessions = true\r\n",
];

#[test]
fn every_spelling_of_toml_is_read() {
    for text in BOTH_SPELLINGS {
        let profile = Profile::new(text);
        let found = read_allow_keys(&profile.file(), "handoff").unwrap();
        assert_eq!(found, BOTH, "{text}");
        assert_eq!(
            read_allow_keys(&profile.file(), "other").unwrap(),
            NONE,
            "{text}"
        );
        let one = text.replace("true", "false").replacen("false", "true", 1);
        fs::write(profile.file(), one).unwrap();
        let found = read_allow_keys(&profile.file(), "handoff").unwrap();
        assert!(found == GATEWAY || found == ORIGIN, "{text}");
    }
}

#[test]
fn every_spelling_of_toml_is_removed_and_written_again() {
    for text in BOTH_SPELLINGS {
        let without = removed(text);
        assert!(!without.contains("allow_"), "{without}");
        for comment in ["# who", "# why, and when"] {
            assert_eq!(
                without.contains(comment),
                text.contains(comment),
                "{without}"
            );
        }
        assert_eq!(removed(&without), without);
        written(&without, BOTH);
    }
}

#[test]
fn every_spelling_of_toml_gets_its_second_key_and_a_false_one_set() {
    for text in BOTH_SPELLINGS {
        let profile = Profile::new(text.replace("true", "false"));
        write_allow_keys(&profile.file(), "handoff", BOTH).unwrap();
        assert_eq!(profile.text(), *text);

        // Take one key away as an operator would, by hand: there the key has another name.
        for (key, rest) in [
            ("allow_gateway_injection", ORIGIN),
            ("allow_origin_sessions", GATEWAY),
        ] {
            let profile = Profile::new(text.replace(key, "note"));
            assert_eq!(read_allow_keys(&profile.file(), "handoff").unwrap(), rest);
            write_allow_keys(&profile.file(), "handoff", BOTH).unwrap();
            let found = read_allow_keys(&profile.file(), "handoff").unwrap();
            assert_eq!(found, BOTH, "{}", profile.text());
            remove_allow_keys(&profile.file(), "handoff").unwrap();
            let left = profile.text();
            assert!(left.contains("note"), "{left}");
            assert!(!left.contains("allow_"), "{left}");
        }
    }
}

#[test]
fn what_is_missing_is_not_allowed() {
    let folder = tempfile::tempdir().unwrap();
    for place in ["profile.toml", "missing/profile.toml"] {
        let file = folder.path().join(place);
        assert_eq!(read_allow_keys(&file, "handoff").unwrap(), NONE);
        remove_allow_keys(&file, "handoff").unwrap();
        write_allow_keys(&file, "handoff", NONE).unwrap();
    }
    assert!(files(folder.path()).is_empty());
    for text in [
        "",
        "# nothing\n",
        "[plugins]\n",
        "[plugins.handoff]\n",
        "plugins = {}",
        "plugins.handoff = {}",
        "[plugins.other]\nallow_origin_sessions = true\n",
        "[handoff]\nallow_origin_sessions = true\n",
        "allow_origin_sessions = true\n",
        "[plugins.handoff.more]\nallow_origin_sessions = true\n",
        "[plugins.handoff]\nallow_origin_sessions = false\n",
        "[plugins.handoff]\nAllow_Origin_Sessions = true\n# allow_origin_sessions = true\n",
    ] {
        let profile = Profile::new(text);
        assert_eq!(
            read_allow_keys(&profile.file(), "handoff").unwrap(),
            NONE,
            "{text}"
        );
    }
}

#[test]
fn the_file_is_read_afresh_at_each_call() {
    let profile = Profile::new("[plugins.handoff]\nallow_origin_sessions = true\n");
    assert_eq!(read_allow_keys(&profile.file(), "handoff").unwrap(), ORIGIN);
    fs::write(profile.file(), "[plugins.handoff]\n").unwrap();
    assert_eq!(read_allow_keys(&profile.file(), "handoff").unwrap(), NONE);
    fs::write(profile.file(), "[plugins.handoff").unwrap();
    let error = read_allow_keys(&profile.file(), "handoff").unwrap_err();
    assert_eq!(error.code(), "config-unreadable");
    fs::remove_file(profile.file()).unwrap();
    assert_eq!(read_allow_keys(&profile.file(), "handoff").unwrap(), NONE);
}

#[test]
fn a_broken_file_is_refused_by_name_and_place_and_left_byte_identical() {
    let cases: &[(&[u8], &str)] = &[
        (b"[plugins.handoff\nallow_origin_sessions = true\n", ":1:"),
        (
            b"x = 1\n[plugins.handoff]\nallow_origin_sessions = \n",
            ":3:",
        ),
        (b"[plugins.handoff]\nallow_origin_sessions = yes\n", ":2:"),
        (
            b"[plugins.handoff]\nallow_origin_sessions = \"yes\"\n",
            ":2:1:",
        ),
        (b"[plugins.handoff]\nallow_origin_sessions = 1\n", ":2:1:"),
        (
            b"[plugins.handoff]\nallow_origin_sessions = [true]\n",
            ":2:1:",
        ),
        (
            b"[plugins.handoff]\nallow_gateway_injection = \"true\"\n",
            ":2:1:",
        ),
        (
            b"[plugins.handoff.allow_origin_sessions]\nx = true\n",
            ":1:18:",
        ),
        (
            b"[plugins.handoff]\nallow_origin_sessions = true\nallow_origin_sessions = true\n",
            ":3:1:",
        ),
        (b"[plugins]\n\xC3\xA9 = 1\n", ":2:"),
        (
            "['\u{1F40E}']\nx = '\u{1F40E}'\n['\u{1F40E}']\n".as_bytes(),
            ":3:",
        ),
        (b"plugins = true\n", ":1:1:"),
        (b"plugins = []\n", ":1:1:"),
        (b"[[plugins]]\nallow_origin_sessions = true\n", ":1:3:"),
        (
            b"[[plugins.handoff]]\nallow_origin_sessions = true\n",
            ":1:11:",
        ),
        (b"[plugins]\nx = '\xC3\xA9'\nhandoff = 'all'\n", ":3:1:"),
        (b"x = '\xC3\xA9'\n# \xC3\xA9\xC3\xA9\xFF\n", ":2:5:"),
        (b"\0", ":1:"),
    ];
    for (bytes, place) in cases {
        let profile = Profile::new(bytes);
        let text = String::from_utf8_lossy(bytes).into_owned();
        let refusals = [
            read_allow_keys(&profile.file(), "handoff").map(drop),
            write_allow_keys(&profile.file(), "handoff", BOTH),
        ];
        for refusal in refusals {
            let error = refusal.expect_err(&text);
            assert_eq!(error.code(), "config-unreadable", "{text}: {error}");
            let place = format!("profile.toml{place}");
            assert!(error.to_string().contains(&place), "{text}: {error}");
            assert!(error.to_string().contains("correct the file"), "{error}");
        }
        assert_eq!(fs::read(profile.file()).unwrap(), *bytes, "{text}");
    }
}

#[test]
fn removing_refuses_a_file_that_does_not_parse_and_takes_a_value_of_a_wrong_type_away() {
    let broken = "[plugins.handoff]\nallow_origin_sessions = true\n[";
    let profile = Profile::new(broken);
    let error = remove_allow_keys(&profile.file(), "handoff").unwrap_err();
    assert_eq!(error.code(), "config-unreadable");
    assert_eq!(profile.text(), broken);

    let odd = "a = 1\n[plugins.handoff]\nallow_origin_sessions = \"\"\"\n# yes\n\"\"\"\nb = 2\n";
    assert_eq!(removed(odd), "a = 1\n[plugins.handoff]\nb = 2\n");
}

#[test]
fn a_folder_in_the_files_place_is_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.toml");
    fs::create_dir(&file).unwrap();
    for refusal in [
        read_allow_keys(&file, "handoff").map(drop),
        write_allow_keys(&file, "handoff", BOTH),
        remove_allow_keys(&file, "handoff"),
    ] {
        assert_eq!(refusal.unwrap_err().code(), "config-unreadable");
    }
    let below = file.join("x");
    fs::write(&below, "").unwrap();
    let error = read_allow_keys(&below.join("profile.toml"), "handoff").unwrap_err();
    assert_eq!(error.code(), "config-unreadable");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    if cfg!(target_os = "linux") {
        let file = Path::new("/proc/ostler/profile.toml");
        let error = write_allow_keys(file, "handoff", BOTH).unwrap_err();
        assert_eq!(error.code(), "config-unwritable");
        assert!(
            error.to_string().contains("/proc/ostler/profile.toml"),
            "{error}"
        );
    }
}

#[test]
fn a_plugins_name_must_be_a_name() {
    let profile = Profile::new("");
    for name in ["", "Handoff", "a.b", "../x", "a b", "é"] {
        for refusal in [
            read_allow_keys(&profile.file(), name).map(drop),
            write_allow_keys(&profile.file(), name, BOTH),
            remove_allow_keys(&profile.file(), name),
        ] {
            assert_eq!(refusal.unwrap_err().code(), "invalid-name");
        }
    }
    assert_eq!(profile.text(), "");
}

const OPERATORS_FILE: &str = "\
# Main profile.   Do not sort!
owner_id   =   \"112233445566778899\"  # me

[discord]   # the guild
  post_channels = [
    \"1\",   # general
    \"2\",
  ]

# Written by hand.
[plugins.weather]  # trusted
allow_origin_sessions=true # since May

[model]
name = 'x'
# the end
";

#[test]
fn a_new_table_is_added_at_the_end_and_every_other_byte_stays() {
    let both =
        "\n[plugins.handoff]\nallow_gateway_injection = true\nallow_origin_sessions = true\n";
    let one = "\n[plugins.handoff]\nallow_origin_sessions = true\n";
    assert_eq!(
        written(OPERATORS_FILE, BOTH),
        format!("{OPERATORS_FILE}{both}")
    );
    assert_eq!(
        written(OPERATORS_FILE, ORIGIN),
        format!("{OPERATORS_FILE}{one}")
    );
    assert_eq!(removed(&written(OPERATORS_FILE, BOTH)), OPERATORS_FILE);
    assert_eq!(written("", BOTH), both.trim_start());
    assert_eq!(written("a = 1", ORIGIN), format!("a = 1\n{one}"));
    assert_eq!(written("a = 1\n\n", ORIGIN), format!("a = 1\n{one}"));
    let crlf = "a = 1\r\n[plugins.b]\r\nc = 2\r\n";
    assert_eq!(
        written(crlf, ORIGIN),
        format!("{crlf}{}", one.replace('\n', "\r\n"))
    );
}

#[test]
fn keys_are_put_where_the_operator_already_writes_them() {
    for (text, expected) in [
        (
            "[plugins.handoff] # ours\n# note\nx = 1\n\n[model]\n",
            "[plugins.handoff] # ours\nallow_gateway_injection = true\nallow_origin_sessions = true\n\
             # note\nx = 1\n\n[model]\n",
        ),
        (
            "[plugins.handoff]\nallow_origin_sessions = false  # taken away in May\n",
            "[plugins.handoff]\nallow_gateway_injection = true\n\
             allow_origin_sessions = true  # taken away in May\n",
        ),
        (
            "[plugins.handoff]",
            "[plugins.handoff]\nallow_gateway_injection = true\nallow_origin_sessions = true\n",
        ),
        (
            "# a\nplugins.handoff.x = 1 # b\nlast = 2",
            "# a\nplugins.handoff.x = 1 # b\nplugins.handoff.allow_gateway_injection = true\n\
             plugins.handoff.allow_origin_sessions = true\nlast = 2",
        ),
        (
            "[plugins]\n  handoff.more.x = [\n 1, # one\n ]\n",
            "[plugins]\n  handoff.more.x = [\n 1, # one\n ]\n  handoff.allow_gateway_injection = true\n  \
             handoff.allow_origin_sessions = true\n",
        ),
        (
            "plugins = { handoff = { x = 1 }, other = {} } # c\n",
            "plugins = { handoff = { allow_gateway_injection = true, allow_origin_sessions = true, \
             x = 1 }, other = {} } # c\n",
        ),
        (
            "plugins = {other={x=1}}\n",
            "plugins = { handoff = { allow_gateway_injection = true, allow_origin_sessions = true },\
             other={x=1}}\n",
        ),
        (
            "plugins.handoff = {}\n",
            "plugins.handoff = { allow_gateway_injection = true, allow_origin_sessions = true }\n",
        ),
        (
            "plugins = { handoff.x = 1 }\n",
            "plugins = { handoff.allow_gateway_injection = true, \
             handoff.allow_origin_sessions = true, handoff.x = 1 }\n",
        ),
        (
            "plugins.other.x = 1\n",
            "plugins.other.x = 1\n\n[plugins.handoff]\nallow_gateway_injection = true\n\
             allow_origin_sessions = true\n",
        ),
        (
            "[plugins.handoff.more]\nx = 1\n",
            "[plugins.handoff.more]\nx = 1\n\n[plugins.handoff]\nallow_gateway_injection = true\n\
             allow_origin_sessions = true\n",
        ),
    ] {
        assert_eq!(written(text, BOTH), expected, "{text}");
    }
}

#[test]
fn removing_takes_the_keys_and_an_empty_table_and_nothing_else() {
    for (text, expected) in [
        (
            "a = 1\n\n[plugins.handoff]\nallow_origin_sessions = true\n\n[model]\nb = 2\n",
            "a = 1\n\n[model]\nb = 2\n",
        ),
        (
            "[plugins.handoff]\nallow_origin_sessions = false\nallow_gateway_injection = true",
            "",
        ),
        (
            "[plugins.handoff]\nallow_origin_sessions = true\nx = 1\n",
            "[plugins.handoff]\nx = 1\n",
        ),
        // Comments keep the table, and stay.
        (
            "# accepted by Ann\n[plugins.handoff]\nallow_origin_sessions = true\n",
            "# accepted by Ann\n[plugins.handoff]\n",
        ),
        (
            "[plugins.handoff] # Ann\nallow_origin_sessions = true\n",
            "[plugins.handoff] # Ann\n",
        ),
        (
            "[plugins.handoff]\n# Ann\n  allow_origin_sessions = true  # May\n# end\n",
            "[plugins.handoff]\n# Ann\n  # May\n# end\n",
        ),
        // Comments of the next table do not.
        (
            "[plugins.handoff]\nallow_origin_sessions = true\n\n# the model\n[model]\n",
            "\n# the model\n[model]\n",
        ),
        (
            "[plugins]\nhandoff = { allow_origin_sessions = true } # Ann\nother.x = 1\n",
            "[plugins]\n# Ann\nother.x = 1\n",
        ),
        (
            "plugins = { a.x = 1, handoff = { allow_origin_sessions = true }, b.x = 1 }\n",
            "plugins = { a.x = 1, b.x = 1 }\n",
        ),
        (
            "plugins = { a.x = 1, handoff = { allow_origin_sessions = true } }\n",
            "plugins = { a.x = 1 }\n",
        ),
        (
            "plugins.handoff = { x = 1, allow_origin_sessions = true, y = 2 }\n",
            "plugins.handoff = { x = 1, y = 2 }\n",
        ),
        (
            "plugins = { a.x = 1, handoff.allow_origin_sessions = true, handoff.y = 2 }\n",
            "plugins = { a.x = 1, handoff.y = 2 }\n",
        ),
        (
            "plugins.handoff.allow_origin_sessions = true\nplugins.other.x = 1\n",
            "plugins.other.x = 1\n",
        ),
        (
            "[plugins.handoff]\nallow_origin_sessions = true\n[plugins.handoff.more]\nx = 1\n",
            "[plugins.handoff]\n[plugins.handoff.more]\nx = 1\n",
        ),
    ] {
        assert_eq!(removed(text), expected, "{text}");
    }
}

#[test]
fn writing_one_key_leaves_the_other_as_the_operator_set_it() {
    let text = "[plugins.handoff]\nallow_gateway_injection = false # no\n";
    let profile = Profile::new(text);
    write_allow_keys(&profile.file(), "handoff", ORIGIN).unwrap();
    assert_eq!(read_allow_keys(&profile.file(), "handoff").unwrap(), ORIGIN);
    assert!(
        profile
            .text()
            .contains("allow_gateway_injection = false # no")
    );
    write_allow_keys(&profile.file(), "handoff", NONE).unwrap();
    assert_eq!(read_allow_keys(&profile.file(), "handoff").unwrap(), ORIGIN);
}

#[test]
fn a_missing_file_is_made_for_its_user_alone_and_a_present_one_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profiles/main/profile.toml");
    write_allow_keys(&file, "handoff", BOTH).unwrap();
    assert_eq!(read_allow_keys(&file, "handoff").unwrap(), BOTH);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert_eq!(
        files(file.parent().unwrap()),
        ["profile.toml", "profile.toml.lock"]
    );

    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    remove_allow_keys(&file, "handoff").unwrap();
    assert_eq!(mode(&file), 0o640);
}

#[test]
fn a_link_to_the_operators_file_stays_a_link() {
    let elsewhere = Profile::new("# in my dotfiles\n");
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("profile.toml");
    symlink(elsewhere.file(), &link).unwrap();
    write_allow_keys(&link, "handoff", ORIGIN).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(elsewhere.text().starts_with("# in my dotfiles\n"));
    assert_eq!(
        read_allow_keys(&elsewhere.file(), "handoff").unwrap(),
        ORIGIN
    );
}
