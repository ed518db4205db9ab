//! Programs that run the value of a flag or of a setting.

use super::super::{Around, Input, Walk};
use crate::bounds::Unreadable;
use crate::judgement::Category;
use crate::word::Word;

impl Walk<'_> {
    pub(super) fn flag_script(&mut self, rest: &[Word], flags: &[&str], around: &Around) {
        for (at, word) in rest.iter().enumerate() {
            let text = word.text();
            if flags.contains(&text) {
                if let Some(script) = rest.get(at + 1) {
                    self.text(script, around, &Input::None);
                }
            } else if let Some((flag, script)) = text.split_once('=')
                && flags.contains(&flag)
            {
                let script = Word::marked(script.to_owned(), word.computed);
                self.text(&script, around, &Input::None);
            } else if flags.iter().any(|flag| {
                text.starts_with('-')
                    && !text.starts_with("--")
                    && flag.len() == 2
                    && text.len() > 2
                    && flag
                        .chars()
                        .nth(1)
                        .is_some_and(|letter| text.ends_with(letter))
            }) {
                // `su -lc script`
                if let Some(script) = rest.get(at + 1) {
                    self.text(script, around, &Input::None);
                }
            }
        }
    }

    pub(super) fn flag_file(&mut self, rest: &[Word], flag: &str, around: &Around) {
        let at = rest.iter().position(|word| word.text() == flag);
        if let Some(file) = at.and_then(|at| rest.get(at + 1)) {
            self.runs_file(file, around);
        }
    }

    pub(super) fn run_by_git(&mut self, rest: &[Word], around: &Around) -> Result<(), Unreadable> {
        for (at, word) in rest.iter().enumerate() {
            let text = self.source(word.text());
            let next = rest.get(at + 1).map(|word| self.source(word.text()));
            match text.as_str() {
                "-c" | "--config-env" => {
                    if let Some((key, value)) =
                        next.as_deref().and_then(|next| next.split_once('='))
                    {
                        self.git_setting(key, value, around);
                    }
                }
                "--exec" | "-x" | "--upload-pack" | "--receive-pack" | "--tree-filter"
                | "--index-filter" | "--msg-filter" | "--env-filter" | "--commit-filter"
                | "foreach" => {
                    if let Some(script) = next {
                        self.script(&script, around, &Input::None);
                    }
                }
                "run" if rest.iter().any(|word| word.text() == "bisect") => {
                    self.execute(rest.get(at + 1..).unwrap_or_default(), around, &Input::None)?;
                }
                _ => {
                    if let Some((flag, script)) = text.split_once('=')
                        && matches!(
                            flag,
                            "--exec" | "--upload-pack" | "--receive-pack" | "--exec-path"
                        )
                    {
                        let script = script.to_owned();
                        self.script(&script, around, &Input::None);
                    }
                    if let Some(command) = text.strip_prefix("ext::") {
                        let command = command.to_owned();
                        self.script(&command, around, &Input::None);
                    }
                }
            }
        }
        if let [config, key, value] = rest
            && config.text() == "config"
        {
            let (key, value) = (self.source(key.text()), self.source(value.text()));
            self.git_setting(&key, &value, around);
        }
        Ok(())
    }

    /// Settings of git's whose values are commands.
    pub(super) fn git_setting(&mut self, key: &str, value: &str, around: &Around) {
        let key = key.to_lowercase();
        let script = if key.starts_with("alias.") {
            value.strip_prefix('!')
        } else {
            let runs = [
                "pager",
                "editor",
                "sshcommand",
                "command",
                "driver",
                "textconv",
                "clean",
                "smudge",
                "process",
                "askpass",
                "helper",
                "fsmonitor",
                "hookspath",
                "program",
                "external",
            ];
            runs.iter()
                .any(|end| key.ends_with(end))
                .then_some(value.trim_start_matches('!'))
        };
        if let Some(script) = script {
            let line = format!("{key}={value}");
            self.find(
                Category::Environment,
                &line,
                "It changes which programs git runs.",
            );
            self.script(script, around, &Input::None);
        }
    }

    /// Programs that run the value of some flag.
    pub(super) fn run_by_flags(&mut self, program: &str, rest: &[Word], around: &Around) {
        let flags: &[&str] = match program {
            "tar" => &[
                "--to-command",
                "--use-compress-program",
                "-I",
                "--rsh-command",
                "-F",
                "--info-script",
            ],
            "rsync" => &["-e", "--rsh", "--rsync-path"],
            "scp" | "sftp" => &["-S"],
            "zip" => &["-TT", "--unzip-command"],
            "sort" => &["--compress-program"],
            "man" | "less" => &["-P", "--pager"],
            "ansible" => &["-a", "--args"],
            "nodemon" => &["-x", "--exec"],
            _ => &[],
        };
        self.flag_script(rest, flags, around);
        for (at, word) in rest.iter().enumerate() {
            let text = self.source(word.text());
            let script = match program {
                "tar" => text
                    .split_once("checkpoint-action=exec=")
                    .or_else(|| text.strip_prefix("exec=").map(|script| ("", script)))
                    .map(|(_, script)| script),
                "vim" | "vi" | "nvim" | "ex" | "less" => {
                    let (_, script) = text.split_once('!').unzip();
                    script.or_else(|| {
                        text.split_once("system(")
                            .map(|(_, script)| script.trim_matches(['\'', '"', ')']))
                    })
                }
                "make" | "gmake" => text
                    .split_once('=')
                    .filter(|(name, _)| *name == "SHELL")
                    .map(|(_, script)| script),
                // `e` of sed runs a line; so does the `e` flag of its `s`.
                "sed" => sed_runs(&text),
                "hyperfine" | "concurrently" if !word.is_option() => Some(text.as_str()),
                _ => None,
            };
            if let Some(script) = script.map(str::to_owned) {
                let line = self.line(rest.get(at..=at).unwrap_or_default());
                self.find(
                    Category::Unreadable,
                    &line,
                    format!("It makes `{program}` run other commands."),
                );
                self.script(&script, around, &Input::None);
            }
        }
    }
}

/// The command that a sed script runs, or an empty one if it runs what it reads.
fn sed_runs(script: &str) -> Option<&str> {
    for line in script.split([';', '\n']) {
        let line = line
            .trim()
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | '!' | ' '));
        if line == "e" {
            return Some("");
        }
        if let Some(command) = line.strip_prefix("e ") {
            return Some(command);
        }
        if let Some(rest) = line.strip_prefix('s')
            && let Some(separator) = rest.chars().next().filter(char::is_ascii_punctuation)
        {
            let pieces: Vec<_> = rest.split(separator).collect();
            if let [_, _, replacement, flags] = pieces.as_slice()
                && flags.contains('e')
                && flags.chars().all(|c| c.is_ascii_alphanumeric())
            {
                return Some(replacement);
            }
        }
    }
    None
}
