//! The parts of one word: plain text with its quotes gone, variables, commands (POSIX.1-2024,
//! *Quoting* and *Word Expansions*, with Bash's).

use super::{ansi_c, skip};
use crate::bounds::{DEEPEST, Unreadable};
use crate::word;

/// A part of a word.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Marked text, see [`crate::word`].
    Text(String),
    /// `$name`, `${name}`, `$1`, `$@`.
    Variable {
        name: String,
        quoted: bool,
        source: String,
    },
    /// `${name:-word}` and its like; `sign` is one of `-=?+`.
    Default {
        name: String,
        sign: char,
        quoted: bool,
        word: Vec<Self>,
        source: String,
    },
    /// `$( … )` or a backquoted command.
    Script {
        script: String,
        quoted: bool,
        source: String,
    },
    /// What is not worked out here: arithmetic, other parameter expansions. `inside` are the parts
    /// within it, whose commands run too.
    Opaque { inside: Vec<Self>, source: String },
}

/// The parts of a word as a script writes it.
pub(crate) fn word(raw: &str) -> Result<Vec<Part>, Unreadable> {
    scan(raw, Mode::Word, 0)
}

/// The parts of a here-document's body.
pub(crate) fn document(raw: &str) -> Result<Vec<Part>, Unreadable> {
    scan(raw, Mode::Document, 0)
}

/// What is around the text that is scanned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A word of a command.
    Word,
    /// Within `${…}` or arithmetic: spaces and operators are text.
    Parameter,
    /// The same within double quotes.
    QuotedParameter,
    /// The body of a here-document.
    Document,
}

fn scan(raw: &str, mode: Mode, depth: usize) -> Result<Vec<Part>, Unreadable> {
    if depth > DEEPEST {
        return Err(Unreadable("its expansions nest too deep"));
    }
    let text: Vec<char> = raw.chars().collect();
    let mut scanner = Scanner {
        text: &text,
        at: 0,
        depth,
        parts: Vec::new(),
    };
    match mode {
        Mode::Document | Mode::QuotedParameter => {
            while scanner.at < text.len() {
                scanner.quoted_step(mode == Mode::QuotedParameter)?;
            }
        }
        Mode::Word | Mode::Parameter => {
            scanner.tilde();
            while scanner.at < text.len() {
                scanner.step(mode)?;
            }
        }
    }
    Ok(scanner.parts)
}

struct Scanner<'a> {
    text: &'a [char],
    at: usize,
    depth: usize,
    parts: Vec<Part>,
}

