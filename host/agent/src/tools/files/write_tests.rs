//! Writing in real folders.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::*;
use crate::tools::files::testing::Stop;

fn ground(root: &Path) -> Ground {
    Ground {
        workspace: root.to_owned(),
        protected: ["**/.ssh/**", "**/.bashrc", "**/.github/workflows/**"]
            .map(str::to_owned)
            .to_vec(),
    }
}

fn plan(root: &Path, path: &str, change: &Change) -> Result<Planned, FileError> {
    let (tool, given) = match change {
        Change::Whole { content, .. } => ("write_file", json!({"path": path, "content": content})),
        Change::Edits(edits) => ("patch", json!({"path": path, "edits": edits.len()})),
    };
    Planned::of(&ground(root), tool, path, change, &given)
}

fn whole(content: &str) -> Change {
    Change::Whole {
        content: content.to_owned(),
        create_only: false,
    }
}

fn edit(old: &str, new: &str) -> Change {
    Change::Edits(vec![Edit {
        old: old.to_owned(),
        new: new.to_owned(),
        all: false,
    }])
}

fn write(root: &Path, path: &str, change: &Change) -> Result<String, FileError> {
    plan(root, path, change)?.commit()
}

fn text(root: &Path, path: &str) -> String {
    std::fs::read_to_string(root.join(path)).unwrap()
}

fn mode(root: &Path, path: &str) -> u32 {
    std::fs::metadata(root.join(path))
        .unwrap()
        .permissions()
        .mode()
        & 0o7777
}

/// The names in a folder: no temporary file stays.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn files_are_made_replaced_and_patched_whole() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    let said = write(root, "a/b/new.txt", &whole("one\ntwo")).unwrap();
    assert_eq!(said, "Written: `a/b/new.txt` (new), 2 lines, 7 bytes.");
    // As the contents say, to the byte.
    for content in [
        "",
        "a\r\nb",
        "é日\u{feff}\n",
        "no end",
        "\n\n",
        "tab\t\u{1b}",
    ] {
        write(root, "f", &whole(content)).unwrap();
        assert_eq!(text(root, "f"), content);
    }
    write(root, "f", &whole("a\r\nb\r\nc")).unwrap();
    write(root, "f", &edit("b\n", "x\ny\n")).unwrap();
    assert_eq!(text(root, "f"), "a\r\nx\r\ny\r\nc");
    assert_eq!(names(root), ["a", "f"]);
    assert_eq!(names(&root.join("a/b")), ["new.txt"]);
}

#[test]
fn modes_are_kept_and_rights_of_others_are_not_lent() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    for (given, kept) in [
        (0o600, 0o600),
        (0o755, 0o755),
        (0o640, 0o640),
        (0o4755, 0o755),
    ] {
        std::fs::write(root.join("f"), "x").unwrap();
        std::fs::set_permissions(root.join("f"), std::fs::Permissions::from_mode(given)).unwrap();
        write(root, "f", &whole("y")).unwrap();
        assert_eq!(mode(root, "f"), kept, "{given:o}");
        std::fs::remove_file(root.join("f")).unwrap();
    }
    write(root, "d/new", &whole("y")).unwrap();
    // Less what this process's mask takes.
    assert_eq!(mode(root, "d/new") & 0o7133, 0);
    assert_eq!(mode(root, "d/new") & 0o600, 0o600);
    assert_eq!(mode(root, "d") & 0o7022, 0);
    std::fs::set_permissions(root.join("d/new"), std::fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(
        write(root, "d/new", &whole("z")).unwrap_err().code(),
        "read-only"
    );
}

