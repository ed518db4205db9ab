//! One simple command, held against the table.

use super::strict::Line;
use super::table::{Operands, Program, TABLE};
use crate::NotReadOnly;
use crate::place::{Base, Place};
use crate::protected::Protected;
use crate::word::{self, Word};

/// Programs some of whose flags write or run others: no file's name may become a flag of theirs.
const OBEYS: [&str; 6] = ["sort", "rg", "tree", "file", "jq", "date"];

/// Where commands may read.
pub(super) struct Reader<'a> {
    pub(super) workspace: &'a Place,
    pub(super) folder: Place,
    pub(super) protected: &'a Protected<'a>,
}

/// A command's flags and operands. A long flag's value stands with it.
#[derive(Debug, Default)]
pub(super) struct Parsed<'a> {
    pub(super) flags: Vec<(String, Option<String>)>,
    pub(super) operands: Vec<&'a Word>,
}

impl Parsed<'_> {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.flags
            .iter()
            .any(|(flag, _)| names.contains(&flag.as_str()))
    }

    pub(super) fn values<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s str> {
        self.flags
            .iter()
            .filter(|(flag, _)| names.contains(&flag.as_str()))
            .filter_map(|(_, value)| value.as_deref())
    }
}

impl Reader<'_> {
    pub(super) fn command(&self, line: &Line, piped: bool) -> Result<(), NotReadOnly> {
        let (first, rest) = line
            .words
            .split_first()
            .ok_or(NotReadOnly::Syntax("no command"))?;
        let name = first
            .exact()
            .ok_or(NotReadOnly::Syntax("a pattern in a program's place"))?;
        let program = TABLE
            .iter()
            .find(|program| program.name == name)
            .ok_or_else(|| NotReadOnly::Program(first.shown()))?;
        if program.operands == Operands::Special {
            return self.special(program, rest, piped);
        }
        let parsed = parse(program, rest)?;
        match program.operands {
            Operands::None => match parsed.operands.first() {
                Some(operand) => Err(no_operand(program, operand)),
                None => Ok(()),
            },
            Operands::Text => no_patterns(program, &parsed.operands),
            Operands::Programs => {
                no_patterns(program, &parsed.operands)?;
                match parsed
                    .operands
                    .iter()
                    .find(|word| word.text().contains('/'))
                {
                    Some(operand) => Err(no_operand(program, operand)),
                    None => Ok(()),
                }
            }
            Operands::Names => parsed.operands.iter().try_for_each(|word| self.name(word)),
            Operands::Contents(most) => {
                if let Some(operand) = parsed.operands.get(most) {
                    return Err(no_operand(program, operand));
                }
                parsed
                    .operands
                    .iter()
                    .filter(|word| word.text() != "-")
                    .try_for_each(|word| self.content(word, most == usize::MAX, program))
            }
            Operands::Search => self.search(program, &parsed, piped),
            Operands::Special => Ok(()),
        }
    }

    /// A path of which only the name and such are shown.
    pub(super) fn name(&self, word: &Word) -> Result<(), NotReadOnly> {
        let place = self.inside(word)?;
        if crate::secrets::kind(&place).is_some() {
            return Err(NotReadOnly::Secret(word.shown()));
        }
        // A pattern shows names only; a name that is written out may not be a protected one.
        let plain = !word.text().contains(word::is_glob);
        match self.protected.fitting(&place).filter(|_| plain) {
            Some(pattern) => Err(NotReadOnly::Protected {
                path: word.shown(),
                pattern: pattern.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// A path whose contents are shown. Where the number of operands matters, a pattern is refused:
    /// it could stand for more.
    pub(super) fn content(
        &self,
        word: &Word,
        patterns: bool,
        program: &Program,
    ) -> Result<(), NotReadOnly> {
        if !patterns && word.text().contains(word::is_glob) {
            return Err(no_operand(program, word));
        }
        let place = self.inside(word)?;
        if crate::secrets::could_be(&place) {
            return Err(NotReadOnly::Secret(word.shown()));
        }
        match self.protected.fitting(&place) {
            Some(pattern) => Err(NotReadOnly::Protected {
                path: word.shown(),
                pattern: pattern.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Where a path leads, if it is inside of the workspace.
    fn inside(&self, word: &Word) -> Result<Place, NotReadOnly> {
        let place = Place::of_text(word.text(), &self.folder);
        let outside = || NotReadOnly::Outside(word.shown());
        if word.text().is_empty() || place.base != Base::Root {
            return Err(outside());
        }
        place.below(self.workspace).ok_or_else(outside)?;
        // A pattern before `..` could stand for a link, and one could stand for `..` itself.
        let names: Vec<&str> = word.text().split('/').collect();
        let climbs = names.contains(&"..") && word.text().contains(word::is_glob);
        let hidden = names.iter().any(|name| {
            name.starts_with('.')
                && name.contains(word::is_glob)
                && !name.contains(|c: char| c.is_alphanumeric())
        });
        if climbs || hidden {
            return Err(outside());
        }
        Ok(place)
    }
}

pub(super) fn no_operand(program: &Program, operand: &Word) -> NotReadOnly {
    NotReadOnly::Operand {
        program: program.name.to_owned(),
        operand: operand.shown(),
    }
}

/// Refuses patterns where they would become words of any number.
pub(super) fn no_patterns(program: &Program, operands: &[&Word]) -> Result<(), NotReadOnly> {
    match operands.iter().find(|word| word.exact().is_none()) {
        Some(operand) => Err(no_operand(program, operand)),
        None => Ok(()),
    }
}

/// Parts a command's words into flags and operands by the table.
pub(super) fn parse<'a>(program: &Program, words: &'a [Word]) -> Result<Parsed<'a>, NotReadOnly> {
    let unknown = |word: &Word| NotReadOnly::Flag {
        program: program.name.to_owned(),
        flag: word.shown(),
    };
    let mut parsed = Parsed::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text();
        if text == "--" {
            parsed.operands.extend(words);
            break;
        }
        if !word.is_option() {
            // A pattern could stand for a file that is named like a flag (`./*` could not).
            if text.starts_with(word::is_glob) && OBEYS.contains(&program.name) {
                return Err(no_operand(program, word));
            }
            parsed.operands.push(word);
            continue;
        }
        if word.exact().is_none() {
            return Err(unknown(word));
        }
        if let Some(long) = text.strip_prefix("--") {
            match long.split_once('=') {
                Some((name, value)) if listed(program.long_valued, name) => {
                    parsed.flags.push((name.to_owned(), Some(value.to_owned())));
                }
                None if listed(program.long, long) => parsed.flags.push((long.to_owned(), None)),
                None if listed(program.long_valued, long) => {
                    let value = words.next().ok_or_else(|| unknown(word))?;
                    parsed.flags.push((long.to_owned(), Some(value.shown())));
                }
                _ => return Err(unknown(word)),
            }
            continue;
        }
        let letters = text.get(1..).unwrap_or_default();
        // `head -5`, `grep -3`.
        if matches!(program.name, "head" | "tail" | "grep")
            && letters.bytes().all(|b| b.is_ascii_digit())
        {
            continue;
        }
        for (at, letter) in letters.char_indices() {
            if program.flags.contains(letter) {
                parsed.flags.push((letter.to_string(), None));
            } else if program.valued.contains(letter) {
                let attached = letters.get(at + letter.len_utf8()..).unwrap_or_default();
                let value = if attached.is_empty() {
                    let next = words.next().ok_or_else(|| unknown(word))?;
                    next.exact().ok_or_else(|| unknown(next))?.to_owned()
                } else {
                    attached.to_owned()
                };
                parsed.flags.push((letter.to_string(), Some(value)));
                break;
            } else {
                return Err(unknown(word));
            }
        }
    }
    Ok(parsed)
}

/// Whether a long flag stands in a row's list.
fn listed(flags: &str, flag: &str) -> bool {
    flags.split(' ').any(|listed| listed == flag)
}
