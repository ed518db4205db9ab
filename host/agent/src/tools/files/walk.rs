//! The walk through folders that a search makes: in the order of names, never through a link, and
//! bounded in everything.

use std::io::Read as _;
use std::time::{Duration, Instant};

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use regex::bytes::Match;

use super::guard::Guard;
use super::place::open_file;
use super::search::Query;
use super::text::{HEAD, beginning, is_binary, visible_line, visible_name};

/// The most bytes of the lines of one answer.
const ANSWER: usize = 24 * 1024;
/// The most bytes of one line that are looked at.
const LINE: usize = 16 * 1024;
/// The most bytes of one line that are shown.
const SHOWN: usize = 300;
/// How many bytes are shown before a match that is far into its line.
const BEFORE: usize = 80;
/// How many lines are searched between two looks at the clock.
const STRIDE: usize = 256;
/// Folders within folders.
const DEPTH: usize = 64;

/// How much one search looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) time: Duration,
    /// Names of files and folders.
    pub(super) entries: usize,
    /// Files that are opened.
    pub(super) files: usize,
    /// Bytes of all files together.
    pub(super) bytes: u64,
    /// Bytes of one file.
    pub(super) file: u64,
}

impl Bounds {
    pub(super) fn usual() -> Self {
        Self {
            time: Duration::from_secs(5),
            entries: 200_000,
            files: 20_000,
            bytes: 256 * 1024 * 1024,
            file: 8 * 1024 * 1024,
        }
    }
}

/// Why a search ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    Matches,
    Time,
    Size,
    Cancelled,
}

/// What was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    pub(super) keys: usize,
    pub(super) data: usize,
    pub(super) large: usize,
    pub(super) unreadable: usize,
}

/// A search and what it has found.
pub(super) struct Walk<'a> {
    query: &'a Query,
    guard: &'a Guard,
    bounds: Bounds,
    is_cancelled: &'a dyn Fn() -> bool,
    started: Instant,
    entries: usize,
    bytes: u64,
    /// Each match behind a line break and two spaces: nothing of a file, its name neither, stands
    /// at the beginning of a line.
    pub(super) shown: String,
    pub(super) matches: usize,
    pub(super) searched: usize,
    pub(super) skipped: Skipped,
    pub(super) stopped: Option<Stopped>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        query: &'a Query,
        guard: &'a Guard,
        bounds: Bounds,
        is_cancelled: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            query,
            guard,
            bounds,
            is_cancelled,
            started: Instant::now(),
            entries: 0,
            bytes: 0,
            shown: String::new(),
            matches: 0,
            searched: 0,
            skipped: Skipped::default(),
            stopped: None,
        }
    }

    /// Searches what is in a folder; `path` is its own, empty for the workspace.
    pub(super) fn folder(&mut self, dir: &Dir, path: &str, depth: usize) {
        if depth > DEPTH {
            self.stopped = Some(Stopped::Size);
            return;
        }
        for (name, is_folder) in self.names(dir) {
            if self.is_over() {
                return;
            }
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}/{name}")
            };
            if !is_folder {
                self.file(dir, &name, &path);
            } else if !name.eq_ignore_ascii_case(".git") {
                match dir.open_dir_nofollow(&name) {
                    Ok(inner) => self.folder(&inner, &path, depth + 1),
                    Err(_) => self.skipped.unreadable += 1,
                }
            }
        }
    }

    /// The files and folders of a folder, in the order of their names. Links, devices and the like
    /// are none of them.
    fn names(&mut self, dir: &Dir) -> Vec<(String, bool)> {
        let Ok(entries) = dir.entries() else {
            self.skipped.unreadable += 1;
            return Vec::new();
        };
        let mut names = Vec::new();
        for entry in entries {
            self.entries += 1;
            if self.entries > self.bounds.entries {
                self.stopped = Some(Stopped::Size);
                break;
            }
            let Ok((name, kind)) =
                entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)))
            else {
                self.skipped.unreadable += 1;
                continue;
            };
            if !kind.is_file() && !kind.is_dir() {
                continue;
            }
            // A name that is not UTF-8 cannot be named in a call either.
            match name.into_string() {
                Ok(name) => names.push((name, kind.is_dir())),
                Err(_) => self.skipped.unreadable += 1,
            }
        }
        names.sort_unstable();
        names
    }

    /// Searches a file.
    pub(super) fn file(&mut self, parent: &Dir, name: &str, path: &str) {
        let query = self.query;
        if query.names.as_ref().is_some_and(|names| !names.holds(path)) {
            return;
        }
        if !self.guard.reads_freely(path) {
            self.skipped.keys += 1;
            return;
        }
        let Some(content) = self.read(parent, name, path) else {
            return;
        };
        self.searched += 1;
        if content.is_empty() {
            return;
        }
        // Behind the last line break there is no line.
        let content = content.strip_suffix(b"\n").unwrap_or(&content);
        for (at, line) in content.split(|byte| *byte == b'\n').enumerate() {
            if at % STRIDE == STRIDE - 1 && self.is_over() {
                return;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = line.get(..LINE).unwrap_or(line);
            let Some(found) = query.pattern.find(line) else {
                continue;
            };
            let shown = shown(path, at + 1, line, found);
            if self.matches == query.limit || self.shown.len() + shown.len() > ANSWER {
                self.stopped = Some(Stopped::Matches);
                return;
            }
            self.matches += 1;
            self.shown.push_str(&shown);
        }
    }

    /// A file's content, if it is text and within the bounds.
    fn read(&mut self, parent: &Dir, name: &str, path: &str) -> Option<Vec<u8>> {
        let Ok(file) = open_file(parent, name, path) else {
            self.skipped.unreadable += 1;
            return None;
        };
        let size = file.metadata().map_or(u64::MAX, |found| found.len());
        if size > self.bounds.file {
            self.skipped.large += 1;
            return None;
        }
        let opened = self.searched + self.skipped.data;
        if opened >= self.bounds.files || self.bytes + size > self.bounds.bytes {
            self.stopped = Some(Stopped::Size);
            return None;
        }
        let mut content = Vec::new();
        if file
            .take(self.bounds.file)
            .read_to_end(&mut content)
            .is_err()
        {
            self.skipped.unreadable += 1;
            return None;
        }
        self.bytes += content.len() as u64;
        if is_binary(content.get(..HEAD).unwrap_or(&content)) {
            self.skipped.data += 1;
            return None;
        }
        Some(content)
    }

    fn is_over(&mut self) -> bool {
        if self.stopped.is_none() {
            if (self.is_cancelled)() {
                self.stopped = Some(Stopped::Cancelled);
            } else if self.started.elapsed() >= self.bounds.time {
                self.stopped = Some(Stopped::Time);
            }
        }
        self.stopped.is_some()
    }
}

/// `path:line: text`, with what is around the match if the line is long.
fn shown(path: &str, number: usize, line: &[u8], found: Match<'_>) -> String {
    let mut from = if found.end() > SHOWN {
        found.start().saturating_sub(BEFORE)
    } else {
        0
    };
    // Not within a character of UTF-8.
    while from < found.start() && line.get(from).is_some_and(|byte| byte & 0xc0 == 0x80) {
        from += 1;
    }
    let rest = String::from_utf8_lossy(line.get(from..).unwrap_or_default());
    let part = beginning(&rest, SHOWN);
    let (before, after) = (
        if from > 0 { "…" } else { "" },
        if part.len() < rest.len() { "…" } else { "" },
    );
    format!(
        "\n  {}:{number}: {before}{}{after}",
        visible_name(path),
        visible_line(part)
    )
}