impl Scanner<'_> {
    fn push(&mut self, c: char) {
        if let Some(Part::Text(text)) = self.parts.last_mut() {
            text.push(c);
        } else {
            self.parts.push(Part::Text(c.to_string()));
        }
    }

    fn push_all(&mut self, text: &str) {
        for c in text.chars() {
            self.push(c);
        }
    }

    fn slice(&self, from: usize, to: usize) -> String {
        self.text.get(from..to).unwrap_or_default().iter().collect()
    }

    /// `~` or `~name` at the start of a word.
    fn tilde(&mut self) {
        if self.text.first() != Some(&'~') {
            return;
        }
        let end = self
            .text
            .iter()
            .position(|c| *c == '/')
            .unwrap_or(self.text.len());
        let name = self.slice(1, end);
        match name.as_str() {
            "+" => self.variable("PWD", end),
            "-" => self.variable("OLDPWD", end),
            _ if name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')) =>
            {
                self.push(word::HOME);
                self.at = end;
            }
            _ => {}
        }
    }

    fn variable(&mut self, name: &str, end: usize) {
        let source = self.slice(self.at, end);
        self.at = end;
        self.parts.push(Part::Variable {
            name: name.to_owned(),
            quoted: true,
            source,
        });
    }

    /// One step outside of quotes.
    fn step(&mut self, mode: Mode) -> Result<(), Unreadable> {
        let Some(c) = self.text.get(self.at).copied() else {
            return Ok(());
        };
        match c {
            '\\' => {
                let next = *self
                    .text
                    .get(self.at + 1)
                    .ok_or(Unreadable("it ends with a backslash"))?;
                self.at += 2;
                if next != '\n' {
                    self.push(word::QUOTED);
                    self.push(next);
                }
            }
            '\'' => {
                let end = skip::single_quoted(self.text, self.at + 1)?;
                let content = self.slice(self.at + 1, end - 1);
                self.push(word::QUOTED);
                self.push_all(&content);
                self.at = end;
            }
            '"' => self.double_quotes()?,
            '$' if self.text.get(self.at + 1) == Some(&'\'') => {
                let end = skip::ansi_quoted(self.text, self.at + 2)?;
                let content = self.text.get(self.at + 2..end - 1).unwrap_or_default();
                let content = ansi_c::decode(content)?;
                self.push(word::QUOTED);
                self.push_all(&content);
                self.at = end;
            }
            // A translated text, which is the text itself where there is no translation.
            '$' if self.text.get(self.at + 1) == Some(&'"') => {
                self.at += 1;
                self.double_quotes()?;
            }
            // Braces are expanded first, and then the word may start with it.
            '~' if matches!(self.text.get(self.at.wrapping_sub(1)), Some('{' | ',')) => {
                self.push(word::HOME);
                self.at += 1;
            }
            '$' => self.dollar(false)?,
            '`' => self.backquotes(false)?,
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' if mode == Mode::Word => {
                return Err(Unreadable("its words cannot be told apart for certain"));
            }
            _ => {
                self.push(match c {
                    '*' => word::STAR,
                    '?' => word::ANY,
                    '[' => word::SET,
                    '{' => word::OPEN,
                    '}' => word::CLOSE,
                    ',' => word::COMMA,
                    ' ' | '\t' | '\n' => word::SPLIT,
                    c => c,
                });
                self.at += 1;
            }
        }
        Ok(())
    }

    fn double_quotes(&mut self) -> Result<(), Unreadable> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.text.get(self.at) {
                None => return Err(Unreadable("a quote in it does not end")),
                Some('"') => break,
                Some(_) => self.quoted_step(true)?,
            }
        }
        // `"$@"` is no word at all where there are no positional parameters.
        let content = self.slice(start, self.at);
        let only_all = content.replace("${@}", "").replace("$@", "").is_empty();
        if content.is_empty() || !only_all {
            self.push(word::QUOTED);
        }
        self.at += 1;
        Ok(())
    }

    /// One step within double quotes (`quotes`) or a here-document.
    fn quoted_step(&mut self, quotes: bool) -> Result<(), Unreadable> {
        let Some(c) = self.text.get(self.at).copied() else {
            return Ok(());
        };
        match c {
            '\\' => match self.text.get(self.at + 1).copied() {
                Some('\n') => self.at += 2,
                Some(next) if matches!(next, '$' | '`' | '\\') || (quotes && next == '"') => {
                    self.push(next);
                    self.at += 2;
                }
                _ => {
                    self.push('\\');
                    self.at += 1;
                }
            },
            '$' => self.dollar(true)?,
            '`' => self.backquotes(true)?,
            c => {
                self.push(c);
                self.at += 1;
            }
        }
        Ok(())
    }

    fn backquotes(&mut self, quoted: bool) -> Result<(), Unreadable> {
        let end = skip::backquoted(self.text, self.at + 1)?;
        let mut script = String::new();
        let mut content = self
            .text
            .get(self.at + 1..end - 1)
            .unwrap_or_default()
            .iter()
            .copied()
            .peekable();
        while let Some(c) = content.next() {
            let escapes = matches!(content.peek(), Some('$' | '`' | '\\'))
                || (quoted && content.peek() == Some(&'"'));
            match content.peek() {
                Some(next) if c == '\\' && escapes => {
                    script.push(*next);
                    content.next();
                }
                _ => script.push(c),
            }
        }
        self.parts.push(Part::Script {
            script,
            quoted,
            source: self.slice(self.at, end),
        });
        self.at = end;
        Ok(())
    }

    fn dollar(&mut self, quoted: bool) -> Result<(), Unreadable> {
        let start = self.at;
        match self.text.get(start + 1).copied() {
            Some('(') => self.round(quoted),
            Some('[') => {
                let end = skip::bracketed(self.text, start + 2, ']', self.depth)?;
                self.opaque(start + 2, end - 1, end)
            }
            Some('{') => self.braces(quoted),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut end = start + 2;
                while self
                    .text
                    .get(end)
                    .is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
                {
                    end += 1;
                }
                if !quoted && self.braces_change_name(end) {
                    return Err(Unreadable("a brace next to a variable changes its name"));
                }
                self.named(start + 1, end, end, quoted);
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || is_special(c) => {
                self.named(start + 1, start + 2, start + 2, quoted);
                Ok(())
            }
            _ => {
                self.push('$');
                self.at += 1;
                Ok(())
            }
        }
    }

    /// Whether the name of a variable that ends here may go on: braces are expanded first, so
    /// that `$a{b,c}` is `$ab $ac`, and `{$a,b}c` is `$ac bc`.
    fn braces_change_name(&self, end: usize) -> bool {
        let in_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        match self.text.get(end) {
            Some('{') => true,
            Some(',' | '}') => self
                .text
                .windows(2)
                .any(|pair| matches!(pair, ['}', next] if in_name(next))),
            _ => false,
        }
    }

    fn named(&mut self, from: usize, to: usize, end: usize, quoted: bool) {
        self.parts.push(Part::Variable {
            name: self.slice(from, to),
            quoted,
            source: self.slice(self.at, end),
        });
        self.at = end;
    }

    /// `$( … )` or `$(( … ))`.
    fn round(&mut self, quoted: bool) -> Result<(), Unreadable> {
        let start = self.at;
        if self.text.get(start + 2) == Some(&'(')
            && let Some(end) = self.arithmetic_end()
        {
            return self.opaque(start + 3, end - 2, end);
        }
        let end = skip::script(self.text, start + 2, self.depth)?;
        self.parts.push(Part::Script {
            script: self.slice(start + 2, end - 1),
            quoted,
            source: self.slice(start, end),
        });
        self.at = end;
        Ok(())
    }

    /// The place after the `))` of the `$((` here; nothing if a subshell starts here instead.
    fn arithmetic_end(&self) -> Option<usize> {
        let mut open = 0_usize;
        let mut at = self.at + 1;
        loop {
            match self.text.get(at)? {
                '(' => open += 1,
                ')' if open == 2 => {
                    return (self.text.get(at + 1) == Some(&')')).then_some(at + 2);
                }
                ')' => open -= 1,
                '\'' | '"' | '`' | '\\' => return None,
                '$' if matches!(self.text.get(at + 1), Some('(' | '{' | '[')) => {
                    let end = match self.text.get(at + 1) {
                        Some('(') => skip::script(self.text, at + 2, self.depth),
                        Some('{') => skip::bracketed(self.text, at + 2, '}', self.depth),
                        _ => skip::bracketed(self.text, at + 2, ']', self.depth),
                    };
                    at = end.ok()?;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn opaque(&mut self, from: usize, to: usize, end: usize) -> Result<(), Unreadable> {
        let content = self.slice(from, to);
        self.parts.push(Part::Opaque {
            inside: scan(&content, Mode::Parameter, self.depth + 1)?,
            source: self.slice(self.at, end),
        });
        self.at = end;
        Ok(())
    }

    /// `${ … }`.
    fn braces(&mut self, quoted: bool) -> Result<(), Unreadable> {
        let start = self.at;
        let end = skip::bracketed(self.text, start + 2, '}', self.depth)?;
        let content = self.slice(start + 2, end - 1);
        if quoted && content.contains('\'') {
            // Shells do not agree on what a single quote is here.
            return Err(Unreadable(
                "a single quote stands within an expansion within quotes",
            ));
        }
        let name: String = if content.starts_with(is_special) {
            content.chars().take(1).collect()
        } else {
            content
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect()
        };
        let rest = content.get(name.len()..).unwrap_or_default();
        if !name.is_empty() && rest.is_empty() {
            self.named(start + 2, end - 1, end, quoted);
            return Ok(());
        }
        let operator = rest.strip_prefix(':').unwrap_or(rest);
        let sign = operator.chars().next().filter(|c| "-=?+".contains(*c));
        match sign {
            Some(sign) if !name.is_empty() => {
                let mode = if quoted {
                    Mode::QuotedParameter
                } else {
                    Mode::Parameter
                };
                let word = scan(operator.get(1..).unwrap_or_default(), mode, self.depth + 1)?;
                self.parts.push(Part::Default {
                    name,
                    sign,
                    quoted,
                    word,
                    source: self.slice(start, end),
                });
                self.at = end;
                Ok(())
            }
            _ => self.opaque(start + 2, end - 1, end),
        }
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '@' | '*' | '#' | '?' | '-' | '$' | '!')
}
