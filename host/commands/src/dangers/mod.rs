//! What could do harm, and asks.

mod data;
mod development;
mod files;
mod network;
mod system;

use crate::judgement::Category;
use crate::walk::{Around, Input, Walk};
use crate::word::Word;

pub(crate) use data::sql;
pub(crate) use files::{reads, writes};
pub(crate) use network::metadata;

/// Looks for what a simple command could do harm with.
pub(crate) fn check(walk: &mut Walk<'_>, program: &str, words: &[Word], input: &Input) {
    let command = Command {
        program,
        words,
        line: walk.line(words),
    };
    files::check(walk, &command);
    system::check(walk, &command);
    data::check(walk, &command, input);
    development::check(walk, &command);
    network::check(walk, &command, input);
}

/// A simple command that is looked at.
struct Command<'a> {
    program: &'a str,
    words: &'a [Word],
    line: String,
}

impl Command<'_> {
    fn find(&self, walk: &mut Walk<'_>, category: Category, why: &str) {
        walk.find(category, &self.line, why);
    }

    /// The first operand: what a program with several actions is to do.
    fn verb(&self) -> &str {
        crate::arguments::operands(self.words)
            .next()
            .map_or("", Word::text)
    }

    fn has(&self, text: &str) -> bool {
        crate::arguments::has(self.words, text)
    }

    fn has_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.has(text))
    }

    fn short(&self, letter: char) -> bool {
        crate::arguments::short(self.words, letter)
    }

    fn long(&self, name: &str) -> bool {
        crate::arguments::long(self.words, name)
    }
}

/// Variables that change which programs or libraries run, and those whose value is a command.
pub(crate) fn assigns(walk: &mut Walk<'_>, name: &str, value: &str, around: &Around) {
    let source = walk.source(value);
    let line = format!("{name}={source}");
    let runs = matches!(
        name,
        "PROMPT_COMMAND"
            | "PAGER"
            | "GIT_PAGER"
            | "MANPAGER"
            | "EDITOR"
            | "VISUAL"
            | "GIT_EDITOR"
            | "GIT_SSH_COMMAND"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_ASKPASS"
            | "SSH_ASKPASS"
            | "SUDO_ASKPASS"
            | "LESSOPEN"
            | "LESSCLOSE"
            | "BROWSER"
            | "RUSTC_WRAPPER"
            | "GIT_PROXY_COMMAND"
            | "PS4"
            | "PS1"
    );
    if runs {
        // `cat` and the like only show.
        if !matches!(source.as_str(), "cat" | "less" | "true" | ":" | "") {
            walk.find(
                Category::Environment,
                &line,
                "It changes which programs others run.",
            );
        }
        walk.script(&source, around, &Input::None);
    } else if matches!(
        name,
        "PATH"
            | "LD_PRELOAD"
            | "LD_LIBRARY_PATH"
            | "LD_AUDIT"
            | "DYLD_INSERT_LIBRARIES"
            | "DYLD_LIBRARY_PATH"
            | "BASH_ENV"
            | "ENV"
            | "ZDOTDIR"
            | "PYTHONSTARTUP"
            | "PYTHONPATH"
            | "PYTHONHOME"
            | "PERL5OPT"
            | "PERL5LIB"
            | "RUBYOPT"
            | "RUBYLIB"
            | "NODE_OPTIONS"
            | "NODE_PATH"
            | "JAVA_TOOL_OPTIONS"
            | "GIT_CONFIG_GLOBAL"
            | "GIT_EXEC_PATH"
            | "GIT_CONFIG_COUNT"
            | "SHELLOPTS"
            | "BASHOPTS"
            | "RIPGREP_CONFIG_PATH"
            | "GCONV_PATH"
    ) {
        walk.find(
            Category::Environment,
            &line,
            "It changes which programs, libraries or start-up files are used.",
        );
        if matches!(name, "BASH_ENV" | "ENV" | "PYTHONSTARTUP") {
            walk.runs_file(&Word::marked(value.to_owned(), false), around);
        }
    }
}
