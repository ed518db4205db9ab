//! Lists, pipelines, groups, loops, functions.

use std::rc::Rc;

use super::{Around, Input, Walk};
use crate::bounds::Unreadable;
use crate::judgement::Category;
use crate::syntax::ast::{self, Command, Compound, List};

/// How many values of a `for` loop are followed.
pub(super) const VALUES: usize = 8;

impl Walk<'_> {
    pub(super) fn list(
        &mut self,
        list: &List,
        around: &Around,
        input: &Input,
    ) -> Result<(), Unreadable> {
        for item in &list.0 {
            let beside = item.background || item.pipeline.len() > 1;
            let inner = Around {
                beside: around.beside || beside,
                ..around.clone()
            };
            let folder = self.folder.clone();
            let mut input = input.clone();
            self.uncertain += usize::from(item.conditional || beside);
            for command in &item.pipeline {
                input = self.command(command, &inner, &input)?;
                if beside {
                    // Each is a process of its own, and so is its `cd`.
                    self.folder.clone_from(&folder);
                }
            }
            self.uncertain -= usize::from(item.conditional || beside);
        }
        Ok(())
    }

    /// Walks a command; gives what it writes to the next one of its pipeline.
    fn command(
        &mut self,
        command: &Command,
        around: &Around,
        input: &Input,
    ) -> Result<Input, Unreadable> {
        self.spend(32)?;
        match command {
            Command::Simple(simple) => self.simple(simple, around, input),
            Command::Compound(compound) => {
                self.compound(compound, around, input)?;
                Ok(Input::Program("{".to_owned()))
            }
            Command::Function { name, body } => {
                let name: Rc<str> = Rc::from(name.as_str());
                self.functions
                    .insert(Rc::clone(&name), Rc::new(body.as_ref().clone()));
                let inner = Around {
                    function: Some(name),
                    beside: false,
                    ..around.clone()
                };
                let positional = self.positional.take();
                let folder = self.folder.clone();
                let variables = self.variables.clone();
                self.command(body, &inner, &Input::None)?;
                self.variables = variables;
                self.folder = folder;
                self.positional = positional;
                Ok(Input::None)
            }
        }
    }

    /// Walks a function again with the words that it is called with.
    pub(super) fn call(
        &mut self,
        name: &Rc<str>,
        arguments: Vec<String>,
        around: &Around,
        input: &Input,
    ) -> Result<(), Unreadable> {
        let Some(body) = self.functions.get(name).cloned() else {
            return Ok(());
        };
        if self.called.contains(name) || self.called.len() >= 4 {
            return Ok(());
        }
        self.spend(256)?;
        self.called.push(Rc::clone(name));
        let positional = self.positional.replace(arguments);
        let walked = self.command(&body, around, input);
        self.positional = positional;
        self.called.pop();
        walked.map(drop)
    }

    fn compound(
        &mut self,
        compound: &Compound,
        around: &Around,
        input: &Input,
    ) -> Result<(), Unreadable> {
        let folder = self.folder.clone();
        for raw in &compound.words {
            if compound.arithmetic && raw.contains('[') && raw.contains(['$', '`']) {
                self.find(
                    Category::Unreadable,
                    raw,
                    "It is evaluated as arithmetic, which can run the commands in an index.",
                );
            }
            self.resolve(raw, around)?;
        }
        if let Some((name, values)) = &compound.variable {
            let mut texts = Vec::new();
            for raw in values {
                for word in self.resolve(raw, around)? {
                    if texts.len() < VALUES {
                        texts.push(word.text().to_owned());
                    }
                }
            }
            if texts.is_empty() {
                self.variables.remove(name);
            } else {
                self.variables.insert(name.clone(), texts);
            }
        }
        let input = self.redirects(&compound.redirects, around, input)?;
        // A group runs as it stands; of the others, a body may not run.
        let certain = compound.bodies.len() == 1
            && compound.variable.is_none()
            && compound.words.is_empty()
            && !compound.subshell;
        self.uncertain += usize::from(!certain);
        for body in &compound.bodies {
            self.list(body, around, &input)?;
        }
        self.uncertain -= usize::from(!certain);
        if compound.subshell {
            self.folder = folder;
        }
        Ok(())
    }

    /// Walks the redirections of a command; gives its standard input.
    pub(super) fn redirects(
        &mut self,
        redirects: &[ast::Redirect],
        around: &Around,
        input: &Input,
    ) -> Result<Input, Unreadable> {
        let mut input = input.clone();
        for redirect in redirects {
            let operator = redirect.operator.as_str();
            match &redirect.target {
                ast::Target::Here { body, expands } => {
                    let text = if *expands {
                        self.document(body, around)?
                    } else {
                        body.clone()
                    };
                    input = Input::Text(text);
                }
                ast::Target::Process(list) => {
                    let inner = Around {
                        beside: true,
                        ..around.clone()
                    };
                    let output = self.process(list, &inner)?;
                    if operator.starts_with('<') {
                        input = output;
                    }
                }
                ast::Target::Word(raw) => {
                    for word in self.resolve(raw, around)? {
                        match operator {
                            "<<<" => input = Input::Text(word.text().to_owned()),
                            "<" | "<&" => {
                                crate::dangers::reads(self, &word);
                                if operator == "<" {
                                    input = Input::File(word);
                                }
                            }
                            _ => {
                                // `>&2` leads to an open file, not to one named `2`.
                                let number =
                                    word.text().bytes().all(|b| b.is_ascii_digit() || b == b'-');
                                if !(operator == ">&" && number) {
                                    crate::floors::writes(self, &word);
                                    crate::dangers::writes(self, &word);
                                }
                            }
                        }
                    }
                }
            }
        }
        Ok(input)
    }

    /// Walks a process substitution; gives what it writes, if it is one command.
    pub(super) fn process(&mut self, list: &List, around: &Around) -> Result<Input, Unreadable> {
        let folder = self.folder.clone();
        self.uncertain += 1;
        let mut output = Input::Program("(".to_owned());
        match list.0.as_slice() {
            [item] => {
                let mut input = Input::None;
                for command in &item.pipeline {
                    input = self.command(command, around, &input)?;
                }
                output = input;
            }
            _ => self.list(list, around, &Input::None)?,
        }
        self.uncertain -= 1;
        self.folder = folder;
        Ok(output)
    }
}
