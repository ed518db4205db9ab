//! The grammar of the shell (POSIX.1-2024, *Shell Grammar*, with Bash's compound commands), by
//! recursive descent: one look at each token, and a bound on the nesting.

use super::ast::{Argument, Assignment, Command, Compound, Item, List, Redirect, Simple, Target};
use super::tokens::Token;
use crate::bounds::{DEEPEST, Unreadable};

const DEEP: Unreadable = Unreadable("its commands nest too deep");
const MALFORMED: Unreadable = Unreadable("it is no well-formed shell command");

/// Parses a whole script.
pub(crate) fn parse(tokens: &[Token], depth: usize) -> Result<List, Unreadable> {
    let mut parser = Parser {
        tokens,
        at: 0,
        depth,
    };
    let list = parser.list()?;
    if parser.at == tokens.len() {
        Ok(list)
    } else {
        Err(MALFORMED)
    }
}

/// Words that end a list where a command could start.
const ENDS: [&str; 7] = ["then", "do", "done", "fi", "elif", "else", "esac"];

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn operator(&self) -> Option<&'a str> {
        let token = self.peek()?;
        token.operator.then_some(token.text.as_str())
    }

    fn word(&self) -> Option<&'a str> {
        let token = self.peek()?;
        (!token.operator).then_some(token.text.as_str())
    }

    fn is(&self, operator: &str) -> bool {
        self.operator() == Some(operator)
    }

    /// Whether the next tokens are these operators, the second directly after the first.
    fn joined(&self, first: &str, second: &str) -> bool {
        self.is(first)
            && self
                .tokens
                .get(self.at + 1)
                .is_some_and(|next| next.operator && next.joined && next.text == second)
    }

    fn take_word(&mut self) -> Result<String, Unreadable> {
        let word = self.word().ok_or(MALFORMED)?;
        self.at += 1;
        Ok(word.to_owned())
    }

    fn expect_word(&mut self, word: &str) -> Result<(), Unreadable> {
        if self.word() == Some(word) {
            self.at += 1;
            Ok(())
        } else {
            Err(MALFORMED)
        }
    }

    fn expect(&mut self, operator: &str) -> Result<(), Unreadable> {
        if self.is(operator) {
            self.at += 1;
            Ok(())
        } else {
            Err(MALFORMED)
        }
    }

    fn newlines(&mut self) {
        while self.is("\n") {
            self.at += 1;
        }
    }

    /// Commands up to the end, a closing operator or a word that closes.
    fn list(&mut self) -> Result<List, Unreadable> {
        let mut list = List::default();
        let mut conditional = false;
        loop {
            self.newlines();
            match self.peek() {
                None => break,
                Some(token) if token.operator => {
                    if !matches!(token.text.as_str(), "(" | "<" | ">") && !is_redirect(&token.text)
                    {
                        break;
                    }
                }
                Some(token) => {
                    if token.text == "}" || ENDS.contains(&token.text.as_str()) {
                        break;
                    }
                }
            }
            let pipeline = self.pipeline()?;
            let background = self.is("&");
            list.0.push(Item {
                pipeline,
                background,
                conditional,
            });
            conditional = matches!(self.operator(), Some("&&" | "||"));
            match self.operator() {
                Some("&" | ";" | "\n") => self.at += 1,
                Some("&&" | "||") => {
                    self.at += 1;
                    self.newlines();
                    if self.peek().is_none() {
                        return Err(MALFORMED);
                    }
                }
                _ => break,
            }
        }
        Ok(list)
    }

    fn pipeline(&mut self) -> Result<Vec<Command>, Unreadable> {
        loop {
            match self.word() {
                Some("!") => self.at += 1,
                Some("time") => {
                    self.at += 1;
                    while matches!(self.word(), Some("-p" | "--")) {
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
        let mut commands = vec![self.command()?];
        while matches!(self.operator(), Some("|" | "|&")) {
            self.at += 1;
            self.newlines();
            commands.push(self.command()?);
        }
        Ok(commands)
    }

    fn command(&mut self) -> Result<Command, Unreadable> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(DEEP);
        }
        let command = self.command_inside();
        self.depth -= 1;
        command
    }

    fn command_inside(&mut self) -> Result<Command, Unreadable> {
        if self.is("(") {
            return self.compound();
        }
        if self.word() == Some("function") {
            self.at += 1;
            let name = self.take_word()?;
            if self.is("(") {
                self.at += 1;
                self.expect(")")?;
            }
            return self.function(name);
        }
        if self.word() == Some("coproc") {
            self.at += 1;
            // A name may stand before a compound command.
            let named = self.tokens.get(self.at + 1).is_some_and(|next| {
                (next.operator && next.text == "(") || (!next.operator && next.text == "{")
            });
            if named && !self.is("(") && self.word() != Some("{") {
                self.at += 1;
            }
            return self.command();
        }
        if let Some(name) = self.word() {
            if matches!(
                name,
                "{" | "if" | "for" | "select" | "while" | "until" | "case" | "[["
            ) {
                return self.compound();
            }
            let next = |n: usize, text: &str| {
                self.tokens
                    .get(self.at + n)
                    .is_some_and(|token| token.operator && token.text == text)
            };
            if next(1, "(") && next(2, ")") {
                self.at += 3;
                return self.function(name.to_owned());
            }
        }
        self.simple()
    }

    fn function(&mut self, name: String) -> Result<Command, Unreadable> {
        self.newlines();
        match self.command()? {
            body @ Command::Compound(_) => Ok(Command::Function {
                name,
                body: Box::new(body),
            }),
            _ => Err(MALFORMED),
        }
    }

    fn compound(&mut self) -> Result<Command, Unreadable> {
        let mut compound = Compound::default();
        if self.is("(") {
            if let Some(close) = self.arithmetic_end() {
                compound.words = self.between(self.at + 2, close);
                compound.arithmetic = true;
                // To a shell without this command, it is a subshell in a subshell.
                let depth = self.depth;
                self.at += 1;
                match self.list() {
                    Ok(list) => compound.bodies.push(list),
                    Err(DEEP) => return Err(DEEP),
                    Err(_) => self.depth = depth,
                }
                self.at = close + 2;
            } else {
                self.at += 1;
                compound.subshell = true;
                compound.bodies.push(self.list()?);
                self.expect(")")?;
            }
        } else {
            match self.take_word()?.as_str() {
                "{" => {
                    compound.bodies.push(self.list()?);
                    self.expect_word("}")?;
                }
                "if" => self.branches(&mut compound)?,
                "while" | "until" => {
                    compound.bodies.push(self.list()?);
                    self.body(&mut compound)?;
                }
                "for" | "select" => self.for_loop(&mut compound)?,
                "case" => self.case(&mut compound)?,
                _ => self.test(&mut compound)?,
            }
        }
        while let Some(redirect) = self.redirect()? {
            compound.redirects.push(redirect);
        }
        Ok(Command::Compound(compound))
    }

    /// The place of the `))` that ends the `((` here, or nothing where two subshells start.
    fn arithmetic_end(&self) -> Option<usize> {
        if !self.joined("(", "(") {
            return None;
        }
        let mut open = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match (token.operator, token.text.as_str()) {
                (true, "(") => open += 1,
                (true, ")") => open -= 1,
                _ => {}
            }
            if open == 1 && at > self.at {
                let next = self.tokens.get(at + 1)?;
                return (next.operator && next.joined && next.text == ")").then_some(at);
            }
            if open == 0 {
                return None;
            }
        }
        None
    }

    fn between(&self, from: usize, to: usize) -> Vec<String> {
        self.tokens
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .filter(|token| !token.operator)
            .map(|token| token.text.clone())
            .collect()
    }

    fn branches(&mut self, compound: &mut Compound) -> Result<(), Unreadable> {
        compound.bodies.push(self.list()?);
        self.expect_word("then")?;
        compound.bodies.push(self.list()?);
        loop {
            match self.take_word()?.as_str() {
                "elif" => {
                    compound.bodies.push(self.list()?);
                    self.expect_word("then")?;
                    compound.bodies.push(self.list()?);
                }
                "else" => {
                    compound.bodies.push(self.list()?);
                    return self.expect_word("fi");
                }
                "fi" => return Ok(()),
                _ => return Err(MALFORMED),
            }
        }
    }

    /// `do … done`, or the `{ … }` that Bash takes in its place.
    fn body(&mut self, compound: &mut Compound) -> Result<(), Unreadable> {
        let close = match self.take_word()?.as_str() {
            "do" => "done",
            "{" => "}",
            _ => return Err(MALFORMED),
        };
        compound.bodies.push(self.list()?);
        self.expect_word(close)
    }

    fn for_loop(&mut self, compound: &mut Compound) -> Result<(), Unreadable> {
        if self.is("(") {
            let close = self.arithmetic_end().ok_or(MALFORMED)?;
            compound.words = self.between(self.at + 2, close);
            compound.arithmetic = true;
            self.at = close + 2;
        } else {
            let name = self.take_word()?;
            self.newlines();
            let mut values = Vec::new();
            if self.word() == Some("in") {
                self.at += 1;
                while let Some(word) = self.word() {
                    values.push(word.to_owned());
                    self.at += 1;
                }
            }
            compound.variable = Some((name, values));
        }
        if self.is(";") {
            self.at += 1;
        }
        self.newlines();
        self.body(compound)
    }

    fn case(&mut self, compound: &mut Compound) -> Result<(), Unreadable> {
        compound.words.push(self.take_word()?);
        self.newlines();
        self.expect_word("in")?;
        loop {
            self.newlines();
            if self.word() == Some("esac") {
                self.at += 1;
                return Ok(());
            }
            if self.is("(") {
                self.at += 1;
            }
            compound.words.push(self.take_word()?);
            while self.is("|") {
                self.at += 1;
                compound.words.push(self.take_word()?);
            }
            self.expect(")")?;
            compound.bodies.push(self.list()?);
            match self.operator() {
                Some(";;" | ";&" | ";;&") => self.at += 1,
                _ if self.word() == Some("esac") => {}
                _ => return Err(MALFORMED),
            }
        }
    }

    /// `[[ … ]]`: its operands. Operators and brackets between them change nothing here.
    fn test(&mut self, compound: &mut Compound) -> Result<(), Unreadable> {
        compound.arithmetic = true;
        loop {
            let token = self.peek().ok_or(MALFORMED)?;
            self.at += 1;
            if token.operator {
                let process = self.is("(") && matches!(token.text.as_str(), "<" | ">");
                if process
                    || !matches!(
                        token.text.as_str(),
                        "&&" | "||" | "(" | ")" | "<" | ">" | "|" | "\n"
                    )
                {
                    return Err(MALFORMED);
                }
            } else if token.text == "]]" {
                return Ok(());
            } else {
                compound.words.push(token.text.clone());
            }
        }
    }

    fn simple(&mut self) -> Result<Command, Unreadable> {
        let start = self.at;
        let mut simple = Simple::default();
        loop {
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
            } else if matches!(self.operator(), Some("<" | ">")) {
                simple.arguments.push(Argument::Process(self.process()?));
            } else if let Some(word) = self.word() {
                self.at += 1;
                let array = self.is("(")
                    && self.peek().is_some_and(|token| token.joined)
                    && word.ends_with('=');
                match assignment(word) {
                    Some(mut found) if array => {
                        found.partial = true;
                        found.values = self.array()?;
                        simple.assignments.push(found);
                    }
                    Some(found) if simple.arguments.is_empty() => simple.assignments.push(found),
                    _ => simple.arguments.push(Argument::Word(word.to_owned())),
                }
            } else {
                break;
            }
        }
        if self.at == start {
            return Err(MALFORMED);
        }
        Ok(Command::Simple(simple))
    }

    fn array(&mut self) -> Result<Vec<String>, Unreadable> {
        self.expect("(")?;
        let mut values = Vec::new();
        loop {
            self.newlines();
            match self.word() {
                Some(word) => values.push(word.to_owned()),
                None => break,
            }
            self.at += 1;
        }
        self.expect(")")?;
        Ok(values)
    }

    /// `<( … )` or `>( … )`, at its first operator.
    fn process(&mut self) -> Result<List, Unreadable> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(DEEP);
        }
        self.at += 1;
        self.expect("(")?;
        let list = self.list()?;
        self.expect(")")?;
        self.depth -= 1;
        Ok(list)
    }

    /// A redirection, if one stands here.
    fn redirect(&mut self) -> Result<Option<Redirect>, Unreadable> {
        let mut at = self.at;
        let number = |text: &str| {
            text.bytes().all(|b| b.is_ascii_digit())
                || (text.starts_with('{') && text.ends_with('}') && text.len() > 2)
        };
        let first = self.tokens.get(at);
        if first.is_some_and(|token| !token.operator && number(&token.text))
            && self.tokens.get(at + 1).is_some_and(|next| {
                next.operator && next.joined && next.text.starts_with(['<', '>'])
            })
        {
            at += 1;
        }
        let Some(token) = self.tokens.get(at) else {
            return Ok(None);
        };
        if !token.operator || !is_redirect(&token.text) {
            return Ok(None);
        }
        let operator = token.text.clone();
        // `<(` and `>(` with nothing between are substitutions, not redirections.
        let bracket = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.operator && next.joined && next.text == "(");
        if bracket && matches!(operator.as_str(), "<" | ">") {
            return Ok(None);
        }
        self.at = at + 1;
        let target = if operator.starts_with("<<") && operator != "<<<" {
            let tag = self.take_word()?;
            let body = self.take_word()?;
            self.take_word()?;
            Target::Here {
                body,
                expands: !tag.contains(['\'', '"', '\\']),
            }
        } else if matches!(self.operator(), Some("<" | ">")) {
            Target::Process(self.process()?)
        } else {
            Target::Word(self.take_word()?)
        };
        Ok(Some(Redirect { operator, target }))
    }
}

fn is_redirect(operator: &str) -> bool {
    matches!(
        operator,
        "<" | ">" | ">>" | ">|" | "<>" | "<&" | ">&" | "&>" | "&>>" | "<<" | "<<-" | "<<<"
    )
}

/// `NAME=value`, `NAME+=value`, `NAME[index]=value`, or nothing.
fn assignment(word: &str) -> Option<Assignment> {
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = word.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(value) = rest.strip_prefix('=') {
        return Some(Assignment {
            name: name.to_owned(),
            values: vec![value.to_owned()],
            partial: false,
        });
    }
    let value = rest.strip_prefix("+=").or_else(|| {
        let close = rest.strip_prefix('[')?.find(']')?;
        let after = rest.get(close + 2..)?;
        after.strip_prefix('=').or_else(|| after.strip_prefix("+="))
    })?;
    Some(Assignment {
        name: name.to_owned(),
        // The index is expanded too, and may hold a substitution.
        values: vec![
            value.to_owned(),
            rest.strip_suffix(value)?.replace(['[', ']', '='], ""),
        ],
        partial: true,
    })
}
