//! Brace expansion (Bash manual, *Brace Expansion*) over marked text.

use crate::bounds::{ALTERNATIVES, Unreadable};
use crate::word::{self, CLOSE, COMMA, OPEN};

const MANY: Unreadable = Unreadable("its braces expand to too many words");
/// How many braces a word may open: the expansion recurses for each.
const BRACES: usize = 24;

/// The words that a marked word expands to: itself, with plain braces, where there is nothing to
/// expand.
pub(crate) fn expand(marked: &str) -> Result<Vec<String>, Unreadable> {
    let braces = marked.chars().filter(|c| *c == OPEN).count();
    if braces == 0 {
        return Ok(vec![plain(marked)]);
    }
    if braces > BRACES {
        return Err(MANY);
    }
    let text: Vec<char> = marked.chars().collect();
    let mut words = Vec::new();
    inside(&text, &mut words)?;
    Ok(words.iter().map(|word| plain(word)).collect())
}

/// Marks of braces that expand to nothing else become the characters.
fn plain(marked: &str) -> String {
    marked
        .chars()
        .map(|c| match c {
            OPEN | CLOSE | COMMA => word::written(c),
            c => c,
        })
        .collect()
}

fn inside(text: &[char], words: &mut Vec<String>) -> Result<(), Unreadable> {
    let Some(start) = text.iter().position(|c| *c == OPEN) else {
        words.push(text.iter().collect());
        return Ok(());
    };
    let before = text.get(..start).unwrap_or_default();
    let after_open = text.get(start + 1..).unwrap_or_default();
    let mut alternatives = match close(after_open) {
        Some((end, commas)) => alternatives(after_open.get(..end).unwrap_or_default(), &commas)?
            .map(|found| (found, after_open.get(end + 1..).unwrap_or_default())),
        None => None,
    };
    // A brace that opens nothing stands for itself.
    let (middles, rest) = alternatives
        .take()
        .unwrap_or_else(|| (vec![vec!['{']], after_open));
    let mut endings = Vec::new();
    inside(rest, &mut endings)?;
    for middle in middles {
        let mut expanded = Vec::new();
        inside(&middle, &mut expanded)?;
        for middle in &expanded {
            for ending in &endings {
                if words.len() >= ALTERNATIVES {
                    return Err(MANY);
                }
                words.push(
                    before
                        .iter()
                        .copied()
                        .chain(middle.chars())
                        .chain(ending.chars())
                        .collect(),
                );
            }
        }
    }
    Ok(())
}

/// The end of a brace's content, and the places of its commas.
fn close(text: &[char]) -> Option<(usize, Vec<usize>)> {
    let mut open = 0_usize;
    let mut commas = Vec::new();
    for (at, c) in text.iter().enumerate() {
        match *c {
            OPEN => open += 1,
            CLOSE if open == 0 => return Some((at, commas)),
            CLOSE => open -= 1,
            COMMA if open == 0 => commas.push(at),
            _ => {}
        }
    }
    None
}

fn alternatives(content: &[char], commas: &[usize]) -> Result<Option<Vec<Vec<char>>>, Unreadable> {
    if commas.is_empty() {
        return sequence(&content.iter().collect::<String>());
    }
    let mut found = Vec::new();
    let mut from = 0;
    for to in commas.iter().copied().chain([content.len()]) {
        found.push(content.get(from..to).unwrap_or_default().to_vec());
        from = to + 1;
    }
    Ok(Some(found))
}

/// `1..5`, `a..e`, with an optional third number.
fn sequence(content: &str) -> Result<Option<Vec<Vec<char>>>, Unreadable> {
    let mut pieces = content.split("..");
    let (Some(first), Some(last)) = (pieces.next(), pieces.next()) else {
        return Ok(None);
    };
    let number = |text: &str| text.parse::<i32>().ok().map(i64::from);
    let letter = |text: &str| {
        let mut letters = text.chars();
        let letter = letters.next().filter(char::is_ascii_alphabetic)?;
        letters.next().is_none().then_some(u32::from(letter))
    };
    let (from, to, letters) = match (number(first), number(last)) {
        (Some(from), Some(to)) => (from, to, false),
        _ => match (letter(first), letter(last)) {
            (Some(from), Some(to)) => (i64::from(from), i64::from(to), true),
            _ => return Ok(None),
        },
    };
    let step = match pieces.next() {
        None => 1,
        Some(step) => match number(step) {
            Some(step) => step.abs().max(1),
            None => return Ok(None),
        },
    };
    if (from - to).abs() / step >= ALTERNATIVES as i64 {
        return Err(MANY);
    }
    let mut found = Vec::new();
    let mut value = from;
    loop {
        let text = if letters {
            let letter = u32::try_from(value).ok().and_then(char::from_u32);
            letter.map(String::from).unwrap_or_default()
        } else {
            value.to_string()
        };
        found.push(text.chars().collect());
        value += if from <= to { step } else { -step };
        if (from <= to && value > to) || (from > to && value < to) {
            return Ok(Some(found));
        }
    }
}
