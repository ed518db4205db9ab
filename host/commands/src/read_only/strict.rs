//! A reader for the smallest part of the shell's language: words of plain text, quotes, patterns,
//! and `|`, `&&`, `||`, `;` and newlines between commands.

use crate::NotReadOnly;
use crate::syntax::ast::{self, Argument};
use crate::syntax::{self, parts};
use crate::word::{self, Word};

/// How many words a text may have: each one is held against every pattern.
const WORDS: usize = 256;

/// What stands between a command and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connector {
    Pipe,
    Other,
}

/// A redirection that changes nothing: to `/dev/null`, or of errors to where the output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quiet;

/// One simple command.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Quiet>,
    pub(crate) then: Connector,
}

/// The commands of a text, if it holds nothing but what this reader knows, and the shell's own
/// grammar sees the same words in it.
pub(crate) fn parse(text: &str) -> Result<Vec<Line>, NotReadOnly> {
    crate::bounds::check(text).map_err(|reason| NotReadOnly::Unreadable(reason.0))?;
    let lines = Reader::new(text).lines()?;
    if lines.iter().map(|line| line.words.len()).sum::<usize>() > WORDS {
        return Err(NotReadOnly::Syntax("more than 256 words"));
    }
    if lines.is_empty() {
        return Err(NotReadOnly::Syntax("no command"));
    }
    let list = syntax::parse(text, 0).map_err(|reason| NotReadOnly::Unreadable(reason.0))?;
    if agrees(&list, &lines) {
        Ok(lines)
    } else {
        Err(NotReadOnly::Unreadable(
            "its words cannot be told apart for certain",
        ))
    }
}

/// Whether the grammar sees the same simple commands with the same words.
fn agrees(list: &ast::List, lines: &[Line]) -> bool {
    let mut lines = lines.iter();
    for item in &list.0 {
        let last = item.pipeline.len().saturating_sub(1);
        for (at, command) in item.pipeline.iter().enumerate() {
            let (ast::Command::Simple(simple), Some(line)) = (command, lines.next()) else {
                return false;
            };
            let connected = (at < last) == (line.then == Connector::Pipe);
            if item.background
                || !connected
                || !simple.assignments.is_empty()
                || simple.redirects.len() != line.redirects.len()
                || simple.arguments.len() != line.words.len()
            {
                return false;
            }
            let same = simple.arguments.iter().zip(&line.words).all(
                |(argument, word)| matches!(argument, Argument::Word(raw) if same_word(raw, word)),
            );
            if !same {
                return false;
            }
        }
    }
    lines.next().is_none()
}

fn same_word(raw: &str, word: &Word) -> bool {
    let Ok(parts) = parts::word(raw) else {
        return false;
    };
    let mut text = String::new();
    for part in parts {
        match part {
            parts::Part::Text(plain) => text.push_str(&plain),
            _ => return false,
        }
    }
    text.retain(|c| c != word::QUOTED);
    // A comma is plain where no brace is.
    Word::marked(text.replace(word::COMMA, ","), false) == *word
}

struct Reader {
    text: Vec<char>,
    at: usize,
}

impl Reader {
    fn new(text: &str) -> Self {
        Self {
            text: text.trim().chars().collect(),
            at: 0,
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(at, c)| self.peek(at) == Some(c))
    }

