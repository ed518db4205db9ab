//! Paths: what is read and written, deleted, and who may do so.

use super::Command;
use crate::arguments::operands;
use crate::judgement::Category;
use crate::place::Base;
use crate::place::Place;
use crate::walk::Walk;
use crate::word::{self, Word};

/// Start-up files of shells and of sessions.
const START_UP: [&str; 24] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".logout",
    ".inputrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".pam_environment",
    ".vimrc",
    ".gitconfig",
    "config.fish",
];

pub(super) fn check(walk: &mut Walk<'_>, command: &Command<'_>) {
    let program = command.program;
    match program {
        "rm" | "grm" | "srm" | "unlink" | "rmdir" => {
            if program != "unlink"
                && (command.short('r') || command.short('R') || command.long("recursive"))
            {
                command.find(
                    walk,
                    Category::RecursiveDeletion,
                    "It deletes folders with all that is in them.",
                );
            }
        }
        "rimraf" => command.find(
            walk,
            Category::RecursiveDeletion,
            "It deletes folders with all that is in them.",
        ),
        "find" | "fd" | "fdfind" => {
            if command.has("-delete") {
                command.find(
                    walk,
                    Category::RecursiveDeletion,
                    "It deletes all that it finds.",
                );
            }
        }
        "shred" | "wipe" | "scrub" => command.find(
            walk,
            Category::RecursiveDeletion,
            "It overwrites files so that nothing brings them back.",
        ),
        "rsync" => {
            if command
                .words
                .iter()
                .any(|word| word.text().starts_with("--del"))
            {
                command.find(
                    walk,
                    Category::RecursiveDeletion,
                    "It deletes what is not in the source.",
                );
            }
        }
        "chmod" => permissions(walk, command),
        "chown" | "chgrp" | "chattr" | "setfacl" | "setcap" | "xattr" | "icacls" => {
            command.find(
                walk,
                Category::Permissions,
                "It changes who may use a file.",
            );
        }
        "umask" => {
            if command.has_any(&["0", "00", "000", "0000"]) {
                command.find(
                    walk,
                    Category::Permissions,
                    "It lets everybody write to new files.",
                );
            }
        }
        _ => {}
    }
    operands_of(walk, command);
}

fn permissions(walk: &mut Walk<'_>, command: &Command<'_>) {
    let mode = command.verb();
    let digits: String = mode.chars().filter(char::is_ascii_digit).collect();
    let special = digits.len() > 3 && !digits.starts_with('0');
    let world = digits.ends_with(['2', '3', '6', '7'])
        || [
            "o+w", "a+w", "+w", "o=rw", "a=rw", "ugo+w", "o+rw", "a+rw", "ugo+rw",
        ]
        .iter()
        .any(|bits| mode.starts_with(bits));
    if command.short('R') || command.long("recursive") {
        command.find(
            walk,
            Category::Permissions,
            "It changes the permissions of folders with all that is in them.",
        );
    } else if special || mode.contains('s') {
        command.find(
            walk,
            Category::Privilege,
            "It lets a file run with the rights of its owner.",
        );
    } else if world {
        command.find(
            walk,
            Category::Permissions,
            "It lets everybody write to a file.",
        );
    }
}

