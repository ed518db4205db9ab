//! Destroying the root, a home or a system folder.

use crate::arguments::{has, long, operands, short};
use crate::pattern::PathPattern;
use crate::place::{Base, Place};
use crate::walk::Walk;
use crate::word::{self, Word};

/// Folders of the root without which a system, or its users' data, is lost. Not among them are
/// `/tmp`, `/mnt` and `/media`, which are there to be emptied.
const ROOT: [&str; 26] = [
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "nix",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "System",
    "Library",
    "Applications",
    "Users",
    "private",
    "cores",
    "efi",
];
/// Those of which not even the permissions may be changed all at once.
const CORE: [&str; 14] = [
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr", "System",
    "Library", "efi",
];
/// The same one level deeper.
const DEEPER: [(&str, &[&str]); 5] = [
    (
        "usr",
        &[
            "bin", "sbin", "lib", "lib32", "lib64", "libexec", "share", "local", "include",
            "libx32",
        ],
    ),
    ("var", &["lib", "db", "root", "home"]),
    ("private", &["etc", "var"]),
    ("run", &["systemd"]),
    ("nix", &["store", "var"]),
];

/// What a place is whose loss is that of a system or of a person's files.
enum Lost {
    System(String),
    Home(String),
}

pub(super) fn check(walk: &mut Walk<'_>, program: &str, words: &[Word]) {
    match program {
        "rm" | "grm" | "srm" | "rimraf" | "trash" | "trash-put" | "gio" | "del" => {
            let recursive = !matches!(program, "rm" | "grm" | "srm")
                || short(words, 'r')
                || short(words, 'R')
                || long(words, "recursive")
                || long(words, "no-preserve-root");
            if recursive {
                // An unknown word may stand before the operands, but a flag never is one.
                for word in operands(words) {
                    deletes(walk, word);
                }
            }
        }
        "mv" | "gmv" => {
            let all: Vec<&Word> = operands(words).collect();
            let sources = if long(words, "target-directory") || short(words, 't') {
                all.as_slice()
            } else {
                all.split_last().map_or(&[][..], |(_, sources)| sources)
            };
            for word in sources {
                deletes(walk, word);
            }
        }
        "find" => {
            let erases = has(words, "-delete");
            if erases && !find_is_narrow(words) {
                for root in find_roots(words) {
                    deletes(walk, &root);
                }
            }
        }
        "chmod" | "chown" | "chgrp" | "setfacl" | "chattr" => {
            if short(words, 'R') || long(words, "recursive") {
                for word in operands(words) {
                    let place = emptied(walk.place(word));
                    let core = match place.names.as_slice() {
                        [] => place.base == Base::Root,
                        [name] => place.base == Base::Root && CORE.contains(&name.as_str()),
                        _ => false,
                    };
                    if core {
                        forbid(
                            walk,
                            &Lost::System(place.shown()),
                            "changes the permissions of",
                        );
                    }
                }
            }
        }
        "rsync" => {
            let erases = words.iter().any(|word| {
                word.text().starts_with("--del") || word.text() == "--remove-source-files"
            });
            if erases {
                for word in operands(words) {
                    deletes(walk, word);
                }
            }
        }
        "tar" | "zip" => {
            let erases = long(words, "remove-files") || (program == "zip" && short(words, 'm'));
            if erases {
                for word in operands(words) {
                    deletes(walk, word);
                }
            }
        }
        _ => {}
    }
}

/// Records a floor if a path is one whose loss is that of a system or a home.
pub(crate) fn deletes(walk: &mut Walk<'_>, word: &Word) {
    // `cd /; rm -rf *` is as much as `rm -rf /`.
    let mut place = walk.place(word);
    for name in &mut place.names {
        let (unknown, known): (String, String) = name.chars().partition(|c| word::is_unknown(*c));
        // `/et${x}c`
        if !known.is_empty() && !unknown.is_empty() && walk.is_unset(&unknown) {
            *name = known;
        }
    }
    let place = emptied(place);
    if let Some(lost) = lost(walk, &place) {
        forbid(walk, &lost, "deletes");
    }
}