    fn lines(&mut self) -> Result<Vec<Line>, NotReadOnly> {
        let mut lines = Vec::new();
        let mut line = Line {
            words: Vec::new(),
            redirects: Vec::new(),
            then: Connector::Other,
        };
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' => self.at += 1,
                '\n' | ';' | '|' | '&' if self.quiet().is_none() => {
                    let then = self.connector()?;
                    if line.words.is_empty() {
                        return Err(NotReadOnly::Syntax(
                            "an operator without a command before it",
                        ));
                    }
                    line.then = then;
                    lines.push(std::mem::replace(
                        &mut line,
                        Line {
                            words: Vec::new(),
                            redirects: Vec::new(),
                            then: Connector::Other,
                        },
                    ));
                }
                _ => {
                    if let Some(length) = self.quiet() {
                        self.at += length;
                        // The next character must end the word.
                        if self
                            .peek(0)
                            .is_some_and(|c| !matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&'))
                        {
                            return Err(NotReadOnly::Syntax("a redirection"));
                        }
                        line.redirects.push(Quiet);
                    } else if c == '!' && line.words.is_empty() {
                        return Err(NotReadOnly::Syntax("a `!`"));
                    } else {
                        line.words.push(self.word()?);
                    }
                }
            }
        }
        if !line.words.is_empty() {
            lines.push(line);
        } else if lines
            .last()
            .is_some_and(|line| line.then == Connector::Pipe)
            || !line.redirects.is_empty()
        {
            return Err(NotReadOnly::Syntax(
                "an operator without a command after it",
            ));
        }
        Ok(lines)
    }

    /// The length of a redirection that changes nothing, if one stands here.
    fn quiet(&self) -> Option<usize> {
        [
            "2>&1",
            "2>/dev/null",
            "2> /dev/null",
            "1>/dev/null",
            ">/dev/null",
            "> /dev/null",
            "&>/dev/null",
            "&> /dev/null",
            "</dev/null",
            "< /dev/null",
        ]
        .iter()
        .find(|text| self.starts(text))
        .map(|text| text.len())
    }

    fn connector(&mut self) -> Result<Connector, NotReadOnly> {
        let (length, then) = if self.starts("&&") || self.starts("||") {
            (2, Connector::Other)
        } else if self.starts("|") && !self.starts("|&") {
            (1, Connector::Pipe)
        } else if self.starts("\n") || (self.starts(";") && !self.starts(";;")) {
            (1, Connector::Other)
        } else {
            return Err(NotReadOnly::Syntax("a command that runs in the background"));
        };
        self.at += length;
        // A line may end after an operator.
        while matches!(self.peek(0), Some(' ' | '\t' | '\n')) {
            self.at += 1;
        }
        Ok(then)
    }

    /// One word. Fails at all that a shell would do more with than take it as it is.
    fn word(&mut self) -> Result<Word, NotReadOnly> {
        let mut text = String::new();
        let start = self.at;
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\n' | ';' | '|' | '&' => break,
                '\'' => {
                    self.at += 1;
                    loop {
                        match self.peek(0) {
                            None => return Err(NotReadOnly::Syntax("a quote that does not end")),
                            Some('\'') => break,
                            Some(c) => text.push(c),
                        }
                        self.at += 1;
                    }
                    self.at += 1;
                }
                '"' => self.double_quotes(&mut text)?,
                '\\' => {
                    let next = self.peek(1).filter(|c| *c != '\n');
                    text.push(next.ok_or(NotReadOnly::Syntax("a line that goes on"))?);
                    self.at += 2;
                }
                '$' | '`' => return Err(NotReadOnly::Syntax("an expansion")),
                '(' | ')' => return Err(NotReadOnly::Syntax("a subshell")),
                '<' | '>' => return Err(NotReadOnly::Syntax("a redirection")),
                '{' | '}' => return Err(NotReadOnly::Syntax("a brace")),
                '~' => return Err(NotReadOnly::Syntax("a home folder")),
                '#' if self.at == start => return Err(NotReadOnly::Syntax("a comment")),
                c => {
                    text.push(match c {
                        '*' => word::STAR,
                        '?' => word::ANY,
                        '[' => word::SET,
                        c => c,
                    });
                    self.at += 1;
                }
            }
        }
        Ok(Word::marked(text, false))
    }

    fn double_quotes(&mut self, text: &mut String) -> Result<(), NotReadOnly> {
        self.at += 1;
        loop {
            let c = self
                .peek(0)
                .ok_or(NotReadOnly::Syntax("a quote that does not end"))?;
            let next = self.peek(1);
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => match next {
                    Some(next) if matches!(next, '$' | '`' | '"' | '\\') => {
                        text.push(next);
                        self.at += 2;
                    }
                    Some('\n') | None => return Err(NotReadOnly::Syntax("a line that goes on")),
                    Some(_) => {
                        text.push('\\');
                        self.at += 1;
                    }
                },
                // A dollar before a space or the end of the quotes stands for itself.
                '$' if matches!(next, Some('"' | ' ' | '|')) => {
                    text.push('$');
                    self.at += 1;
                }
                '$' | '`' => return Err(NotReadOnly::Syntax("an expansion")),
                c => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
    }
}
