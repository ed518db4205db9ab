//! Two kinds of patterns: over commands (`*` any text, `?` any one character) and over paths
//! (`*` and `?` within a name, `**` any number of folders).

use crate::word;

/// Whether a text as a whole is one that a pattern over commands stands for. Letter case makes no
/// difference.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().flat_map(char::to_lowercase).collect();
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let (mut at, mut here) = (0, 0);
    // Where to go back to when what follows the last `*` does not fit.
    let mut star: Option<(usize, usize)> = None;
    while here < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(c) if *c == '?' || Some(c) == text.get(here) => {
                at += 1;
                here += 1;
            }
            _ => match star {
                Some((place, from)) => {
                    star = Some((place, from + 1));
                    at = place + 1;
                    here = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|c| *c == '*')
}

/// A piece of a pattern over paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Is(char),
    /// One character of a name.
    One,
    /// Any text within a name.
    Some,
    /// Any text, also over several folders.
    All,
}

/// A pattern over paths, or a path, or a path with unquoted patterns in it.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern(Vec<Piece>);

impl PathPattern {
    /// A pattern as it is configured.
    pub(crate) fn configured(text: &str) -> Self {
        Self::read(text, |c| match c {
            '*' => word::STAR,
            '?' => word::ANY,
            c => c,
        })
    }

    /// A path of marked text. Sets of characters and unknown text count as any text.
    pub(crate) fn marked(text: &str) -> Self {
        Self::read(text, |c| c)
    }

    fn read(text: &str, mark: fn(char) -> char) -> Self {
        let mut pieces = Vec::new();
        let mut chars = text
            .chars()
            .flat_map(char::to_lowercase)
            .map(mark)
            .peekable();
        while let Some(c) = chars.next() {
            match c {
                word::STAR if chars.peek() == Some(&word::STAR) => {
                    chars.next();
                    // `**/` stands for no folder too.
                    chars.next_if_eq(&'/');
                    pieces.push(Piece::All);
                }
                // A set may be written in many ways; what follows it is left to the rest.
                word::STAR | word::SET => pieces.push(Piece::Some),
                word::ANY => pieces.push(Piece::One),
                c if word::is_unknown(c) => pieces.push(Piece::All),
                c => pieces.push(Piece::Is(c)),
            }
        }
        if let Some(set) = text.find(word::SET) {
            // From a set on, anything may follow within the name.
            let before = Self::read(text.get(..set).unwrap_or_default(), |c| c)
                .0
                .len();
            pieces.truncate(before);
            pieces.push(Piece::All);
        }
        Self(pieces)
    }

    /// Whether there is a path that both patterns stand for.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        // Most pairs differ at their ends.
        let differ = |(a, b): (&Piece, &Piece)| !is_text(*a) && !is_text(*b) && !same(*a, *b);
        if self.0.first().zip(other.0.first()).is_some_and(differ)
            || self.0.last().zip(other.0.last()).is_some_and(differ)
        {
            return false;
        }
        // One row of the table of all pairs of places at a time, from the ends backwards.
        let (a, b) = (&self.0, &other.0);
        let width = b.len() + 1;
        let mut next = vec![false; width];
        for i in (0..=a.len()).rev() {
            let mut row = vec![false; width];
            for j in (0..=b.len()).rev() {
                let cell = |row: &[bool], at: usize| row.get(at).copied().unwrap_or(false);
                let (left, right) = (a.get(i).copied(), b.get(j).copied());
                let fits = match (left, right) {
                    (None, None) => true,
                    (Some(Piece::Some | Piece::All), None) => cell(&next, j),
                    (None, Some(Piece::Some | Piece::All)) => cell(&row, j + 1),
                    (Some(l), Some(r)) => {
                        let empty_left = is_text(l) && cell(&next, j);
                        let empty_right = is_text(r) && cell(&row, j + 1);
                        let eaten = match (is_text(l), is_text(r)) {
                            // Two texts: what one eats of the other is eaten piece by piece.
                            (true, true) => false,
                            (true, false) => eats(l, r) && cell(&row, j + 1),
                            (false, true) => eats(r, l) && cell(&next, j),
                            (false, false) => same(l, r) && cell(&next, j + 1),
                        };
                        empty_left || empty_right || eaten
                    }
                    _ => false,
                };
                if let Some(place) = row.get_mut(j) {
                    *place = fits;
                }
            }
            next = row;
        }
        next.first().copied().unwrap_or(false)
    }
}

fn is_text(piece: Piece) -> bool {
    matches!(piece, Piece::Some | Piece::All)
}

/// Whether a text may hold this one character.
fn eats(text: Piece, one: Piece) -> bool {
    text == Piece::All || one != Piece::Is('/')
}

fn same(a: Piece, b: Piece) -> bool {
    match (a, b) {
        (Piece::Is(a), Piece::Is(b)) => a == b,
        (Piece::One, Piece::Is(c)) | (Piece::Is(c), Piece::One) => c != '/',
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_over_commands() {
        for (pattern, text, fits) in [
            ("git push*", "git push origin", true),
            ("git push *", "git push", false),
            ("GIT PUSH *", "git Push origin", true),
            ("*secret*", "cat secrets.yml", true),
            ("?m x", "rm x", true),
            ("?m x", "m x", false),
            ("", "", true),
            ("", "a", false),
            ("***", "", true),
            ("a*b*c", "axxbxxbxc", true),
            ("a*b*c", "axxbxxbxd", false),
            ("ä?", "Äb", true),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern:?} {text:?}");
        }
    }

    #[test]
    fn patterns_over_paths_overlap_when_one_path_fits_both() {
        let marked = |text: &str| {
            text.replace('*', &word::STAR.to_string())
                .replace('?', &word::ANY.to_string())
                .replace('[', &word::SET.to_string())
        };
        for (pattern, path, fits) in [
            ("*.pem", "a.pem", true),
            ("*.pem", "a/b.pem", false),
            ("**/*.pem", "a/b.pem", true),
            ("**/*.pem", "b.pem", true),
            ("**/.ssh/**", "/home/x/.ssh/config", true),
            ("**/.ssh/**", "/home/x/ssh/config", false),
            ("**/.ssh/**", ".ssh/config", true),
            ("*.pem", "*", true),
            ("*.pem", "*.rs", false),
            ("*.pem", "a*", true),
            ("credentials*", "*.json", true),
            ("credentials*", "src*.json", false),
            ("?.pem", "*.pem", true),
            ("?b", "ab", true),
            ("?b", "/b", false),
            (".env", "[.]env", true),
            (".env", ".e[n]v", true),
            (".env", "x[n]v", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("", "", true),
            ("a", "", false),
            ("**", "", true),
        ] {
            let pattern_read = PathPattern::configured(pattern);
            let path_read = PathPattern::marked(&marked(path));
            assert_eq!(
                pattern_read.overlaps(&path_read),
                fits,
                "{pattern:?} {path:?}"
            );
            assert_eq!(
                path_read.overlaps(&pattern_read),
                fits,
                "{path:?} {pattern:?}"
            );
        }
    }
}
