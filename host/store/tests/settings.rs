//! What a plugin keeps: bounds, prefixes, pages, and the async twins.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use ostler_store::{Limit, Store, StoreError};

mod fixtures;
use fixtures::{Folder, handoff_in_main, package, profile};

fn all(store: &Store, prefix: &str) -> Vec<String> {
    let page = store.settings_list(&profile("main"), &package("handoff"), prefix, None, 1_000);
    page.unwrap().keys
}

fn limit(error: &StoreError) -> Limit {
    assert_eq!(error.code(), "limited");
    match error {
        StoreError::LimitReached { limit } => *limit,
        other => panic!("{other}"),
    }
}

#[test]
fn a_setting_is_set_replaced_and_deleted() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    assert_eq!(store.settings_get(&main, &handoff, "a").unwrap(), None);
    store.settings_set(&main, &handoff, "a", "1").unwrap();
    store.settings_set(&main, &handoff, "a", "").unwrap();
    assert_eq!(
        store.settings_get(&main, &handoff, "a").unwrap().as_deref(),
        Some("")
    );
    assert!(store.settings_delete(&main, &handoff, "a").unwrap());
    assert!(!store.settings_delete(&main, &handoff, "a").unwrap());
    assert_eq!(store.settings_get(&main, &handoff, "a").unwrap(), None);
}

#[test]
fn only_an_installed_package_has_settings() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let other = profile("other");
    let error = store.settings_set(&other, &handoff, "a", "1").unwrap_err();
    assert_eq!(error.code(), "store-not-found");
    assert_eq!(store.settings_get(&other, &handoff, "a").unwrap(), None);
    assert!(
        !store
            .settings_delete(&main, &package("ghost"), "a")
            .unwrap()
    );
}

#[test]
fn keys_have_1_to_256_bytes() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    for good in ["k".repeat(256), "é".repeat(128), "a\0b".to_owned()] {
        store.settings_set(&main, &handoff, &good, "v").unwrap();
        let value = store.settings_get(&main, &handoff, &good).unwrap();
        assert_eq!(value.as_deref(), Some("v"));
    }
    for bad in [
        String::new(),
        "k".repeat(257),
        format!("{}x", "é".repeat(128)),
    ] {
        for error in [
            store.settings_set(&main, &handoff, &bad, "v").unwrap_err(),
            store.settings_get(&main, &handoff, &bad).unwrap_err(),
            store.settings_delete(&main, &handoff, &bad).unwrap_err(),
        ] {
            assert_eq!(limit(&error), Limit::SettingKeyBytes);
        }
    }
    assert_eq!(all(&store, "").len(), 3);
}

#[test]
fn values_have_at_most_65536_bytes() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let most = "é".repeat(32_768);
    store.settings_set(&main, &handoff, "a", &most).unwrap();
    assert_eq!(
        store.settings_get(&main, &handoff, "a").unwrap().as_ref(),
        Some(&most)
    );
    let error = store
        .settings_set(&main, &handoff, "a", &format!("{most}x"))
        .unwrap_err();
    assert_eq!(limit(&error), Limit::SettingValueBytes);
    assert_eq!(
        store.settings_get(&main, &handoff, "a").unwrap().as_ref(),
        Some(&most)
    );
}

#[test]
fn an_install_has_at_most_1000_keys_which_may_still_be_replaced_and_deleted() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    std::thread::scope(|scope| {
        for thread in 0..10 {
            let (store, main, handoff) = (&store, &main, &handoff);
            scope.spawn(move || {
                for n in 0..100 {
                    store
                        .settings_set(main, handoff, &format!("{thread}-{n}"), "v")
                        .unwrap();
                }
            });
        }
    });
    let error = store
        .settings_set(&main, &handoff, "one more", "v")
        .unwrap_err();
    assert_eq!(limit(&error), Limit::SettingKeys);
    store
        .settings_set(&main, &handoff, "0-0", "replaced")
        .unwrap();
    assert!(store.settings_delete(&main, &handoff, "0-1").unwrap());
    store
        .settings_set(&main, &handoff, "one more", "v")
        .unwrap();
    assert_eq!(all(&store, "").len(), 1_000);
}

