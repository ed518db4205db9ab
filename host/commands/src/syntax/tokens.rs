//! Words and operators of a script (POSIX.1-2024, *Token Recognition*, with Bash's operators).

use super::skip;
use crate::bounds::Unreadable;

/// A word with its quotes, or an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) operator: bool,
    /// Whether it follows the token before it without a space.
    pub(crate) joined: bool,
}

/// The operators, longer ones before their beginnings.
const OPERATORS: [&str; 25] = [
    "<<<", "<<-", "&>>", ";;&", "&&", "||", ";;", ";&", "<<", ">>", "<&", ">&", "<>", ">|", "&>",
    "|&", "<", ">", "&", "|", ";", "(", ")", "\n", "",
];

/// Parts a script into tokens, comments left out. After the tag of a here-document come its body
/// and the tag again, each as a word.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Unreadable> {
    let text: Vec<char> = text.chars().collect();
    let mut lexer = Lexer {
        text: &text,
        at: 0,
        tokens: Vec::new(),
        end: None,
        documents: Vec::new(),
        tag_follows: None,
    };
    while lexer.at < text.len() {
        lexer.step()?;
    }
    if lexer.documents.is_empty() && lexer.tag_follows.is_none() {
        Ok(lexer.tokens)
    } else {
        Err(Unreadable("a here-document in it does not end"))
    }
}

/// A here-document whose body starts on the next line.
struct Document {
    /// The place in the tokens where its body belongs.
    place: usize,
    tag: String,
    tabs: bool,
}

struct Lexer<'a> {
    text: &'a [char],
    at: usize,
    tokens: Vec<Token>,
    /// The place after the token before.
    end: Option<usize>,
    documents: Vec<Document>,
    /// Whether the next word is the tag of a here-document, and its tabs are taken off.
    tag_follows: Option<bool>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn push(&mut self, start: usize, text: String, operator: bool) {
        let joined = self.end == Some(start);
        self.end = Some(self.at);
        self.tokens.push(Token {
            text,
            operator,
            joined,
        });
    }

    fn step(&mut self) -> Result<(), Unreadable> {
        match self.peek(0) {
            Some(' ' | '\t') => self.at += 1,
            Some('\\') if self.peek(1) == Some('\n') => self.at += 2,
            Some('#') => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            }
            _ => match self.operator() {
                Some(operator) => self.take_operator(operator)?,
                None => self.word()?,
            },
        }
        Ok(())
    }

    fn operator(&self) -> Option<&'static str> {
        OPERATORS
            .into_iter()
            .find(|operator| {
                operator
                    .chars()
                    .enumerate()
                    .all(|(at, c)| self.peek(at) == Some(c))
            })
            .filter(|operator| !operator.is_empty())
    }

    fn take_operator(&mut self, operator: &'static str) -> Result<(), Unreadable> {
        if self.tag_follows.is_some() {
            return Err(Unreadable("a here-document in it has no tag"));
        }
        let start = self.at;
        self.at += operator.len();
        self.push(start, operator.to_owned(), true);
        match operator {
            "<<" => self.tag_follows = Some(false),
            "<<-" => self.tag_follows = Some(true),
            "\n" => self.bodies()?,
            _ => {}
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), Unreadable> {
        let start = self.at;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            let from = self.at;
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\\' => {
                    let next = self.peek(1).ok_or(Unreadable("it ends with a backslash"))?;
                    self.at += 2;
                    // A line that goes on.
                    if next == '\n' {
                        continue;
                    }
                }
                '\'' => self.at = skip::single_quoted(self.text, from + 1)?,
                '$' if self.peek(1) == Some('\'') => {
                    self.at = skip::ansi_quoted(self.text, from + 2)?;
                }
                // `$$` is no start of `$'…'`, nor of an expansion.
                '$' if self.peek(1) == Some('$') => self.at += 2,
                '"' => self.at = skip::double_quoted(self.text, from + 1, 0)?,
                '`' => self.at = skip::backquoted(self.text, from + 1)?,
                '$' => self.at = skip::dollar(self.text, from, 0)?,
                _ => self.at += 1,
            }
            text.extend(self.text.get(from..self.at).unwrap_or_default());
        }
        let tag = self
            .tag_follows
            .take()
            .map(|tabs| (tabs, without_quotes(&text)));
        self.push(start, text, false);
        if let Some((tabs, tag)) = tag {
            self.documents.push(Document {
                place: self.tokens.len(),
                tag,
                tabs,
            });
        }
        Ok(())
    }

    /// Reads the bodies of the here-documents of the line that just ended.
    fn bodies(&mut self) -> Result<(), Unreadable> {
        let documents = std::mem::take(&mut self.documents);
        // From the last one on, so that the places of those before it stay.
        let mut read = Vec::new();
        for document in documents {
            let (body, end) = skip::document(self.text, self.at, &document.tag, document.tabs)?;
            self.at = end;
            read.push((document, body));
        }
        for (document, body) in read.into_iter().rev() {
            for text in [document.tag, body] {
                let token = Token {
                    text,
                    operator: false,
                    joined: false,
                };
                self.tokens.insert(document.place, token);
            }
        }
        self.end = None;
        Ok(())
    }
}

fn without_quotes(tag: &str) -> String {
    let mut text = String::new();
    let mut chars = tag.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next()),
            '\'' | '"' => {}
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let found = tokens(text).unwrap_or_default();
        found.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn a_text_is_parted_as_a_shell_parts_it() {
        let cases: &[(&str, &[&str])] = &[
            ("a b", &["a", "b"]),
            ("a#b #c\nd", &["a#b", "\n", "d"]),
            ("a;#b", &["a", ";"]),
            ("a\\\nb c\\\n d", &["ab", "c", "d"]),
            ("a>>b 2>&1|&c", &["a", ">>", "b", "2", ">&", "1", "|&", "c"]),
            ("'a b'\"c d\"e\\ f", &["'a b'\"c d\"e\\ f"]),
            ("\\$'a\\' b", &["\\$'a\\'", "b"]),
            ("$$'a\\' b", &["$$'a\\'", "b"]),
            ("$'a\\' b' c", &["$'a\\' b'", "c"]),
            ("\"$(echo \"a b\")\" c", &["\"$(echo \"a b\")\"", "c"]),
            ("$(a # )\n) b", &["$(a # )\n)", "b"]),
            ("${a:-b c} d", &["${a:-b c}", "d"]),
            ("`a \\` b` c", &["`a \\` b`", "c"]),
            (
                "cat <<E a\nx y\nE\nb",
                &["cat", "<<", "E", "x y\n", "E", "a", "\n", "b"],
            ),
            (
                "cat <<-'E'\n\tx\n\tE",
                &["cat", "<<-", "'E'", "x\n", "E", "\n"],
            ),
            (
                "a <<E b <<F\n1\nE\n2\nF",
                &["a", "<<", "E", "1\n", "E", "b", "<<", "F", "2\n", "F", "\n"],
            ),
            ("a <<E\nE", &["a", "<<", "E", "", "E", "\n"]),
            (
                "$(cat <<'E'\nit's (\nE\n) b",
                &["$(cat <<'E'\nit's (\nE\n)", "b"],
            ),
            ("((a<<2))", &[]),
        ];
        for (text, words) in cases {
            assert_eq!(texts(text), *words, "{text:?}");
        }
        for text in [
            "'a",
            "\"a",
            "`a",
            "$(a",
            "${a",
            "a\\",
            "<<E",
            "<<E\na",
            "<<",
            "<<\nE",
            "$(<<E\na)",
        ] {
            assert!(tokens(text).is_err(), "{text:?}");
        }
    }
}
