//! `inbox/` of the workspace, where tools find the files that people send.
//!
//! The shell works in the same workspace, so what stands there is not trusted: a message's folder
//! is one that was made here, a link is never followed, and nothing that is there is overwritten.

use std::io::{self, Write as _};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, MetadataExt as _, OpenOptions};
use cap_std::fs::{OpenOptionsExt as _, ReadDir};

/// The folder, from the workspace on.
const INBOX: &str = "inbox";
/// How long a message's files stay, in seconds: a week.
const KEPT: i64 = 7 * 24 * 60 * 60;
/// The most folders that are looked at when old ones are removed.
const LOOKED_AT: usize = 10_000;
/// The longest name, in bytes.
const NAME: usize = 100;
/// The longest ending that a cut name keeps, in bytes, with its dot.
const ENDING: usize = 16;
/// How often another name is tried where one is taken.
const TRIES: u32 = 64;

/// A message's folder.
pub(super) struct Inbox {
    folder: Dir,
    /// It, from the workspace on.
    path: String,
}

impl Inbox {
    /// Makes the folder of a message: `inbox/<message>`.
    ///
    /// # Errors
    /// It is there already, `inbox` is no folder, or the system's.
    pub(super) fn make(workspace: &Path, message: &str) -> io::Result<Self> {
        let workspace = Dir::open_ambient_dir(workspace, ambient_authority())?;
        let inbox = match make_folder(&workspace, INBOX) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                open_folder(&workspace, INBOX)
            }
            made => made,
        }?;
        Ok(Self {
            folder: make_folder(&inbox, message)?,
            path: format!("{INBOX}/{message}"),
        })
    }

    /// Writes a file that only this account may read and write, and gives its path from the
    /// workspace on.
    ///
    /// # Errors
    /// The system's. What was written of it is removed.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<String> {
        let wanted = safe_name(name);
        let mut options = OpenOptions::new();
        // With `create_new` a link in its place is an error, wherever it leads (open(2), O_EXCL).
        options.write(true).create_new(true).mode(0o600);
        for number in 1..=TRIES {
            let name = match number {
                1 => wanted.clone(),
                number => format!("{number}-{wanted}"),
            };
            let mut file = match self.folder.open_with(&name, &options) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            if let Err(error) = file.write_all(bytes) {
                // The first error says more.
                let _ = self.folder.remove_file(&name);
                return Err(error);
            }
            return Ok(format!("{}/{name}", self.path));
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }
}

/// A name of the characters `A-Z a-z 0-9 . _ -` that begins with none of `.` and `-`: 1 to 100
/// bytes.
pub(super) fn safe_name(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let safe = safe.trim_start_matches(['.', '-']);
    if safe.is_empty() {
        return "file".to_owned();
    }
    if safe.len() <= NAME {
        return safe.to_owned();
    }
    // All of it is ASCII, so that every place is one between characters.
    let ending = match safe.rfind('.') {
        Some(dot) if safe.len() - dot <= ENDING => safe.get(dot..).unwrap_or_default(),
        _ => "",
    };
    let stem = safe.get(..NAME - ending.len()).unwrap_or_default();
    format!("{stem}{ending}")
}

/// Removes the folders of messages that are older than a week. What cannot be removed stays for
/// the next time. `now` is in milliseconds since 1970 (UTC).
pub(super) fn clean(workspace: &Path, now: i64) {
    let Ok(workspace) = Dir::open_ambient_dir(workspace, ambient_authority()) else {
        return;
    };
    let Ok(inbox) = open_folder(&workspace, INBOX) else {
        return;
    };
    let Ok(entries) = inbox.entries() else {
        return;
    };
    for name in old_folders(&inbox, entries, now / 1_000) {
        if let Err(error) = inbox.remove_dir_all(&name) {
            tracing::warn!(%error, name, "old files stay in the inbox");
        }
    }
}

fn old_folders(inbox: &Dir, entries: ReadDir, now: i64) -> Vec<String> {
    entries
        .take(LOOKED_AT)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        // Folders of other names are none of ours.
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|name| {
            inbox
                .symlink_metadata(name)
                .is_ok_and(|found| found.is_dir() && now.saturating_sub(found.mtime()) > KEPT)
        })
        .collect()
}

/// Makes a folder that only this account may enter, and opens it.
fn make_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    parent.create_dir_with(name, &builder)?;
    open_folder(parent, name)
}

