//! From a word as it is written to the words it stands for.

use super::{Around, Input, Walk};
use crate::bounds::{ALTERNATIVES, Unreadable};
use crate::syntax::parts::Part;
use crate::syntax::{ast, brace, parts};
use crate::word::{self, Word};

impl Walk<'_> {
    /// The words that a word expands to. Commands in it are walked.
    pub(super) fn resolve(&mut self, raw: &str, around: &Around) -> Result<Vec<Word>, Unreadable> {
        // A word costs more than its letters: it is looked at as a path, too.
        self.spend(raw.len() + 48)?;
        let parts = parts::word(raw)?;
        let computed = parts.iter().any(|part| !matches!(part, Part::Text(_)));
        let marked = self.render(&parts, around)?;
        let mut words = Vec::new();
        for text in brace::expand(&marked)? {
            for field in text.split(word::SPLIT) {
                if field.is_empty() {
                    continue;
                }
                let field: String = field.chars().filter(|c| *c != word::QUOTED).collect();
                words.push(Word::marked(field, computed));
                if words.len() > ALTERNATIVES {
                    return Err(Unreadable("its words expand to too many"));
                }
            }
        }
        Ok(words)
    }

    /// The marked text of an assigned value: not parted into words, no braces, no patterns.
    pub(super) fn value(&mut self, raw: &str, around: &Around) -> Result<String, Unreadable> {
        self.spend(raw.len() + 8)?;
        let marked = self.render(&parts::word(raw)?, around)?;
        Ok(marked
            .chars()
            .filter(|c| *c != word::QUOTED)
            .map(|c| match c {
                word::HOME => c,
                c if word::is_unknown(c) => c,
                c => word::written(c),
            })
            .collect())
    }

    /// The marked text of a here-document.
    pub(super) fn document(&mut self, raw: &str, around: &Around) -> Result<String, Unreadable> {
        self.spend(raw.len())?;
        self.render(&parts::document(raw)?, around)
    }

    fn render(&mut self, parts: &[Part], around: &Around) -> Result<String, Unreadable> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Variable {
                    name,
                    quoted,
                    source,
                } => {
                    let value = self.lookup(name, *quoted, source);
                    text.push_str(&value);
                }
                Part::Default {
                    name,
                    sign,
                    quoted,
                    word,
                    source,
                } => {
                    let other = self.render(word, around)?;
                    match self.variables.get(name).filter(|_| *sign != '+') {
                        Some(_) => text.push_str(&self.lookup(name, *quoted, source)),
                        // The given word is what it most likely is.
                        None if *sign != '?' => text.push_str(&other),
                        None => text.push(self.unknown(source)),
                    }
                }
                Part::Script {
                    script,
                    quoted,
                    source,
                } => match self.substitution(script, around)? {
                    Some(output) => {
                        text.push_str(&inserted(output.trim_end_matches('\n'), *quoted));
                    }
                    None => text.push(self.unknown(source)),
                },
                Part::Opaque { inside, source, .. } => {
                    self.render(inside, around)?;
                    text.push(self.unknown(source));
                }
            }
            if text.len() > crate::bounds::LONGEST {
                return Err(Unreadable("its words expand to too much text"));
            }
        }
        Ok(text)
    }

    fn unknown(&mut self, source: &str) -> char {
        let at = self
            .unknowns
            .iter()
            .position(|known| known == source)
            .unwrap_or_else(|| {
                self.unknowns.push(source.to_owned());
                self.unknowns.len() - 1
            });
        word::unknown(at)
    }

    fn lookup(&mut self, name: &str, quoted: bool, source: &str) -> String {
        if let Some(values) = self.variables.get(name) {
            return match values.as_slice() {
                [value] => inserted(value, quoted),
                values => {
                    // A loop's values: the word counts once for each of them.
                    let values: Vec<_> =
                        values.iter().map(|value| inserted(value, quoted)).collect();
                    let comma = word::COMMA.to_string();
                    format!("{}{}{}", word::OPEN, values.join(&comma), word::CLOSE)
                }
            };
        }
        if let Some(positional) = &self.positional {
            let number = name.parse::<usize>();
            match (name, number) {
                ("@" | "*", _) => {
                    let split = word::SPLIT.to_string();
                    let all: Vec<_> = positional
                        .iter()
                        .map(|value| inserted(value, quoted))
                        .collect();
                    return all.join(if name == "@" || !quoted { &split } else { " " });
                }
                (_, Ok(number)) if number > 0 => {
                    let value = positional.get(number - 1).cloned().unwrap_or_default();
                    return inserted(&value, quoted);
                }
                _ => {}
            }
        }
        match name {
            "HOME" => word::HOME.to_string(),
            "IFS" if quoted => " \t\n".to_owned(),
            "IFS" => word::SPLIT.to_string(),
            "PWD" => match self.folder.path() {
                Some(path) => path.to_string_lossy().into_owned(),
                None => self.unknown(source).to_string(),
            },
            "SHELL" | "BASH" => "sh".to_owned(),
            _ => self.unknown(source).to_string(),
        }
    }

    /// Walks a command substitution; gives what it writes, if that is known.
    fn substitution(
        &mut self,
        script: &str,
        around: &Around,
    ) -> Result<Option<String>, Unreadable> {
        self.spend(script.len() + 16)?;
        if self.depth >= crate::bounds::DEEPEST {
            return Err(Unreadable("its commands nest too deep"));
        }
        let list: ast::List = crate::syntax::parse(script, self.depth)?;
        let inner = Around {
            beside: false,
            ..around.clone()
        };
        self.depth += 1;
        let output = self.process(&list, &inner);
        self.depth -= 1;
        match output? {
            Input::Text(text) => Ok(Some(text)),
            _ => Ok(None),
        }
    }
}

/// A value as it stands in a word: outside of quotes its spaces part words, and its stars and
/// question marks are patterns.
fn inserted(value: &str, quoted: bool) -> String {
    if quoted {
        return value
            .chars()
            .map(|c| match c {
                word::HOME => c,
                c if word::is_unknown(c) => c,
                c => word::written(c),
            })
            .collect();
    }
    value
        .chars()
        .map(|c| match c {
            ' ' | '\t' | '\n' => word::SPLIT,
            '*' => word::STAR,
            '?' => word::ANY,
            '[' => word::SET,
            c => c,
        })
        .collect()
}
