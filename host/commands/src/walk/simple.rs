//! Simple commands: assignments, aliases, functions, built-ins, then the program.

use std::rc::Rc;

use super::{Around, Input, Walk, shells};
use crate::bounds::Unreadable;
use crate::judgement::Category;
use crate::place::Place;
use crate::syntax::ast::{Argument, Simple, Target};
use crate::word::{self, Word};
use crate::{dangers, floors};

/// What separates the words of a simple command, and simple commands, in an equivalence.
const WORDS: &str = "\u{1f}";

/// Programs by whose names a pattern in a program's place is tried.
const TRIED: [&str; 12] = [
    "rm", "dd", "sh", "bash", "sudo", "mkfs", "shutdown", "reboot", "poweroff", "halt", "kill",
    "find",
];

impl Walk<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        around: &Around,
        input: &Input,
    ) -> Result<Input, Unreadable> {
        let mut assigned = Vec::new();
        for assignment in &simple.assignments {
            let mut values = Vec::new();
            for raw in &assignment.values {
                values.push(self.value(raw, around)?);
            }
            let value = values.join(" ");
            dangers::assigns(self, &assignment.name, &value, around);
            assigned.push(format!("{}={}", assignment.name, self.source(&value)));
            // Before a command, it is set for that command only.
            if simple.arguments.is_empty() {
                self.assign(
                    &assignment.name,
                    Some(value).filter(|_| !assignment.partial),
                );
            }
        }
        let mut words = Vec::new();
        let mut raws = Vec::new();
        let mut process = None;
        for argument in &simple.arguments {
            match argument {
                Argument::Word(raw) => {
                    words.extend(self.resolve(raw, around)?);
                    raws.push(raw.as_str());
                }
                Argument::Process(list) => {
                    let inner = Around {
                        beside: true,
                        ..around.clone()
                    };
                    process = Some(self.process(list, &inner)?);
                    // A file descriptor of the shell's, whichever it is.
                    words.push(Word::plain("/dev/fd/63"));
                    raws.push("/dev/fd/63");
                }
            }
        }
        let mut input = self.redirects(&simple.redirects, around, input)?;
        if let Some(process) = process {
            // What reads it reads it as a file; only what runs it asks.
            input = process;
        }
        if words.is_empty() {
            self.leaves.append(&mut assigned);
            for redirect in &simple.redirects {
                self.leaves.push(format!("{redirect:?}"));
            }
            return Ok(Input::None);
        }
        if let Some(expansion) = self.alias(&words, &raws) {
            // Shells that run a text may leave aliases alone: both are looked at.
            self.script(&expansion, around, &input);
        }
        let leaves = self.leaves.len();
        let output = self.execute(&words, around, &input)?;
        // What a shell reads from its input was walked: it is the commands themselves.
        let shell = words
            .first()
            .and_then(Word::exact)
            .is_some_and(|name| shells::is_shell(base_name(name)));
        for redirect in &simple.redirects {
            let target = match &redirect.target {
                Target::Word(raw) => {
                    let words = self.resolve(raw, around)?;
                    self.remember_written(&redirect.operator, &words, &output);
                    words.iter().map(|word| self.source(word.text())).collect()
                }
                Target::Here { body, .. } => vec![body.clone()],
                Target::Process(_) => Vec::new(),
            };
            if shell && redirect.operator.starts_with("<<") {
                continue;
            }
            let text = format!("{WORDS}{}{}", redirect.operator, target.join(" "));
            match self.leaves.get_mut(leaves) {
                Some(leaf) => leaf.push_str(&text),
                None => self.leaves.push(text),
            }
        }
        Ok(output)
    }

    /// Keeps what the text itself writes to a file, for when it runs that file.
    fn remember_written(&mut self, operator: &str, words: &[Word], output: &Input) {
        if !operator.contains('>') {
            return;
        }
        for word in words {
            if let (Some(path), Input::Text(text)) = (self.place(word).path(), output) {
                let text = self.source(text);
                self.written.insert(path, text);
            }
        }
    }

    /// The text that an alias makes of a command.
    fn alias(&self, words: &[Word], raws: &[&str]) -> Option<String> {
        let name = words.first()?.exact()?;
        let value = self.aliases.get(name)?;
        // A quoted word is no alias, and no alias stands for itself.
        if raws.first() != Some(&name) || value.split_whitespace().next() == Some(name) {
            return None;
        }
        let rest = raws.get(1..).unwrap_or_default().join(" ");
        Some(format!("{value} {rest}"))
    }

    /// Runs a command of resolved words; gives what it writes.
    pub(super) fn execute(
        &mut self,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<Input, Unreadable> {
        self.spend(16 * words.len())?;
        self.depth += 1;
        let output = if self.depth > crate::bounds::DEEPEST {
            Err(Unreadable("its commands nest too deep"))
        } else {
            self.execute_inside(words, around, input)
        };
        self.depth -= 1;
        output
    }

    fn execute_inside(
        &mut self,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<Input, Unreadable> {
        let Some(first) = words.first() else {
            return Ok(Input::None);
        };
        let line = self.line(words);
        if first.computed {
            self.find(
                Category::Unreadable,
                &line,
                "The program that it runs is worked out only when it runs.",
            );
        }
        self.denied(&line);
        if self.is_itself(first, around) {
            self.forbid(
                "fork-bomb",
                "It is a fork bomb: it starts itself again and again beside itself.".to_owned(),
            );
        }
        let name = match first.exact() {
            Some(name) => name.to_owned(),
            None if first.text().contains(word::is_glob) => {
                self.find(
                    Category::Unreadable,
                    &line,
                    "A pattern stands where the program's name belongs.",
                );
                let pattern = crate::pattern::PathPattern::marked(base_name(first.text()));
                let tried = TRIED
                    .iter()
                    .find(|name| pattern.overlaps(&crate::pattern::PathPattern::configured(name)));
                tried.map_or_else(String::new, |name| (*name).to_owned())
            }
            None => {
                self.leaf(words);
                self.rough_floors(words.get(1..).unwrap_or_default());
                self.without_unset(first, words, around, input)?;
                return Ok(Input::Program(String::new()));
            }
        };
        let program = base_name(&name).to_owned();
        if program.is_empty() {
            self.leaf(words);
            return Ok(Input::Program(String::new()));
        }
        if program != name {
            let mut short = words.to_vec();
            if let Some(first) = short.first_mut() {
                *first = Word::plain(&program);
            }
            self.denied(&self.line(&short));
        }
        let function: Rc<str> = Rc::from(name.as_str());
        if let Some(caller) = &around.function {
            self.calls
                .push((Rc::clone(caller), Rc::clone(&function), around.beside));
        }
        if self.functions.contains_key(&function) {
            let arguments = words.iter().skip(1).map(|word| word.text().to_owned());
            // It may not have been defined after all: the program of its name is looked at too.
            self.call(&function, arguments.collect(), around, input)?;
        }
        if let Some(output) = self.wrapped(&program, words, around, input)? {
            return Ok(output);
        }
        self.leaf(words);
        self.built_in(&program, words);
        if name.contains('/') && !is_system_program(&name) {
            self.runs_file(&Word::plain(&name), around);
        }
        self.interpreter(&program, words, around, input);
        floors::check(self, &program, words);
        dangers::check(self, &program, words, input);
        Ok(self.output(&program, words, input))
    }

    /// Runs a command whose program's name holds variables that the text does not set, as if they
    /// were empty, which they most likely are: `r${x}m`.
    fn without_unset(
        &mut self,
        first: &Word,
        words: &[Word],
        around: &Around,
        input: &Input,
    ) -> Result<(), Unreadable> {
        let (unknown, known): (String, String) =
            first.text().chars().partition(|c| word::is_unknown(*c));
        if known.is_empty() || !self.is_unset(&unknown) {
            return Ok(());
        }
        let leaves = self.leaves.len();
        let mut words = words.to_vec();
        if let Some(first) = words.first_mut() {
            *first = Word::marked(known, true);
        }
        self.execute(&words, around, input)?;
        self.leaves.truncate(leaves);
        Ok(())
    }

    /// The words of a command as one line.
    pub(crate) fn line(&self, words: &[Word]) -> String {
        let words: Vec<_> = words.iter().map(|word| self.source(word.text())).collect();
        words.join(" ")
    }

    /// Records a simple command that runs.
    pub(super) fn leaf(&mut self, words: &[Word]) {
        let mut texts: Vec<_> = words.iter().map(|word| self.source(word.text())).collect();
        if let Some(program) = texts.first_mut()
            && is_system_program(program)
        {
            *program = base_name(program).to_owned();
        }
        self.leaves.push(texts.join(WORDS));
    }

    /// Whether a command starts the script itself beside itself.
    fn is_itself(&self, first: &Word, around: &Around) -> bool {
        around.beside && self.source(first.text()) == "$0"
    }

    /// What built-ins change for the commands after them.
    fn built_in(&mut self, program: &str, words: &[Word]) {
        let operands = words.get(1..).unwrap_or_default();
        match program {
            "cd" | "pushd" => {
                let to = operands.iter().find(|word| !word.is_option());
                self.folder = match to {
                    None if program == "cd" => {
                        Place::of_text(&word::HOME.to_string(), &self.folder)
                    }
                    Some(to) if to.text() != "-" => self.place(to),
                    _ => Place::of_text(&word::unknown(0).to_string(), &self.folder),
                };
            }
            "popd" => self.folder = Place::of_text(&word::unknown(0).to_string(), &self.folder),
            "set" => {
                let start = operands
                    .iter()
                    .position(|word| word.text() == "--")
                    .map(|at| at + 1)
                    .or_else(|| operands.iter().position(|word| !word.is_option()));
                if let Some(start) = start {
                    let rest = operands.get(start..).unwrap_or_default();
                    self.positional =
                        Some(rest.iter().map(|word| word.text().to_owned()).collect());
                }
            }
            "shift" => {
                if let Some(positional) = &mut self.positional
                    && !positional.is_empty()
                {
                    positional.remove(0);
                }
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in operands {
                    if let Some((name, value)) = word.text().split_once('=') {
                        let (name, value) = (name.to_owned(), value.to_owned());
                        dangers::assigns(self, &name, &value, &Around::default());
                        self.assign(&name, Some(value));
                    }
                }
            }
            "read" | "unset" | "mapfile" | "readarray" | "getopts" => {
                for word in operands {
                    self.assign(word.text(), None);
                }
            }
            "alias" => {
                for word in operands {
                    let text = self.source(word.text());
                    if let Some((name, value)) = text.split_once('=') {
                        self.aliases.insert(name.to_owned(), value.to_owned());
                    }
                }
            }
            "chmod" => {
                let makes = operands.first().is_some_and(|mode| {
                    let mode = mode.text();
                    mode.contains('x') || mode.trim_start_matches('0').starts_with(['5', '7'])
                });
                for word in operands.iter().skip(1).filter(|_| makes) {
                    if let Some(path) = self.place(word).path() {
                        self.executable.insert(path);
                    }
                }
            }
            _ => {}
        }
    }

    /// What a program writes to its standard output, as far as it is known.
    fn output(&self, program: &str, words: &[Word], input: &Input) -> Input {
        let rest = words.get(1..).unwrap_or_default();
        match program {
            "echo" => {
                let texts = rest
                    .iter()
                    .skip_while(|word| {
                        matches!(word.exact(), Some("-n" | "-e" | "-E" | "-ne" | "-en"))
                    })
                    .map(Word::text);
                let line = texts.collect::<Vec<_>>().join(" ");
                Input::Text(line.replace("\\n", "\n"))
            }
            "printf" => {
                let mut rest = rest.iter().map(Word::text).skip_while(|word| *word == "--");
                let mut text = rest.next().unwrap_or_default().replace("\\n", "\n");
                for argument in rest {
                    match text.find("%s").or_else(|| text.find("%b")) {
                        Some(at) => text.replace_range(at..at + 2, argument),
                        None => {
                            text.push(' ');
                            text.push_str(argument);
                        }
                    }
                }
                Input::Text(text)
            }
            "cat" if rest.iter().all(Word::is_option) => match input {
                Input::Text(_) => input.clone(),
                _ => Input::Program(program.to_owned()),
            },
            "tee" | "sort" | "head" | "tail" | "uniq" | "tr" => match input {
                Input::Text(_) if program == "tee" => input.clone(),
                Input::Paths { roots, .. } => Input::Paths {
                    roots: roots.clone(),
                    some: program != "sort" && program != "tee",
                },
                _ => Input::Program(program.to_owned()),
            },
            "grep" | "egrep" | "rg" => match input {
                Input::Paths { roots, .. } => Input::Paths {
                    roots: roots.clone(),
                    some: true,
                },
                _ => Input::Program(program.to_owned()),
            },
            "find" => Input::Paths {
                roots: floors::find_roots(words),
                some: floors::find_is_narrow(words),
            },
            "ls" => Input::Paths {
                roots: rest
                    .iter()
                    .filter(|word| !word.is_option() && word.text().contains('/'))
                    .cloned()
                    .collect(),
                some: false,
            },
            _ => Input::Program(program.to_owned()),
        }
    }
}

/// The name of a program without its folder.
pub(crate) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether a program's path is in a folder where systems keep programs.
pub(super) fn is_system_program(name: &str) -> bool {
    [
        "/bin/",
        "/sbin/",
        "/usr/bin/",
        "/usr/sbin/",
        "/usr/local/bin/",
        "/usr/local/sbin/",
        "/opt/homebrew/bin/",
    ]
    .iter()
    .any(|folder| {
        name.strip_prefix(folder)
            .is_some_and(|name| !name.contains('/'))
    })
}
