//! Shells and other interpreters, and what of other programs runs text.

use super::{Around, Input, Walk};
use crate::judgement::Category;
use crate::word::Word;

const SHELLS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "ash", "fish", "rbash", "csh", "tcsh",
    "hush", "yash",
];

/// Whether a program is a shell.
pub(crate) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// An interpreter: the flags whose value is code, those with another value, and whether its first
/// operand is code where no flag gave any.
struct Interpreter {
    code: &'static [&'static str],
    valued: &'static [&'static str],
    first_is_code: bool,
}

fn interpreter(program: &str) -> Option<Interpreter> {
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (code, valued, first_is_code): (&[_], &[_], _) = match plain {
        "python" | "pypy" | "jython" => (&["-c"], &["-W", "-X", "--check-hash-based-pycs"], false),
        "perl" => (&["-e", "-E"], &["-I", "-M", "-m", "-C"], false),
        "ruby" | "jruby" => (&["-e"], &["-r", "-I", "-C"], false),
        "node" | "nodejs" | "bun" => (
            &["-e", "-p", "--eval", "--print"],
            &["-r", "--require", "--import", "--loader", "-C"],
            false,
        ),
        "php" => (&["-r", "-B", "-R", "-E"], &["-d", "-c"], false),
        "lua" | "luajit" => (&["-e"], &["-l"], false),
        "osascript" | "Rscript" | "julia" | "elixir" | "groovy" | "scala" => {
            (&["-e"], &["-l", "-r"], false)
        }
        "awk" | "gawk" | "mawk" | "nawk" => (&["-e", "--source"], &["-F", "-v", "-i"], true),
        "tclsh" | "expect" | "wish" => (&["-c"], &[], false),
        _ => return None,
    };
    Some(Interpreter {
        code,
        valued,
        first_is_code,
    })
}

/// Whether a program is a shell or an interpreter: then a word of it may be a whole script.
pub(crate) fn runs_text(program: &str) -> bool {
    is_shell(program) || interpreter(program).is_some()
}

