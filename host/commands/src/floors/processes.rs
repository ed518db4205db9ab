//! Ending every process, and shutting the system down.

use crate::arguments::{has, operands, short};
use crate::walk::Walk;
use crate::word::Word;

pub(super) fn check(walk: &mut Walk<'_>, program: &str, words: &[Word]) {
    let texts: Vec<&str> = words.iter().skip(1).map(Word::text).collect();
    match program {
        "kill" => {
            if kill_targets(&texts).any(|target| target == "-1") {
                kills_everything(walk);
            }
        }
        "killall5" => kills_everything(walk),
        "pkill" | "killall" | "skill" => {
            let all = operands(words).any(|word| {
                // A pattern that every name fits.
                let text = word.shown();
                text.chars()
                    .all(|c| matches!(c, '.' | '*' | '^' | '$' | '+' | '?'))
            });
            let only_lists = short(words, 'l') && program == "killall";
            if all && !only_lists {
                kills_everything(walk);
            }
        }
        "shutdown" => {
            let harmless = ["-c", "--help", "-k", "--show"]
                .iter()
                .any(|flag| has(words, flag));
            if !harmless {
                shuts_down(walk, program);
            }
        }
        "reboot" | "halt" | "poweroff" => {
            if !has(words, "--help") && !has(words, "-w") && !has(words, "--wtmp-only") {
                shuts_down(walk, program);
            }
        }
        "init" | "telinit" => {
            if has(words, "0") || has(words, "6") {
                shuts_down(walk, program);
            }
        }
        "systemctl" | "loginctl" => {
            let ends = [
                "poweroff",
                "reboot",
                "halt",
                "kexec",
                "soft-reboot",
                "rescue",
                "emergency",
                "suspend",
                "hibernate",
                "hybrid-sleep",
            ];
            let verb = operands(words).next().map(Word::text);
            let target = operands(words).any(|word| {
                matches!(
                    word.text(),
                    "poweroff.target"
                        | "reboot.target"
                        | "halt.target"
                        | "shutdown.target"
                        | "rescue.target"
                        | "emergency.target"
                        | "kexec.target"
                )
            });
            let starts = matches!(verb, Some("isolate" | "start" | "restart"));
            if verb.is_some_and(|verb| ends.contains(&verb)) || (starts && target) {
                shuts_down(walk, program);
            }
        }
        "kexec" => {
            if short(words, 'e') || has(words, "--exec") {
                shuts_down(walk, program);
            }
        }
        "dbus-send" | "busctl" | "gdbus" => {
            let asks = texts.iter().any(|text| text.contains("login1"));
            let ends = ["PowerOff", "Reboot", "Halt"];
            if asks
                && texts
                    .iter()
                    .any(|text| ends.iter().any(|end| text.contains(end)))
            {
                shuts_down(walk, program);
            }
        }
        _ => {}
    }
}

/// What a `kill` signals: not its signal, which is its first word if that starts with `-`.
fn kill_targets<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let mut skip = 0;
    match texts.first() {
        Some(&("-s" | "-n" | "--signal")) => skip = 2,
        Some(&("-l" | "-L" | "--list" | "--table")) => skip = texts.len(),
        Some(first) if first.starts_with('-') && *first != "--" => skip = 1,
        _ => {}
    }
    texts
        .iter()
        .copied()
        .skip(skip)
        .filter(|text| *text != "--")
}

/// Records the floor of ending every process.
pub(crate) fn kills_everything(walk: &mut Walk<'_>) {
    walk.forbid("kills-everything", "It ends every process.".to_owned());
}

fn shuts_down(walk: &mut Walk<'_>, program: &str) {
    walk.forbid(
        "shutdown",
        format!("It shuts the system down or restarts it (`{program}`)."),
    );
}
