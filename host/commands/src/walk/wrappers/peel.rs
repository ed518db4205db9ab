//! Taking a wrapper's own words off a command.

use super::super::{Around, Input, Walk, base_name, shells};
use super::table::Wrapper;
use crate::bounds::Unreadable;
use crate::judgement::Category;
use crate::word::Word;

impl Walk<'_> {
    /// Takes a wrapper's own words off and runs the rest.
    pub(super) fn peel(
        &mut self,
        program: &str,
        wrapper: &Wrapper,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<Input, Unreadable> {
        let mut at = 1;
        let mut unsure = false;
        let mut operands = wrapper.operands;
        while let Some(word) = words.get(at) {
            let text = word.text();
            if text == "--" {
                at += 1;
                // `env -- A=b command`; an operand may follow too.
                while wrapper.assigns
                    && words.get(at).is_some_and(|word| is_assignment(word.text()))
                {
                    self.assigned(words.get(at), around);
                    at += 1;
                }
                at += operands;
                break;
            }
            if wrapper.assigns && is_assignment(text) {
                self.assigned(Some(word), around);
                at += 1;
            } else if text == "-" && program == "env" {
                at += 1;
            } else if let Some(long) = text.strip_prefix("--") {
                if let Some(script) = long.strip_prefix("split-string=") {
                    return self.split_string(
                        script,
                        words.get(at + 1..).unwrap_or_default(),
                        around,
                        input,
                    );
                }
                if let Some(script) = long.strip_prefix("command=") {
                    let script = Word::marked(script.to_owned(), word.computed);
                    self.text(&script, around, input);
                }
                at += 1;
                if wrapper.long_valued.contains(&long) {
                    if long == "split-string" {
                        let script = words
                            .get(at)
                            .map(|word| self.source(word.text()))
                            .unwrap_or_default();
                        return self.split_string(
                            &script,
                            words.get(at + 1..).unwrap_or_default(),
                            around,
                            input,
                        );
                    }
                    at += 1;
                } else if !long.contains('=') {
                    // It may have a value.
                    unsure = true;
                }
            } else if word.is_option() {
                at += 1;
                let letters = text.get(1..).unwrap_or_default();
                let mut known = true;
                for (place, letter) in letters.char_indices() {
                    if wrapper.valued.contains(letter) {
                        let value = letters.get(place + 1..).unwrap_or_default();
                        if program == "env" && letter == 'S' {
                            let (script, after) = if value.is_empty() {
                                (words.get(at).map(Word::text).unwrap_or_default(), at + 1)
                            } else {
                                (value, at)
                            };
                            let script = self.source(script);
                            return self.split_string(
                                &script,
                                words.get(after..).unwrap_or_default(),
                                around,
                                input,
                            );
                        }
                        at += usize::from(value.is_empty());
                        break;
                    }
                    known &= wrapper.flags.contains(letter);
                }
                unsure |= !known;
                // `command -v` and `-V` only look a name up.
                if program == "command" && letters.contains(['v', 'V']) {
                    self.leaf(words);
                    return Ok(Input::Program(program.to_owned()));
                }
                if program == "sudo" && letters == "e" {
                    for file in words.get(at..).unwrap_or_default() {
                        crate::dangers::writes(self, file);
                    }
                    self.leaf(words);
                    return Ok(Input::None);
                }
                if program == "flock" && letters == "c" {
                    if let Some(script) = words.get(at) {
                        let script = script.clone();
                        self.text(&script, around, input);
                    }
                    at += 1;
                }
            } else if operands > 0 {
                operands -= 1;
                at += 1;
            } else {
                break;
            }
        }
        let inner = words.get(at..).unwrap_or_default();
        if unsure {
            self.guess(words.get(1..).unwrap_or_default(), around)?;
        }
        if !wrapper.same || inner.is_empty() {
            self.leaf(words.get(..at.min(words.len())).unwrap_or_default());
        }
        if program == "env" && inner.is_empty() {
            self.find(
                Category::Credentials,
                &self.line(words),
                "It shows the environment, which can hold keys.",
            );
        }
        match program {
            "chroot" | "unshare" | "nsenter" | "setpriv" | "capsh" => {
                let line = self.line(words);
                self.find(
                    Category::Privilege,
                    &line,
                    "It changes what a program may see and do.",
                );
            }
            "systemd-run" | "start-stop-daemon" | "daemonize" => {
                let line = self.line(words);
                self.find(
                    Category::Persistence,
                    &line,
                    "It starts something that stays running.",
                );
            }
            _ => {}
        }
        // The words of `flock file -c script` and `capsh -- -c script`.
        if inner
            .first()
            .is_some_and(|word| matches!(word.exact(), Some("-c" | "--command")))
        {
            if let Some(script) = inner.get(1) {
                self.text(script, around, input);
            }
            return Ok(Input::Program(program.to_owned()));
        }
        self.execute(inner, around, input)
    }

    pub(super) fn assigned(&mut self, word: Option<&Word>, around: &Around) {
        if let Some((name, value)) = word.and_then(|word| word.text().split_once('=')) {
            let (name, value) = (name.to_owned(), value.to_owned());
            crate::dangers::assigns(self, &name, &value, around);
        }
    }

    /// `env -S`: a text that is parted into words.
    pub(super) fn split_string(
        &mut self,
        script: &str,
        rest: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<Input, Unreadable> {
        let rest: Vec<_> = rest.iter().map(|word| self.source(word.text())).collect();
        let text = format!("env {script} {}", rest.join(" "));
        self.script(&text, around, input);
        Ok(Input::Program("env".to_owned()))
    }

    /// Where a wrapper's flags are not known: every word that could be the command's first is
    /// tried for floors.
    pub(super) fn guess(&mut self, words: &[Word], around: &Around) -> Result<(), Unreadable> {
        self.rough_floors(words);
        let leaves = self.leaves.len();
        for (at, word) in words.iter().enumerate() {
            let name = word.exact().map(base_name).unwrap_or_default();
            if shells::runs_text(name) {
                self.execute(words.get(at..).unwrap_or_default(), around, &Input::None)?;
                break;
            }
        }
        // The command itself is recorded when it is run for certain.
        self.leaves.truncate(leaves);
        Ok(())
    }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
