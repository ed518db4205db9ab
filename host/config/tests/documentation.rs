//! The page of all keys is what the types say.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use ostler_config::{EXAMPLE_PROFILE, documentation};

#[test]
fn the_page_in_the_book_is_the_one_that_the_program_prints() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    if std::env::var_os("OSTLER_BLESS").is_some() {
        fs::write(&page, documentation()).unwrap();
    }
    assert!(
        fs::read_to_string(&page).unwrap() == documentation(),
        "docs/configuration.md is not what the types say; write it anew with \
         `OSTLER_BLESS=1 cargo test -p ostler-config --test documentation`"
    );
}

#[test]
fn every_key_of_the_page_is_explained_and_stands_in_the_example() {
    let page = documentation();
    let profile = page.split("## `host.toml`").next().unwrap();
    let mut rows = 0;
    for row in profile.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        // The table of tools has two columns.
        if let [key, kind, default, meaning] = cells[..] {
            rows += 1;
            assert!(!kind.is_empty() && !default.is_empty(), "{row}");
            assert!(meaning.ends_with('.'), "{row}");
            let key = key.trim_matches('`');
            assert!(EXAMPLE_PROFILE.contains(&format!("{key} = ")), "{key}");
        }
    }
    assert!(rows > 40, "{rows}");
}