#[test]
fn what_cannot_be_written_says_why_and_nothing_is() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    std::fs::create_dir(root.join("folder")).unwrap();
    std::fs::write(root.join("data"), b"a\0b").unwrap();
    std::fs::write(root.join("latin"), b"caf\xe9").unwrap();
    std::fs::write(root.join("text"), "text").unwrap();
    std::fs::write(root.join("large"), "x".repeat(1024 * 1024 + 1)).unwrap();
    symlink("/etc", root.join("etc")).unwrap();
    symlink("..", root.join("parent")).unwrap();
    let before = names(root);
    let create = Change::Whole {
        content: "x".to_owned(),
        create_only: true,
    };
    let most = "x".repeat(1024 * 1024);
    for (path, change, code) in [
        ("../x", whole("x"), "out-of-workspace"),
        ("/tmp/x", whole("x"), "out-of-workspace"),
        ("etc/x", whole("x"), "out-of-workspace"),
        ("parent/x", whole("x"), "out-of-workspace"),
        ("folder", whole("x"), "not-a-file"),
        (".", whole("x"), "not-a-file"),
        ("new/", whole("x"), "invalid"),
        ("", whole("x"), "invalid"),
        ("a\0", whole("x"), "invalid"),
        ("text/x", whole("x"), "not-found"),
        ("new", whole("a\0b"), "binary"),
        ("new", whole(&format!("{most}x")), "too-large"),
        ("large", whole("x"), "too-large"),
        ("text", create, "exists"),
        ("new", edit("a", "b"), "not-found"),
        ("data", edit("a", "b"), "binary"),
        ("latin", edit("a", "b"), "binary"),
        ("text", edit("none", "b"), "no-match"),
        ("text", edit("t", "b"), "ambiguous"),
        ("text", edit("e", "\0"), "binary"),
        ("text", edit("e", &most), "too-large"),
    ] {
        let error = write(root, path, &change).unwrap_err();
        assert_eq!(error.code(), code, "{path:?}: {error}");
    }
    assert_eq!(names(root), before);
    assert_eq!(text(root, "text"), "text");
    write(root, "new", &whole(&most)).unwrap();
}

#[test]
fn a_link_is_written_through_and_stays_a_link() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    std::fs::create_dir(root.join("d")).unwrap();
    std::fs::write(root.join("d/real"), "old").unwrap();
    symlink("d/real", root.join("link")).unwrap();
    symlink("d/later", root.join("dangling")).unwrap();
    let said = write(root, "link", &whole("new")).unwrap();
    assert!(said.contains("`d/real`"), "{said}");
    write(root, "dangling", &whole("made")).unwrap();
    assert_eq!(
        (text(root, "d/real"), text(root, "d/later")),
        ("new".into(), "made".into())
    );
    assert!(root.join("link").is_symlink() && root.join("dangling").is_symlink());
}

#[test]
fn what_is_protected_asks_by_every_way_to_it() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    std::fs::create_dir(root.join(".ssh")).unwrap();
    std::fs::create_dir(root.join("d")).unwrap();
    symlink(".ssh", root.join("plain")).unwrap();
    symlink("../.bashrc", root.join("d/notes")).unwrap();
    let asks = |path: &str| match plan(root, path, &whole("x")).unwrap().effect().consent {
        Consent::Unasked => Vec::new(),
        Consent::Asked(reasons) => reasons.into_iter().map(|reason| reason.text).collect(),
    };
    for path in [
        "a.txt",
        "d/x/y.rs",
        "ssh/config",
        ".bashrc.md",
        "é 日.txt",
        ".github/x",
    ] {
        assert_eq!(asks(path), Vec::<String>::new(), "{path}");
    }
    for (path, says) in [
        (".ssh/config", "`.ssh/config` is protected (`**/.ssh/**`)."),
        (
            "d/../.ssh/config",
            "`.ssh/config` is protected (`**/.ssh/**`).",
        ),
        ("x/.SSH/y/z", "`x/.SSH/y/z` is protected (`**/.ssh/**`)."),
        (
            "plain/config",
            "`plain/config` leads to `.ssh/config`, which is protected (`**/.ssh/**`).",
        ),
        (
            "d/notes",
            "`d/notes` leads to `.bashrc`, which is protected (`**/.bashrc`).",
        ),
        (
            ".github/workflows/ci.yml",
            "is protected (`**/.github/workflows/**`).",
        ),
        (
            ".\u{200b}ssh/config",
            "The name `.⟨U+200B⟩ssh/config` holds hidden characters.",
        ),
        ("a\nb", "The name `a⟨U+000A⟩b` holds hidden characters."),
        ("evil\u{202e}txt.sh", "holds hidden characters."),
    ] {
        let reasons = asks(path);
        assert!(
            reasons.iter().any(|text| text.contains(says)),
            "{path:?}: {reasons:?}"
        );
    }
}

