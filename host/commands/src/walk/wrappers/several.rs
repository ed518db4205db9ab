//! Programs that run a command once for each of several words.

use super::super::{Around, Input, Walk, base_name, shells};
use super::after_flags;
use crate::bounds::Unreadable;
use crate::judgement::Category;
use crate::word::Word;

impl Walk<'_> {
    pub(super) fn xargs(
        &mut self,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<(), Unreadable> {
        let rest = words.get(1..).unwrap_or_default();
        let long = [
            "arg-file",
            "delimiter",
            "max-lines",
            "max-args",
            "max-procs",
            "max-chars",
            "replace",
            "process-slot-var",
        ];
        let at = after_flags(rest, "aEdIJLnPRsS", &long);
        let replaced = rest.iter().enumerate().find_map(|(place, word)| {
            if place >= at {
                return None;
            }
            match word.text() {
                "-I" | "-J" | "--replace" => rest.get(place + 1).map(|word| word.text().to_owned()),
                "-i" => Some("{}".to_owned()),
                text => text.strip_prefix("-I").map(str::to_owned),
            }
        });
        self.leaf(words.get(..=at).unwrap_or_default());
        let mut command = rest.get(at..).unwrap_or_default().to_vec();
        if command.is_empty() {
            command.push(Word::plain("echo"));
        }
        let given: Vec<Word> = match input {
            Input::Text(text) => text
                .split([' ', '\t', '\n', '\0', crate::word::SPLIT])
                .filter(|word| !word.is_empty())
                .take(crate::bounds::ALTERNATIVES)
                .map(|word| {
                    let text: String = word.chars().filter(|c| *c != crate::word::QUOTED).collect();
                    Word::marked(text, false)
                })
                .collect(),
            // All that a search finds below a folder is as much as the folder.
            Input::Paths { roots, some: false } => roots.clone(),
            _ => Vec::new(),
        };
        match replaced {
            Some(hole) if !hole.is_empty() => {
                for word in &given {
                    let filled: Vec<Word> = command
                        .iter()
                        .map(|part| {
                            let text = part.text().replace(&hole, word.text());
                            Word::marked(text, part.computed)
                        })
                        .collect();
                    self.execute(&filled, around, &Input::None)?;
                }
                if given.is_empty() {
                    self.execute(&command, around, &Input::None)?;
                }
            }
            _ => {
                command.extend(given);
                self.execute(&command, around, &Input::None)?;
            }
        }
        if matches!(input, Input::Program(_) | Input::File(_))
            && command
                .first()
                .and_then(Word::exact)
                .map(base_name)
                .is_some_and(shells::is_shell)
        {
            let line = self.line(words);
            self.find(
                Category::PipeToShell,
                &line,
                "It runs what another program writes.",
            );
        }
        Ok(())
    }

    pub(super) fn parallel(&mut self, words: &[Word], around: &Around) -> Result<(), Unreadable> {
        let rest = words.get(1..).unwrap_or_default();
        let at = after_flags(
            rest,
            "jNnLPIaSC",
            &["jobs", "arg-file", "sshlogin", "delay", "timeout"],
        );
        let command = rest.get(at..).unwrap_or_default();
        let end = command
            .iter()
            .position(|word| word.text().starts_with(":::"))
            .unwrap_or(command.len());
        let (command, operands) = command.split_at(end);
        self.leaf(words.get(..=at).unwrap_or_default());
        let mut line = self.line(command);
        if command.is_empty() {
            // Every operand is a command of its own.
            for operand in operands {
                self.text(operand, around, &Input::None);
            }
            return Ok(());
        }
        self.script(&line, around, &Input::None);
        for operand in operands
            .iter()
            .filter(|word| !word.text().starts_with(":::"))
        {
            let operand = self.source(operand.text());
            let filled = if line.contains("{}") {
                line.replace("{}", &operand)
            } else {
                format!("{line} {operand}")
            };
            self.spend(filled.len())?;
            self.script(&filled, around, &Input::None);
        }
        line.clear();
        Ok(())
    }

    pub(super) fn executed_by_find(
        &mut self,
        words: &[Word],
        around: &Around,
    ) -> Result<(), Unreadable> {
        let find = words.first().and_then(Word::exact).map(base_name) == Some("find");
        let flags: &[&str] = if find {
            &["-exec", "-execdir", "-ok", "-okdir"]
        } else {
            &["-x", "-X", "--exec", "--exec-batch"]
        };
        let mut at = 1;
        while let Some(word) = words.get(at) {
            at += 1;
            if !flags.contains(&word.text()) {
                continue;
            }
            let rest = words.get(at..).unwrap_or_default();
            let end = rest
                .iter()
                .position(|word| matches!(word.text(), ";" | "+"))
                .unwrap_or(rest.len());
            let command = rest.get(..end).unwrap_or_default();
            at += end;
            // The command with each folder that the search starts from in the place of `{}`: all
            // below it is as much as the folder.
            let roots = if crate::floors::find_is_narrow(words) {
                Vec::new()
            } else {
                crate::floors::find_roots(words)
            };
            if roots.is_empty() {
                self.execute(command, around, &Input::None)?;
            }
            for root in roots.iter().take(8) {
                let filled: Vec<Word> = command
                    .iter()
                    .map(|part| {
                        let text = part.text().replace("{}", root.text());
                        Word::marked(text, part.computed)
                    })
                    .collect();
                self.execute(&filled, around, &Input::None)?;
            }
        }
        Ok(())
    }
}
