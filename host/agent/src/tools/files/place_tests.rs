//! Where paths lead, in real folders with hostile links.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::*;
use crate::tools::files::testing::Stop;

/// A workspace `ws` with something beside it that no path may reach.
pub(crate) fn workspace() -> (TempDir, std::path::PathBuf) {
    let outer = TempDir::new().unwrap();
    let root = outer.path().join("ws");
    std::fs::create_dir_all(root.join("src/deep")).unwrap();
    std::fs::create_dir(outer.path().join("outside")).unwrap();
    std::fs::write(outer.path().join("outside/file.txt"), "outside").unwrap();
    std::fs::write(root.join("src/main.rs"), "fn main() {}\n").unwrap();
    std::fs::write(root.join("src/deep/file.txt"), "inside").unwrap();
    (outer, root)
}

fn find(root: &Path, given: &str) -> Result<Place, FileError> {
    Place::find(&open_workspace(root).unwrap(), given)
}

/// What a path leads to, in a word: the kind and the path without links, or the error's code.
fn leads(root: &Path, given: &str) -> String {
    match find(root, given) {
        Ok(place) => {
            let kind = match place.found {
                Found::Folder(_) => "folder",
                Found::File { .. } => "file",
                Found::Nothing { .. } => "nothing",
            };
            format!("{kind} {}", place.real)
        }
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn paths_lead_where_they_say_and_never_out() {
    let (outer, root) = workspace();
    symlink("src", root.join("link")).unwrap();
    symlink("src/main.rs", root.join("main")).unwrap();
    symlink("../../src/./main.rs", root.join("src/deep/up")).unwrap();
    symlink("..", root.join("parent")).unwrap();
    symlink("../..", root.join("src/grandparent")).unwrap();
    symlink("../outside", root.join("outside")).unwrap();
    symlink("/etc", root.join("etc")).unwrap();
    symlink(&root, root.join("absolute")).unwrap();
    symlink("src/none", root.join("dangling")).unwrap();
    symlink("../none", root.join("dangling-out")).unwrap();
    symlink("b", root.join("a")).unwrap();
    symlink("a", root.join("b")).unwrap();
    symlink("src/deep/../..", root.join("here")).unwrap();
    let long = "x".repeat(256);
    let longer = "x/".repeat(2_049);
    let names = "x/".repeat(300);
    let absolute = outer.path().join("ws/src/main.rs");
    for (given, expected) in [
        ("src/main.rs", "file src/main.rs"),
        ("./src//main.rs", "file src/main.rs"),
        ("src/deep/../main.rs", "file src/main.rs"),
        ("src", "folder src"),
        ("src/", "folder src"),
        (".", "folder "),
        ("./", "folder "),
        ("src/..", "folder "),
        ("link/main.rs", "file src/main.rs"),
        ("main", "file src/main.rs"),
        ("src/deep/up", "file src/main.rs"),
        ("here/src/main.rs", "file src/main.rs"),
        ("new", "nothing new"),
        ("link/a/b/new", "nothing src/a/b/new"),
        ("dangling", "nothing src/none"),
        // Out.
        ("..", "out-of-workspace"),
        ("../ws/src/main.rs", "out-of-workspace"),
        ("src/../../ws", "out-of-workspace"),
        ("/etc/passwd", "out-of-workspace"),
        (absolute.to_str().unwrap(), "out-of-workspace"),
        ("parent", "out-of-workspace"),
        ("parent/ws/src/main.rs", "out-of-workspace"),
        ("src/grandparent/outside/file.txt", "out-of-workspace"),
        ("outside/file.txt", "out-of-workspace"),
        ("etc/passwd", "out-of-workspace"),
        ("absolute/src/main.rs", "out-of-workspace"),
        ("dangling-out", "out-of-workspace"),
        // Wrong.
        ("", "invalid"),
        ("a\0b", "invalid"),
        ("a", "invalid"),
        ("src/main.rs/", "invalid"),
        ("new/", "invalid"),
        (&long, "invalid"),
        (&longer, "invalid"),
        (&names, "invalid"),
        ("src/main.rs/x", "not-found"),
        ("src/main.rs/..", "not-found"),
        ("new/../src/main.rs", "not-found"),
        // Names are data.
        ("~/x", "nothing ~/x"),
        ("$HOME", "nothing $HOME"),
        ("...", "nothing ..."),
        ("..\\..\\x", "nothing ..\\..\\x"),
        ("C:/x", "nothing C:/x"),
        ("%2e%2e/x", "nothing %2e%2e/x"),
    ] {
        let shown = beginning(given);
        assert_eq!(leads(&root, given), expected, "{shown:?}");
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(60).collect()
}

#[test]
fn what_is_neither_file_nor_folder_is_refused_without_waiting_for_it() {
    let (_outer, root) = workspace();
    let made = Command::new("mkfifo")
        .arg(root.join("fifo"))
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    symlink("fifo", root.join("link")).unwrap();
    let started = Instant::now();
    for (given, kind) in [
        ("fifo", "a FIFO"),
        ("socket", "a socket"),
        ("link", "a FIFO"),
    ] {
        let Err(error) = find(&root, given) else {
            panic!("{given} was found");
        };
        assert_eq!(error.code(), "not-a-file");
        assert!(error.to_string().contains(kind), "{error}");
    }
    // Opening one by its name does not wait for a writer either.
    let dir = open_workspace(&root).unwrap();
    assert_eq!(
        open_file(&dir, "fifo", "fifo").unwrap_err().code(),
        "not-a-file"
    );
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_link_is_never_opened_as_a_file() {
    let (_outer, root) = workspace();
    symlink("src/main.rs", root.join("link")).unwrap();
    let dir = open_workspace(&root).unwrap();
    assert_eq!(
        open_file(&dir, "link", "link").unwrap_err().code(),
        "changed"
    );
}

#[test]
fn a_missing_workspace_is_an_error_of_its_own() {
    let (outer, _root) = workspace();
    let error = open_workspace(&outer.path().join("none")).unwrap_err();
    assert_eq!(error.code(), "io");
    assert!(error.to_string().contains("the workspace"), "{error}");
}

/// A folder on the way is swapped for a link that leads out, again and again, while the path is
/// looked up and the file is opened.
#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere_else() {
    let (_outer, root) = workspace();
    let (real, link) = (root.join("src/real"), root.join("src/link"));
    std::fs::rename(root.join("src/deep"), root.join("src/real")).unwrap();
    symlink("../../outside", &link).unwrap();
    let place = root.join("src/deep");
    let stop = Stop::default();
    let seen = std::thread::scope(|scope| {
        let stopper = stop.when_dropped();
        scope.spawn(|| {
            while !stop.is_set() {
                for from in [&real, &link] {
                    std::fs::rename(from, &place).unwrap();
                    std::thread::yield_now();
                    std::fs::rename(&place, from).unwrap();
                }
            }
        });
        let mut seen = [0_u32; 3];
        let until = Instant::now() + Duration::from_secs(20);
        while seen.iter().any(|count| *count < 20) && Instant::now() < until {
            match find(&root, "src/deep/file.txt") {
                Ok(place) => match &place.found {
                    Found::File { parent, name } => {
                        let file = open_file(parent, name, "x").unwrap();
                        let text = std::io::read_to_string(file).unwrap();
                        assert_eq!(text, "inside");
                        seen[0] += 1;
                    }
                    Found::Nothing { .. } => seen[1] += 1,
                    Found::Folder(_) => panic!("no folder has this name"),
                },
                Err(error) => {
                    let code = error.code();
                    assert!(
                        ["out-of-workspace", "changed", "not-found", "io"].contains(&code),
                        "{error}"
                    );
                    seen[2] += 1;
                }
            }
        }
        drop(stopper);
        seen
    });
    // The test saw the real folder, none, and the link.
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}