#[test]
fn an_install_keeps_at_most_one_mebibyte_which_may_still_be_replaced_and_deleted() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let value = "v".repeat(65_536 - 1);
    for key in "abcdefghijklmnop".chars() {
        store
            .settings_set(&main, &handoff, &key.to_string(), &value)
            .unwrap();
    }
    let error = store.settings_set(&main, &handoff, "q", "").unwrap_err();
    assert_eq!(limit(&error), Limit::SettingBytes);
    store.settings_set(&main, &handoff, "a", &value).unwrap();
    assert!(store.settings_delete(&main, &handoff, "a").unwrap());
    store.settings_set(&main, &handoff, "q", "").unwrap();
}

#[test]
fn a_prefix_is_plain_text_and_matches_nothing_else() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let keys = [
        "%",
        "%a",
        "*",
        "?x",
        "A",
        "[a]",
        "_",
        "_a",
        "a",
        "a%",
        "a%b",
        "a_b",
        "aXb",
        "ab",
        "b",
        "a\u{10ffff}",
        "a\u{10ffff}z",
        "\\",
        "é",
        "\u{10ffff}",
        "\u{10ffff}z",
    ];
    for key in keys {
        store.settings_set(&main, &handoff, key, "v").unwrap();
    }
    let prefixes = keys
        .iter()
        .copied()
        .chain(["", "a%b%", "z", "_%", "\u{d7ff}", "[a-z]"]);
    for prefix in prefixes {
        let mut expected: Vec<_> = keys
            .iter()
            .filter(|key| key.starts_with(prefix))
            .map(ToString::to_string)
            .collect();
        expected.sort();
        assert_eq!(all(&store, prefix), expected, "{prefix:?}");
    }
}

#[test]
fn pages_follow_each_other_by_the_last_key_seen() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let keys: Vec<String> = (0..10).map(|n| format!("item:{n}")).collect();
    for key in keys
        .iter()
        .map(String::as_str)
        .chain(["a", "item", "item;", "z"])
    {
        store.settings_set(&main, &handoff, key, "v").unwrap();
    }
    for limit in [1, 3, 5, 9, 10, 11, u32::MAX] {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = store
                .settings_list(&main, &handoff, "item:", cursor.as_deref(), limit)
                .unwrap();
            assert!(page.keys.len() <= usize::try_from(limit).unwrap());
            assert!(!page.keys.is_empty());
            seen.extend(page.keys);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, keys, "limit {limit}");
    }
    // A cursor need not be there any more, nor fit the prefix.
    let page = |cursor| {
        store
            .settings_list(&main, &handoff, "item:", Some(cursor), 2)
            .unwrap()
            .keys
    };
    assert!(store.settings_delete(&main, &handoff, "item:4").unwrap());
    assert_eq!(page("item:4"), ["item:5", "item:6"]);
    assert_eq!(page("a"), ["item:0", "item:1"]);
    assert!(page("z").is_empty());
    assert_eq!(
        store
            .settings_list(&main, &handoff, "", None, 0)
            .unwrap()
            .keys,
        ["a"]
    );
}

#[test]
fn the_async_twins_do_the_same() {
    let folder = Folder::new();
    let store = folder.open();
    let (main, handoff) = handoff_in_main(&store);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        for key in ["a", "b"] {
            store
                .settings_set_async(&main, &handoff, key, "1")
                .await
                .unwrap();
        }
        let value = store
            .settings_get_async(&main, &handoff, "a")
            .await
            .unwrap();
        assert_eq!(value.as_deref(), Some("1"));
        let page = store
            .settings_list_async(&main, &handoff, "", None, 1)
            .await
            .unwrap();
        assert_eq!(
            (page.keys, page.next),
            (vec!["a".to_owned()], Some("a".to_owned()))
        );
        assert!(
            store
                .settings_delete_async(&main, &handoff, "a")
                .await
                .unwrap()
        );
        assert_eq!(
            store
                .settings_get_async(&main, &handoff, "a")
                .await
                .unwrap(),
            None
        );
        let error = store
            .settings_set_async(&main, &handoff, "", "1")
            .await
            .unwrap_err();
        assert_eq!(limit(&error), Limit::SettingKeyBytes);
        let error = store
            .settings_set_async(&profile("x"), &handoff, "a", "")
            .await
            .unwrap_err();
        assert_eq!(error.code(), "store-not-found");
    });
    assert_eq!(
        store.settings_get(&main, &handoff, "b").unwrap().as_deref(),
        Some("1")
    );
}