impl Walk<'_> {
    /// A shell: `-c` and its script, a script's file, or its standard input.
    pub(super) fn shell(&mut self, words: &[Word], around: &Around, input: &Input) {
        let mut rest = words.get(1..).unwrap_or_default();
        let mut command = false;
        let mut stdin = false;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text();
            if text == "--" || text == "-" {
                rest = after;
                break;
            }
            if !text.starts_with(['-', '+']) {
                break;
            }
            rest = after;
            if let Some(long) = text.strip_prefix("--") {
                if matches!(long, "rcfile" | "init-file") {
                    if let Some((file, after)) = rest.split_first() {
                        self.runs_file(file, around);
                        rest = after;
                    }
                } else if long == "command" {
                    command = true;
                }
                continue;
            }
            command |= text.starts_with('-') && text.contains('c');
            stdin |= text.contains('s');
            // `-o option` and `-O option`.
            if text.ends_with(['o', 'O']) {
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        match rest.split_first() {
            Some((script, arguments)) if command => {
                let arguments = arguments.iter().skip(1).map(|word| word.text().to_owned());
                let positional = self.positional.replace(arguments.collect());
                let folder = self.folder.clone();
                self.text(script, around, input);
                self.folder = folder;
                self.positional = positional;
            }
            Some((file, _)) if !stdin && file.text().starts_with("/dev/") => {
                self.shell_input(words, around, input);
            }
            Some((file, _)) if !stdin => self.runs_file(file, around),
            _ => self.shell_input(words, around, input),
        }
    }

    /// A word that a shell reads as a script.
    pub(super) fn text(&mut self, script: &Word, around: &Around, input: &Input) {
        let text = self.source(script.text());
        if script.has_unknown() {
            self.find(
                Category::Unreadable,
                &text,
                "A part of what the shell runs is worked out only when it runs.",
            );
        }
        self.script(&text, around, input);
    }

    /// A shell that reads its commands from its standard input.
    pub(super) fn shell_input(&mut self, words: &[Word], around: &Around, input: &Input) {
        match input {
            Input::None => {}
            Input::Text(text) => {
                let text = self.source(text);
                self.script(&text, around, &Input::None);
            }
            Input::File(file) => self.runs_file(file, around),
            Input::Paths { .. } | Input::Program(_) => {
                let why = match input {
                    Input::Program(program)
                        if matches!(
                            program.as_str(),
                            "base64"
                                | "base32"
                                | "xxd"
                                | "openssl"
                                | "gunzip"
                                | "zcat"
                                | "rev"
                                | "uudecode"
                        ) =>
                    {
                        format!("It runs what `{program}` decodes.")
                    }
                    Input::Program(program)
                        if matches!(program.as_str(), "curl" | "wget" | "fetch" | "nc") =>
                    {
                        format!("It runs what `{program}` gets from elsewhere.")
                    }
                    _ => "It runs what another program writes.".to_owned(),
                };
                let line = self.line(words);
                self.find(Category::PipeToShell, &line, why);
            }
        }
    }

    /// An interpreter of another language: its code is searched for what it runs and deletes.
    pub(super) fn interpreter(
        &mut self,
        program: &str,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) {
        let Some(kind) = interpreter(program) else {
            return;
        };
        let mut given = false;
        let mut rest = words.get(1..).unwrap_or_default();
        while let Some((word, after)) = rest.split_first() {
            let text = word.text();
            if !word.is_option() {
                break;
            }
            rest = after;
            if text == "-m" && program.starts_with("py") {
                return;
            }
            if let Some(long) = kind.code.iter().find(|flag| {
                flag.starts_with("--") && (text == **flag || text.starts_with(&format!("{flag}=")))
            }) {
                given = true;
                match text.get(long.len() + 1..) {
                    Some(code) => self.code(&Word::marked(code.to_owned(), word.computed), around),
                    None => rest = self.code_of(rest, around),
                }
            } else if text.starts_with("--") {
                if kind.valued.contains(&text) {
                    rest = rest.get(1..).unwrap_or_default();
                }
            } else if matches!(text, "-f") && kind.first_is_code {
                if let Some((file, after)) = rest.split_first() {
                    self.runs_file(file, around);
                    rest = after;
                }
                given = true;
            } else if kind.valued.contains(&text) {
                rest = rest.get(1..).unwrap_or_default();
            } else if let Some(at) = code_flag(text, &kind) {
                given = true;
                match text.get(at + 1..).filter(|code| !code.is_empty()) {
                    // `perl -e'…'` in one word; `-i.bak` and the like are no code.
                    Some(code) => self.code(&Word::marked(code.to_owned(), word.computed), around),
                    None => rest = self.code_of(rest, around),
                }
            }
        }
        if given {
            return;
        }
        match rest.split_first() {
            Some((code, _)) if kind.first_is_code => self.code(code, around),
            Some((file, _)) if file.text() == "-" || file.text().starts_with("/dev/") => {
                self.interpreter_input(words, around, input);
            }
            // `bun run`, `bun test` and the like.
            Some((file, _)) if program == "bun" && !file.text().contains('.') => {}
            Some((file, _)) => self.runs_file(file, around),
            None => self.interpreter_input(words, around, input),
        }
    }

    fn code_of<'w>(&mut self, rest: &'w [Word], around: &Around) -> &'w [Word] {
        match rest.split_first() {
            Some((code, after)) => {
                self.code(code, around);
                after
            }
            None => rest,
        }
    }

    fn interpreter_input(&mut self, words: &[Word], around: &Around, input: &Input) {
        match input {
            Input::Text(text) => self.code(&Word::marked(text.clone(), false), around),
            other => self.shell_input(words, around, other),
        }
    }
}

/// The place of the letter in a cluster of flags that makes what follows code.
fn code_flag(text: &str, kind: &Interpreter) -> Option<usize> {
    let letters = kind
        .code
        .iter()
        .filter(|flag| !flag.starts_with("--"))
        .filter_map(|flag| flag.chars().nth(1));
    letters
        .filter_map(|letter| text.find(letter))
        .filter(|at| {
            // Only other single-letter flags stand before it.
            text.get(1..*at)
                .is_some_and(|before| before.chars().all(|c| c.is_ascii_alphanumeric()))
        })
        .min()
}
