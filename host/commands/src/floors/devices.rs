//! Writing to raw devices, and making or wiping file systems.

use crate::arguments::{has, long, operands, short};
use crate::place::{Base, Place};
use crate::walk::Walk;
use crate::word::{self, Word};

/// Starts of device names that hold a disk, and the memory.
const DISKS: [&str; 15] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "md", "disk", "rdisk", "mapper/", "nbd",
    "pmem", "zd", "bcache",
];

pub(super) fn check(walk: &mut Walk<'_>, program: &str, words: &[Word]) {
    let asks = words.len() == 2
        && (has(words, "--help")
            || has(words, "--version")
            || has(words, "-V")
            || has(words, "-h"));
    if asks {
        return;
    }
    match program {
        "dd" | "dcfldd" | "dc3dd" => {
            for word in words.iter().skip(1) {
                if let Some(to) = word.text().strip_prefix("of=") {
                    writes(walk, &Word::marked(to.to_owned(), word.computed));
                }
            }
        }
        "tee" | "cp" | "mv" | "install" | "shred" | "truncate" | "wipe" | "scrub" | "badblocks"
        | "ddrescue" | "pv" | "qemu-img" | "sponge" => {
            if program != "badblocks" || short(words, 'w') || short(words, 'n') {
                for word in operands(words) {
                    // A device may be copied from; only into it is what counts.
                    let source = matches!(program, "cp" | "pv" | "install" | "ddrescue")
                        && operands(words).last() != Some(word);
                    if !source {
                        writes(walk, word);
                    }
                }
            }
        }
        "blkdiscard" | "wipefs" | "mkswap" | "cfdisk" | "cgdisk" => {
            let shows = program == "wipefs"
                && !(short(words, 'a')
                    || long(words, "all")
                    || short(words, 'o')
                    || long(words, "offset"));
            if !shows {
                file_system(walk, program);
            }
        }
        "fdisk" | "sfdisk" | "gdisk" | "sgdisk" => {
            let only_shows = short(words, 'l')
                || long(words, "list")
                || (program != "fdisk" && (short(words, 'd') && program == "sfdisk"))
                || long(words, "dump")
                || (program == "sgdisk"
                    && (short(words, 'p') || short(words, 'i') || short(words, 'v'))
                    && !["Z", "z", "o", "d", "n", "g", "t"]
                        .iter()
                        .any(|flag| short_any(words, flag)));
            if !only_shows && operands(words).next().is_some() {
                file_system(walk, program);
            }
        }
        "parted" => {
            let only_shows = short(words, 'l')
                || long(words, "list")
                || operands(words).skip(1).all(|word| {
                    matches!(
                        word.text(),
                        "print" | "unit" | "free" | "all" | "s" | "MiB" | "GiB" | "B"
                    )
                });
            let interactive = operands(words).count() == 1;
            if !only_shows || (interactive && !short(words, 'l')) {
                file_system(walk, program);
            }
        }
        "cryptsetup" => {
            let wipes = ["luksFormat", "erase", "luksErase", "reencrypt"];
            if wipes.iter().any(|action| has(words, action)) {
                file_system(walk, program);
            }
        }
        "hdparm" => {
            if words
                .iter()
                .any(|word| word.text().starts_with("--security-erase"))
            {
                file_system(walk, program);
            }
        }
        "nvme" => {
            if has(words, "format") || has(words, "sanitize") {
                file_system(walk, program);
            }
        }
        "diskutil" => {
            let wipes = [
                "eraseDisk",
                "eraseVolume",
                "zeroDisk",
                "secureErase",
                "partitionDisk",
                "reformat",
            ];
            if wipes.iter().any(|action| has(words, action)) {
                file_system(walk, program);
            }
        }
        "mkfs" | "mke2fs" | "mkntfs" | "mkdosfs" | "newfs" | "mkudffs" => {
            file_system(walk, program);
        }
        _ if program.starts_with("mkfs.") || program.starts_with("newfs_") => {
            file_system(walk, program);
        }
        _ => {}
    }
}

fn short_any(words: &[Word], letters: &str) -> bool {
    letters.chars().any(|letter| short(words, letter))
}

fn file_system(walk: &mut Walk<'_>, program: &str) {
    walk.forbid(
        "file-system",
        format!("It makes or wipes a file system or a partition (`{program}`)."),
    );
}

/// Records a floor if a path is a raw device, or the system's emergency trigger.
pub(crate) fn writes(walk: &mut Walk<'_>, word: &Word) {
    let place = walk.place(word);
    if is_disk(&place) {
        walk.forbid(
            "raw-device",
            format!("It writes to `{}`, a raw device.", place.shown()),
        );
    } else if place.base == Base::Root
        && (place.names == ["proc", "sysrq-trigger"] || place.names == ["sys", "power", "state"])
    {
        walk.forbid(
            "shutdown",
            format!("It shuts the system down (`{}`).", place.shown()),
        );
    }
}

fn is_disk(place: &Place) -> bool {
    let names: Vec<&str> = place.names.iter().map(String::as_str).collect();
    let (Base::Root, ["dev", rest @ ..]) = (place.base, names.as_slice()) else {
        return false;
    };
    let name = rest.join("/");
    if matches!(name.as_str(), "mem" | "kmem" | "port" | "disk") {
        return true;
    }
    DISKS.iter().any(|start| {
        name.strip_prefix(start).is_some_and(|after| {
            // `/dev/md0`, `/dev/sda1`, `/dev/sd*`; not `/dev/hdmi_cec` or a plain `/dev/sd`.
            start.ends_with(['/', '-'])
                || match *start {
                    "sd" | "hd" | "vd" | "xvd" => {
                        let end = after.trim_end_matches(|c: char| c.is_ascii_digit());
                        (1..=3).contains(&end.chars().count())
                            && end
                                .chars()
                                .all(|c| c.is_ascii_lowercase() || word::is_mark(c) || c == ']')
                    }
                    _ => after
                        .starts_with(|c: char| c.is_ascii_digit() || word::is_mark(c) || c == '/'),
                }
        })
    })
}