#[test]
fn an_effect_shows_the_whole_change_and_names_it_to_the_byte() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    let effect = |path: &str, change: &Change| plan(root, path, change).unwrap().effect();
    std::fs::write(root.join("f"), "a\nb\n").unwrap();
    symlink("f", root.join("link")).unwrap();
    let written = effect("f", &whole("a\nc\n"));
    assert_eq!(
        written.subject,
        Subject::Write {
            path: "f".to_owned(),
            diff: "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n".to_owned(),
        }
    );
    assert!(written.floor.is_none() && !written.is_for_owner);
    // What comes to the same is the same after a denial, and still another call.
    let patched = effect("f", &edit("b", "c"));
    let by_link = effect("link", &whole("a\nc\n"));
    for other in [&patched, &by_link] {
        assert_eq!(other.sameness, written.sameness);
        assert_ne!(other.digest, written.digest);
    }
    let other = effect("f", &whole("a\nd\n"));
    assert_ne!(other.sameness, written.sameness);
    assert_ne!(other.digest, written.digest);
    // The same call on another content of the file.
    std::fs::write(root.join("f"), "a\nB\n").unwrap();
    assert_ne!(effect("f", &whole("a\nc\n")).digest, written.digest);
    std::fs::write(root.join("f"), "a\nb\n").unwrap();
    assert_eq!(effect("f", &whole("a\nc\n")).digest, written.digest);
    // The same call that leads to another file with the same content.
    std::fs::write(root.join("g"), "a\nb\n").unwrap();
    std::fs::remove_file(root.join("link")).unwrap();
    symlink("g", root.join("link")).unwrap();
    assert_ne!(effect("link", &whole("a\nc\n")).digest, by_link.digest);
    // Data that is replaced is told, and all that takes its place is shown.
    std::fs::write(root.join("data"), b"\0\x01").unwrap();
    let Subject::Write { diff, .. } = effect("data", &whole("x\n")).subject else {
        panic!("it is a write");
    };
    assert!(
        diff.starts_with("Data of 2 bytes (sha256:") && diff.ends_with("+x\n"),
        "{diff}"
    );
}

#[test]
fn what_was_changed_after_it_was_judged_is_not_written_over() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    let refuses = |path: &str, change: &Change, meanwhile: &dyn Fn()| {
        let planned = plan(root, path, change).unwrap();
        meanwhile();
        let error = planned.commit().unwrap_err();
        assert_eq!(error.code(), "changed", "{path}: {error}");
    };
    let put = |path: &str, text: &str| std::fs::write(root.join(path), text).unwrap();
    put("f", "a");
    put("elsewhere", "a");
    refuses("f", &edit("a", "b"), &|| put("f", "A"));
    assert_eq!(text(root, "f"), "A");
    refuses("f", &whole("b"), &|| {
        std::fs::remove_file(root.join("f")).unwrap();
    });
    refuses("f", &whole("b"), &|| put("f", "made meanwhile"));
    assert_eq!(text(root, "f"), "made meanwhile");
    // A link of the same content in its place.
    put("g", "a");
    refuses("g", &edit("a", "b"), &|| {
        std::fs::remove_file(root.join("g")).unwrap();
        symlink("elsewhere", root.join("g")).unwrap();
    });
    // A link in the place of a new file, and of a folder on the way to one.
    refuses("new", &whole("b"), &|| {
        symlink("elsewhere", root.join("new")).unwrap();
    });
    refuses("d/new", &whole("b"), &|| {
        symlink("/tmp", root.join("d")).unwrap();
    });
    refuses("e/new", &whole("b"), &|| put("e", "a file"));
    assert_eq!(text(root, "elsewhere"), "a");
    assert!(
        !names(root).iter().any(|name| name.contains("ostler")),
        "{:?}",
        names(root)
    );
}

