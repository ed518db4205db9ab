//! The walk over all commands of a text, through everything that runs other commands.

mod code;
mod compound;
mod input;
mod resolve;
mod shells;
mod simple;
mod wrappers;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use crate::bounds::{DEEPEST, Unreadable, WORK};
use crate::judgement::{Category, Circumstances, Finding, Floor};
use crate::place::Place;
use crate::protected::Protected;
use crate::syntax::{self, ast};
use crate::word::{self, Word};

pub(crate) use input::Input;
pub(crate) use shells::runs_text;
pub(crate) use simple::base_name;
pub(crate) use wrappers::runs_words;

/// How many findings are kept, and how much of a command's text each one shows.
const FINDINGS: usize = 64;
const SHOWN: usize = 200;

/// What surrounds a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The function whose body it stands in.
    pub(crate) function: Option<Rc<str>>,
    /// Whether it runs beside others: in a pipeline or in the background.
    pub(crate) beside: bool,
    /// Whether it stands in the code of an interpreter: then it may be only some text.
    pub(crate) guessed: bool,
}

/// What is gathered on the walk.
pub(crate) struct Walk<'a> {
    deny: &'a [String],
    pub(crate) protected: Protected<'a>,
    pub(crate) workspace: Place,
    pub(crate) floor: Option<Floor>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) uses_sudo: bool,
    pub(crate) scripts: Vec<PathBuf>,
    /// Every simple command that runs, by its words.
    pub(crate) leaves: Vec<String>,
    /// The folder that the command at hand runs in.
    folder: Place,
    /// The sources of the marks for unknown text.
    unknowns: Vec<String>,
    /// What variables were set to, as marked text: more than one value where a loop goes through
    /// them, or where it is not certain which command set them.
    variables: HashMap<String, Vec<String>>,
    /// `$1` and so on, where they are known.
    positional: Option<Vec<String>>,
    functions: HashMap<Rc<str>, Rc<ast::Command>>,
    /// The functions that are being walked because they were called.
    called: Vec<Rc<str>>,
    /// Which function calls which, and whether beside others.
    calls: Vec<(Rc<str>, Rc<str>, bool)>,
    aliases: HashMap<String, String>,
    /// Files that the text itself writes, with what it writes.
    written: HashMap<PathBuf, String>,
    /// Files that the text itself makes executable.
    executable: HashSet<PathBuf>,
    /// How many constructs surround the command at hand that may not run it, or run it in a
    /// process of its own.
    uncertain: usize,
    depth: usize,
    work: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(circumstances: &Circumstances<'a>) -> Self {
        let workspace = Place::of_path(circumstances.workspace);
        Self {
            deny: circumstances.deny,
            protected: Protected::new(circumstances.protected, workspace.clone()),
            workspace,
            floor: None,
            findings: Vec::new(),
            uses_sudo: false,
            scripts: Vec::new(),
            leaves: Vec::new(),
            folder: Place::of_path(circumstances.folder),
            unknowns: Vec::new(),
            variables: HashMap::new(),
            positional: Some(Vec::new()),
            functions: HashMap::new(),
            called: Vec::new(),
            calls: Vec::new(),
            aliases: HashMap::new(),
            written: HashMap::new(),
            executable: HashSet::new(),
            uncertain: 0,
            depth: 0,
            work: 0,
        }
    }

    /// Walks a script; what of it cannot be read is a finding, and searched for floors roughly.
    pub(crate) fn script(&mut self, text: &str, around: &Around, input: &Input) {
        if let Err(Unreadable(why)) = self.try_script(text, around, input) {
            // Most text in an interpreter's code is no command at all.
            if around.guessed {
                return;
            }
            self.find(
                Category::Unreadable,
                text,
                format!("It cannot be read for certain: {why}."),
            );
            self.roughly(text);
        }
    }

    fn try_script(&mut self, text: &str, around: &Around, input: &Input) -> Result<(), Unreadable> {
        self.spend(text.len() + 16)?;
        if self.depth >= DEEPEST {
            return Err(Unreadable("its commands nest too deep"));
        }
        let list = syntax::parse(text, self.depth)?;
        self.depth += 1;
        let walked = self.list(&list, around, input);
        self.depth -= 1;
        walked
    }

    /// Counts work, so that no text makes more of it than it is worth.
    fn spend(&mut self, work: usize) -> Result<(), Unreadable> {
        self.work += work;
        if self.work > WORK {
            return Err(Unreadable("it runs too much text in too many layers"));
        }
        Ok(())
    }

    /// Records what a variable is set to; nothing if that is not known.
    fn assign(&mut self, name: &str, value: Option<String>) {
        if self.uncertain == 0 {
            self.variables.remove(name);
        }
        if let Some(value) = value {
            let values = self.variables.entry(name.to_owned()).or_default();
            if values.len() < compound::VALUES && !values.contains(&value) {
                values.push(value);
            }
        }
    }

    /// Whether unknown text is that of variables which the text does not set.
    pub(crate) fn is_unset(&self, marked: &str) -> bool {
        marked.chars().all(|c| {
            let source = self
                .unknowns
                .get(word::number(c))
                .map_or("", String::as_str);
            let name = source.trim_start_matches('$').trim_matches(['{', '}']);
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !self.variables.contains_key(name)
        })
    }

    /// Records why the command never runs. The first reason stays.
    pub(crate) fn forbid(&mut self, code: &'static str, text: String) {
        if self.floor.is_none() {
            self.floor = Some(Floor { code, text });
        }
    }

    /// Records why a part of the command could do harm.
    pub(crate) fn find(&mut self, category: Category, text: &str, why: impl Into<String>) {
        let text: String = if text.chars().nth(SHOWN).is_some() {
            text.chars().take(SHOWN - 1).chain(['…']).collect()
        } else {
            text.to_owned()
        };
        let why = why.into();
        let known =
            |found: &Finding| found.category == category && found.text == text && found.why == why;
        if self.findings.len() < FINDINGS && !self.findings.iter().any(known) {
            self.findings.push(Finding {
                category,
                text,
                why,
            });
        }
    }

    /// Where a word leads as a path.
    pub(crate) fn place(&self, word: &Word) -> Place {
        Place::of_text(word.text(), &self.folder)
    }

    /// A file whose contents the command runs.
    pub(crate) fn runs_file(&mut self, word: &Word, around: &Around) {
        crate::dangers::reads(self, word);
        let place = self.place(word);
        let Some(path) = place.path() else {
            self.find(
                Category::Unreadable,
                &word.shown(),
                "It runs a file, and which one cannot be told from the text.",
            );
            return;
        };
        if self.executable.contains(&path) {
            self.find(
                Category::Permissions,
                &word.shown(),
                "It makes a file executable and runs it.",
            );
        }
        if let Some(body) = self.written.get(&path).cloned() {
            self.script(&body, around, &Input::None);
        }
        if !self.scripts.contains(&path) {
            self.scripts.push(path);
        }
    }

    /// A text with the sources of its unknown parts in place: what a shell would read again.
    pub(crate) fn source(&self, marked: &str) -> String {
        let mut text = String::new();
        for c in marked.chars() {
            match c {
                word::QUOTED => {}
                word::HOME => text.push_str("$HOME"),
                c if word::is_unknown(c) => {
                    let source = self.unknowns.get(word::number(c));
                    text.push_str(source.map_or("$_", String::as_str));
                }
                c => text.push(word::written(c)),
            }
        }
        text
    }

    /// Looks for floors in a text that cannot be parsed: every run of words between operators
    /// counts as a command.
    fn roughly(&mut self, text: &str) {
        let text: String = text
            .chars()
            .take(crate::bounds::LONGEST)
            .filter(|c| !matches!(c, '\'' | '"' | '\\'))
            .collect();
        for run in text.split([';', '|', '&', '\n', '(', ')', '`', '{', '}']) {
            let words: Vec<Word> = run
                .split_whitespace()
                .map(|word| {
                    let home = word.replace("$HOME", "~");
                    let marked = match home.strip_prefix('~') {
                        Some(rest) => format!("{}{rest}", word::HOME),
                        None => home,
                    };
                    Word::plain(&marked.replace('*', &word::STAR.to_string()))
                })
                .collect();
            self.rough_floors(&words);
            let line = self.line(&words);
            self.denied(&line);
        }
        self.denied(&text);
    }

    /// Floors of words that are or may be a command, also behind others.
    pub(crate) fn rough_floors(&mut self, words: &[Word]) {
        for at in 0..words.len().min(64) {
            let rest = words.get(at..).unwrap_or_default();
            let Some(program) = rest.first().and_then(Word::exact).map(base_name) else {
                continue;
            };
            // What follows these is text.
            if matches!(
                program,
                "echo" | "printf" | "grep" | "rg" | "git" | "man" | "which"
            ) {
                return;
            }
            crate::floors::check(self, program, rest);
        }
    }

    /// Holds a text against the operator's patterns.
    pub(crate) fn denied(&mut self, text: &str) {
        if self.floor.is_some() {
            return;
        }
        let text = text.trim();
        for pattern in self.deny {
            if crate::pattern::matches(pattern.trim(), text) {
                self.forbid(
                    "denied",
                    format!("The operator's configuration forbids this command (`{pattern}`)."),
                );
                return;
            }
        }
    }

    /// Finds functions that call themselves beside themselves, also through others.
    pub(crate) fn fork_bombs(&mut self) {
        let functions: HashSet<&Rc<str>> = self.functions.keys().collect();
        let calls: Vec<_> = self
            .calls
            .iter()
            .filter(|(_, callee, _)| functions.contains(callee))
            .collect();
        let bomb = calls.iter().find(|(caller, callee, beside)| {
            // From the callee back to the caller.
            let mut reached: HashSet<&Rc<str>> = HashSet::from([callee]);
            let mut open = vec![callee];
            while let Some(function) = open.pop() {
                for (from, to, _) in &calls {
                    if from == function && reached.insert(to) {
                        open.push(to);
                    }
                }
            }
            *beside && reached.contains(caller)
        });
        if let Some((caller, _, _)) = bomb {
            let text = format!(
                "It is a fork bomb: the function `{caller}` starts itself again and again beside itself."
            );
            self.forbid("fork-bomb", text);
        }
    }
}
