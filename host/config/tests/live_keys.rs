//! Keys that are read at every check, and not from a copy.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use ostler_config::{
    AllowKeys, PluginKeys, read_plugin_keys, read_thread_sessions_per_user, remove_allow_keys,
    write_allow_keys,
};

const BOTH: AllowKeys = AllowKeys {
    allow_gateway_injection: true,
    allow_origin_sessions: true,
};

#[test]
fn what_is_missing_is_false() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.toml");
    for text in [
        None,
        Some(""),
        Some("[discord]\n"),
        Some("[plugins.other]\ninherit_session = true\n"),
    ] {
        if let Some(text) = text {
            fs::write(&file, text).unwrap();
        }
        assert!(!read_thread_sessions_per_user(&file).unwrap());
        assert_eq!(
            read_plugin_keys(&file, "handoff").unwrap(),
            PluginKeys::default()
        );
    }
}

#[test]
fn a_change_is_seen_at_the_next_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.toml");
    for text in [
        "[discord]\nthread_sessions_per_user = true\n",
        "discord = { thread_sessions_per_user = true }\n",
    ] {
        fs::write(&file, text).unwrap();
        assert!(read_thread_sessions_per_user(&file).unwrap());
        fs::write(&file, text.replace("true", "false")).unwrap();
        assert!(!read_thread_sessions_per_user(&file).unwrap());
    }
    fs::write(&file, "plugins.handoff.inherit_session = true\n").unwrap();
    let keys = read_plugin_keys(&file, "handoff").unwrap();
    assert!(keys.inherit_session);
    assert_eq!(keys.allow, AllowKeys::default());
}

#[test]
fn a_file_that_cannot_be_understood_is_an_error_and_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.toml");
    for text in [
        "discord = 1\n",
        "[[discord]]\nthread_sessions_per_user = false\n",
        "[discord]\nthread_sessions_per_user = \"false\"\n",
        "[discord]\nthread_sessions_per_user = 0\n",
        "[discord]\nthread_sessions_per_user = false\n[broken\n",
        "[discord]\nthread_sessions_per_user = false\n[discord]\n",
    ] {
        fs::write(&file, text).unwrap();
        let error = read_thread_sessions_per_user(&file).unwrap_err();
        assert_eq!(error.code(), "config-unreadable", "{text}");
        assert!(error.to_string().contains("profile.toml:"), "{error}");
    }
    for text in [
        "plugins = 1\n",
        "[plugins]\nhandoff = true\n",
        "[plugins.handoff]\ninherit_session = \"yes\"\n",
        "[plugins.handoff]\ninherit_session = false\nallow_origin_sessions = 1\n",
        "[plugins.handoff\n",
    ] {
        fs::write(&file, text).unwrap();
        let error = read_plugin_keys(&file, "handoff").unwrap_err();
        assert_eq!(error.code(), "config-unreadable", "{text}");
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(read_thread_sessions_per_user(&file).is_err());
    assert!(read_plugin_keys(&file, "handoff").is_err());
    assert_eq!(
        read_plugin_keys(&file, "No").unwrap_err().code(),
        "invalid-name"
    );
}

#[test]
fn an_accept_never_writes_inherit_session_and_taking_away_leaves_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.toml");
    write_allow_keys(&file, "handoff", BOTH).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("inherit_session"), "{text}");

    fs::write(&file, "[plugins.handoff]\ninherit_session = false # mine\n").unwrap();
    write_allow_keys(&file, "handoff", BOTH).unwrap();
    let keys = read_plugin_keys(&file, "handoff").unwrap();
    assert_eq!((keys.allow, keys.inherit_session), (BOTH, false));
    remove_allow_keys(&file, "handoff").unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, "[plugins.handoff]\ninherit_session = false # mine\n");
}