/// A folder is swapped for a link that leads out while files are written into it.
#[test]
fn nothing_is_written_outside_by_a_folder_that_is_swapped_for_a_link() {
    let outer = TempDir::new().unwrap();
    let root = outer.path().join("ws");
    let outside = outer.path().join("outside");
    std::fs::create_dir_all(root.join("real")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    symlink("../outside", root.join("link")).unwrap();
    let (real, link, place) = (root.join("real"), root.join("link"), root.join("d"));
    let stop = Stop::default();
    let (written, refused) = std::thread::scope(|scope| {
        let stopper = stop.when_dropped();
        scope.spawn(|| {
            while !stop.is_set() {
                for from in [&real, &link] {
                    // The writer makes `d` where there is none: that is taken away.
                    if std::fs::rename(from, &place).is_ok() {
                        std::thread::yield_now();
                        std::fs::rename(&place, from).unwrap();
                    } else {
                        let _ = std::fs::remove_dir_all(&place);
                    }
                }
            }
        });
        let (mut written, mut refused) = (0_u32, 0_u32);
        let until = Instant::now() + Duration::from_secs(20);
        while (written < 20 || refused < 20) && Instant::now() < until {
            match write(&root, "d/f", &whole("x")) {
                Ok(_) => written += 1,
                Err(_) => refused += 1,
            }
        }
        drop(stopper);
        (written, refused)
    });
    assert!(written > 0 && refused > 0, "{written} {refused}");
    assert!(names(&outside).is_empty(), "{:?}", names(&outside));
}

#[test]
fn of_two_writes_at_once_one_stands_whole() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    for round in 0..20 {
        let contents = ["a", "b"].map(|name| format!("{round}{}", name.repeat(200_000)));
        let path = format!("f{}", round % 2);
        let barrier = Barrier::new(2);
        let done: Vec<_> = std::thread::scope(|scope| {
            let writers = contents.each_ref().map(|content| {
                scope.spawn(|| {
                    let planned = plan(root, &path, &whole(content)).unwrap();
                    barrier.wait();
                    planned.commit().map_err(|error| error.code())
                })
            });
            writers
                .into_iter()
                .map(|writer| writer.join().unwrap())
                .collect()
        });
        // Both were judged before either wrote: the second is told so.
        assert_eq!(
            done.iter().filter(|done| done.is_ok()).count(),
            1,
            "{done:?}"
        );
        assert!(done.contains(&Err("changed")), "{done:?}");
        let now = text(root, &path);
        assert!(contents.contains(&now), "{} bytes", now.len());
    }
    assert_eq!(names(root), ["f0", "f1"]);
}

/// Whoever reads meanwhile sees a whole content.
#[test]
fn a_reader_never_sees_half_a_file() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    let contents = ["a".repeat(100_000), "b".repeat(100_000)];
    write(root, "f", &whole(&contents[0])).unwrap();
    let stop = Stop::default();
    std::thread::scope(|scope| {
        let stopper = stop.when_dropped();
        let reader = scope.spawn(|| {
            let mut seen = 0;
            while !stop.is_set() {
                let now = text(root, "f");
                assert!(contents.contains(&now), "{} bytes", now.len());
                seen += 1;
            }
            seen
        });
        for round in 0..40 {
            write(root, "f", &whole(&contents[round % 2])).unwrap();
        }
        drop(stopper);
        assert!(reader.join().unwrap() > 0);
    });
}

/// Patches that run at once are all in the file at the end, if each is tried again when told.
#[test]
fn no_patch_is_lost() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    let start: String = (0..8).map(|n| format!("<{n}>\n")).collect();
    write(root, "f", &whole(&start)).unwrap();
    std::thread::scope(|scope| {
        for n in 0..8 {
            scope.spawn(move || {
                let change = edit(&format!("<{n}>"), &format!("done {n}"));
                while let Err(error) = write(root, "f", &change) {
                    assert_eq!(error.code(), "changed", "{error}");
                }
            });
        }
    });
    let done: String = (0..8).map(|n| format!("done {n}\n")).collect();
    assert_eq!(text(root, "f"), done);
}