/// Opens a folder, and never a link to one.
fn open_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    let seen = parent.symlink_metadata(name)?;
    let folder = parent.open_dir(name)?;
    let opened = folder.dir_metadata()?;
    // What was opened is what was seen: nothing took its place meanwhile.
    if seen.is_dir() && (seen.dev(), seen.ino()) == (opened.dev(), opened.ino()) {
        Ok(folder)
    } else {
        Err(io::Error::from(io::ErrorKind::NotADirectory))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn names_are_reduced() {
        let long = format!("{}.tar.gz", "x".repeat(300));
        for (given, safe) in [
            ("photo.png", "photo.png"),
            ("my photo (1).png", "my_photo__1_.png"),
            ("../../etc/passwd", "_.._etc_passwd"),
            (".bashrc", "bashrc"),
            ("--help", "help"),
            ("é\u{202e}\n.txt", "___.txt"),
            ("...", "file"),
            ("", "file"),
            (&long, &format!("{}.gz", "x".repeat(97))),
            (&".".repeat(300), "file"),
            (&"y".repeat(300), &"y".repeat(100)),
        ] {
            assert_eq!(safe_name(given), safe, "{given:?}");
        }
    }

    #[test]
    fn a_file_is_written_for_this_account_alone_and_never_over_another() {
        let workspace = tempfile::tempdir().unwrap();
        let inbox = Inbox::make(workspace.path(), "100").unwrap();
        assert_eq!(inbox.put("a b.txt", b"one").unwrap(), "inbox/100/a_b.txt");
        assert_eq!(inbox.put("a_b.txt", b"two").unwrap(), "inbox/100/2-a_b.txt");
        symlink("/etc/hostname", workspace.path().join("inbox/100/link")).unwrap();
        assert_eq!(inbox.put("link", b"three").unwrap(), "inbox/100/2-link");
        for (path, text) in [
            ("a_b.txt", "one"),
            ("2-a_b.txt", "two"),
            ("2-link", "three"),
        ] {
            let path = workspace.path().join("inbox/100").join(path);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        }
        let folder = fs::metadata(workspace.path().join("inbox/100")).unwrap();
        assert_eq!(folder.permissions().mode() & 0o7777, 0o700);
    }

    #[test]
    fn folders_that_others_made_and_links_are_not_written_to() {
        let workspace = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), workspace.path().join("inbox")).unwrap();
        assert!(Inbox::make(workspace.path(), "100").is_err());
        fs::remove_file(workspace.path().join("inbox")).unwrap();
        // A link that stays within the workspace is one as well.
        fs::create_dir(workspace.path().join("here")).unwrap();
        symlink("here", workspace.path().join("inbox")).unwrap();
        assert!(Inbox::make(workspace.path(), "100").is_err());
        fs::remove_file(workspace.path().join("inbox")).unwrap();
        fs::create_dir_all(workspace.path().join("inbox/100")).unwrap();
        assert!(Inbox::make(workspace.path(), "100").is_err());
        symlink("../here", workspace.path().join("inbox/200")).unwrap();
        assert!(Inbox::make(workspace.path(), "200").is_err());
        assert!(Inbox::make(workspace.path(), "300").is_ok());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert_eq!(
            fs::read_dir(workspace.path().join("here")).unwrap().count(),
            0
        );
    }

    #[test]
    fn old_folders_go_and_nothing_else() {
        let workspace = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("kept"), "kept").unwrap();
        Inbox::make(workspace.path(), "100")
            .unwrap()
            .put("a", b"a")
            .unwrap();
        let inbox = workspace.path().join("inbox");
        symlink(elsewhere.path(), inbox.join("100/link")).unwrap();
        symlink(elsewhere.path(), inbox.join("200")).unwrap();
        fs::create_dir(inbox.join("notes")).unwrap();
        let made = fs::metadata(inbox.join("100")).unwrap().mtime();
        clean(workspace.path(), (made + KEPT) * 1_000);
        assert!(inbox.join("100/a").exists());
        clean(workspace.path(), (made + KEPT + 60) * 1_000);
        assert!(!inbox.join("100").exists());
        assert!(inbox.join("200/kept").exists());
        assert!(inbox.join("notes").exists());
        assert!(elsewhere.path().join("kept").exists());
    }
}
