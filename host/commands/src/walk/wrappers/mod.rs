//! Programs that run the command in their words.

mod peel;
mod several;
mod table;
mod values;

use super::{Around, Input, Walk, shells};
use crate::bounds::Unreadable;
use crate::judgement::Category;
use crate::word::Word;
use table::wrapper;

/// Whether a program is one that runs the command in its words, of any kind.
pub(crate) fn runs_words(program: &str) -> bool {
    wrapper(program).is_some()
        || matches!(
            program,
            "eval"
                | "trap"
                | "su"
                | "runuser"
                | "xargs"
                | "parallel"
                | "watch"
                | "ssh"
                | "find"
                | "fd"
                | "fdfind"
                | "script"
                | "tmux"
                | "screen"
                | "entr"
                | "at"
                | "batch"
                | "source"
                | "."
                | "rsh"
                | "mosh"
        )
}

impl Walk<'_> {
    /// Runs what a program runs that takes a command; nothing if it takes none.
    pub(super) fn wrapped(
        &mut self,
        program: &str,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<Option<Input>, Unreadable> {
        if matches!(
            program,
            "sudo" | "doas" | "pkexec" | "su" | "run0" | "runuser"
        ) {
            self.uses_sudo = true;
            let line = self.line(words);
            self.find(Category::Privilege, &line, "It runs as another user.");
        }
        if let Some(wrapper) = wrapper(program) {
            return self.peel(program, &wrapper, words, around, input).map(Some);
        }
        let rest = words.get(1..).unwrap_or_default();
        if shells::is_shell(program) {
            let leaves = self.leaves.len();
            self.shell(words, around, input);
            if self.leaves.len() == leaves {
                self.leaf(words);
            }
            return Ok(Some(Input::Program(program.to_owned())));
        }
        match program {
            "eval" => {
                let text = self.line(rest);
                if rest.iter().any(Word::has_unknown) {
                    self.find(
                        Category::Unreadable,
                        &text,
                        "A part of what the shell runs is worked out only when it runs.",
                    );
                }
                self.script(&text, around, input);
            }
            "source" | "." => {
                self.leaf(words);
                match rest.first() {
                    Some(file) if file.text().starts_with("/dev/") => {
                        self.shell_input(words, around, input);
                    }
                    Some(file) => self.runs_file(file, around),
                    None => {}
                }
            }
            "trap" => {
                self.leaf(words);
                if let Some(script) = rest.iter().find(|word| !word.is_option()) {
                    self.text(script, around, &Input::None);
                }
            }
            "su" | "runuser" => self.switch_user(words, around, input)?,
            "xargs" => self.xargs(words, around, input)?,
            "parallel" => self.parallel(words, around)?,
            "watch" => {
                let at = after_flags(rest, "n", &["interval"]);
                self.joined(words, rest.get(at..).unwrap_or_default(), around);
            }
            "ssh" | "rsh" | "mosh" => self.remote(words, around),
            "script" => {
                self.leaf(words);
                self.flag_script(rest, &["-c", "--command"], around);
            }
            "at" | "batch" => {
                self.leaf(words);
                let line = self.line(words);
                self.find(Category::Persistence, &line, "It runs commands later.");
                if let Input::Text(text) = input {
                    let text = self.source(text);
                    self.script(&text, around, &Input::None);
                }
                self.flag_file(rest, "-f", around);
            }
            "tmux" | "screen" | "entr" => {
                self.leaf(words);
                self.guess(rest, around)?;
                // A session's command is one word.
                for word in rest.iter().filter(|word| word.text().contains(' ')) {
                    let inner = Around {
                        guessed: true,
                        ..around.clone()
                    };
                    let text = self.source(word.text());
                    self.script(&text, &inner, &Input::None);
                }
            }
            "find" | "fd" | "fdfind" => {
                self.executed_by_find(words, around)?;
                // What it is besides is judged as any program.
                return Ok(None);
            }
            "git" => {
                self.run_by_git(rest, around)?;
                return Ok(None);
            }
            "tar" | "rsync" | "vim" | "vi" | "nvim" | "ex" | "zip" | "scp" | "sftp" | "sort"
            | "make" | "gmake" | "sed" | "less" | "man" | "ansible" | "hyperfine" | "nodemon"
            | "concurrently" => {
                self.run_by_flags(program, rest, around);
                return Ok(None);
            }
            _ => return Ok(None),
        }
        Ok(Some(Input::Program(program.to_owned())))
    }

    /// A command whose words are joined and read by a shell.
    fn joined(&mut self, words: &[Word], command: &[Word], around: &Around) {
        let own = words.len() - command.len();
        self.leaf(words.get(..own).unwrap_or_default());
        let text = self.line(command);
        if !text.is_empty() {
            self.script(&text, around, &Input::None);
        }
    }

    fn switch_user(
        &mut self,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<(), Unreadable> {
        self.leaf(words.get(..1).unwrap_or_default());
        let rest = words.get(1..).unwrap_or_default();
        self.flag_script(rest, &["-c", "--command", "--session-command"], around);
        // `runuser -u name command`
        if let Some(at) = rest.iter().position(|word| word.text() == "-u") {
            let mut command = rest.get(at + 2..).unwrap_or_default();
            if command.first().is_some_and(|word| word.text() == "--") {
                command = command.get(1..).unwrap_or_default();
            }
            self.execute(command, around, input)?;
        }
        if let Input::Text(text) = input {
            let text = self.source(text);
            self.script(&text, around, &Input::None);
        }
        Ok(())
    }

    fn remote(&mut self, words: &[Word], around: &Around) {
        let rest = words.get(1..).unwrap_or_default();
        let at = after_flags(rest, "BbcDEeFIiJLlmOoPpQRSWw", &[]);
        for word in rest {
            let text = self.source(word.text());
            let option = text.strip_prefix("-o").unwrap_or(&text);
            for name in ["ProxyCommand", "LocalCommand", "KnownHostsCommand"] {
                if let Some(script) = option.strip_prefix(name) {
                    let script = script.trim_start_matches(['=', ' ']).to_owned();
                    self.script(&script, around, &Input::None);
                }
            }
        }
        let line = self.line(words);
        self.find(
            Category::RemoteExecution,
            &line,
            "It runs commands on another machine.",
        );
        self.joined(words, rest.get(at + 1..).unwrap_or_default(), around);
    }
}

/// How many words are flags and their values.
fn after_flags(words: &[Word], valued: &str, long_valued: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text();
        if text == "--" {
            return at + 1;
        }
        if !word.is_option() {
            break;
        }
        at += 1;
        if let Some(long) = text.strip_prefix("--") {
            at += usize::from(long_valued.contains(&long));
        } else {
            let letters = text.get(1..).unwrap_or_default();
            if let Some(place) = letters.find(|letter| valued.contains(letter)) {
                at += usize::from(place + 1 == letters.len());
            }
        }
    }
    at.min(words.len())
}
