//! Code of other languages: it is not parsed, but searched for what it runs, deletes and reads.

use super::{Around, Input, Walk};
use crate::judgement::Category;
use crate::word::{self, Word};
use crate::{dangers, floors};

/// What starts other programs, in the languages that run code from a flag.
const STARTS: [&str; 23] = [
    "system",
    "popen",
    "subprocess",
    "spawn",
    "exec",
    "child_process",
    "shell_exec",
    "passthru",
    "proc_open",
    "qx",
    "Open3",
    "`",
    "%x",
    "do shell script",
    "ProcessBuilder",
    "Deno.Command",
    "Deno.run",
    "pty.",
    "| getline",
    "print |",
    "| \"",
    "IO.popen",
    "Bun.$",
];
/// What deletes folders with all that is in them.
const DELETES: [&str; 13] = [
    "rmtree",
    "rmSync",
    "fs.rm",
    "rmdirSync",
    "rm_rf",
    "rm_r",
    "remove_dir",
    "remove_tree",
    "remove_entry",
    "removeSync",
    "rimraf",
    "Deno.remove",
    "emptyDir",
];

impl Walk<'_> {
    pub(super) fn code(&mut self, code: &Word, around: &Around) {
        let text = self.source(code.text());
        if self.spend(text.len()).is_err() {
            self.find(
                Category::Unreadable,
                &text,
                "It is too much code to look through.",
            );
            return;
        }
        if code.has_unknown() {
            self.find(
                Category::Unreadable,
                &text,
                "A part of the code is worked out only when it runs.",
            );
        }
        let (literals, groups) = literals(&text);
        let holds = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if text.contains("fork")
            && ["while", "loop", "for(", "for (", "until", "redo"]
                .iter()
                .any(|word| text.contains(word))
        {
            self.forbid(
                "fork-bomb",
                "It is a fork bomb: its code starts itself again and again.".to_owned(),
            );
        }
        if [
            "kill(-1",
            "kill -9, -1",
            "kill 9, -1",
            "kill(9, -1",
            "kill('KILL', -1",
            "kill(9,-1",
        ]
        .iter()
        .any(|word| text.contains(word))
        {
            floors::kills_everything(self);
        }
        if holds(&DELETES) {
            self.find(
                Category::RecursiveDeletion,
                &text,
                "Its code deletes folders with all that is in them.",
            );
            for literal in &literals {
                floors::deletes(self, &path_word(literal));
            }
            if text.contains("Path.home()")
                || text.contains("os.homedir()")
                || text.contains("Dir.home")
            {
                self.find(
                    Category::RecursiveDeletion,
                    &text,
                    "Its code deletes in a home folder.",
                );
            }
        }
        let writes = literals.iter().any(|literal| {
            matches!(
                literal.as_str(),
                "w" | "wb" | "r+" | "r+b" | "rb+" | "a" | "ab" | ">" | ">>" | "+<"
            )
        }) || holds(&["write", "O_WRONLY", "O_RDWR"]);
        for literal in &literals {
            let word = path_word(literal);
            if writes {
                floors::writes(self, &word);
                if literal.contains('/') || literal.starts_with('.') {
                    dangers::writes(self, &word);
                }
            }
            dangers::reads(self, &word);
        }
        dangers::sql(self, &text);
        if holds(&STARTS) {
            self.find(
                Category::Unreadable,
                &text,
                "Its code starts other programs, and which ones cannot be told for certain.",
            );
            let inner = Around {
                guessed: true,
                ..around.clone()
            };
            for literal in literals.iter().chain(&groups) {
                if literal.contains(|c: char| c.is_ascii_alphabetic()) {
                    self.script(literal, &inner, &Input::None);
                }
            }
        }
        let fetches = holds(&[
            "urllib",
            "requests.",
            "urlopen",
            "http",
            "socket",
            "fetch(",
            "LWP",
            "Net::",
        ]);
        if fetches && holds(&["exec(", "eval(", "compile(", "Function("]) {
            self.find(
                Category::RemoteExecution,
                &text,
                "Its code runs what it gets from elsewhere.",
            );
        }
        if holds(&["socket"]) && holds(&["dup2", "/bin/sh", "/bin/bash", "pty.spawn"]) {
            self.find(
                Category::RemoteExecution,
                &text,
                "Its code opens a shell to elsewhere.",
            );
        }
        if holds(&["os.environ", "process.env", "%ENV", "$ENV{", "getenv"]) {
            self.find(
                Category::Credentials,
                &text,
                "Its code reads the environment, which can hold keys.",
            );
        }
    }
}

fn path_word(literal: &str) -> Word {
    let marked = match literal.strip_prefix('~') {
        Some(rest) => format!("{}{rest}", word::HOME),
        None => literal.to_owned(),
    };
    Word::plain(&marked.replace('*', &word::STAR.to_string()))
}

/// The quoted texts of some code, and those that stand together in brackets, joined: the words of
/// a command that is given as a list.
fn literals(code: &str) -> (Vec<String>, Vec<String>) {
    let chars: Vec<char> = code.chars().collect();
    let mut literals: Vec<String> = Vec::new();
    let mut groups = Vec::new();
    // Where the literals of the brackets that are open start.
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        at += 1;
        match c {
            '\'' | '"' | '`' => {
                let mut text = String::new();
                while let Some(inner) = chars.get(at) {
                    at += 1;
                    match inner {
                        '\\' => {
                            match chars.get(at) {
                                Some('n') => text.push('\n'),
                                Some(other) => text.push(*other),
                                None => {}
                            }
                            at += 1;
                        }
                        inner if inner == c => break,
                        inner => text.push(*inner),
                    }
                }
                literals.push(text);
            }
            '[' | '(' | '{' => open.push((at, literals.len())),
            ']' | ')' | '}' => {
                if let Some((start, first)) = open.pop() {
                    let group = literals.get(first..).unwrap_or_default();
                    if group.len() > 1 {
                        groups.push(group.join(" "));
                    } else if group.is_empty() {
                        // `qx(rm x)`, `%x{rm x}`, and words without quotes: `%w[rm x]`.
                        let text: String = chars
                            .get(start..at - 1)
                            .unwrap_or_default()
                            .iter()
                            .collect();
                        if text.contains(' ') {
                            groups.push(text);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    // `system "rm", "-rf", "/"` without brackets.
    if literals.len() > 1 && open.is_empty() {
        groups.push(literals.join(" "));
    }
    (literals, groups)
}