/// Which operands a program reads and which it writes.
fn operands_of(walk: &mut Walk<'_>, command: &Command<'_>) {
    let words: Vec<Word> = operands(command.words).cloned().collect();
    let program = command.program;
    match program {
        // Their words are text, not paths.
        "echo" | "printf" | "basename" | "dirname" | "true" | "false" | ":" | "cd" | "pwd"
        | "kill" | "seq" => {}
        "cp" | "install" | "ln" | "rsync" | "scp" => {
            let target = command
                .words
                .iter()
                .find_map(|word| word.text().strip_prefix("--target-directory="));
            let (last, sources) = words
                .split_last()
                .map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
            for word in sources {
                reads(walk, word);
            }
            if let Some(target) = target {
                writes(walk, &Word::plain(target));
            }
            if let Some(last) = last {
                writes(walk, last);
                // Into a folder, a file keeps its name.
                for source in sources {
                    if let Some(name) = walk.place(source).name() {
                        let inside = format!("{}/{name}", last.text());
                        writes(walk, &Word::marked(inside, last.computed));
                    }
                }
            }
        }
        "mv" | "rm" | "srm" | "unlink" | "tee" | "touch" | "truncate" | "shred" | "chmod"
        | "chown" | "chgrp" | "setfacl" | "sponge" | "mkdir" | "rmdir" | "patch" | "vim" | "vi"
        | "nano" | "emacs" | "ed" | "ex" => {
            for word in &words {
                writes(walk, word);
            }
        }
        "sed" | "perl" | "ruby" | "gsed" | "awk" | "gawk" => {
            let in_place = command.short('i') || command.long("in-place");
            for word in words.iter().skip(usize::from(program.ends_with("sed"))) {
                if in_place {
                    writes(walk, word);
                } else {
                    reads(walk, word);
                }
            }
        }
        "dd" => {
            for word in command.words {
                if let Some(path) = word.text().strip_prefix("of=") {
                    writes(walk, &Word::marked(path.to_owned(), word.computed));
                } else if let Some(path) = word.text().strip_prefix("if=") {
                    reads(walk, &Word::marked(path.to_owned(), word.computed));
                }
            }
        }
        "sort" | "curl" | "wget" | "gcc" | "cc" | "tar" => {
            for word in &words {
                reads(walk, word);
            }
            for pair in command.words.windows(2) {
                if let [flag, path] = pair
                    && matches!(
                        flag.text(),
                        "-o" | "--output" | "-O" | "--output-document" | "-C" | "--directory"
                    )
                {
                    writes(walk, path);
                }
            }
        }
        _ => {
            for word in &words {
                reads(walk, word);
            }
        }
    }
    // `--file=path`, `-dname=@path`, `-F file=@path`.
    for word in command.words.iter().skip(1) {
        let text = word.text();
        if let Some((_, path)) = text.split_once(['=', '@'])
            && !matches!(program, "dd" | "echo" | "printf")
        {
            let path = path.trim_start_matches('@').to_owned();
            if path.contains(['/', '.', word::HOME]) {
                reads(walk, &Word::marked(path, word.computed));
            }
        }
    }
}

/// A path that is read.
pub(crate) fn reads(walk: &mut Walk<'_>, word: &Word) {
    let place = walk.place(word);
    if let Some(category) = crate::secrets::kind(&place) {
        secret(walk, &place, category);
    }
}

fn secret(walk: &mut Walk<'_>, place: &Place, category: Category) {
    let why = if category == Category::Credentials {
        "It touches keys or credentials."
    } else {
        "It touches a project's secrets."
    };
    walk.find(category, &place.shown(), why);
}

/// A path that is written, moved or deleted.
pub(crate) fn writes(walk: &mut Walk<'_>, word: &Word) {
    let place = walk.place(word);
    let shown = place.shown();
    if let Some(category) = crate::secrets::kind(&place) {
        secret(walk, &place, category);
    }
    if let Some(pattern) = walk.protected.fitting(&place) {
        walk.find(
            Category::Protected,
            &shown,
            format!("It changes a path that the operator protects (`{pattern}`)."),
        );
    }
    let names: Vec<&str> = place.names.iter().map(String::as_str).collect();
    let persists = names.iter().any(|name| {
        matches!(
            *name,
            "autostart" | "LaunchAgents" | "LaunchDaemons" | "authorized_keys"
        ) || name.starts_with("cron")
    }) || names.windows(2).any(|pair| {
        matches!(
            pair,
            ["systemd", "user" | "system"]
                | [".git", "hooks"]
                | ["etc", "init.d" | "rc.local" | "profile.d"]
        )
    });
    if persists {
        walk.find(
            Category::Persistence,
            &shown,
            "It changes what runs by itself later.",
        );
    }
    if names.last().is_some_and(|name| START_UP.contains(name)) {
        walk.find(
            Category::SystemConfiguration,
            &shown,
            "It changes a file that every new shell or session runs.",
        );
    }
    let system = place.base == Base::Root
        && match names.as_slice() {
            [
                "dev",
                "null" | "stdout" | "stderr" | "tty" | "zero" | "full" | "fd" | "shm" | "pts"
                | "tcp" | "udp",
                ..,
            ] => false,
            [
                "etc" | "boot" | "lib" | "lib64" | "sbin" | "bin" | "sys" | "proc" | "dev" | "usr"
                | "System" | "Library",
                ..,
            ] => place.below(&walk.workspace).is_none(),
            _ => false,
        };
    if system {
        walk.find(
            Category::SystemConfiguration,
            &shown,
            "It changes a file of the system's.",
        );
    }
    if matches!(names.as_slice(), ["dev", "tcp" | "udp", ..]) {
        walk.find(
            Category::Exfiltration,
            &shown,
            "It opens a connection to another machine.",
        );
    }
}