fn forbid(walk: &mut Walk<'_>, lost: &Lost, does: &str) {
    match lost {
        Lost::System(path) => walk.forbid(
            "destroys-system",
            format!("It {does} `{path}`, a system folder, with all that is in it."),
        ),
        Lost::Home(path) => walk.forbid(
            "destroys-home",
            format!("It {does} `{path}`, a home folder, with all that is in it."),
        ),
    }
}

/// A place without patterns at its end that stand for all that is in a folder.
fn emptied(mut place: Place) -> Place {
    while place.name().is_some_and(is_everything) {
        place.names.pop();
    }
    place
}

/// Whether a name stands for every name, or for every hidden one.
fn is_everything(name: &str) -> bool {
    name.contains([word::STAR, word::SET])
        && name.split(word::SET).enumerate().all(|(at, piece)| {
            let after_set = piece.split_once(']').map_or(piece, |(_, after)| after);
            let piece = if at == 0 { piece } else { after_set };
            piece
                .chars()
                .all(|c| matches!(c, word::STAR | word::ANY | '.'))
        })
}

fn lost(walk: &Walk<'_>, place: &Place) -> Option<Lost> {
    let names: Vec<&str> = place.names.iter().map(String::as_str).collect();
    let fits = |name: &str, list: &[&str]| {
        if !name.contains(word::is_glob) {
            return list.contains(&name);
        }
        let pattern = PathPattern::marked(name);
        list.iter()
            .any(|folder| pattern.overlaps(&PathPattern::configured(folder)))
    };
    match (place.base, names.as_slice()) {
        (Base::Unknown, _) => None,
        (Base::Home, []) => Some(Lost::Home(place.shown())),
        (Base::Home, _) => None,
        (Base::Root, []) => Some(Lost::System("/".to_owned())),
        // `/$name` is the root where the name is not set, and the text does not set it.
        (Base::Root, [name]) if name.chars().all(word::is_unknown) && walk.is_unset(name) => {
            Some(Lost::System("/".to_owned()))
        }
        (Base::Root, [name]) if fits(name, &["root"]) => Some(Lost::Home(place.shown())),
        (Base::Root, [name]) if fits(name, &ROOT) => Some(Lost::System(place.shown())),
        (Base::Root, [first, _]) if fits(first, &["home", "Users"]) => {
            Some(Lost::Home(place.shown()))
        }
        (Base::Root, [first, second]) => DEEPER
            .iter()
            .any(|(outer, inner)| fits(first, &[outer]) && fits(second, inner))
            .then(|| Lost::System(place.shown())),
        (Base::Root, ["usr", "local", third]) => {
            fits(third, &["bin", "lib"]).then(|| Lost::System(place.shown()))
        }
        (Base::Root, _) => None,
    }
}

/// The folders that a `find` starts from.
pub(crate) fn find_roots(words: &[Word]) -> Vec<Word> {
    let roots: Vec<Word> = words
        .iter()
        .skip(1)
        .skip_while(|word| {
            matches!(word.text(), "-H" | "-L" | "-P" | "--") || word.text().starts_with("-O")
        })
        .take_while(|word| !word.text().starts_with(['-', '(', '!']))
        .cloned()
        .collect();
    if roots.is_empty() {
        vec![Word::plain(".")]
    } else {
        roots
    }
}

/// Whether a `find` gives only what some test picks, and not nearly all.
pub(crate) fn find_is_narrow(words: &[Word]) -> bool {
    let texts: Vec<&str> = words.iter().map(Word::text).collect();
    // With an *or*, one side may pick everything.
    if texts.iter().any(|text| matches!(*text, "-o" | "-or" | ",")) {
        return false;
    }
    texts.iter().enumerate().any(|(at, text)| {
        let negated = at > 0 && matches!(texts.get(at - 1), Some(&("!" | "-not")));
        let value = texts.get(at + 1).copied().unwrap_or_default();
        let picks = match *text {
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" | "-regex"
            | "-iregex" | "-lname" => value.contains(|c: char| c.is_alphanumeric()),
            "-newer" | "-mtime" | "-mmin" | "-atime" | "-amin" | "-ctime" | "-cmin" | "-size"
            | "-inum" | "-samefile" | "-empty" | "-maxdepth" => true,
            _ => false,
        };
        // `-mtime +0` and the like pick all that is old, which is still asked for by time.
        picks && !negated && !(*text == "-maxdepth" && value != "0")
    })
}
